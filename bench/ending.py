"""Ends what a measurement started: SIGTERM acts like Ctrl-C, and no process is waited for without limit.

Ctrl-C reaches `with` blocks as an exception, so they end their processes and delete their folders. Without this module
SIGTERM would end us on the spot, and the arena that we started would keep running.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Raise KeyboardInterrupt at the first SIGTERM. Later ones are ignored, also by what is left of the command."""
    has_come = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal has_come
        if not has_come:
            has_come = True
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN if has_come else before)


@contextmanager
def sigterm_held() -> Iterator[None]:
    """Delay SIGTERM while a process is started or ended: an exception halfway would leave it running."""
    came: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if came:
            signal.raise_signal(signal.SIGTERM)


def wait_or_kill(process: subprocess.Popen[Any], seconds: float) -> None:
    """Wait for a process that was told to end, and kill it if that takes too long."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
