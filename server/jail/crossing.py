"""Describes a limit that a bot crossed, for its author."""

from __future__ import annotations

import re

from server.jail.limits import KEYS, ResourceLimits, name_size

IDLE = "idle"
OUTPUT = "output"

_NAMES = {
    **{key: row.name for key, row in KEYS.items()},
    "tasks": "tasks (processes and threads)",
    IDLE: "processor time while no question is open",
}

_SYMPTOMS = {
    "open_files": r"too many open files|EMFILE",
    "file_size": r"file too large|EFBIG",
    "scratch": r"no space left|ENOSPC",
    "tasks": r"resource temporarily unavailable|EAGAIN|new thread|native thread|cannot fork|can't fork",
    "memory": r"memory|alloc",
}
"""What programs print of an error that a limit leads to, the plainest words first."""


def describe_crossing(limit: str, used: float, allowed: float) -> str:
    """What a bot did, worded to follow its name."""
    if limit == OUTPUT:
        return f"printed more than {name_size(int(allowed))}"
    return f"crossed its limit of {_NAMES[limit]}: {_amount(limit, used)} used, {_amount(limit, allowed)} allowed"


def describe_large_file(limits: ResourceLimits) -> str:
    """What a bot did that the kernel ended by SIGXFSZ."""
    return f"crossed its limit of {_NAMES['file_size']}: it wrote to a file beyond {name_size(limits.file_bytes)}"


def limit_in_question(last_words: str, limits: ResourceLimits) -> str:
    """The limit that a crash may come from by what the bot printed last, worded to follow how it ended; empty if
    nothing points to one. The kernel tells a bot that it gets no more, but not us."""
    for key, symptoms in _SYMPTOMS.items():
        if re.search(symptoms, last_words, flags=re.IGNORECASE):
            row = KEYS[key]
            return f"; its {row.name} {'were' if row.name.endswith('s') else 'was'} limited to " + row.describe(
                getattr(limits, row.field)
            )
    return ""


def _amount(limit: str, value: float) -> str:
    if limit == IDLE:
        return f"{value:.2g} s"
    if KEYS[limit].is_size:
        return f"{value / (1 << 20):.0f} MiB" if value >= 1 << 20 else name_size(int(value))
    return f"{value:g}"
