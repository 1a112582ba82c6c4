"""Suspends bots that fail too often on the ladders."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Sequence

from referee.errors import FaultKind
from server.arena.caller_input import one_line
from server.arena.registry import Registry
from server.play.summary import FaultSummary
from server.system.logs import get_logger

log = get_logger()


class Suspensions:
    """Remembers in which of its last matches each bot failed, and suspends those that reach the limit."""

    def __init__(self, registry: Registry, *, fault_limit: int, matches: int) -> None:
        """A bot is suspended that failed in `fault_limit` of its last `matches`. A limit of 0: never."""
        self._registry = registry
        self._fault_limit = fault_limit
        self._matches = matches
        self._failed: dict[str, deque[bool]] = {}
        """Per bot whether it failed in each of its last matches, since it came or its suspension was lifted."""

    def clear(self, name: str) -> None:
        """Forget a bot's faults."""
        self._failed.pop(name, None)

    async def judge(self, names: Sequence[str], faults: Sequence[FaultSummary]) -> dict[str, str]:
        """Count a match of these bots, in seat order; returns the bots that are suspended now, and why."""
        failed = {int(fault.seat) for fault in faults if fault.kind != FaultKind.RESIGN}
        suspended: dict[str, str] = {}
        for seat, name in enumerate(names):
            last = self._failed.setdefault(name, deque(maxlen=self._matches))
            last.append(seat in failed)
            if seat in failed and 0 < self._fault_limit <= sum(last) and not self._registry.bot(name).suspended:
                text = next(fault.message for fault in reversed(faults) if fault.seat == seat)
                reason = one_line(f"failed in {sum(last)} of its last {len(last)} matches, the last time: {text}")
                log.warning("suspended", bot=name, reason=reason)
                try:
                    await asyncio.to_thread(self._registry.suspend, name, reason)
                except sqlite3.Error as error:  # its next fault tries again
                    log.error("suspend_failed", bot=name, reason=str(error))
                    continue
                suspended[name] = reason
        return suspended
