"""Runs the rows of `tortuga bench`: all games, round after round, in this checkout and perhaps in another one.

Each round measures every row once, the two checkouts directly after each other and the first one by turns, so that a
noisy minute hits neither row nor checkout alone. The report holds medians and every single sample.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from bench.other_tools.measure import measure_others
from bench.probe import Checkout, Probe, RowFailed, Sample
from bench.rows import EVENT_GAME, LETTERS, OTHERS_LETTER, ROWS, Row, Task, find_row
from referee.games import GAMES, find_game
from server.hosting.cores import available_cores, pin_to_core


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
    """Make a report: medians by game and row, and the samples they come from."""
    report: dict[str, Any] = {
        "rounds": plan.rounds,
        "seconds": plan.seconds,
        "pinned": plan.core is not None,
        "games": [game_report(plan, side, game) for game in plan.games],
    }
    for row in plan.rows:
        if not row.per_game and (samples := side.samples.get((row.name, plan.event_game))):
            report[row.name] = {"game": plan.event_game} | medians(samples)
    report["failed"] = side.failed
    report["samples"] = [sample_lists(row, game, samples) for (row, game), samples in side.samples.items()]
    return report


def game_report(plan: Plan, side: Side, game: str) -> dict[str, Any]:
    """Return the medians of one game."""
    rows = [row for row in plan.rows if row.per_game and (row.name, game) in side.samples]
    report: dict[str, Any] = {"game": game} | {row.name: medians(side.samples[row.name, game]) for row in rows}
    for name, upper, lower in (
        ("one_table_over_echo", "one_table", "echo"),
        ("eight_tables_over_one_table", "eight_tables", "one_table"),
    ):
        if upper in report and lower in report:
            report[name] = report[upper]["decisions_per_second"] / report[lower]["decisions_per_second"]
    return report


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


# The run that the options of the command ask for

LINE_SECONDS = 10.0
"""Between two lines of progress where there is no terminal."""


def make_plan(games: Sequence[str], letters: str, seconds: float, rounds: int, *, pin: bool) -> Plan:
    """Return what the options ask for."""
    if unknown := set(letters) - set(LETTERS):
        raise click.UsageError(f"--rows: there is no row {', '.join(sorted(unknown))}; the rows are {LETTERS}")
    cores = available_cores()
    return Plan(
        games=[find_game(game).info.id for game in games or GAMES],
        rows=[row for row in ROWS if row.letter in letters],
        seconds=seconds,
        rounds=rounds,
        core=min(cores) if pin else None,
        cores=cores,
    )


def bench_rows(
    plan: Plan, letters: str, *, growth: bool, base: Path | None, others_python: Path | None
) -> dict[str, Any]:
    """Measure what is wanted, compare it if wanted, and return the report."""
    import uvloop

    from bench.compare import read_base
    from bench.referee import measure_growth

    older = read_base(base) if base and base.is_file() else None
    checkouts = [Checkout.ours()]
    if base and older is None:
        checkouts.append(Checkout.at(base))
    with show_progress(plan.measurements) as advance:
        ours, *theirs = measure_rows(plan, checkouts, advance)
        report = make_report(plan, ours)
        if OTHERS_LETTER in letters:
            advance(f"({OTHERS_LETTER}) other tools")
            report["others"] = measure_others(others_python or Path(sys.executable), plan.seconds, plan.rounds)
        if growth:
            advance("growth")
            if plan.core is not None:
                pin_to_core(plan.core)
            report["growth"] = uvloop.run(measure_growth())
    if theirs:
        report["base"] = make_report(plan, theirs[0]) | {"folder": str(theirs[0].checkout.folder)}
    elif older is not None:
        report["base"] = older | {"folder": str(base)}
    return report | compare_report(report, paired=bool(theirs))


def compare_report(report: dict[str, Any], *, paired: bool) -> dict[str, Any]:
    """Return the ratios within a report, and to its base if it has one."""
    from bench.compare import Ratio, compare, measured_aims, read_samples

    ours, base = read_samples(report), read_samples(report["base"]) if "base" in report else {}
    rows = compare(ours, base, paired=paired)
    ratios = {
        (row["row"], row["game"], row["figure"]): Ratio(**{k: row[k] for k in ("value", "low", "high", "coverage")})
        for row in rows
    }
    compared: dict[str, Any] = {"aims": measured_aims(ours, base, lambda *key: ratios.get(key))}
    return compared | {"comparison": {"paired": paired, "rows": rows}} if "base" in report else compared


@contextmanager
def show_progress(total: int) -> Iterator[Callable[[str], None]]:
    """Show on stderr what is measured now: a bar on a terminal, else a line now and then."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    if sys.stderr.isatty():
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("start", total=total)
            done = -1

            def advance(what: str) -> None:
                nonlocal done
                done += 1
                bar.update(task, completed=min(done, total), description=what)

            yield advance
        return
    shown_at = 0.0

    def tell(what: str) -> None:
        nonlocal shown_at
        if time.monotonic() > shown_at + LINE_SECONDS:
            shown_at = time.monotonic()
            click.echo(f"tortuga: {what}", err=True)

    yield tell
