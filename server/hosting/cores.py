"""The cores of this machine that we may use."""

from __future__ import annotations

import os


def own_cores() -> list[int]:
    """Their numbers. Where the system does not say which are ours, as on macOS: all of them."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def keep_to(core: int) -> None:
    """Let this process, and all that it starts, run on one core alone, where that can be asked for."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
