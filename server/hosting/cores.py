"""The cores of this machine that we may use."""

from __future__ import annotations

import os


def available_cores() -> list[int]:
    """Their numbers. Where the system does not tell which are ours, as on macOS: all of them."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def pin_to_core(core: int) -> None:
    """Run this process, and all that it starts, on one core only, where the system supports it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
