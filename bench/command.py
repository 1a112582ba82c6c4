"""`tortuga bench`: measure, and print what was measured."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bench.rows import LETTERS
from referee.errors import TortugaError
from server.bots.spec import find_bot
from server.cli.common.command import json_flag
from server.cli.common.output import print_json, progress

if TYPE_CHECKING:
    from server.tournament.standings import Standings


@click.command()
@click.option(
    "--game", "games", multiple=True, metavar="GAME", help="A game to measure with; may be repeated. [default: all]"
)
@click.option(
    "--rows", "letters", metavar="LETTERS", help="The rows to measure, such as `bf`. [default: all, and --growth]"
)
@click.option(
    "--seconds", default=1.0, show_default=True, type=click.FloatRange(0.01, 600), help="Seconds per measurement."
)
@click.option(
    "--rounds",
    default=5,
    show_default=True,
    type=click.IntRange(1, 50),
    help="Rounds to measure; the tables show medians.",
)
@click.option("--growth/--no-growth", default=None, help="Also play 10 000 short matches in sequence.")
@click.option("--pin", is_flag=True, help="Keep referee and bots on one core, for less noise.")
@click.option(
    "--compare",
    "base",
    metavar="BASE",
    type=click.Path(exists=True, path_type=Path),
    help="Print ratios to BASE: another checkout, measured alternately with this one, or a report of --json.",
)
@click.option(
    "--others-python",
    metavar="PYTHON",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="For row (h): a Python that has chess and kaggle-environments. [default: this one]",
)
@click.option("--bots", is_flag=True, help="Instead: compare bots by start-up time, memory and cost of a decision.")
@click.option(
    "--bot",
    "specs",
    multiple=True,
    metavar="SPEC",
    help="With --bots: a bot; may be repeated. [default: random in every language]",
)
@click.option("--jail", is_flag=True, help="Instead: measure what confining bots costs, at each level.")
@click.option("--mirrors", is_flag=True, help="Instead: measure how many games mirrored blocks save.")
@click.option(
    "--games", "count", default=200, show_default=True, type=click.IntRange(4), help="With --mirrors: games per row."
)
@click.option("--statistics", is_flag=True, help="Instead: measure by simulation how often the tables are right.")
@click.option(
    "--events",
    default=200,
    show_default=True,
    type=click.IntRange(10),
    help="With --statistics: simulated events per row.",
)
@click.option("--scale", is_flag=True, help="Instead: measure large events, from the schedule to the table.")
@click.option(
    "--matches",
    default=[1000, 10_000],
    show_default=True,
    multiple=True,
    type=click.IntRange(0),
    help="With --scale: matches of an event to play; may be repeated. 0: none.",
)
@click.option("--arena", is_flag=True, help="Instead: measure an arena with many remote bots, for --minutes.")
@click.option(
    "--connected", default=200, show_default=True, type=click.IntRange(4, 2000), help="With --arena: number of bots."
)
@click.option(
    "--tables", default=60, show_default=True, type=click.IntRange(1, 1000), help="With --arena: simultaneous matches."
)
@click.option("--web", is_flag=True, help="Instead: measure an arena whose pages many people read, for --minutes.")
@click.option(
    "--readers",
    default=500,
    show_default=True,
    type=click.IntRange(1, 4000),
    help="With --web: number of live streams.",
)
@click.option(
    "--pages", default=50.0, show_default=True, type=click.FloatRange(1, 1000), help="With --web: pages per second."
)
@click.option(
    "--minutes",
    default=5.0,
    show_default=True,
    type=click.FloatRange(0.2, 600),
    help="With --arena and --web: duration.",
)
@json_flag
def bench(
    games: tuple[str, ...],
    letters: str | None,
    seconds: float,
    rounds: int,
    growth: bool | None,
    pin: bool,
    base: Path | None,
    others_python: Path | None,
    bots: bool,
    specs: tuple[str, ...],
    jail: bool,
    mirrors: bool,
    count: int,
    statistics: bool,
    events: int,
    scale: bool,
    matches: tuple[int, ...],
    arena: bool,
    connected: int,
    tables: int,
    web: bool,
    readers: int,
    pages: float,
    minutes: float,
    as_json: bool,
) -> None:
    """Measure the referee against bare gRPC, and the engines alone.

    All rows for all games take about twelve minutes on a quiet machine, and twice that with --compare FOLDER.
    Choose fewer with --rows, --game and --rounds; docs/bench.md explains them.
    """
    import uvloop

    from bench.arenas.arena import measure_arena
    from bench.arenas.web import WEB_TABLES, measure_web
    from bench.bots import GAME as BOTS_GAME
    from bench.bots import in_every_language, measure_bots, measure_levels
    from bench.processes import interrupted_by_sigterm
    from bench.report import (
        show_arena,
        show_bots,
        show_levels,
        show_mirrors,
        show_scale,
        show_statistics,
        show_web,
    )
    from bench.row_report import show_rows
    from bench.run import bench_rows, make_plan
    from bench.scale import measure_scale

    show: Callable[[dict[str, Any]], None]
    if bots + jail + mirrors + statistics + scale + arena + web > 1:
        raise click.UsageError("one of --bots, --jail, --mirrors, --statistics, --scale, --arena and --web at a time")
    if bots:
        chosen = [find_bot(spec) for spec in specs or in_every_language("random")]
        report = uvloop.run(measure_bots(chosen, games[0] if games else BOTS_GAME, seconds, rounds))
        show = show_bots
    elif web:
        with interrupted_by_sigterm():
            report, show = measure_web(readers, pages, WEB_TABLES, minutes), show_web
    elif jail:
        report, show = uvloop.run(measure_levels(seconds, rounds)), show_levels
    elif mirrors:
        report, show = bench_mirrors(games, count, quiet=as_json), lambda measured: show_mirrors(measured["meetings"])
    elif statistics:
        report, show = bench_statistics(events, quiet=as_json), show_statistics
    elif scale:
        report, show = measure_scale(matches, draw_nowhere), show_scale
    elif arena:
        with interrupted_by_sigterm():
            report, show = measure_arena(connected, tables, 60 * minutes), show_arena
    else:
        plan = make_plan(games, letters or LETTERS, seconds, rounds, pin=pin)
        growth = growth if growth is not None else letters is None and base is None
        report = bench_rows(plan, letters or LETTERS, growth=growth, base=base, others_python=others_python)
        show = show_rows
    if as_json:
        print_json(report)
    else:
        show(report)
    if failed := report.get("failed"):
        raise TortugaError(f"these rows could not be measured: {'; '.join(failed.values())}")


def bench_mirrors(games: Sequence[str], count: int, *, quiet: bool) -> dict[str, Any]:
    """Measure the mirrors, with a progress bar."""
    from bench.simulated.mirrors import find_meetings, measure_mirrors

    meetings = find_meetings(games)
    with progress("games", count * len(meetings), quiet=quiet) as advance:
        return {"games": count, "meetings": measure_mirrors(meetings, count, advance)}


def bench_statistics(events: int, *, quiet: bool) -> dict[str, Any]:
    """Measure the simulations, with a progress bar."""
    from bench.simulated.claims import STEPS, measure_statistics

    with progress("rows", STEPS, quiet=quiet) as advance:
        return measure_statistics(events, advance)


def draw_nowhere(ladders: Sequence[Standings]) -> None:
    """Draw ladders as for people, but where nobody looks."""
    from rich.console import Console

    from server.cli.common.printed_standings import show_ladders

    with Path(os.devnull).open("w") as nowhere:
        show_ladders(Console(file=nowhere, width=200), ladders)
