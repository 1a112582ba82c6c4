"""`tortuga server ladder …`: the ladders of an arena, and their seasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from referee.text import plural
from server.cli.common.command import CommandGroup
from server.cli.common.output import print_json
from server.cli.server.group import ordering

if TYPE_CHECKING:
    from server.cli.common.arena_client import ArenaClient

ALL = click.option("--all", "everything", is_flag=True, help="All ladders.")


@click.group(cls=CommandGroup)
def ladder() -> None:
    """Manage ladders and their seasons."""


@ladder.command("pause")
@ordering
@click.argument("name", default="")
def pause_ladder(arena: ArenaClient, name: str) -> None:
    """Start no more matches on the ladder NAME, or on any ladder."""
    from tortuga.v1 import arena_pb2 as pb

    print_ladders(arena, arena.call("PauseLadder", pb.PauseLadderRequest(name=name)))


@ladder.command("resume")
@ordering
@click.argument("name", default="")
def resume_ladder(arena: ArenaClient, name: str) -> None:
    """Resume the ladder NAME, or all ladders."""
    from tortuga.v1 import arena_pb2 as pb

    print_ladders(arena, arena.call("ResumeLadder", pb.ResumeLadderRequest(name=name)))


def print_ladders(arena: ArenaClient, answer: Any) -> None:
    """Print all ladders."""
    from server.cli.common import client_listings as listings
    from server.cli.common.arena_client import as_plain

    if arena.as_json:
        print_json(as_plain(answer))
    else:
        listings.show_listing(listings.LADDER, answer.ladders)


@ladder.command("freeze")
@ordering
@click.argument("name", metavar="[LADDER]", default="")
@ALL
@click.option(
    "--at", default="", metavar="TIME", help="When to freeze: 2026-11-20T18:00 Europe/Paris or +2h. [default: now]"
)
def freeze_ladder(arena: ArenaClient, name: str, everything: bool, at: str) -> None:
    """End the season of LADDER, or of all ladders: running matches are finished, and no new ones begin."""
    from server.cli.common.arena_client import read_moment
    from tortuga.v1 import arena_pb2 as pb

    request = pb.FreezeLadderRequest(name=one_or_all(name, everything), at_millis=read_moment(arena, at))
    print_ladders(arena, arena.call("FreezeLadder", request))


@ladder.command("unfreeze")
@ordering
@click.argument("name", metavar="[LADDER]", default="")
@ALL
def unfreeze_ladder(arena: ArenaClient, name: str, everything: bool) -> None:
    """Undo a freeze, as long as the season is not archived."""
    from tortuga.v1 import arena_pb2 as pb

    print_ladders(arena, arena.call("UnfreezeLadder", pb.UnfreezeLadderRequest(name=one_or_all(name, everything))))


@ladder.command("archive")
@ordering
@click.argument("season")
def archive_season(arena: ArenaClient, season: str) -> None:
    """Archive the final tables and all records in archive/SEASON. All ladders must be frozen."""
    from server.cli.common.arena_client import as_plain
    from tortuga.v1 import arena_pb2 as pb

    archived = arena.call("ArchiveSeason", pb.ArchiveSeasonRequest(name=season))
    contents = f"{plural(archived.matches, 'match', 'matches')} on {plural(len(archived.ladders), 'ladder')}"
    arena.answer(
        as_plain(archived),
        f"archive/{archived.name}: {contents}; the final tables are in its report.html. "
        "`tortuga server ladder start` begins the next season",
    )


@ladder.command("start")
@ordering
@click.option("--from-zero", is_flag=True, help="All bots start unknown.")
@click.option("--from-ratings", is_flag=True, help="Bots start with their last ratings, shrunk towards the mean.")
@click.option(
    "--shrink",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="How much of its distance from the mean a bot keeps.",
)
def start_season(arena: ArenaClient, from_zero: bool, from_ratings: bool, shrink: float) -> None:
    """Start the next season. The last one must be archived."""
    from server.cli.common import client_listings as listings
    from server.cli.common.arena_client import as_plain
    from tortuga.v1 import arena_pb2 as pb

    if from_zero == from_ratings:
        raise ConfigError("pass --from-zero or --from-ratings")
    started = arena.call("StartSeason", pb.StartSeasonRequest(from_ratings=from_ratings, shrink=shrink))
    if arena.as_json:
        print_json(as_plain(started))
        return
    if started.ratings:
        listings.show_listing(listings.STARTING_RATING, started.ratings, "starting ratings")
        click.echo("Elo here is relative to the mean, which is 1000; the ladders go by their anchor again.")
    click.echo("the next season has started" + ("" if started.ratings else " from zero"))


def one_or_all(name: str, everything: bool) -> str:
    """Return one ladder by its name, or an empty name for all: leaving out a word must not end the whole season."""
    if bool(name) == everything:
        raise ConfigError("name a ladder, or pass --all")
    return name
