"""Where bots are started and play: a private folder, a door for them to dial, their processes; nothing is left behind.

A BotHost can hold many matches of many bots. A bot is started once and plays as many matches as it is given, several
at once if it has slots.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import structlog

from referee.clock import LagMeter
from referee.door.service import Door
from referee.errors import ConfigError
from referee.match import Match, MatchResult, Terms, Watcher
from server import __version__
from server.bots.spec import BotSpec
from server.hosting.hosted_bot import HostedBot, SeatedBot
from server.hosting.launcher import Launcher
from server.jail.confinement import Confinement

SHUTDOWN_SECONDS = 2.0
"""How long a bot may take to exit after Goodbye before it is killed."""

log = structlog.get_logger()


class BotHost:
    """An open door and the bots behind it. Use it as `async with BotHost() as host`."""

    def __init__(
        self,
        *,
        listen: str | None = None,
        logs: Path | None = None,
        folder: Path | None = None,
        confinement: Confinement | None = None,
    ) -> None:
        self.confinement = confinement or Confinement()
        self._listen = listen
        self._logs = logs
        self._folder = folder or Path(tempfile.gettempdir()) / f"tortuga-{os.urandom(6).hex()}"
        self._started = 0
        self.lag = LagMeter()
        self.door = Door(__version__)
        self._launcher: Launcher | None = None

    async def __aenter__(self) -> BotHost:
        self._folder.mkdir(mode=0o700)  # only this user may enter it
        try:
            self._launcher = Launcher(self._folder, confinement=self.confinement)
            await self.door.open(self._listen or f"unix:{self._folder}/door")
            self.lag.start()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._launcher is not None
        self.lag.stop()
        try:
            await self.door.close("the matches are over" if kind is None else "the server is stopping")
            await self._launcher.close(SHUTDOWN_SECONDS)
        finally:
            try:
                self._copy_logs()
            finally:
                shutil.rmtree(self._folder, ignore_errors=True)

    def _copy_logs(self) -> None:
        if self._logs is not None:
            self._logs.mkdir(parents=True, exist_ok=True)
            for path in (self._folder / "logs").glob("*.log"):
                shutil.copy(path, self._logs)

    async def start_bot(self, spec: BotSpec) -> HostedBot:
        """Start one process of a bot. If it fails to arrive, that shows at its first match."""
        assert self._launcher is not None
        if spec.remote:
            raise ConfigError(f"the bot {spec.name} dials in by itself; only an arena (`tortuga serve`) can seat it")
        self._started += 1
        name = f"{spec.name[:56]}-{self._started}"  # names its log and its scratch folder
        bot = HostedBot(spec, self.confinement.level)
        bot.invitation = self.door.invite(spec.name, bot.explain_broken_stream)
        address = self.door.address
        environment = {"TORTUGA_ADDRESS": address, "TORTUGA_TOKEN": bot.invitation.token}
        socket = Path(address.removeprefix("unix:")) if address.startswith("unix:") else None
        try:
            bot.process = await self._launcher.start(
                name, spec.run, environment, sees=[spec.folder] if spec.folder else [], door=socket
            )
        except BaseException:
            self.door.revoke(bot.invitation)
            raise
        bot.process.ended.add_done_callback(bot.process_ended)
        return bot

    async def stop_bot(self, bot: HostedBot) -> None:
        """Say Goodbye to a bot, give it time to exit, and leave nothing of it behind."""
        bot.say_goodbye("you have played enough; thank you")
        await bot.process.stop(SHUTDOWN_SECONDS)
        self.door.revoke(bot.invitation)
        bot.process.log.unlink(missing_ok=True)

    async def play(self, terms: Terms, bots: Sequence[SeatedBot], watcher: Watcher | None = None) -> MatchResult:
        """Play one match; the bots are given in the order of the seats."""
        players = await asyncio.gather(*(bot.player(terms) for bot in bots))
        with structlog.contextvars.bound_contextvars(match=terms.match_id):
            result = await Match(terms, players, self.lag, watcher).play()
            for fault in result.faults:
                log.info(
                    "fault", seat=fault.seat, bot=result.names[fault.seat], kind=str(fault.kind), at=fault.decision
                )
        return result
