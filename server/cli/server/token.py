"""`tortuga server token …`: tokens of teams, commentators and organisers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.text import harmless
from server.cli.common.call_options import paged
from server.cli.common.command import Group
from server.cli.common.invite_files import HOST_OPTION
from server.cli.common.lazy import LateModule
from server.cli.server.group import ordering
from server.system.invites import KINDS

if TYPE_CHECKING:
    from server.cli.common import client_tables as tables
    from server.cli.common.arena_client import ArenaClient
    from tortuga.v1 import arena_pb2 as pb
else:
    pb = LateModule("tortuga.v1.arena_pb2")
    tables = LateModule("server.cli.common.client_tables")

TOKEN: tables.Columns = [
    ("label", lambda token: token.label),
    ("kind", lambda token: tables.word(token, "kind")),
    ("team", lambda token: token.team),
    ("made", lambda token: tables.when(token.made_millis)),
    ("revoked", lambda token: tables.when(token.revoked_millis)),
]


@click.group(cls=Group)
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
    from server.cli.common.invite_files import find_doors, make_invite, save_invites
    from server.cli.common.plain import as_plain

    doors = find_doors(arena, host)
    number = pb.TokenKind.Value(f"TOKEN_KIND_{kind.upper()}")
    made = arena.call("NewToken", pb.NewTokenRequest(kind=number, team=team, label=label))
    path = output or Path(f"{made.info.label}.toml")
    invite = make_invite(doors, kind, made.info.team or made.info.label, made.token)
    save_invites({path: invite}, lambda _: f"tortuga server token revoke {made.info.label}, then this command again")
    lines = [
        f"{path} holds the token {made.info.label}. Send it over a channel you trust: its holder passes --invite {path}"
    ]
    if kind == "organiser" and not doors.tls:
        lines.append("This arena speaks plain text: orders with this token are taken from its own machine only")
    arena.answer({**as_plain(made.info), "invite": str(path)}, "\n".join(map(harmless, lines)))


@token.command("list")
@ordering
@paged
def list_tokens(arena: ArenaClient, **page: Any) -> None:
    """List all tokens except those of single bots, oldest first."""
    tables.show_list(arena, "ListTokens", pb.ListTokensRequest(), "tokens", TOKEN, **page)


@token.command("revoke")
@ordering
@click.argument("label")
def revoke_token(arena: ArenaClient, label: str) -> None:
    """Revoke the token LABEL and disconnect the bots that use it."""
    from server.cli.common.plain import as_plain

    gone = arena.call("RevokeToken", pb.RevokeTokenRequest(label=label))
    arena.answer(as_plain(gone), harmless(f"the token {gone.label} is revoked"))
