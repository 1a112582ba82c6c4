"""What each level promises: which attempts it holds. docs/security.md tells the same, and tests compare both with what
really happens."""

from __future__ import annotations

import os

from server.doctor.attack import Verdict
from server.doctor.table import ATTEMPTS, Attempt
from server.jail.level import JailLevel

BY_THE_KEEPER = frozenset({32})
"""Held at every level, also without confinement."""
BY_PROCESS = BY_THE_KEEPER | {23, 24, 26, 27, 31, 36, 37}
"""Held by limits, and because nothing is built below the level jail."""
BY_PROCESS_AS_ROOT = BY_PROCESS | {1, 4, 6, 14, 15, 22, 33}
"""Held also by a user of its own, which only root can give to a bot."""

OPEN_IN_FENCE = {35: "64 bits by files that are there or not"}
"""Landlock does not govern whether a file is seen to exist."""
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
        case JailLevel.FENCE:
            held = attempt.number not in OPEN_IN_FENCE
        case JailLevel.JAIL | JailLevel.JAIL_CGROUP:
            held = True
    return Verdict.HELD if held else Verdict.OPEN


def is_promised_open(level: JailLevel, number: int, name: str) -> bool:
    """Whether a try is known to succeed at a level."""
    [attempt] = [attempt for attempt in ATTEMPTS if attempt.number == number]
    as_root = os.getuid() == 0
    if level is JailLevel.FENCE:
        return OPEN_IN_FENCE.get(number) == name or (as_root and OPEN_IN_FENCE_AS_ROOT.get(number) == name)
    return promised(level, attempt, as_root=as_root) is Verdict.OPEN
