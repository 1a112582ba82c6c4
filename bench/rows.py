"""The rows of `tortuga bench`: what each measures, and where that is written. docs/bench.md explains them.

A row is measured by a probe (probe.py), a process of one checkout. A row's module is imported only when it is needed:
a checkout in which one row cannot be measured still measures the others.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module

TABLES = (1, 8, 32, 64)
MOST_TABLES = TABLES[-1]

EVENT_GAME = "broadsides"
"""The game of the whole event, unless others were chosen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One measurement of one row."""

    row: str
    game: str
    seconds: float
    """About how long it takes. Rows without bot processes get an amount of work instead, the same in every checkout."""
    number: int
    """Of the round. Each round plays other games: repeated ones would find everything in the caches."""
    tables: int = 1
    cores: tuple[int, ...] = ()
    """Where a whole event runs."""


Figures = dict[str, float]
"""What was measured, by name. `…_cpu_micros` are CPU times, `…_per_second` rates by the clock, `…_bytes` memory."""

Measure = Callable[[Task], Awaitable[Figures]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One row."""

    letter: str
    name: str
    """In the JSON report."""
    title: str
    where: str
    """module:function"""
    tables: int = 1
    per_game: bool = True
    own_process: bool = False
    """Whether what other rows leave behind would be measured with it."""
    one_core: bool = False
    """Of an event: whether it is confined to one core."""

    def load(self) -> Measure:
        """Return the function that measures it."""
        module, _, name = self.where.partition(":")
        measure: Measure = getattr(import_module(f"bench.{module}"), name)
        return measure


ROWS = (
    Row(letter="a", name="echo", title="echo", where="referee:echo_row"),
    Row(letter="b", name="one_table", title="1 table", where="referee:tables_row", tables=1),
    Row(letter="c", name="eight_tables", title="8 tables", where="referee:tables_row", tables=8),
    Row(letter="d", name="engine", title="engine", where="referee:engine_row"),
    Row(letter="e", name="in_process", title="match in process", where="in_process:in_process_row", tables=8),
    Row(letter="f", name="tables_32", title="32 tables", where="referee:tables_row", tables=32),
    Row(letter="f", name="tables_64", title="64 tables", where="referee:tables_row", tables=MOST_TABLES),
    Row(letter="i", name="clones", title="clones", where="in_process:clones_row"),
    Row(letter="i", name="playouts", title="playouts", where="in_process:playouts_row"),
    Row(
        letter="j",
        name="memory",
        title="memory",
        where="referee:memory_row",
        tables=MOST_TABLES,
        own_process=True,
    ),
    Row(letter="g", name="event", title="event, all cores", where="whole_event:event_row", per_game=False),
    Row(
        letter="g",
        name="event_one_core",
        title="event, one core",
        where="whole_event:event_row",
        per_game=False,
        one_core=True,
    ),
)

OTHERS_LETTER = "h"
"""Other people's tools (other_tools/): they are no part of a checkout, so no probe measures them."""

LETTERS = "".join(sorted({row.letter for row in ROWS} | {OTHERS_LETTER}))


def find_row(name: str) -> Row:
    """Return the row of that name."""
    return next(row for row in ROWS if row.name == name)
