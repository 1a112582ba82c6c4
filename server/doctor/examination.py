"""What `tortuga doctor` finds out: the machine, and the attempts at one level or at several, beside the control.

Also, what each level promises: which attempts it holds. docs/security.md tells the same, and tests compare both with
what really happens.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from referee.errors import ConfigError
from server.doctor.attack import Judged, Outcome, Results, Try, Verdict, attack, judge
from server.doctor.attempt_list import ATTEMPTS, Attempt
from server.doctor.checkup import Finding, State
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


BY_THE_KEEPER = frozenset({32})
"""Held at every level, also without confinement."""
BY_PROCESS = BY_THE_KEEPER | {23, 24, 26, 27, 31, 36, 37}
"""Held by limits, and because nothing is built below the level jail."""
BY_PROCESS_AS_ROOT = BY_PROCESS | {1, 4, 6, 14, 15, 22, 33}
"""Held also by a user of its own, which only root can give to a bot."""

OPEN_IN_FENCE_AS_ROOT = {23: "be root"}
"""Where Python lies in a folder that only root may enter, a fenced bot stays user 0, without any capability."""

PRECIOUS = frozenset(
    {
        *("read the event's seed", "list the event's folder", "read a stored token", "read the admin key"),
        *(
            "take the database's write lock",
            "remove a record",
            "change the rights of a record",
            "close the event's folder",
            "write into another bot's folder",
        ),
        *("read another bot's token", "read the server's environment", "open another bot's memory"),
        *("open the server's memory", "speak to the admin door", "signal the server", "signal another bot"),
        *("signal another bot's keeper", "signal another bot by descriptor", "trace another bot", "trace the server"),
        *("read another bot's memory", "take a descriptor of another bot", "signal its keeper"),
        *("write into its keeper's pipe", "write into another process's scratch"),
    }
)
"""Tries that would reach a seed, a token, the database, the organiser's door or another bot's result. None of them may
succeed in a fence."""


def promised(level: JailLevel, attempt: Attempt, *, as_root: bool = False) -> Verdict:
    """What docs/security.md says of an attempt at a level."""
    match level:
        case JailLevel.NONE:
            held = attempt.number in BY_THE_KEEPER
        case JailLevel.PROCESS:
            held = attempt.number in (BY_PROCESS_AS_ROOT if as_root else BY_PROCESS)
        case JailLevel.FENCE | JailLevel.JAIL | JailLevel.JAIL_CGROUP:
            held = True
    return Verdict.HELD if held else Verdict.OPEN


def is_promised_open(level: JailLevel, number: int, name: str) -> bool:
    """Whether a try is known to succeed at a level."""
    [attempt] = [attempt for attempt in ATTEMPTS if attempt.number == number]
    as_root = os.getuid() == 0
    if level is JailLevel.FENCE:
        return as_root and OPEN_IN_FENCE_AS_ROOT.get(number) == name
    return promised(level, attempt, as_root=as_root) is Verdict.OPEN
