"""`tortuga`: the group of all commands.

Exit codes: 0 fine, 1 a match failed or was interrupted or a record does not hold, 2 wrong usage. With --json, stdout
holds one JSON document and nothing else. Each command is a module of its own, imported when it is run
(command.py), so that `tortuga --help` is quick.
"""

from __future__ import annotations

import click

from server import __version__
from server.cli.common.command import LazyCommand, LazyGroup
from server.system import logs

COMMANDS = {
    "bench": LazyCommand("bench.command:bench", "Measure the referee against bare gRPC, and the engines alone."),
    "bot": LazyCommand("server.cli.bot.group:bot_group", "Create, build, check and connect bots."),
    "client": LazyCommand("server.cli.client.group:client", "Look at an arena: ladders, bots, matches, events."),
    "compare": LazyCommand(
        "server.cli.compare:compare",
        "Measure how much better NEW does than OLD, against the same opponents and with the same luck.",
    ),
    "cluster": LazyCommand(
        "server.cli.cluster:cluster", "Play events on several machines: certificates, scheduler, workers."
    ),
    "doctor": LazyCommand(
        "server.cli.doctor:doctor",
        "Report what this machine supports, and test with hostile bots whether confinement holds.",
    ),
    "export": LazyCommand(
        "server.cli.export:export",
        "Export every decision of the event in DIR: what the bot was sent, what it chose, and how the match ended.",
    ),
    "fsck": LazyCommand("server.cli.fsck:fsck", "Check the folder of an event or an arena, and report problems."),
    "game": LazyCommand("server.cli.game:game", "Write a game as a package of your own, and check it."),
    "games": LazyCommand("server.cli.games:games", "List the games and their variants."),
    "ladder": LazyCommand("server.cli.ladder:ladder", "Show ratings and how certain they are."),
    "matches": LazyCommand(
        "server.cli.matches:matches", "List the matches of the event in DIR, and show how to study them."
    ),
    "mcp": LazyCommand(
        "server.cli.mcp:mcp",
        "Serve MCP over stdin and stdout, so that a program with a language model can play here.",
    ),
    "model": LazyCommand(
        "server.cli.model:model", "Serve the forward model to bots in other languages, and measure its speed."
    ),
    "play": LazyCommand("server.cli.play:play", "Play one match of GAME between real bot processes, over gRPC."),
    "rate": LazyCommand("server.cli.rate:rate", "Rate the bots of results that were played elsewhere."),
    "replay": LazyCommand("server.cli.replay.group:replay", "Study and verify records."),
    "serve": LazyCommand(
        "server.cli.serve:serve", "Run an arena: bots connect, ladders run unattended, events start on schedule."
    ),
    "server": LazyCommand(
        "server.cli.server.group:server", "Manage an arena that `tortuga serve` runs: bots, ladders, events."
    ),
    "simulate": LazyCommand(
        "server.cli.simulate:simulate", "Play many games in this process, without gRPC, and count what happens."
    ),
    "sprt": LazyCommand(
        "server.cli.sprt:sprt",
        "Test whether A is better than B. Plays mirrored blocks until that is clear, then stops.",
    ),
    "tournament": LazyCommand(
        "server.cli.tournament.group:tournament", "Play events: round-robin, gauntlet, swiss, knockout, league, ladder."
    ),
    "tune": LazyCommand(
        "server.cli.tune:tune", "Find good values for the parameters of a bot, by SPSA over mirrored blocks."
    ),
    "web": LazyCommand(
        "server.cli.web:web", "Serve web pages for a folder or an arena: ladders, bots, events, matches and replays."
    ),
}


@click.group(cls=LazyGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tortuga")
@click.option("-v", "--verbose", is_flag=True, help="Log what happens on stderr.")
def main(verbose: bool) -> None:
    """A headless tournament server for pirate-game bots."""
    logs.configure(verbose)
