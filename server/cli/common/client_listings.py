"""Prints what an arena answers, for people. Whatever came from far is made plain first."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from referee.rules.infos import end_words
from referee.text import harmless
from server.arena.zones import show_time
from server.cli.common.arena_client import ArenaClient, TooManyCalls, as_plain, enum_word
from server.cli.common.output import console, print_json, show_rows
from server.cli.common.printed_standings import show_ladder_rows, show_lines, show_rulings, show_standings
from server.play.narrate import name_seats
from server.standings.cells import reading_lines, warning_lines
from server.standings.placing_cells import ruling_lines
from tortuga.v1 import arena_pb2 as pb

Columns = Sequence[tuple[str, Callable[[Any], str]]]
"""Heads, and what stands below them."""


PAUSE_SECONDS = 1.0
"""Before the next page of a long list, when the server wants us to slow down."""
SHOWN_REASON = 60
"""Longest part of a reason in a list, in characters."""


def when(millis: int, zone: str = "") -> str:
    """Return a time, in a zone or here."""
    if not millis:
        return "-"
    if zone:
        return show_time(millis, zone)
    try:
        return datetime.fromtimestamp(millis / 1000).astimezone().isoformat(sep=" ", timespec="seconds")
    except (OverflowError, ValueError, OSError):
        return str(millis)


def word(message: Any, field: str) -> str:
    """Return an enum field as people say it."""
    return enum_word(message.DESCRIPTOR.fields_by_name[field].enum_type, getattr(message, field)).replace("_", "-")


def seats_of(match: pb.MatchInfo) -> str:
    """Return who sat where, and the ranks."""
    return ", ".join(f"{seat.rank}. {seat.entry}" if seat.rank else seat.entry for seat in match.seats)


def state_of(bot: pb.Bot) -> str:
    """Return whether a bot can play, in words."""
    if bot.revoked:
        return "revoked"
    return f"suspended: {bot.suspended}" if bot.suspended else word(bot, "presence")


GAME: Columns = [
    ("id", lambda game: game.id),
    ("title", lambda game: game.title),
    ("seats", lambda game: f"{game.min_seats}-{game.max_seats}"),
    ("rules", lambda game: str(game.rules_version)),
]
LADDER: Columns = [
    ("ladder", lambda ladder: ladder.name),
    ("game", lambda ladder: ladder.game),
    ("seats", lambda ladder: str(ladder.seats)),
    ("matches", lambda ladder: str(ladder.matches)),
    ("running", lambda ladder: str(ladder.running)),
    ("bots", lambda ladder: str(ladder.bots)),
    ("", lambda ladder: ", ".join(closed(ladder))),
]
BOT: Columns = [
    ("bot", lambda bot: bot.name),
    ("owner", lambda bot: bot.owner),
    ("kind", lambda bot: "hosted" if bot.hosted else "remote"),
    ("state", state_of),
    ("version", lambda bot: bot.version),
    ("language", lambda bot: bot.language),
    ("games", lambda bot: " ".join(bot.games) or "all"),
    ("running", lambda bot: f"{bot.running} of {bot.slots}"),
    ("seen", lambda bot: when(bot.seen_millis)),
]
MATCH: Columns = [
    ("match", lambda match: match.match_id),
    ("contest", lambda match: match.contest),
    ("began", lambda match: when(match.started_millis)),
    ("state", lambda match: word(match, "state")),
    ("seats", seats_of),
    ("end", lambda match: end_words(match.reason)),
    ("faults", lambda match: str(len(match.faults))),
]
EVENT: Columns = [
    ("event", lambda event: event.name),
    ("state", lambda event: word(event, "state")),
    ("format", lambda event: event.format),
    ("contests", lambda event: " ".join(event.contests)),
    ("entered", lambda event: str(len(event.entries))),
    ("matches", lambda event: f"{event.matches_done} of {event.matches_planned or '?'}"),
    ("opens", lambda event: when(event.registration_millis, event.zone)),
    ("check-in", lambda event: when(event.check_in_millis, event.zone)),
    ("starts", lambda event: when(event.start_millis, event.zone)),
    ("", lambda event: event.repeats),
    ("", lambda event: event.reason),
]
STARTING_RATING: Columns = [
    ("ladder", lambda start: start.contest),
    ("bot", lambda start: start.bot),
    ("version", lambda start: start.version),
    ("Elo", lambda start: f"{start.rating:.0f}"),
    ("±", lambda start: f"{start.plus_minus:.0f}"),
]
NEWS: Columns = [
    ("when", lambda item: when(item.millis)),
    ("what", lambda item: item.kind.replace("_", " ")),
    ("", lambda item: item.text),
]
SUBMISSION: Columns = [
    ("id", lambda row: row.id),
    ("bot", lambda row: row.bot),
    ("state", lambda row: word(row, "state")),
    ("version", lambda row: row.version),
    ("received", lambda row: when(row.received_millis)),
    ("why", lambda row: f"{row.step}: {row.reason}"[:SHOWN_REASON] if row.step else row.reason[:SHOWN_REASON]),
]
AUDIT_LINE: Columns = [
    ("when", lambda line: when(line.millis)),
    ("who", lambda line: line.who),
    ("what", lambda line: line.what),
    ("whom", lambda line: line.whom),
    ("details", lambda line: line.details),
]
TEAM: Columns = [
    ("team", lambda team: team.name),
    ("members", lambda team: "; ".join(team.members)),
    ("email", lambda team: team.email),
    ("bots", lambda team: f"{len(team.bots)} of {team.bots_allowed}"),
    ("", lambda team: " ".join(team.bots)),
    ("tokens", lambda team: str(team.tokens)),
]
TOKEN: Columns = [
    ("label", lambda token: token.label),
    ("kind", lambda token: word(token, "kind")),
    ("team", lambda token: token.team),
    ("made", lambda token: when(token.made_millis)),
    ("revoked", lambda token: when(token.revoked_millis)),
]


def show_listing(columns: Columns, things: Sequence[Any], title: str = "") -> None:
    """Print things below each other, a row each."""
    shown = [
        (head, cell) for head, cell in columns if head or any(map(cell, things))
    ]  # no name: a mark, if there is one
    grid = Table(title=escape(harmless(title)), title_justify="left")
    for head, _ in shown:
        grid.add_column(head, overflow="fold")  # an id that is cut off is none
    for thing in things:
        grid.add_row(*(escape(harmless(cell(thing))) for _, cell in shown))
    console().print(grid)


def show_list(
    arena: ArenaClient,
    method: str,
    request: Any,
    field: str,
    columns: Columns | Callable[[Sequence[Any]], None],
    *,
    page_size: int,
    page_token: str,
    everything: bool,
    title: str = "",
    token: str = "",
) -> Any:
    """Print a page of a list, or all pages of it, and return the last answer.

    `columns` are those of the listing, or what prints it. `token`: for lists that are not for everybody.
    """
    request.page_size, request.page_token = page_size or (500 if everything else 0), page_token
    answer = arena.call(method, request, token=token)
    things = list(getattr(answer, field))
    while everything and answer.next_page_token:
        request.page_token = answer.next_page_token
        try:
            answer = arena.call(method, request, token=token)
        except TooManyCalls:  # long lists have their price: go on when the server allows it
            time.sleep(PAUSE_SECONDS)
            continue
        things += getattr(answer, field)
    if arena.as_json:
        print_json({**as_plain(answer), field: [as_plain(thing) for thing in things]})
        return answer
    if callable(columns):
        columns(things)
    else:
        show_listing(columns, things, title)
    if answer.next_page_token:
        click.echo(f"there is more: --all, or --page-token {harmless(answer.next_page_token)}", err=True)
    return answer


def show_ladder(arena: ArenaClient, name: str, season: str, **page: Any) -> None:
    """Print the standings of a ladder, and how they came about."""
    request, title = pb.GetLadderRequest(name=name, season=season), f"{name}, {season}" if season else name
    rows_shown = partial(show_ladder_rows, console(), title=title)
    answer = show_list(arena, "GetLadder", request, "rows", rows_shown, **page)
    if not arena.as_json:
        show_footer(answer)


def show_footer(answer: pb.GetLadderResponse) -> None:
    """Print how the standings of a ladder came about."""
    matches = max(answer.table_matches, answer.ladder.matches)  # one more may have ended since they were counted
    lines = reading_lines(answer) if answer.table_matches else []
    lines += [f"{answer.table_matches} of {matches} matches in the table", *closed(answer.ladder)]
    if answer.quiet and not (answer.ladder.paused or answer.ladder.frozen_millis):
        lines.append(f"no match is played: {answer.quiet}")
    show_lines(console(), [*lines, *warning_lines(answer)])
    show_rulings(console(), ruling_lines(answer.rulings))
    if answer.seasons and not answer.season:
        names = ", ".join(season.name for season in answer.seasons)
        show_lines(console(), [f"archived seasons: {names} (--season NAME)"])


def closed(ladder: pb.LadderInfo) -> list[str]:
    """Return why no further match begins on a ladder, or from when on."""
    reasons = ["paused: no further match begins"] if ladder.paused else []
    if ladder.frozen_millis:
        since = "since" if ladder.frozen_millis <= 1000 * time.time() else "from"
        reasons.append(f"frozen {since} {when(ladder.frozen_millis)}")
    return reasons


def show_one(arena: ArenaClient, message: Any) -> None:
    """Print one message, a field per row."""
    fields = as_plain(message)
    if arena.as_json:
        print_json(fields)
        return
    rows = []
    for name, value in fields.items():
        label = name.removesuffix("_millis").removesuffix("_bytes").replace("_", " ")
        rows.append([label, harmless(cell(name, value))])
    show_rows(["", ""], rows)


def cell(name: str, value: Any) -> str:
    """Return a field's value as people read it. Moments are whole milliseconds, durations have a fraction."""
    if name.endswith("_millis"):
        return f"{value:.1f} ms" if isinstance(value, float) else when(value)
    if name.endswith("_bytes"):
        return f"{value / 2**20:.0f} MiB"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def show_match(arena: ArenaClient, match: pb.MatchInfo) -> None:
    """Print one match with its seats and faults."""
    if arena.as_json:
        print_json(as_plain(match))
        return
    event = f", event {match.event}" if match.event else ""
    event += f", a challenge by {match.challenger}" if match.challenger else ""
    click.echo(
        harmless(
            f"{match.match_id}: {match.contest}{event}, {word(match, 'state')}, began {when(match.started_millis)}"
        )
    )
    show_listing(
        [
            ("seat", lambda pair: str(pair[0])),
            ("bot", lambda pair: pair[1].entry),
            ("version", lambda pair: pair[1].version),
            ("rank", lambda pair: str(pair[1].rank or "-")),
            ("score", lambda pair: f"{pair[1].score:g}"),
        ],
        list(enumerate(match.seats)),
    )
    if match.ruling:
        click.echo(harmless(f"ruled: {match.ruling}"))
    for fault in match.faults:
        click.echo(harmless(f"seat {fault.seat}: {word(fault, 'kind')} at decision {fault.decision}: {fault.message}"))
    if match.state == pb.MATCH_STATE_FINISHED:
        record = f"record: {match.record_bytes} bytes" if match.record_bytes else "the record is no longer kept"
        click.echo(harmless(f"{end_words(match.reason)} after {match.decisions} decisions; {record}"))


