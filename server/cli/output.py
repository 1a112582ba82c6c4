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
from rich.table import Table

from referee.course import Course
from referee.engine import WordSetting
from referee.games import GAMES
from referee.match import Choices, SeatFault, Watcher
from server.matches.narrate import Narrator
from server.matches.playing import MatchReport
from server.matches.simulate import Tally


def console() -> Console:
    """Stdout: colours and boxes on a terminal, neither when piped, and never a line cut off."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 200)


def print_json(value: Any) -> None:
    """One JSON document."""
    click.echo(json.dumps(value, indent=2))


def show_rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A plain table."""
    table = Table(*head)
    for row in rows:
        table.add_row(*map(escape, row))
    console().print(table)


@contextmanager
def progress(what: str, total: int, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """A progress bar on stderr, if somebody is there to see it."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def teller(names: Sequence[str], *, to_stderr: bool) -> Watcher:
    """Somebody who tells the match while it goes; to stderr if stdout has to stay clean for JSON."""
    narrator = Narrator(names)

    def tell(course: Course, kind: str, made: Choices) -> None:
        for line in narrator.moment(course, kind, made):
            click.echo(line, err=to_stderr)

    return tell


def show_games(as_json: bool) -> None:
    """The table of games."""
    infos = [game.info for game in GAMES.values()]
    if as_json:
        print_json([game_json(game_id) for game_id in GAMES])
        return
    table = Table("id", "title", "seats", "rules", "option", "values", "default")
    for info in infos:
        seats = str(info.min_seats) if info.min_seats == info.max_seats else f"{info.min_seats}-{info.max_seats}"
        head = [info.id, info.title, seats, str(info.rules_version)]
        for option in info.settings or (None,):
            if option is None:
                row = ["", "", ""]
            elif isinstance(option, WordSetting):
                row = [option.name, ", ".join(option.values), option.default]
            else:
                row = [option.name, f"{option.low} to {option.high}", str(option.default)]
            table.add_row(*map(escape, head), *map(escape, row))
            head = ["", "", "", ""]
    console().print(table)


def game_json(game_id: str) -> dict[str, Any]:
    """A game for programs."""
    info = GAMES[game_id].info
    variants: list[dict[str, Any]] = []
    for option in info.settings:
        if isinstance(option, WordSetting):
            values: dict[str, Any] = {"values": list(option.values)}
        else:
            values = {"low": option.low, "high": option.high}
        variants.append({"name": option.name, **values, "default": option.default, "meaning": option.meaning})
    return {
        "id": info.id,
        "title": info.title,
        "seats": list(range(info.min_seats, info.max_seats + 1)),
        "rules_version": info.rules_version,
        "variants": variants,
    }


def show_match(report: MatchReport, as_json: bool) -> None:
    """One match."""
    result = report.result
    faults = [[fault for fault in result.faults if fault.seat == seat] for seat in range(len(result.names))]
    if as_json:
        print_json(
            {
                "match_id": result.terms.match_id,
                "game": result.terms.game.info.id,
                "seed": result.terms.seed,
                "decisions": result.decisions,
                "reason": result.reason,
                "void": result.void,
                "seats": [
                    {
                        "bot": name,
                        "seat": seat,
                        "rank": None if result.void else result.ranks[seat],
                        "score": None if result.void else result.scores[seat],
                        "faults": [
                            {"kind": str(fault.kind), "decision": fault.decision, "message": told(report, fault)}
                            for fault in faults[seat]
                        ],
                        "time_used_seconds": round(result.time_used_seconds[seat], 6),
                    }
                    for seat, name in enumerate(result.names)
                ],
                "record": str(report.record) if report.record else None,
            }
        )
        return
    table = Table("seat", "bot", "rank", "score", "faults", "time used")
    for seat, name in enumerate(result.names):
        rank, score = ("-", "-") if result.void else (str(result.ranks[seat]), f"{result.scores[seat]:g}")
        used = f"{result.time_used_seconds[seat]:.2f} s"
        table.add_row(str(seat), escape(name), rank, score, str(len(faults[seat])), used)
    out = console()
    out.print(table)
    for fault in result.faults:
        who = f"{result.names[fault.seat]} (seat {fault.seat})"
        out.print(f"{who}: {fault.kind} at decision {fault.decision}: {told(report, fault)}", markup=False, style="red")
    out.print(f"{result.reason} after {result.decisions} decisions; seed {result.terms.seed}", markup=False)
    if report.record:
        out.print(f"record: {report.record}", markup=False)


def told(report: MatchReport, fault: SeatFault) -> str:
    """A fault in words, with the bot's own last ones where they may explain it."""
    words = report.last_words[fault.seat]
    return f"{fault.message}; its last words: {words}" if words and fault.out else fault.message


def tally_json(tally: Tally, bots: list[str]) -> dict[str, Any]:
    """A simulation for programs."""
    from server.ratings.share import wilson  # with numpy behind it, which no other command here needs

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
        "wins_by_seat_95": [list(wilson(wins / tally.games, tally.games)) for wins in tally.wins],
        "fired": dict(sorted(tally.fired.items())),
        "never_fired": [card for card in GAMES[tally.game].cards if not tally.fired[card]],
    }
    if bots:
        found["wins_by_bot"] = [
            {"bot": bot, "share": wins / tally.games, "interval_95": list(wilson(wins / tally.games, tally.games))}
            for bot, wins in zip(bots, tally.bot_wins, strict=True)
        ]
    return found


