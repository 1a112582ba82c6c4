"""An event loop whose clock jumps: a test with an hour of waiting takes a millisecond and always the same course."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar
from unittest import mock

T = TypeVar("T")


class _JumpingSelector(selectors.DefaultSelector):
    """Where a real loop would sleep, the clock moves on instead."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> Any:
        if timeout:
            self.loop.now += timeout
        elif timeout is None:
            raise RuntimeError("everybody waits and no timer is set: the test would hang")
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop with a clock of its own."""

    def __init__(self) -> None:
        self.now = 1000.0
        selector = _JumpingSelector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end in virtual time."""
    with (
        asyncio.Runner(loop_factory=VirtualLoop) as runner,
        mock.patch("referee.match.clock.now", runner.get_loop().time),
    ):
        return runner.run(work)
