"""`tortuga server team|token|audit …`: people who write bots together, their tokens, and who changed what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from referee.records.files import write_atomically
from referee.text import harmless, plural
from server.cli.common.call_options import paged
from server.cli.common.command import CommandGroup
from server.cli.common.invite_files import FOLDER_OPTION, HOST_OPTION, find_doors, make_invite, save_invites
from server.cli.server.group import ordering
from server.system.invites import KINDS

if TYPE_CHECKING:
    from server.cli.common.arena_client import ArenaClient
    from tortuga.v1 import arena_pb2 as pb

STAYS = (
    "Its results stay under these names. The real ones stay in the signed records of matches, whose signatures any "
    "change would break, and in what only you can read: the arena's databases, logs, reports on disk, audit log and "
    "backups."
)


@click.group(cls=CommandGroup)
def team() -> None:
    """Manage teams: people who write bots together."""


@team.command("import")
@ordering
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@FOLDER_OPTION
@HOST_OPTION
def import_teams(arena: ArenaClient, file: Path, folder: Path, host: str) -> None:
    """Add the teams of a CSV FILE and write an invite for each; run it again after changing FILE.

    FILE has the columns team and members (separated by semicolons), and optionally email and cap, the number of bots.
    """
    from server.arena.people.team_csv import read_teams
    from tortuga.v1 import arena_pb2 as pb

    doors = find_doors(arena, host)
    teams = [
        pb.TeamInfo(name=team.name, members=team.members, email=team.email, bots_cap=team.bots_cap)
        for team in read_teams(file)
    ]
    answer = arena.call("PutTeams", pb.PutTeamsRequest(teams=teams, with_tokens=True))
    invites = {
        folder / f"{result.team.name}.toml": make_invite(doors, "author", result.team.name, result.token)
        for result in answer.results
        if result.token
    }
    save_invites(invites, lambda invite: f"tortuga server team invite {invite.name}")
    rows = [
        {
            "team": result.team.name,
            "state": "added" if result.added else "known",
            "invite": str(path) if (path := folder / f"{result.team.name}.toml") in invites else None,
        }
        for result in answer.results
    ]
    added = sum(result.added for result in answer.results)
    lines = [f"{row['team']}: {row['state']}, {row['invite'] or 'has a token already'}" for row in rows]
    written = f"{plural(len(invites), 'invite')} written to {folder}"
    lines.append(f"{plural(len(rows), 'team')}, {added} of them new; {written}")
    if invites:
        lines.append("Send each team its file, over a channel you trust. Its bots then play with")
        lines.append("  tortuga bot connect FOLDER --invite TEAM.toml")
    arena.answer({"teams": rows}, "\n".join(map(harmless, lines)))


@team.command("add")
@ordering
@click.argument("name")
@click.option("--member", "members", multiple=True, help="A member; may be repeated.")
@click.option("--email", default="", help="Its email address.")
@click.option(
    "--cap", default=0, type=click.IntRange(0, 1000), help="The most bots it may have. [default: bots_per_team]"
)
@FOLDER_OPTION
@HOST_OPTION
def add_team(
    arena: ArenaClient, name: str, members: tuple[str, ...], email: str, cap: int, folder: Path, host: str
) -> None:
    """Add the team NAME and write its invite."""
    from tortuga.v1 import arena_pb2 as pb

    doors = find_doors(arena, host)
    info = pb.TeamInfo(name=name, members=members, email=email, bots_cap=cap)
    answer = arena.call("PutTeams", pb.PutTeamsRequest(teams=[info], with_tokens=True, only_new=True))
    write_invite_file(arena, doors, name, answer.results[0].token, folder)


@team.command("set")
@ordering
@click.argument("name")
@click.option("--member", "members", multiple=True, help="A member; may be repeated. Replaces all previous members.")
@click.option("--email", default=None, help="Its email address.")
@click.option("--cap", default=None, type=click.IntRange(0, 1000), help="The most bots it may have; 0: bots_per_team.")
def set_team(arena: ArenaClient, name: str, members: tuple[str, ...], email: str | None, cap: int | None) -> None:
    """Change the team NAME; options that are left out change nothing."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    info = find_team(arena, name)
    changed = pb.TeamInfo(
        name=info.name,
        members=members or info.members,
        email=info.email if email is None else email,
        bots_cap=info.bots_cap if cap is None else cap,
    )
    answer = arena.call("PutTeams", pb.PutTeamsRequest(teams=[changed]))
    listings.show_one(arena, answer.results[0].team)


def find_team(arena: ArenaClient, name: str) -> pb.TeamInfo:
    """Return the team of this name."""
    from tortuga.v1 import arena_pb2 as pb

    request = pb.ListTeamsRequest(page_size=500)
    while True:
        page = arena.call("ListTeams", request)
        for team in page.teams:
            if team.name == name:
                return team  # type: ignore[no-any-return]
        if not page.next_page_token:
            raise ConfigError(f"there is no team {name!a}; `tortuga server team list` lists them")
        request.page_token = page.next_page_token


@team.command("invite")
@ordering
@click.argument("name")
@FOLDER_OPTION
@HOST_OPTION
def invite_team(arena: ArenaClient, name: str, folder: Path, host: str) -> None:
    """Write another invite for the team NAME, with a new token; older tokens stay valid until they are revoked."""
    from tortuga.v1 import arena_pb2 as pb

    doors = find_doors(arena, host)
    created = arena.call("NewToken", pb.NewTokenRequest(kind=pb.TOKEN_KIND_AUTHOR, team=name))
    write_invite_file(arena, doors, name, created.token, folder)


