"""Where matches are played: a private folder, a door to come in by, bot processes, and nothing left afterwards.

A Stage can hold many matches of many bots; a bot is started once and plays as many matches as it is given, several at
once if it has slots.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Protocol

import structlog

from referee import clock
from referee.clock import LagMeter
from referee.door.service import Door, Invitation
from referee.door.session import Session
from referee.errors import BotFault, ConfigError, FaultKind
from referee.match import Introduction, Match, MatchResult, Player, Question, Reply, Terms, Watcher
from referee.records.record import BotIdentity
from server import __version__
from server.bots.spec import BotSpec
from server.hosting.launcher import BotProcess, Ending, EndKind, Launcher

SHUTDOWN_SECONDS = 2.0
"""How long a bot may take to leave after Goodbye before it is killed."""

EXPLAIN_SECONDS = 1.0
"""How long the end of a process may lag behind the end of its stream."""

log = structlog.get_logger()


class Seated(Protocol):
    """Whoever can be put on a seat."""

    async def player(self, terms: Terms) -> Player:
        """The seat's player in one match."""
        ...


class Stage:
    """An open door and the bots behind it. Use it as `async with Stage() as stage`."""

    def __init__(self, *, listen: str | None = None, logs: Path | None = None, folder: Path | None = None) -> None:
        self._listen = listen
        self._logs = logs
        self._folder = folder or Path(tempfile.gettempdir()) / f"tortuga-{os.urandom(6).hex()}"
        self._started = 0
        self.lag = LagMeter()
        self.door = Door(__version__)
        self._launcher: Launcher | None = None

    async def __aenter__(self) -> Stage:
        self._folder.mkdir(mode=0o700)  # only this user may enter it
        try:
            self._launcher = Launcher(self._folder)
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
                self._keep_logs()
            finally:
                shutil.rmtree(self._folder, ignore_errors=True)

    def _keep_logs(self) -> None:
        if self._logs is not None:
            self._logs.mkdir(parents=True, exist_ok=True)
            for path in (self._folder / "logs").glob("*.log"):
                shutil.copy(path, self._logs)

    async def start_bot(self, spec: BotSpec) -> Contender:
        """Start one process of a bot. It may fail to arrive; that shows at its first match."""
        assert self._launcher is not None
        if spec.remote:
            raise ConfigError(f"the bot {spec.name} dials in by itself; only an arena (`tortuga serve`) can seat it")
        self._started += 1
        name = f"{spec.name[:56]}-{self._started}"  # of this run: for its log and its scratch folder
        contender = Contender(spec)
        contender.invitation = self.door.invite(spec.name, contender.explain)
        environment = {"TORTUGA_ADDRESS": self.door.address, "TORTUGA_TOKEN": contender.invitation.token}
        try:
            contender.process = await self._launcher.start(name, spec.run, environment)
        except BaseException:
            self.door.revoke(contender.invitation)
            raise
        contender.process.ended.add_done_callback(contender.process_ended)
        return contender

    async def retire(self, contender: Contender) -> None:
        """Take leave of a bot: Goodbye, its time to go, and nothing of it left."""
        contender.take_leave("you have played enough; thank you")
        await contender.process.stop(SHUTDOWN_SECONDS)
        self.door.revoke(contender.invitation)
        contender.process.log.unlink(missing_ok=True)

    async def play(self, terms: Terms, contenders: Sequence[Seated], watcher: Watcher | None = None) -> MatchResult:
        """One match, seats in the order of the contenders."""
        players = await asyncio.gather(*(contender.player(terms) for contender in contenders))
        with structlog.contextvars.bound_contextvars(match=terms.match_id):
            result = await Match(terms, players, self.lag, watcher).play()
            for fault in result.faults:
                log.info(
                    "fault", seat=fault.seat, bot=result.names[fault.seat], kind=str(fault.kind), at=fault.decision
                )
        return result


