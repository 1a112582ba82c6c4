"""An MCP server: tools with which a language model's own program plays matches on this machine, over stdio.

It needs the extra `mcp`. A model may sit down with the bots that its user allowed and with nobody else: a bot is a
program, and whoever may name any can run any.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from referee.errors import ConfigError, TortugaError
from referee.games import find_game
from referee.match.clock import TimeControl
from referee.rules.infos import INFOS, find_info
from server import __version__
from server.bots.spec import BotSpec
from server.jail.confinement import Confinement
from server.people.asked_mind import AskedMind
from server.people.guest import Guest, at_table
from server.play.match_setup import MatchSetup
from server.play.single_match import play_one

MODEL = "model"
"""The name under which a model plays."""
WAIT_SECONDS = 25.0
"""Longest time that `next_question` takes: clients give up on a tool after 30 to 60 seconds."""
INSTRUCTIONS = """\
Tortuga referees pirate games. Call `games` for the games and opponents, `rules` before you play a game for the first
time, and `play` to begin a match. Then call `next_question` and `choose` in turn until the match is over."""


@dataclass(kw_only=True)
class McpTable:
    """The table at which a model plays one match after the other."""

    opponents: Mapping[str, BotSpec]
    """The bots that it may play against, by name."""
    confinement: Confinement
    clock: TimeControl
    records: Path
    results: list[str] = field(default_factory=list)
    """How the finished matches ended, the first one first."""
    mind: AskedMind | None = None
    """The mind of the running match, or of the last one."""
    match: asyncio.Task[None] | None = None

    def seated(self) -> AskedMind:
        """Return the mind of the match, if there was one."""
        if self.mind is None:
            raise ConfigError("no match has begun: call play first")
        return self.mind

    def begin(self, game: str, names: list[str], seat: int) -> None:
        """Begin a match against these bots."""
        if self.match is not None and not self.match.done():
            raise ConfigError("a match is running: play it to its end, or call resign")
        if unknown := [name for name in names if name not in self.opponents]:
            raise ConfigError(f"there is no opponent {unknown[0]!a}; there are: {', '.join(self.opponents)}")
        info = find_info(game)
        if not 0 <= seat <= len(names):
            raise ConfigError(f"seat {seat} of {len(names) + 1}: seats are counted from 0")
        info.check_seats(len(names) + 1)
        bots = [self.opponents[name] for name in names]
        for bot in bots:
            bot.check_game(game)
        bots.insert(seat, BotSpec(name=MODEL, run=(), remote=True))
        found = find_game(game)
        variant = found.info.read_variant({})
        setup = MatchSetup(game=found, variant=variant, seed=os.urandom(8).hex(), clock=self.clock)
        self.mind = AskedMind()
        self.match = asyncio.create_task(self._play(setup, bots, self.mind))

    async def _play(self, setup: MatchSetup, bots: list[BotSpec], mind: AskedMind) -> None:
        path = self.records / f"{setup.terms().match_id}.tortuga"
        guest = Guest(MODEL, mind)
        try:
            async with at_table(guest):
                result, _ = await play_one(
                    setup,
                    bots,
                    listen=None,
                    logs=None,
                    record_path=path,
                    teller=None,
                    confinement=self.confinement,
                    guest=guest,
                )
        except (TortugaError, OSError) as error:
            mind.finish(f"The match could not be played or recorded: {error}")
            return
        ranks = sorted(zip(result.ranks, result.names, strict=False))
        told = ", ".join(f"{rank}. {name}" for rank, name in ranks) or result.reason
        self.results.append(f"{setup.game.info.id}: {told}; record {path}")
        mind.finish(f"Its record: {path}")

    async def close(self) -> None:
        """Break off the match, if one is running. Nothing of it is left."""
        if self.match is not None:
            self.match.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.match


def make_server(table: McpTable) -> MCPServer:
    """Make the server whose tools play at that table."""
    server = MCPServer("tortuga", version=__version__, instructions=INSTRUCTIONS, log_level="ERROR")

    @server.tool()
    def games() -> str:
        """List the games, how many seats each has, and the opponents there are."""
        lines = []
        for game, info in INFOS.items():
            names = [name for name, bot in table.opponents.items() if not bot.games or game in bot.games]
            seats = f"{info.min_seats} to {info.max_seats} seats"
            lines.append(f"{game}: {info.title}, {seats}; opponents: {', '.join(names)}")
        return "\n".join(lines)

    @server.tool()
    def rules(game: str) -> str:
        """Return the rules of a game, by its id."""
        with told():
            find_info(game)
            return find_game(game).text.rules or "There is no short text of the rules of this game."

    @server.tool()
    async def play(game: str, opponents: list[str], seat: int = 0) -> str:
        """Begin a match of a game. `opponents` are names of bots, one for each other seat; `seat` is your own."""
        with told():
            table.begin(game, opponents, seat)
        return "The match begins. Call next_question."

    @server.tool()
    async def next_question() -> str:
        """Wait for your next question and return it with its numbered options, or how the match ended. Says "still
        waiting" after 25 seconds: then call it again."""
        with told():
            return await table.seated().next_question(WAIT_SECONDS)

    @server.tool()
    async def choose(index: int, why: str = "") -> str:
        """Answer the open question with the number of an option. `why`, at most 200 bytes, is kept in the record."""
        with told():
            table.seated().answer(index, why)
        return "Chosen. Call next_question."

    @server.tool()
    async def resign() -> str:
        """Give up the match that is running."""
        with told():
            table.seated().resign()
        return "You resign. Call next_question for the result."

    @server.tool()
    def standings() -> str:
        """List the results of the matches that you have played since this server was started."""
        return "\n".join(table.results) or "No match has been finished."

    return server


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Tell the model what it did wrong."""
    try:
        yield
    except ConfigError as error:
        raise ToolError(str(error)) from None


async def serve(table: McpTable) -> None:
    """Serve over stdin and stdout until the other side closes them."""
    try:
        await make_server(table).run_stdio_async()
    finally:
        await table.close()
