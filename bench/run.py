"""A run of `tortuga bench`: all rows of all games, round after round, in this checkout and perhaps in another one.

Each round measures every row once, the two checkouts directly after each other and the first one by turns, so that a
noisy minute hits neither row nor checkout alone. The report holds medians and every single sample.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from bench.probe import Checkout, Probe, RowFailed, Sample
from bench.rows import EVENT_GAME, Row, Task, find_row


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What to measure."""

    games: Sequence[str]
    rows: Sequence[Row]
    seconds: float
    rounds: int
    core: int | None
    """The core of referee and bots; None: they are not pinned. Whole events run on all cores, and on one."""
    cores: Sequence[int]
    """All we may use."""

    @property
    def event_game(self) -> str:
        """Return the game of whole events."""
        return EVENT_GAME if EVENT_GAME in self.games else self.games[0]

    def tasks(self, number: int) -> Iterator[Task]:
        """Yield what one round measures."""
        for game in self.games:
            for row in self.rows:
                if row.per_game or game == self.event_game:
                    cores = self.cores[:1] if row.one_core else self.cores
                    yield Task(
                        row=row.name,
                        game=game,
                        seconds=self.seconds,
                        number=number,
                        tables=row.tables,
                        cores=tuple(cores),
                    )

    @property
    def measurements(self) -> int:
        """Return how many there are, for one checkout."""
        return self.rounds * sum(1 for _ in self.tasks(0))


@dataclass(slots=True)
class Side:
    """One checkout and what was measured in it."""

    checkout: Checkout
    samples: dict[tuple[str, str], list[Sample]] = field(default_factory=dict)
    """By row and game."""
    failed: dict[str, str] = field(default_factory=dict)
    """The rows that cannot be measured here, and why."""

    def measure(self, probe: Probe, task: Task, core: int | None) -> None:
        """Measure one row once, unless it failed before."""
        if task.row in self.failed:
            return
        try:
            if find_row(task.row).own_process:
                with self.checkout.probe(core) as fresh:
                    sample = fresh.measure(task)
            else:
                sample = probe.measure(task)
        except RowFailed as error:
            self.failed[task.row] = str(error)
            return
        self.samples.setdefault((task.row, task.game), []).append(sample)


def measure_rows(plan: Plan, checkouts: Sequence[Checkout], advance: Callable[[str], None]) -> list[Side]:
    """Measure everything. `advance` is called before each measurement, with what comes next."""
    sides = [Side(checkout) for checkout in checkouts]
    for number in range(plan.rounds):
        with ExitStack() as stack:
            # New processes in every round: how one happens to lie in memory makes it a few per cent faster or slower.
            pairs = [(side, stack.enter_context(side.checkout.probe(plan.core))) for side in sides]
            if number % 2:
                pairs.reverse()
            for task in plan.tasks(number):
                row = find_row(task.row)
                advance(f"round {number + 1} of {plan.rounds}: {task.game}, ({row.letter}) {row.title}")
                for side, probe in pairs:
                    side.measure(probe, task, plan.core)
    return sides


def make_report(plan: Plan, side: Side) -> dict[str, Any]:
    """Medians by game and row, and the samples they come from."""
    report: dict[str, Any] = {
        "rounds": plan.rounds,
        "seconds": plan.seconds,
        "pinned": plan.core is not None,
        "games": [game_report(plan, side, game) for game in plan.games],
    }
    for row in plan.rows:
        if not row.per_game and (found := side.samples.get((row.name, plan.event_game))):
            report[row.name] = {"game": plan.event_game} | medians(found)
    report["failed"] = side.failed
    report["samples"] = [sample_lists(row, game, found) for (row, game), found in side.samples.items()]
    return report


def game_report(plan: Plan, side: Side, game: str) -> dict[str, Any]:
    """Return the medians of one game."""
    rows = [row for row in plan.rows if row.per_game and (row.name, game) in side.samples]
    found: dict[str, Any] = {"game": game} | {row.name: medians(side.samples[row.name, game]) for row in rows}
    for name, upper, lower in (
        ("one_table_over_echo", "one_table", "echo"),
        ("eight_tables_over_one_table", "eight_tables", "one_table"),
    ):
        if upper in found and lower in found:
            found[name] = found[upper]["decisions_per_second"] / found[lower]["decisions_per_second"]
    return found


def medians(samples: Sequence[Sample]) -> dict[str, float]:
    """Return the median of each figure."""
    lists: dict[str, list[float]] = sample_lists("", "", samples)["figures"]
    return {name: statistics.median(values) for name, values in lists.items()}


def sample_lists(row: str, game: str, samples: Sequence[Sample]) -> dict[str, Any]:
    """Return all samples of one row and game, figure by figure; a figure that is not in all of them is left out."""
    names = [name for name in samples[0].figures if all(name in sample.figures for sample in samples)]
    return {
        "row": row,
        "game": game,
        "workload_cpu_seconds": [sample.workload_cpu_seconds for sample in samples],
        "figures": {name: [sample.figures[name] for sample in samples] for name in names},
    }
