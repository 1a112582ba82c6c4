"""The rows of `tortuga bench`: run them, in one checkout or in two, and put the report together."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from bench.others.others import measure_others
from bench.probe import Checkout
from bench.rows import LETTERS, OTHERS_LETTER, ROWS
from bench.run import Plan, make_report, measure_rows
from referee.games import GAMES, find_game
from server.hosting.cores import available_cores, pin_to_core

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
    from bench.aims import measured_aims
    from bench.compare import Ratio, compare, read_samples

    ours, base = read_samples(report), read_samples(report["base"]) if "base" in report else {}
    rows = compare(ours, base, paired=paired)
    ratios = {
        (row["row"], row["game"], row["figure"]): Ratio(**{k: row[k] for k in ("value", "low", "high", "coverage")})
        for row in rows
    }
    found: dict[str, Any] = {"aims": measured_aims(ours, base, lambda *key: ratios.get(key))}
    return found | {"comparison": {"paired": paired, "rows": rows}} if "base" in report else found


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
    told = 0.0

    def tell(what: str) -> None:
        nonlocal told
        if time.monotonic() > told + LINE_SECONDS:
            told = time.monotonic()
            click.echo(f"tortuga: {what}", err=True)

    yield tell