def show_tally(tally: Tally, bots: list[str], as_json: bool) -> None:
    """A simulation."""
    found = tally_json(tally, bots)
    if as_json:
        print_json(found)
        return
    out = console()
    decisions = found["decisions"]
    out.print(
        f"{tally.games} games of {tally.game} with {tally.seats} seats in {tally.seconds:.1f} s: "
        f"{found['games_per_second']:.1f} games/s, {found['decisions_per_second']:.0f} decisions/s",
        markup=False,
    )
    out.print(f"decisions per game: mean {decisions['mean']:.1f}, max {decisions['max']}", markup=False)
    wins = Table("seat", "wins", "95 % interval")
    for seat, (share, (low, high)) in enumerate(zip(found["wins_by_seat"], found["wins_by_seat_95"], strict=True)):
        wins.add_row(str(seat), f"{share:.1%}", f"{low:.1%} to {high:.1%}")
    for one in found.get("wins_by_bot", ()):
        low, high = one["interval_95"]
        wins.add_row(escape(one["bot"]), f"{one['share']:.1%}", f"{low:.1%} to {high:.1%}")
    out.print(wins)
    ends = Table("end", "games", "share")
    for reason, count in tally.ends.most_common():
        ends.add_row(escape(reason), str(count), f"{count / tally.games:.1%}")
    out.print(ends)
    lists = Table("decision", "asked per game", "options, mean", "options, max")
    for kind, sizes in found["lists"].items():
        lists.add_row(escape(kind), f"{sizes['count'] / tally.games:.2f}", f"{sizes['mean']:.1f}", str(sizes["max"]))
    out.print(lists)
    fired = Table("fired", "per game", "in all")
    for name, count in tally.fired.most_common():
        fired.add_row(escape(name), f"{count / tally.games:.3f}", str(count))
    out.print(fired)
    cards, never = GAMES[tally.game].cards, found["never_fired"]
    out.print(f"{len(cards) - len(never)} of {len(cards)} cards were played", markup=False)
    if never:
        out.print(f"never: {', '.join(never)}", markup=False)


def show_history(bot: str, rows: Sequence[dict[str, Any]]) -> None:
    """How a bot's live Elo moved: a line per match."""
    out = console()
    table = Table(title=escape(bot), title_justify="left")
    for head in ("contest", "match", "rank", "live Elo", "change"):
        table.add_column(head, overflow="fold")  # a name that is cut off finds nothing
    for row in rows:
        table.add_row(row["contest"], row["match"], str(row["rank"]), f"{row['live_elo']:.1f}", f"{row['change']:+.1f}")
    out.print(table)
