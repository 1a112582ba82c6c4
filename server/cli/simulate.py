"""`tortuga simulate`: many games in this process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.games import GAMES, find_game
from referee.rules.infos import end_words
from server.bots.spec import find_bot
from server.cli.common.command import Interrupted, json_flag, new_seed, read_variants, seed_option, variant_option
from server.cli.common.output import console, print_json, progress
from server.play.simulation_tally import Results, Tally, Times
from server.system.files import check_writable

if TYPE_CHECKING:
    from rich.console import Console

    from server.play.simulate import Simulation


@click.command()
@click.argument("game")
@click.option("--games", "count", default=1000, show_default=True, type=click.IntRange(1), help="How many games.")
@click.option("--seats", type=int, help="How many seats. [default: as many as bots, or the fewest the game allows]")
@click.option("--bot", "bots", multiple=True, metavar="NAME", help="A Python bot, one per seat. [default: random]")
@seed_option
@variant_option
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="NAME=VALUE",
    help="Give all bots a parameter, as `tortuga tune` does: the variable TORTUGA_PARAM_NAME. May be repeated.",
)
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1, 256), help="Processes that play games.")
@click.option(
    "--record-losses",
    "losses",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write a record of every game that the first bot did not win.",
)
@click.option("--counts", is_flag=True, help="Show decisions, events and cards as well, and how often each came up.")
@json_flag
def simulate(
    game: str,
    count: int,
    seats: int | None,
    bots: tuple[str, ...],
    seed: str | None,
    variants: tuple[str, ...],
    params: tuple[str, ...],
    jobs: int,
    losses: Path | None,
    counts: bool,
    as_json: bool,
) -> None:
    """Play many games in this process, without gRPC, and count what happens.

    Bots rotate over the seats. The games of a block, one for every different seating, share their luck; intervals are
    by blocks. Ctrl-C stops and prints the results so far.
    """
    from server.play.simulate import Simulation, spread_simulation
    from server.tuning.comparison import PREFIX

    for name, value in read_variants(params, "--param").items():
        os.environ[f"{PREFIX}{name}"] = value  # processes of --jobs inherit it
    rules = find_game(game)
    specs = [find_bot(bot) for bot in bots]
    for spec in specs:
        spec.check_game(rules.info.id)
    if losses is not None:
        check_writable(losses)
    run = Simulation(
        game=rules.info.id,
        variant=rules.info.read_variant(read_variants(variants)),
        seats=seats if seats is not None else len(specs) or rules.info.min_seats,
        games=count,
        seed=seed or new_seed(),
        bots=tuple(specs),
        losses=losses,
    )
    with progress("games", count, quiet=as_json) as advance:
        tally = spread_simulation(run, jobs=jobs, progress=advance)
    if not tally.games:
        raise Interrupted("interrupted before the first block of games was over")
    report = tally_json(run, tally)
    if as_json:
        print_json({**report, "interrupted": tally.games < count})
    else:
        if counts:
            show_counts(console(), tally, report)
        show_tally(console(), tally, report)
    if tally.games < count:
        raise Interrupted(f"interrupted after {tally.games} of {count} games")


def tally_json(run: Simulation, tally: Tally) -> dict[str, Any]:
    """A simulation for programs."""
    total, game = sum(tally.decisions), GAMES[tally.game]
    cards = [card for card in game.cards if game.in_play(run.variant, card)]
    by_seat = [tally.results[None, seat] for seat in range(tally.seats)]
    report: dict[str, Any] = {
        "game": tally.game,
        "seats": tally.seats,
        "games": tally.games,
        "seed": run.seed,
        "blocks": by_seat[0].wins.blocks,
        "games_per_block": run.rotations,
        "decisions_per_second": total / tally.seconds,
        "games_per_second": tally.games / tally.seconds,
        "decisions": {"mean": total / tally.games, "max": max(tally.decisions)},
        "lists": {
            kind: {"mean": sizes.total / sizes.count, "max": sizes.max, "count": sizes.count}
            for kind, sizes in sorted(tally.lists.items())
        },
        "ends": dict(sorted(tally.ends.items())),
        "wins_by_seat": [results.wins.mean for results in by_seat],
        "wins_by_seat_95": [list(results.wins.share_interval) for results in by_seat],
        "by_seat": [{"seat": seat, **results_json(results)} for seat, results in enumerate(by_seat)],
        "fired": dict(sorted(tally.fired.items())),
        "never_fired": [card for card in cards if not tally.fired[card]],
        "cards_in_play": len(cards),
    }
    if run.bots:
        report["wins_by_bot"] = [
            {
                "bot": name,
                "share": (own := tally.results[number, None]).wins.mean,
                "interval_95": list(own.wins.share_interval),
                **results_json(own),
                "by_seat": [
                    {"seat": seat, **results_json(tally.results[number, seat])}
                    for seat in range(tally.seats)
                    if (number, seat) in tally.results
                ],
                "seconds_per_decision": times_json(tally.times.get(number)),
            }
            for number, name in enumerate(run.names)
        ]
    if run.losses:
        report["losses"] = [str(run.losses / name) for name in tally.losses]
    return report


def results_json(results: Results) -> dict[str, Any]:
    """Means with their intervals; null where too few blocks tell none."""
    report: dict[str, Any] = {"games": results.wins.games}
    for name, means in (("wins", results.wins), ("score", results.score)):
        report[name], report[f"{name}_95"] = means.mean, list(means.share_interval)
    for name, means in (("points", results.points), ("margin", results.margin)):
        report[name], report[f"{name}_95"] = means.mean, list(means.interval) if means.interval else None
    return report


def times_json(times: Times | None) -> dict[str, Any] | None:
    """How long a bot thought; null for `random`, which does not."""
    if times is None:
        return None
    return {"mean": times.mean, "p99": times.percentile(99), "max": times.max, "decisions": times.count}


def show_counts(out: Console, tally: Tally, report: dict[str, Any]) -> None:
    """How often each decision was asked and each event happened, and the cards in play that were never played."""
    from rich.markup import escape
    from rich.table import Table

    lists = Table("decision", "asked per game", "options, mean", "options, max")
    for kind, sizes in report["lists"].items():
        lists.add_row(escape(kind), f"{sizes['count'] / tally.games:.2f}", f"{sizes['mean']:.1f}", str(sizes["max"]))
    out.print(lists)
    fired = Table("fired", "per game", "in all")
    for name, count in tally.fired.most_common():
        fired.add_row(escape(name), f"{count / tally.games:.3f}", str(count))
    out.print(fired)
    if in_play := report["cards_in_play"]:
        never = report["never_fired"]
        out.print(f"{in_play - len(never)} of {in_play} cards in play were played", markup=False)
        if never:
            out.print(f"never: {', '.join(never)}", markup=False)


def show_tally(out: Console, tally: Tally, report: dict[str, Any]) -> None:
    """A simulation for people: the results come last, where they are seen."""
    out.print(
        f"{tally.games} games of {tally.game} with {tally.seats} seats in {tally.seconds:.1f} s: "
        f"{report['games_per_second']:.1f} games/s, {report['decisions_per_second']:.0f} decisions/s",
        markup=False,
    )
    decisions = report["decisions"]
    out.print(f"decisions per game: mean {decisions['mean']:.1f}, max {decisions['max']}", markup=False)
    ends = ", ".join(f"{end_words(reason)} {count / tally.games:.1%}" for reason, count in tally.ends.most_common())
    out.print(f"ends: {ends}", markup=False)
    if losses := report.get("losses"):
        out.print(f"records of {len(losses)} lost games, e.g. tortuga replay show {losses[0]}", markup=False)
    show_results(out, report)


def show_results(out: Console, report: dict[str, Any]) -> None:
    """Who won how often and by how much: by bot, by bot and seat, by seat."""
    from rich.markup import escape
    from rich.table import Table

    blocks, size = report["blocks"], report["games_per_block"]
    of = f"blocks of {size} games with the same luck" if size > 1 else "games, each with its own luck"
    table = Table("", "seat", "wins", "score", "points", "margin", title=f"{blocks} {of}; ± is the 95 % interval")
    bots = report.get("wins_by_bot", ())
    for bot in bots if len(bots) > 1 else ():  # a bot that meets only itself wins every game
        table.add_row(escape(bot["bot"]), "all", *result_cells(bot))
        for row in bot["by_seat"]:
            table.add_row("", str(row["seat"]), *result_cells(row))
    for row in report["by_seat"]:
        table.add_row("any bot" if len(bots) > 1 else "", str(row["seat"]), *result_cells(row))
    for bot in bots:
        if times := bot["seconds_per_decision"]:
            each = ", ".join(f"{word} {times[key] * 1000:.2f} ms" for key, word in TIME_WORDS.items())
            out.print(f"{bot['bot']}: {times['decisions']} decisions, {each}", markup=False)
    out.print(table)
    if len(bots) > 1:
        wins = (f"{bot['bot']} {result_cells(bot)[0]}" for bot in bots)
        out.print(f"wins: {', '.join(wins)}", markup=False)


TIME_WORDS = {"mean": "mean", "p99": "99 % within", "max": "longest"}


def result_cells(row: dict[str, Any]) -> tuple[str, ...]:
    """Wins, score, points and margin."""
    shares = [
        f"{row[name]:.1%} ({row[f'{name}_95'][0]:.1%} to {row[f'{name}_95'][1]:.1%})" for name in ("wins", "score")
    ]
    numbers = [(row[name], row[f"{name}_95"]) for name in ("points", "margin")]
    points, margin = (f" ± {(each[1] - each[0]) / 2:.2f}" if each else "" for _, each in numbers)
    return *shares, f"{numbers[0][0]:.2f}{points}", f"{numbers[1][0]:+.2f}{margin}"
