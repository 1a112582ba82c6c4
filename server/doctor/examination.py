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
from server.doctor.attempt_list import ATTEMPTS, Attempt
from server.doctor.attempt_runner import (
    AttemptOutcome,
    AttemptResult,
    AttemptVerdict,
    JudgedAttempt,
    Results,
    judge,
    run_attempts,
)
from server.doctor.checkup import CheckupFinding, CheckupState
from server.jail.level import JailLevel


@dataclass(frozen=True, kw_only=True, slots=True)
class Surprise:
    """A part of an attempt that succeeded although docs/security.md promises that it is held."""

    level: JailLevel
    attempt: Attempt
    result: AttemptResult

    def __str__(self) -> str:
        return f"{self.level}: {self.attempt.number} {self.attempt.title}: {self.result.name} ({self.result.detail})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Examination:
    """All facts about this machine."""

    findings: Sequence[CheckupFinding]
    judged: dict[JailLevel, list[JudgedAttempt]]
    """Judgements by level, with the control, which is the level none."""

    def surprises(self) -> list[Surprise]:
        """Return what is open and should not be."""
        return [
            Surprise(level=level, attempt=judged.attempt, result=result)
            for level, rows in self.judged.items()
            for judged in rows
            for result in judged.open_tries
            if not is_promised_open(level, judged.attempt.number, result.name)
        ]

    def missing(self, required: JailLevel | None) -> list[str]:
        """Say what is required and not there."""
        missing = [
            f"{finding.name}: {finding.detail}"
            for finding in self.findings
            if finding.required and finding.state is CheckupState.MISSING
        ]
        if required is not None:
            missing += [
                f"the level {finding.name}: {finding.detail}"
                for finding in self.findings
                if finding.group == "jail" and finding.name == required and finding.state is CheckupState.MISSING
            ]
        return missing

    def as_json(self, required: JailLevel | None) -> dict[str, Any]:
        """Return the examination for programs."""
        return {
            "findings": [
                {
                    "group": finding.group,
                    "name": finding.name,
                    "state": str(finding.state),
                    "detail": finding.detail,
                    "cure": finding.cure,
                    "required": finding.required,
                }
                for finding in self.findings
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
            "surprises": [str(surprise) for surprise in self.surprises()],
        }

    def _attempts(self) -> list[Attempt]:
        return [judged.attempt for judged in next(iter(self.judged.values()), [])]


def judged_json(judged: JudgedAttempt) -> dict[str, Any]:
    """Return one attempt at one level, for programs."""
    tries = [{"name": result.name, "outcome": str(result.outcome), "detail": result.detail} for result in judged.tries]
    return {"verdict": str(judged.verdict), "tries": tries}


async def try_levels(
    levels: Sequence[JailLevel],
    done: Callable[[], None] = lambda: None,
    attempts: Sequence[Attempt] = ATTEMPTS,
) -> dict[JailLevel, list[JudgedAttempt]]:
    """Make all attempts at these levels, and before that without any confinement, to know what is possible here."""
    control = await run_attempts(JailLevel.NONE, attempts, done)
    results: dict[JailLevel, Results] = {JailLevel.NONE: control}
    for level in levels:
        if level is not JailLevel.NONE:
            try:
                results[level] = await run_attempts(level, attempts, done)
            except ConfigError as refusal:  # as root, with a Python that only root may read
                unable = AttemptResult("start the bot", AttemptOutcome.BROKEN, str(refusal))
                results[level] = {attempt.number: [unable] for attempt in attempts}
    return {
        level: [judge(attempt, results_of_level[attempt.number], control[attempt.number]) for attempt in attempts]
        for level, results_of_level in results.items()
    }


def count(rows: Sequence[JudgedAttempt]) -> dict[AttemptVerdict, int]:
    """Count the attempts by verdict."""
    return {verdict: sum(judged.verdict is verdict for judged in rows) for verdict in AttemptVerdict}


BY_THE_KEEPER = frozenset({32})
"""Attempts held at every level, also without confinement."""
BY_PROCESS = BY_THE_KEEPER | {23, 24, 26, 27, 31, 36, 37}
"""Attempts held by limits, and because nothing is built below the level jail."""
BY_PROCESS_AS_ROOT = BY_PROCESS | {1, 4, 6, 14, 15, 22, 33}
"""Attempts held also by a user of its own, which only root can give to a bot."""

OPEN_IN_FENCE_AS_ROOT = {23: "be root"}
"""Parts that are open where Python lies in a folder that only root may enter: a fenced bot stays user 0, without any
capability."""

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
"""Parts that would reach a seed, a token, the database, the organiser's door or another bot's result. None of them
may succeed in a fence."""


def promised(level: JailLevel, attempt: Attempt, *, as_root: bool = False) -> AttemptVerdict:
    """Return what docs/security.md says of an attempt at a level."""
    match level:
        case JailLevel.NONE:
            held = attempt.number in BY_THE_KEEPER
        case JailLevel.PROCESS:
            held = attempt.number in (BY_PROCESS_AS_ROOT if as_root else BY_PROCESS)
        case JailLevel.FENCE | JailLevel.JAIL | JailLevel.JAIL_CGROUP:
            held = True
    return AttemptVerdict.HELD if held else AttemptVerdict.OPEN


def is_promised_open(level: JailLevel, number: int, name: str) -> bool:
    """Check whether a part of an attempt is known to succeed at a level."""
    [attempt] = [attempt for attempt in ATTEMPTS if attempt.number == number]
    as_root = os.getuid() == 0
    if level is JailLevel.FENCE:
        return as_root and OPEN_IN_FENCE_AS_ROOT.get(number) == name
    return promised(level, attempt, as_root=as_root) is AttemptVerdict.OPEN
