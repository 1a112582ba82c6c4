"""What people and programs see: tables and progress for a terminal, plain text when piped, JSON on request."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table


def console() -> Console:
    """Stdout: colours and boxes on a terminal, neither when piped, and never a line cut off."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 200)


def print_json(value: Any) -> None:
    """One JSON document."""
    click.echo(json.dumps(value, indent=2))


def warn(text: str) -> None:
    """One line on stderr: stdout is for the result."""
    click.echo(f"tortuga: {text}", err=True)


def show_rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A plain table."""
    table = Table(*head)
    for row in rows:
        table.add_row(*map(escape, row))
    console().print(table)


@contextmanager
def progress(what: str, total: int, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """A progress bar on stderr, if it is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
