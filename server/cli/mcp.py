"""`tortuga mcp`: a seat for a language model's own program, over the Model Context Protocol."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import click

from referee.errors import ConfigError
from referee.match.clock import TimeControl
from server.bots.spec import find_bot
from server.cli.common.command import run_loop
from server.cli.common.jail import jail_option, make_confinement

OPPONENTS = ("random", "gunner", "privateer", "buccaneer")


@click.command()
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="SPEC",
    help=f"A bot that the model may play against; may be repeated. [default: {', '.join(OPPONENTS)}]",
)
@click.option(
    "--clock", default="person", show_default=True, metavar="BANK+INC/CAP", help="Seconds per seat, or a name."
)
@click.option(
    "--records",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("records"),
    show_default=True,
    help="The folder to write records in.",
)
@jail_option
def mcp(bots: tuple[str, ...], clock: str, records: Path, jail: str) -> None:
    """Serve MCP over stdin and stdout, so that a program with a language model can play here.

    Its tools are games, rules, play, next_question, choose, resign and standings. Needs the extra mcp.
    """
    if importlib.util.find_spec("mcp") is None:
        raise ConfigError("this needs the package mcp: install tortuga-arena[mcp]")
    from server.people.mcp_server import McpTable, serve

    specs = [find_bot(bot) for bot in bots or OPPONENTS]
    table = McpTable(
        opponents={spec.name: spec for spec in specs},
        confinement=make_confinement(jail, quiet=True),
        clock=replace(TimeControl.read(clock), start_seconds=60.0),
        records=records.resolve(),
    )
    run_loop(serve(table))
