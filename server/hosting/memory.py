"""Memory of a process that referees for days: limits the size of its caches, and keeps garbage collection pauses short.

**Caches.** Each cache of encoded pieces and of rules is bounded by itself, but there are two hundred of them: all full,
they would take a gigabyte. An arena's memory grows with them and with nothing else (docs/performance.md has the
figures). So the caches that are worth least are emptied when there is too much in all of them; what is needed again is
computed again.

**Pauses.** A full collection of Python's garbage collector looks at every object there is, and the caches hold hundreds
of thousands: a third of a second in which no bot is heard (docs/performance.md). What has survived one full collection
will mostly stay for good, so it is frozen (gc.freeze), and the next one looks only at what is new. From time to time
everything is scanned after all, because some of what was frozen has become garbage.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import sys
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from server.system.logs import get_logger

log = get_logger()

Cache: TypeAlias = "functools._lru_cache_wrapper[Any]"

MOST_ENTRIES = 300_000
"""In all caches together: some 175 MB."""
TRIMMED = 0.75
"""To which part of that they are emptied."""
LOOK_SECONDS = 30.0


async def keep_within_budget() -> None:
    """Look from time to time, for ever. Emptying a cache takes milliseconds, so others come between two of them."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        for _ in trim():
            await asyncio.sleep(0.05)


def trim(most: int = MOST_ENTRIES) -> Iterator[Cache]:
    """Empty caches one by one, if there is too much in them; those first whose entries were used least often."""
    caches = [cache for cache in find_caches() if cache.cache_info().currsize]
    total = sum(cache.cache_info().currsize for cache in caches)
    if total <= most:
        return
    before = total
    for cache in sorted(caches, key=_use):
        if total <= TRIMMED * most:
            break
        total -= cache.cache_info().currsize
        cache.cache_clear()
        yield cache
    log.info("caches_trimmed", entries=before, left=total)


def find_caches() -> list[Cache]:
    """Return the bounded caches of the referee's modules and of their classes."""
    caches: dict[int, Cache] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "referee":
            continue
        for value in list(vars(module).values()):
            for item in (value, *(vars(value).values() if isinstance(value, type) else ())):
                item = getattr(item, "__func__", item)
                if isinstance(item, functools._lru_cache_wrapper) and item.cache_parameters()["maxsize"] is not None:
                    caches[id(item)] = item
    return list(caches.values())


def _use(cache: Cache) -> float:
    """Return how often an entry was of use."""
    info = cache.cache_info()
    return info.hits / info.currsize


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
