"""Limits the total size of the referee's caches, in a process that referees for days.

Each cache of encoded pieces and of rules is bounded by itself, but there are two hundred of them: all full, they would
take a gigabyte. An arena's memory grows with them and with nothing else (docs/performance.md has the figures). So the
caches that are worth least are emptied when there is too much in all of them; what is needed again is computed again.
"""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Iterator
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
    """The bounded caches of the referee's modules and of their classes."""
    found: dict[int, Cache] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "referee":
            continue
        for value in list(vars(module).values()):
            for one in (value, *(vars(value).values() if isinstance(value, type) else ())):
                one = getattr(one, "__func__", one)
                if isinstance(one, functools._lru_cache_wrapper) and one.cache_parameters()["maxsize"] is not None:
                    found[id(one)] = one
    return list(found.values())


def _use(cache: Cache) -> float:
    """How often an entry was of use."""
    info = cache.cache_info()
    return info.hits / info.currsize
