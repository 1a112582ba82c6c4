"""What `tortuga doctor` finds out: the machine, and the attempts at one level or at several, beside the control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from referee.errors import ConfigError
from server.doctor.attack import Judged, Outcome, Results, Try, Verdict, attack, judge
from server.doctor.checkup import Finding, State
from server.doctor.promises import is_promised_open
from server.doctor.table import ATTEMPTS, Attempt
from server.jail.level import JailLevel


@dataclass(frozen=True, kw_only=True, slots=True)
class Surprise:
    """A try that succeeded although docs/security.md promises that it is held."""

    level: JailLevel
    attempt: Attempt
    made: Try

    def __str__(self) -> str:
        return f"{self.level}: {self.attempt.number} {self.attempt.title}: {self.made.name} ({self.made.detail})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Examination:
    """All that was found."""

    findings: Sequence[Finding]
    judged: dict[JailLevel, list[Judged]]
    """By level; the control, at the level none, is among them."""

    def surprises(self) -> list[Surprise]:
        """What is open and should not be."""
        return [
            Surprise(level=level, attempt=judged.attempt, made=made)
            for level, rows in self.judged.items()
            for judged in rows
            for made in judged.open_tries
            if not is_promised_open(level, judged.attempt.number, made.name)
        ]

    def missing(self, required: JailLevel | None) -> list[str]:
        """What is required and not there, in words."""
        found = [f"{one.name}: {one.detail}" for one in self.findings if one.required and one.state is State.MISSING]
        if required is not None:
            found += [
                f"the level {one.name}: {one.detail}"
                for one in self.findings
                if one.group == "jail" and one.name == required and one.state is State.MISSING
            ]
        return found

    def as_json(self, required: JailLevel | None) -> dict[str, Any]:
        """For programs."""
        return {
            "findings": [
                {
                    "group": one.group,
                    "name": one.name,
                    "state": str(one.state),
                    "detail": one.detail,
                    "cure": one.cure,
                    "required": one.required,
                }
                for one in self.findings
            ],
            "attempts": [
                {
                    "number": attempt.number,
                    "title": attempt.title,
                    "levels": {str(level): judged_json(rows[place]) for level, rows in self.judged.items()},
                }
                for place, attempt in enumerate(self._attempts())
            ],
            "missing": self.missing(required),
            "surprises": [str(one) for one in self.surprises()],
        }

    def _attempts(self) -> list[Attempt]:
        return [judged.attempt for judged in next(iter(self.judged.values()), [])]


def judged_json(judged: Judged) -> dict[str, Any]:
    """One attempt at one level."""
    tries = [{"name": made.name, "outcome": str(made.outcome), "detail": made.detail} for made in judged.tries]
    return {"verdict": str(judged.verdict), "tries": tries}


async def try_levels(
    levels: Sequence[JailLevel],
    done: Callable[[], None] = lambda: None,
    attempts: Sequence[Attempt] = ATTEMPTS,
) -> dict[JailLevel, list[Judged]]:
    """Make all attempts at these levels, and before that without any confinement, to know what is possible here."""
    control = await attack(JailLevel.NONE, attempts, done)
    results: dict[JailLevel, Results] = {JailLevel.NONE: control}
    for level in levels:
        if level is not JailLevel.NONE:
            try:
                results[level] = await attack(level, attempts, done)
            except ConfigError as refusal:  # as root, with a Python that only root may read
                unable = Try("start the bot", Outcome.BROKEN, str(refusal))
                results[level] = {attempt.number: [unable] for attempt in attempts}
    return {
        level: [judge(attempt, found[attempt.number], control[attempt.number]) for attempt in attempts]
        for level, found in results.items()
    }


def count(rows: Sequence[Judged]) -> dict[Verdict, int]:
    """How many attempts ended in which way."""
    return {verdict: sum(judged.verdict is verdict for judged in rows) for verdict in Verdict}
