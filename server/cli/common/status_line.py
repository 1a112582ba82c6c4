"""One line on stderr that tells how far a long run is: rewritten on a terminal, printed now and then when piped."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

import click

REWRITE_SECONDS = 0.2
ROUND = (1, 2, 5)
"""When piped, a line is printed at 10, 20, 50, 100, 200, 500 … items."""


class StatusLine:
    """Use it as `with StatusLine(quiet=…) as status`, and tell it the state after every item."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._on_terminal = sys.stderr.isatty()
        self._told_at = 0.0
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._width:
            click.echo("\r" + " " * self._width + "\r", nl=False, err=True)

    def tell(self, count: int, text: str) -> None:
        """The state after so many items."""
        if self._quiet:
            return
        if not self._on_terminal:
            if is_round(count):
                click.echo(text, err=True)
            return
        now = time.monotonic()
        if now - self._told_at >= REWRITE_SECONDS:
            self._told_at = now
            click.echo("\r" + text.ljust(self._width), nl=False, err=True)
            self._width = max(self._width, len(text))


def is_round(count: int) -> bool:
    """Whether this is a number at which a line is worth printing."""
    digits = str(count)
    return count >= 10 and int(digits[0]) in ROUND and not digits[1:].strip("0")
