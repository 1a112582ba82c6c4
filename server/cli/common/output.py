"""What people and programs see: tables and progress for a terminal, plain text when piped, JSON on request.

rich is imported when something is drawn.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """Stdout: colours and boxes on a terminal, neither when piped, and never a line cut off."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 200)


def print_json(value: Any) -> None:
    """One JSON document."""
    click.echo(json.dumps(value, indent=2))


def warn(text: str) -> None:
    """One line on stderr: stdout is for the result."""
    click.echo(f"tortuga: {text}", err=True)


def show_rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A plain table."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(*head)
    for row in rows:
        table.add_row(*map(escape, row))
    console().print(table)


@contextmanager
def progress(what: str, total: int, *, quiet: bool) -> Iterator[Callable[..., None]]:
    """A progress bar on stderr, if it is a terminal. It is advanced by one, or by as many as it is told."""
    if quiet or not sys.stderr.isatty():
        yield lambda count=1: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count=1: bar.advance(task, count)
