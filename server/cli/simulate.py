"""`tortuga simulate`: many games in this process."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from referee.game_infos import end_words
from referee.games import GAMES, find_game
from server.bots.spec import find_bot
from server.cli.command import json_flag, new_seed, pairs, seed_option, variant_option
from server.cli.output import console, print_json, progress
from server.matches.simulate import Tally
from server.matches.simulate import simulate as run_games
from server.ratings.share import wilson


@click.command()
@click.argument("game")
@click.option("--games", "count", default=1000, show_default=True, type=click.IntRange(1), help="How many games.")
@click.option("--seats", type=int, help="How many seats. [default: as many as bots, or the fewest the game allows]")
@click.option("--bot", "bots", multiple=True, metavar="NAME", help="A Python bot, one per seat. [default: random]")
@seed_option
@variant_option
@json_flag
def simulate(
    game: str,
    count: int,
    seats: int | None,
    bots: tuple[str, ...],
    seed: str | None,
    variants: tuple[str, ...],
    as_json: bool,
) -> None:
    """Play many games in this process, without gRPC, and count what happens."""
    found = find_game(game)
    specs = [find_bot(bot) for bot in bots]
    for spec in specs:
        spec.check_game(found.info.id)
    with progress("games", count, quiet=as_json) as advance:
        tally = run_games(
            found,
            found.info.read_variant(pairs(variants)),
            seats=seats if seats is not None else len(specs) or found.info.min_seats,
            games=count,
            seed=seed or new_seed(),
            bots=specs,
            progress=lambda _: advance(),
        )
    report = tally_json(tally, [spec.name for spec in specs])
    if as_json:
        print_json(report)
    else:
        show_tally(console(), tally, report)


def tally_json(tally: Tally, bots: list[str]) -> dict[str, Any]:
    """A simulation for programs."""
    total = sum(tally.decisions)
    shares = [wins / tally.games for wins in tally.wins]
    found: dict[str, Any] = {
        "game": tally.game,
        "seats": tally.seats,
        "games": tally.games,
        "decisions_per_second": total / tally.seconds,
        "games_per_second": tally.games / tally.seconds,
        "decisions": {"mean": total / tally.games, "max": max(tally.decisions)},
        "lists": {
            kind: {"mean": sizes.total / sizes.count, "max": sizes.max, "count": sizes.count}
            for kind, sizes in sorted(tally.lists.items())
        },
        "ends": dict(sorted(tally.ends.items())),
        "wins_by_seat": shares,
        "wins_by_seat_95": [list(wilson(share, tally.games)) for share in shares],
        "fired": dict(sorted(tally.fired.items())),
        "never_fired": [card for card in GAMES[tally.game].cards if not tally.fired[card]],
    }
    if bots:
        found["wins_by_bot"] = [
            {"bot": bot, "share": wins / tally.games, "interval_95": list(wilson(wins / tally.games, tally.games))}
            for bot, wins in zip(bots, tally.bot_wins, strict=True)
        ]
    return found


def show_tally(out: Console, tally: Tally, report: dict[str, Any]) -> None:
    """A simulation for people."""
    decisions, cards, never = report["decisions"], GAMES[tally.game].cards, report["never_fired"]
    out.print(
        f"{tally.games} games of {tally.game} with {tally.seats} seats in {tally.seconds:.1f} s: "
        f"{report['games_per_second']:.1f} games/s, {report['decisions_per_second']:.0f} decisions/s",
        markup=False,
    )
    out.print(f"decisions per game: mean {decisions['mean']:.1f}, max {decisions['max']}", markup=False)
    out.print(win_table(report))
    ends = Table("end", "games", "share")
    for reason, count in tally.ends.most_common():
        ends.add_row(escape(end_words(reason)), str(count), f"{count / tally.games:.1%}")
    out.print(ends)
    lists = Table("decision", "asked per game", "options, mean", "options, max")
    for kind, sizes in report["lists"].items():
        lists.add_row(escape(kind), f"{sizes['count'] / tally.games:.2f}", f"{sizes['mean']:.1f}", str(sizes["max"]))
    out.print(lists)
    fired = Table("fired", "per game", "in all")
    for name, count in tally.fired.most_common():
        fired.add_row(escape(name), f"{count / tally.games:.3f}", str(count))
    out.print(fired)
    out.print(f"{len(cards) - len(never)} of {len(cards)} cards were played", markup=False)
    if never:
        out.print(f"never: {', '.join(never)}", markup=False)


def win_table(report: dict[str, Any]) -> Table:
    """Who won how often, by seat and by bot."""
    wins = Table("seat", "wins", "95 % interval")
    for seat, (share, (low, high)) in enumerate(zip(report["wins_by_seat"], report["wins_by_seat_95"], strict=True)):
        wins.add_row(str(seat), f"{share:.1%}", f"{low:.1%} to {high:.1%}")
    for one in report.get("wins_by_bot", ()):
        low, high = one["interval_95"]
        wins.add_row(escape(one["bot"]), f"{one['share']:.1%}", f"{low:.1%} to {high:.1%}")
    return wins
