"""Short garbage collection pauses in a process that referees for days.

A full collection of Python's garbage collector looks at every object there is, and the caches of encoded pieces hold
hundreds of thousands: a third of a second in which no bot is heard (docs/performance.md). What has survived one full
collection will mostly stay for good, so it is frozen (gc.freeze), and the next one looks only at what is new. From time
to time everything is scanned after all, because some of what was frozen has become garbage.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import Any

FULL_SCAN_EVERY = 200
"""One in this many full collections scans everything, frozen objects included."""

_full_collections = 0


def limit_gc_pauses() -> None:
    """Freeze long-lived objects from now on, in this process."""
    if _on_collection not in gc.callbacks:
        gc.collect()
        gc.freeze()
        gc.callbacks.append(_on_collection)


def _on_collection(phase: str, info: Mapping[str, Any]) -> None:
    global _full_collections
    if info["generation"] != 2:
        return
    if phase == "start":
        _full_collections += 1
        if _full_collections % FULL_SCAN_EVERY == 0:
            gc.unfreeze()
    else:
        gc.freeze()
