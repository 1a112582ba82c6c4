"""Short pauses in a process that referees for days.

A full collection of Python's garbage collector looks at every object there is, and the caches of encoded pieces hold
hundreds of thousands: a third of a second in which no bot is heard (docs/performance.md). What has survived one full
collection will mostly stay for good, so it is set aside, and the next one looks at what is new. Now and then all of it
is looked at after all, because some of what was set aside has become garbage meanwhile.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import Any

WHOLE_EVERY = 200
"""Of so many full collections one looks at everything."""

_full = 0


def keep_short() -> None:
    """For this process, from now on."""
    if _watch not in gc.callbacks:
        gc.collect()
        gc.freeze()
        gc.callbacks.append(_watch)


def _watch(phase: str, info: Mapping[str, Any]) -> None:
    global _full
    if info["generation"] != 2:
        return
    if phase == "start":
        _full += 1
        if _full % WHOLE_EVERY == 0:
            gc.unfreeze()
    else:
        gc.freeze()
