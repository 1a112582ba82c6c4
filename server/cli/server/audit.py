"""`tortuga server audit`: who changed what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from server.cli.common.call_options import paged
from server.cli.common.lazy import LateModule
from server.cli.server.group import ordering

if TYPE_CHECKING:
    from server.cli.common import client_tables as tables
    from server.cli.common.arena_client import ArenaClient
    from tortuga.v1 import arena_pb2 as pb
else:
    pb = LateModule("tortuga.v1.arena_pb2")
    tables = LateModule("server.cli.common.client_tables")

LINE: tables.Columns = [
    ("when", lambda line: tables.when(line.millis)),
    ("who", lambda line: line.who),
    ("what", lambda line: line.what),
    ("whom", lambda line: line.whom),
    ("details", lambda line: line.details),
]


@click.command()
@ordering
@click.option(
    "--since", default="", metavar="TIME", help="Only changes at or after this time: 2026-11-20T18:00, or -2h."
)
@paged
def audit(arena: ArenaClient, since: str, **page: Any) -> None:
    """Show who changed what, latest change first."""
    from server.cli.common.arena_zone import read_moment

    tables.show_list(
        arena, "ListAudit", pb.ListAuditRequest(since_millis=read_moment(arena, since)), "lines", LINE, **page
    )
