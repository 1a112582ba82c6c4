"""Output for people and programs: listings and progress for a terminal, plain text when piped, JSON on request.

rich is imported when something is drawn.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import click

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """Return a console for stdout: colours and boxes on a terminal, neither when piped, and never a line cut off."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 200)


def print_json(value: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(value, indent=2))


def warn(text: str) -> None:
    """Print one line on stderr: stdout is for the result."""
    click.echo(f"tortuga: {text}", err=True)


def show_rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a plain list of rows."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(*head)
    for row in rows:
        table.add_row(*map(escape, row))
    console().print(table)


@contextmanager
def progress(what: str, total: int, *, quiet: bool) -> Iterator[Callable[..., None]]:
    """Show a progress bar on stderr, if it is a terminal.

    Yields a function that advances the bar by one, or by the count passed to it.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda count=1: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count=1: bar.advance(task, count)


REWRITE_SECONDS = 0.2
ROUND = (1, 2, 5)
"""When piped, a line is printed at 10, 20, 50, 100, 200, 500 … items."""


class StatusLine:
    """One line on stderr about the progress of a long run: rewritten on a terminal, printed now and then when piped.

    Use it as `with StatusLine(quiet=…) as status`, and pass the state to `tell` after every item.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._on_terminal = sys.stderr.isatty()
        self._shown_at = 0.0
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._width:
            click.echo("\r" + " " * self._width + "\r", nl=False, err=True)

    def tell(self, count: int, text: str) -> None:
        """Show the state after this many items."""
        if self._quiet:
            return
        if not self._on_terminal:
            if is_round(count):
                click.echo(text, err=True)
            return
        now = time.monotonic()
        if now - self._shown_at >= REWRITE_SECONDS:
            self._shown_at = now
            click.echo("\r" + text.ljust(self._width), nl=False, err=True)
            self._width = max(self._width, len(text))


def is_round(count: int) -> bool:
    """Return whether this is a number at which a line is worth printing."""
    digits = str(count)
    return count >= 10 and int(digits[0]) in ROUND and not digits[1:].strip("0")
