"""The event loop of a command: fast, stopped by signals, and closed cleanly."""

from __future__ import annotations

import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

from referee.errors import TortugaError
from server.cli.common.command import Interrupted

T = TypeVar("T")


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run on uvloop, the fastest event loop there is."""

    async def harmless() -> T:
        try:
            return await work
        except (TortugaError, OSError) as error:
            # Without its frames: the servers they hold would outlive the loop, without which gRPC cannot end them.
            raise error.with_traceback(None) from None

    import uvloop

    return uvloop.run(harmless())


def run_match(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, or until Ctrl-C or SIGTERM; then clean up and say so."""

    import asyncio

    async def guarded() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        return await work

    try:
        return run_loop(guarded())
    except asyncio.CancelledError:
        raise Interrupted("interrupted; the match counts for nobody, every bot was stopped") from None