def write_invite_file(arena: ArenaClient, doors: pb.DoorsInfo, name: str, token: str, folder: Path) -> None:
    """Write the invite of a team, and print where it is."""
    path = folder / f"{name}.toml"
    save_invites(
        {path: make_invite(doors, "author", name, token)}, lambda invite: f"tortuga server team invite {invite.name}"
    )
    lines = [
        f"{path} is the invite of {name}. Send it over a channel you trust. The team's bots then play with",
        f"  tortuga bot connect FOLDER --invite {path.name}",
    ]
    arena.answer({"team": name, "invite": str(path)}, "\n".join(map(harmless, lines)))


@team.command("list")
@ordering
@paged
def list_teams(arena: ArenaClient, **page: Any) -> None:
    """List all teams, by name."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    listings.show_list(arena, "ListTeams", pb.ListTeamsRequest(), "teams", listings.TEAM, **page)


@team.command("export")
@ordering
@click.argument("name")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write. [default: NAME.json]"
)
def export_team(arena: ArenaClient, name: str, output: Path | None) -> None:
    """Write everything stored about the team NAME to a JSON file: members, bots, tokens, entries, matches, changes."""
    from tortuga.v1 import arena_pb2 as pb

    info = find_team(arena, name)
    content = b"".join(chunk.data for chunk in arena.stream("ExportTeam", pb.ExportTeamRequest(name=info.name)))
    path = output or Path(f"{info.name}.json")
    try:
        write_atomically(path, content, private=True)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from None
    arena.answer({"export": str(path), "bytes": len(content)}, f"{path}: {len(content)} bytes")


@team.command("delete")
@ordering
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete_team(arena: ArenaClient, name: str, yes: bool) -> None:
    """Delete the team NAME: its bots are disconnected, its tokens revoked, its results kept under neutral names."""
    from server.cli.common.arena_client import as_plain
    from tortuga.v1 import arena_pb2 as pb

    info = find_team(arena, name)
    if not yes:
        bots = ", ".join(info.bots) or "none"
        click.confirm(
            harmless(f"Delete the team {info.name} and end its bots ({bots}) for good?"), abort=True, err=True
        )
    deleted = arena.call("DeleteTeam", pb.DeleteTeamRequest(name=info.name))
    lines = [f"the team {info.name} is deleted", *(f"  {bot.name} is now shown as {bot.shown}" for bot in deleted.bots)]
    arena.answer(as_plain(deleted), "\n".join(map(harmless, [*lines, *([STAYS] if deleted.bots else [])])))


@click.group(cls=CommandGroup)
def token() -> None:
    """Manage the tokens of teams, commentators and organisers."""


@token.command("new")
@ordering
@click.option("--kind", required=True, type=click.Choice(KINDS), help="What it allows.")
@click.option("--team", default="", metavar="NAME", help="For an author's token: the team it belongs to.")
@click.option("--label", default="", help="Its name in lists and in the audit log. [default: the team or the kind]")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The invite file. [default: LABEL.toml]"
)
@HOST_OPTION
def new_token(arena: ArenaClient, kind: str, team: str, label: str, output: Path | None, host: str) -> None:
    """Create a token, in an invite file for its holder."""
    from server.cli.common.arena_client import as_plain
    from tortuga.v1 import arena_pb2 as pb

    doors = find_doors(arena, host)
    number = pb.TokenKind.Value(f"TOKEN_KIND_{kind.upper()}")
    created = arena.call("NewToken", pb.NewTokenRequest(kind=number, team=team, label=label))
    path = output or Path(f"{created.info.label}.toml")
    invite = make_invite(doors, kind, created.info.team or created.info.label, created.token)
    save_invites({path: invite}, lambda _: f"tortuga server token revoke {created.info.label}, then this command again")
    lines = [
        f"{path} holds the token {created.info.label}. Send it over a channel you trust: its holder passes "
        f"--invite {path}"
    ]
    if kind == "organiser" and not doors.tls:
        lines.append("This arena speaks plain text: orders with this token are taken from its own machine only")
    arena.answer({**as_plain(created.info), "invite": str(path)}, "\n".join(map(harmless, lines)))


@token.command("list")
@ordering
@paged
def list_tokens(arena: ArenaClient, **page: Any) -> None:
    """List all tokens except those of single bots, oldest first."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    listings.show_list(arena, "ListTokens", pb.ListTokensRequest(), "tokens", listings.TOKEN, **page)


@token.command("revoke")
@ordering
@click.argument("label")
def revoke_token(arena: ArenaClient, label: str) -> None:
    """Revoke the token LABEL and disconnect the bots that use it."""
    from server.cli.common.arena_client import as_plain
    from tortuga.v1 import arena_pb2 as pb

    revoked = arena.call("RevokeToken", pb.RevokeTokenRequest(label=label))
    arena.answer(as_plain(revoked), harmless(f"the token {revoked.label} is revoked"))


@click.command()
@ordering
@click.option(
    "--since", default="", metavar="TIME", help="Only changes at or after this time: 2026-11-20T18:00, or -2h."
)
@paged
def audit(arena: ArenaClient, since: str, **page: Any) -> None:
    """Show who changed what, latest change first."""
    from server.cli.common import client_listings as listings
    from server.cli.common.arena_client import read_moment
    from tortuga.v1 import arena_pb2 as pb

    listings.show_list(
        arena,
        "ListAudit",
        pb.ListAuditRequest(since_millis=read_moment(arena, since)),
        "lines",
        listings.AUDIT_LINE,
        **page,
    )