class Contender:
    """A bot process, from its start to its end."""

    process: BotProcess
    invitation: Invitation

    def __init__(self, spec: BotSpec) -> None:
        self.spec = spec
        self._session: Session | None = None

    def identity(self) -> BotIdentity:
        """Who this is: what its manifest says, completed by what the bot said of itself."""
        identity, hello = self.spec.identity, self._session.hello if self._session else None
        if hello is None:
            return identity
        version, language = identity.version or hello.bot_version, identity.language or hello.language
        return replace(identity, version=printable(version), language=printable(language))

    async def arrive(self, seconds: float | None) -> Session:
        """The bot's stream, once it has said Hello. Raises BotFault if it does not in time."""
        try:
            # shield: the invitation outlives one impatient match
            self._session = await asyncio.wait_for(asyncio.shield(self.invitation.arrived), seconds)
        except TimeoutError:
            message = f"did not say Hello within {seconds:.3g} s"
            raise BotFault(FaultKind.NO_SHOW, message, clock.now()) from None
        return self._session

    async def slots(self, seconds: float | None) -> int:
        """How many matches the bot plays at once, by its manifest and by its own word."""
        try:
            return min(self.spec.slots, (await self.arrive(seconds)).slots)
        except BotFault:
            return 1  # it shows at its first match

    async def player(self, terms: Terms) -> Player:
        """The bot at a new table, once it has arrived; a stand-in that fails if it does not, or plays other games."""
        try:
            session = await self.arrive(None if terms.clock.unlimited else terms.clock.start_seconds)
            game = terms.game.info.id
            if session.hello and session.hello.games and game not in session.hello.games:
                text = f"says in Hello that it does not play {game}"
                raise BotFault(FaultKind.NO_SHOW, text, clock.now())
        except BotFault as fault:
            return Absent(self.spec.name, fault)
        return session.open_table()

    @property
    def is_gone(self) -> bool:
        """Whether it can play no further match."""
        return self.process.ended.done() or (self._session is not None and self._session.ended is not None)

    def take_leave(self, reason: str) -> None:
        """Say Goodbye, if it ever came."""
        if self._session is not None:
            self._session.close(reason)

    async def explain(self) -> BotFault | None:
        """What became of the process, asked when its stream broke off."""
        with suppress(TimeoutError):
            ending = await asyncio.wait_for(asyncio.shield(self.process.ended), EXPLAIN_SECONDS)
            return self._fault(ending)
        return None

    def process_ended(self, ended: asyncio.Future[Ending]) -> None:
        """The process is gone. If its stream is still up, or never came up, this is how we know."""
        fault = self._fault(ended.result())
        if self._session is not None:
            self._session.end(fault.kind, fault.message)
        elif not self.invitation.arrived.done():
            self.invitation.arrived.set_exception(fault)
            self.invitation.arrived.exception()  # looked at: nobody may be waiting

    def _fault(self, ending: Ending) -> BotFault:
        kind = FaultKind.RESOURCE if ending.kind is EndKind.RESOURCE else FaultKind.CRASH
        return BotFault(kind, ending.detail, clock.now())

    def last_words(self) -> str:
        """The last lines the bot printed: for its author and for who runs the match, never for the other bots."""
        return self.process.tail(5).lstrip(" ^~\n")  # a traceback cut off may begin with marks below a line


def printable(text: str) -> str:
    """A bot's own words, safe to print and to keep."""
    return "".join(sign for sign in text if sign.isascii() and sign.isprintable())[:64]


class Absent:
    """A seat whose bot never came: it fails at once and hears nothing."""

    def __init__(self, name: str, fault: BotFault) -> None:
        self.name = name
        self._fault = fault

    def sit(self, introduction: Introduction) -> asyncio.Future[None]:
        """Fail."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        ready.set_exception(self._fault)
        return ready

    def ask(self, question: Question) -> asyncio.Future[Reply]:
        """Never called: the seat is out from the start."""
        raise AssertionError("a seat that is out is not asked")

    def final_fault(self) -> BotFault | None:
        """From the start."""
        return self._fault

    def tell_fault(self, fault: BotFault, *, faults_left: int, substituted: int | None) -> None:
        """Nobody is there."""

    def end(self, result: MatchResult) -> None:
        """Nobody is there."""