def show_notes(arena: ArenaClient, answer: pb.GetNotesResponse, entries: Sequence[str]) -> None:
    """Print what bots noted in a match."""
    if arena.as_json:
        print_json(as_plain(answer))
        return
    for note in answer.notes:
        who = f"{note.seat} {entries[note.seat]}" if note.seat < len(entries) else str(note.seat)
        click.echo(harmless(f"{note.decision:>4}  {who}: {note.text}"))
    if not answer.notes:
        click.echo("there are no notes that you may read")


def show_event(arena: ArenaClient, answer: pb.GetEventResponse) -> None:
    """Print one event with its standings."""
    if arena.as_json:
        print_json(as_plain(answer))
        return
    show_listing(EVENT, [answer.event])
    show_entries(arena, answer.event)
    for listing in answer.tables:
        show_standings(console(), listing)
    show_rulings(console(), ruling_lines(answer.rulings))


def show_entries(arena: ArenaClient, event: pb.EventInfo) -> None:
    """Print who entered an event."""
    names = [f"{entry.bot}{' (checked in)' if entry.checked_in else ''}" for entry in event.entries]
    arena.answer(
        as_plain(event), harmless(f"{event.name} ({word(event, 'state')}): {', '.join(names) or 'nobody has entered'}")
    )


def show_sight(arena: ArenaClient, sight: pb.Sight, names: Sequence[str]) -> None:
    """Print what a spectator sees at one moment. `names` are those on the seats, as far as they are known."""
    if arena.as_json:
        click.echo(json.dumps(as_plain(sight)))
        return
    lines: list[str] = []
    match sight.WhichOneof("sight"):
        case "start":
            lines = [f"{sight.start.match_id}: {sight.start.game}, {' against '.join(sight.start.seat_names)}"]
        case "scene":
            lines = list(sight.scene.lines)
        case "end":
            placed = ", ".join(f"seat {seat}: {rank}" for seat, rank in enumerate(sight.end.ranks))
            lines = [f"over: {end_words(sight.end.reason)}; ranks {placed}"]
    for text in (*lines, *(f"  (hidden) {secret}" for secret in sight.secrets)):
        click.echo(harmless(name_seats(text, names)))
