"""`tortuga server event|match|ruling …`: the calendar of events, and rulings about bots and matches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from referee.text import harmless
from server.arena.zones import read_length, zone_of
from server.cli.common.command import CommandGroup
from server.cli.common.output import print_json
from server.cli.server.group import ordering

if TYPE_CHECKING:
    from server.cli.common.arena_client import ArenaClient


@click.group(cls=CommandGroup)
def event() -> None:
    """Manage the calendar of events."""


@event.command("create")
@ordering
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", required=True, help="Its name in the calendar.")
@click.option(
    "--opens",
    default="",
    metavar="TIME",
    help="When registration opens: 2026-11-20T18:00, optionally with a zone, or +2h. [default: now]",
)
@click.option("--check-in", default="", metavar="TIME", help="When registration closes. [default: when it starts]")
@click.option("--starts", default="", metavar="TIME", help="When it starts. [default: with `event start`]")
@click.option(
    "--every",
    default="",
    metavar="WHEN",
    help='Repeat it: "day at 18:00", "monday, friday at 18:00 Europe/Paris". --opens and --check-in are then how long '
    "before each start: 2h, 15m.",
)
@click.option("--late", default="30m", show_default=True, help="With --every: how late a missed event may start.")
def create_event(
    arena: ArenaClient, file: Path, name: str, opens: str, check_in: str, starts: str, every: str, late: str
) -> None:
    """Put the event of the tournament.toml FILE on the calendar. Times without a zone are in the arena's."""
    from server.cli.common.arena_client import arena_zone, read_moment
    from tortuga.v1 import arena_pb2 as pb

    try:
        manifest = file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from None
    if every:
        if starts:
            raise ConfigError("--every sets when a repeating event starts: leave out --starts")
        request = pb.CreateEventRequest(
            name=name,
            manifest=manifest,
            every=every if every.startswith("every ") else f"every {every}",
            opens_before_seconds=read_length(opens),
            check_in_before_seconds=read_length(check_in),
            late_seconds=read_length(late),
        )
    else:
        request = pb.CreateEventRequest(
            name=name,
            manifest=manifest,
            registration_millis=read_moment(arena, opens),
            check_in_millis=read_moment(arena, check_in),
            start_millis=read_moment(arena, starts),
            zone=zone_of(starts, "") or arena_zone(arena),
        )
    print_event(arena, arena.call("CreateEvent", request))


@event.command("enter")
@ordering
@click.argument("name", metavar="EVENT")
@click.argument("bot")
def enter_bot(arena: ArenaClient, name: str, bot: str) -> None:
    """Enter BOT for EVENT, at any time before it starts."""
    from tortuga.v1 import arena_pb2 as pb

    print_event(arena, arena.call("EnterBot", pb.EnterBotRequest(event=name, bot=bot)))


@event.command("start")
@ordering
@click.argument("name", metavar="EVENT")
def start_event(arena: ArenaClient, name: str) -> None:
    """Start EVENT now, whatever the calendar says."""
    from tortuga.v1 import arena_pb2 as pb

    print_event(arena, arena.call("StartEvent", pb.StartEventRequest(name=name)))


@event.command("cancel")
@ordering
@click.argument("name", metavar="EVENT")
@click.option("--reason", default="", help="Why.")
def cancel_event(arena: ArenaClient, name: str, reason: str) -> None:
    """Cancel EVENT, or a series and its next event. Matches already played stay on record."""
    from tortuga.v1 import arena_pb2 as pb

    print_event(arena, arena.call("CancelEvent", pb.CancelEventRequest(name=name, reason=reason)))


def print_event(arena: ArenaClient, event: Any) -> None:
    """Print an event."""
    from server.cli.common import client_listings as listings

    if arena.as_json:
        listings.show_one(arena, event)
    else:
        listings.show_listing(listings.EVENT, [event])
        listings.show_entries(arena, event)


@click.group(cls=CommandGroup)
def match() -> None:
    """Manage matches."""


@match.command("annul")
@ordering
@click.argument("match_id", metavar="MATCH")
@click.option("--reason", default="", help="The reason, which everybody can read in the tables.")
def annul_match(arena: ArenaClient, match_id: str, reason: str) -> None:
    """Annul MATCH, of a ladder or an event, so that it counts for nobody."""
    from tortuga.v1 import arena_pb2 as pb

    print_rulings(arena, arena.call("AnnulMatch", pb.AnnulMatchRequest(match_id=match_id, reason=reason)))


@click.group(cls=CommandGroup)
def ruling() -> None:
    """Manage rulings about bots and matches."""


@ruling.command("list")
@ordering
@click.option("--event", default="", help="Only rulings of this event. [default: the ladders and all events]")
def list_rulings(arena: ArenaClient, event: str) -> None:
    """List all rulings: who, when and why."""
    from tortuga.v1 import arena_pb2 as pb

    print_rulings(arena, arena.call("ListRulings", pb.ListRulingsRequest(event=event)))


@ruling.command("withdraw")
@ordering
@click.argument("number", type=click.IntRange(1))
@click.option("--reason", default="", help="The reason, which everybody can read in the tables.")
@click.option("--event", default="", help="The event it was made in. [default: the ladders]")
def withdraw_ruling(arena: ArenaClient, number: int, reason: str, event: str) -> None:
    """Withdraw the ruling NUMBER."""
    from tortuga.v1 import arena_pb2 as pb

    request = pb.WithdrawRulingRequest(number=number, reason=reason, event=event)
    print_rulings(arena, arena.call("WithdrawRuling", request))


def print_rulings(arena: ArenaClient, answer: Any) -> None:
    """Print rulings, a line each."""
    from server.cli.common.arena_client import as_plain
    from server.standings.placing_cells import ruling_line

    if arena.as_json:
        print_json(as_plain(answer))
        return
    for ruling in answer.rulings:
        where = f"event {ruling.event}, " if ruling.event else "ladders, "
        click.echo(harmless(f"{where}{ruling_line(ruling)}"))
    if not answer.rulings:
        click.echo("there are no rulings")
