"""Hosts bots: a private folder, a gRPC server for them to connect to, and their processes. Leaves nothing behind.

A BotHost can hold many matches of many bots. A bot is started once and plays as many matches as it is given, several
at once if it has slots.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from referee.door.service import Door
from referee.errors import ConfigError
from referee.match.clock import LagMeter
from referee.match.match import Match, MatchResult, Terms, Watcher
from server import __version__
from server.bots.spec import BotSpec
from server.hosting.cores import core_count
from server.hosting.fair_blame import FairBlame, FairMatchHost
from server.hosting.hold_ups import CoreWatch, HoldUps
from server.hosting.hosted_bot import HostedBot, SeatedBot
from server.hosting.idle_watch import IdleWatch
from server.hosting.launcher import Launcher
from server.jail.confinement import Confinement
from server.system.logs import get_logger, log_with

SHUTDOWN_SECONDS = 2.0
"""How long a bot may take to exit after Goodbye before it is killed."""

log = get_logger()


class BotHost:
    """An open door and the bots behind it. Use it as `async with BotHost() as host`."""

    def __init__(
        self,
        *,
        listen: str | None = None,
        logs: Path | None = None,
        folder: Path | None = None,
        confinement: Confinement | None = None,
        hold_ups: HoldUps | None = None,
    ) -> None:
        """Without the hold-ups that a core watch of somebody else notes, it has a core watch of its own."""
        self.confinement = confinement or Confinement()
        self._listen = listen
        self._logs = logs
        self._folder = folder or Path(tempfile.gettempdir()) / f"tortuga-{os.urandom(6).hex()}"
        self._started = 0
        self.lag = LagMeter()
        self._idle_watch = IdleWatch()
        self.core_watch: CoreWatch | None = None
        """Its own, if it has one."""
        self._hold_ups = hold_ups
        self._blame: FairBlame | None = None
        self.door = Door(__version__)
        self._launcher: Launcher | None = None

    async def __aenter__(self) -> BotHost:
        self._folder.mkdir(mode=0o700)  # only this user may enter it
        try:
            self._launcher = Launcher(self._folder, confinement=self.confinement)
            await self.door.open(self._listen or f"unix:{self._folder}/door")
            self.lag.start()
            self._idle_watch.start()
            self._blame = FairBlame(self.lag, self._hold_ups or self._start_core_watch(), core_count())
            self._blame.start()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._launcher is not None
        assert self._blame is not None
        self.lag.stop()
        self._idle_watch.stop()
        self._blame.stop()
        try:
            await self.door.close("the matches are over" if kind is None else "the server is stopping")
            await self._launcher.close(SHUTDOWN_SECONDS)
        finally:
            if self.core_watch:
                self.core_watch.close()
            try:
                self._copy_logs()
            finally:
                shutil.rmtree(self._folder, ignore_errors=True)

    def _start_core_watch(self) -> HoldUps:
        self.core_watch = CoreWatch()
        self.core_watch.start()
        return self.core_watch.hold_ups

    def _copy_logs(self) -> None:
        if self._logs is not None:
            self._logs.mkdir(parents=True, exist_ok=True)
            for path in (self._folder / "logs").rglob("*.log"):
                shutil.copy(path, self._logs)

    async def start_bot(self, spec: BotSpec, told: Mapping[str, str] | None = None) -> HostedBot:
        """Start one process of a bot, with more in its environment if told so. If it fails to arrive, that shows at its
        first match."""
        assert self._launcher is not None
        assert self._blame is not None
        if spec.remote:
            raise ConfigError(f"the bot {spec.name} connects by itself; only an arena (`tortuga serve`) can seat it")
        self._started += 1
        name = f"{spec.name[:56]}-{self._started}"  # names its log and its scratch folder
        bot = HostedBot(spec, self.confinement.level)
        bot.invitation = self.door.invite(spec.name, bot.explain_broken_stream)
        address = self.door.address
        environment = {**(told or {}), "TORTUGA_ADDRESS": address, "TORTUGA_TOKEN": bot.invitation.token}
        socket = Path(address.removeprefix("unix:")) if address.startswith("unix:") else None
        try:
            bot.process = await self._launcher.start(
                name,
                spec.run,
                environment,
                sees=[spec.folder] if spec.folder else [],
                door=socket,
                resources=spec.limits,
            )
        except BaseException:
            self.door.revoke(bot.invitation)
            raise
        bot.process.ended.add_done_callback(bot.process_ended)
        if bot.process.resources is not None:
            self._idle_watch.add(bot)
            bot.invitation.arrived.add_done_callback(lambda _: bot.process.limit_cpu())
        self._blame.add(bot)
        if self.core_watch:
            self.core_watch.start()  # again, should it have been killed
        return bot

    async def stop_bot(self, bot: HostedBot) -> None:
        """Say Goodbye to a bot, give it time to exit, and leave nothing of it behind."""
        bot.say_goodbye("you have played enough; thank you")
        await bot.process.stop(SHUTDOWN_SECONDS)
        self.door.revoke(bot.invitation)
        bot.process.log.unlink(missing_ok=True)

    def limit_excuses(self, left: Mapping[str, int]) -> None:
        """Take how often bots may still be excused for running out of time in the event that is played here."""
        assert self._blame is not None
        self._blame.limit_excuses(left)

    async def play(self, terms: Terms, bots: Sequence[SeatedBot], watcher: Watcher | None = None) -> MatchResult:
        """Play one match; the bots are given in the order of the seats."""
        assert self._blame is not None
        players = await asyncio.gather(*(bot.player(terms) for bot in bots))
        with log_with(match=terms.match_id):
            names = [player.name for player in players]
            host = FairMatchHost(self._blame, terms.match_id, bots, names)
            result = await Match(terms, players, host, watcher).play()
            for fault in result.faults:
                log.info(
                    "fault", seat=fault.seat, bot=result.names[fault.seat], kind=str(fault.kind), at=fault.decision
                )
        return result
