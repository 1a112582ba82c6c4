"""A bot that we started: its process and its stream seen as one, ready to be given seats.

`SeatedBot` is what a match needs of any bot on a seat, be it hosted here, remote, or missing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from referee.door.service import Invitation
from referee.door.session import Session
from referee.errors import BotFault, FaultKind
from referee.match import clock
from referee.match.ids import BotIdentity
from referee.match.match import Asker, Introduction, MatchResult, Player, Terms
from referee.match.question import Question
from server.bots.spec import BotSpec
from server.hosting.bot_process import BotExit, BotProcess, ExitKind
from server.jail.level import JailLevel

EXIT_LAG_SECONDS = 2.0
"""Longest time by which the end of a process may lag behind the end of its stream; its keeper checks its use once a
second."""


class SeatedBot(Protocol):
    """A bot that can be given a seat and be named in the record."""

    def identity(self) -> BotIdentity:
        """Return the bot's identity for the record."""
        ...

    async def player(self, terms: Terms) -> Player:
        """Return the seat's player in one match."""
        ...


class HostedBot:
    """A bot that we started, from its start to its end."""

    process: BotProcess
    invitation: Invitation

    def __init__(self, spec: BotSpec, level: JailLevel = JailLevel.NONE) -> None:
        self.spec = spec
        self.level = level
        """The level at which its process is confined."""
        self._session: Session | None = None

    def identity(self) -> BotIdentity:
        """Return what its manifest says of it, completed by what it said in Hello."""
        identity, hello = self.spec.identity, self._session.hello if self._session else None
        if hello is None:
            return identity
        version, language = identity.version or hello.bot_version, identity.language or hello.language
        return replace(identity, version=printable(version), language=printable(language))

    async def arrive(self, seconds: float | None) -> Session:
        """Return the bot's stream, once it has said Hello. Raises BotFault if it does not in time."""
        try:
            # shield: the invitation outlives one impatient match
            self._session = await asyncio.wait_for(asyncio.shield(self.invitation.arrived), seconds)
        except TimeoutError:
            message = f"did not say Hello within {seconds:.3g} s"
            raise BotFault(FaultKind.NO_SHOW, message, clock.now()) from None
        return self._session

    async def slots(self, seconds: float | None) -> int:
        """Return how many matches the bot plays at once: the smaller of what its manifest and its Hello say."""
        try:
            return min(self.spec.slots, (await self.arrive(seconds)).slots)
        except BotFault:
            return 1  # its first match will show what is wrong

    async def player(self, terms: Terms) -> Player:
        """Return the bot at a new table, or an AbsentPlayer if it did not arrive in time or does not play this game."""
        try:
            session = await self.arrive(None if terms.clock.unlimited else terms.clock.start_seconds)
            game = terms.game.info.id
            if session.hello and session.hello.games and game not in session.hello.games:
                text = f"says in Hello that it does not play {game}"
                raise BotFault(FaultKind.NO_SHOW, text, clock.now())
        except BotFault as fault:
            return AbsentPlayer(self.spec.name, fault)
        return session.open_table()

    # What FairBlame asks

    @property
    def name(self) -> str:
        """Return the bot's name."""
        return self.spec.name

    @property
    def share_cores(self) -> float:
        """Return how many cores it may take without being blamed: one, or more if its limits grant it more."""
        limits = self.process.resources
        return max(1.0, limits.cpu_cores) if limits is not None else 1.0

    @property
    def asked_at(self) -> float | None:
        """Return the moment at which the oldest of its open questions was asked; None if none is open."""
        return self._session.asked_at if self._session is not None else None

    def cpu_seconds(self) -> float | None:
        """Return the processor time it has used; None if that is not known."""
        return self.process.cpu_seconds()

    def waited_seconds(self) -> float | None:
        """Return how long it was ready to run so far but had no core; None if that is not known."""
        return self.process.waited_seconds()

    def running_threads(self) -> int:
        """Count its threads that run now, or wait for a core."""
        return self.process.running_threads()

    def end_for_overuse(self, message: str) -> None:
        """End it with the fault `resource`, in all its matches."""
        if self._session is not None:
            self._session.end(FaultKind.RESOURCE, message)
        self.process.request_stop(0)

    @property
    def questions(self) -> int:
        """Count the questions it was asked."""
        return self._session.traffic.questions if self._session is not None else 0

    @property
    def is_idle(self) -> bool:
        """Check that it has arrived and nobody waits for anything it has to say."""
        session = self._session
        return session is not None and not session.is_closing and not session.is_awaited

    @property
    def is_gone(self) -> bool:
        """Check that it can play no further match."""
        return self.process.ended.done() or (self._session is not None and self._session.ended is not None)

    def say_goodbye(self, reason: str) -> None:
        """Send Goodbye, if the bot ever arrived."""
        if self._session is not None:
            self._session.close(reason)

    def expel(self, reason: str) -> None:
        """End it at once, also in the middle of its matches: it loses them for this reason."""
        arrived = self.invitation.arrived
        if not arrived.done():
            arrived.set_exception(BotFault(FaultKind.CRASH, reason, clock.now()))
            arrived.exception()  # marks it as retrieved: nobody may be waiting
        elif arrived.exception() is None:
            session = arrived.result()
            session.end(FaultKind.CRASH, reason)
            session.close(reason)
        self.process.request_stop(0)

    async def explain_broken_stream(self) -> BotFault | None:
        """Return the fault of a process that ended with its stream, or lives on without it because a limit refused
        it something; None if nothing explains it."""
        ended = self.process.ended
        await asyncio.wait([ended], timeout=EXIT_LAG_SECONDS)
        if not ended.done():
            await self.process.look()  # a fork bomb may break its own stream before its keeper's next look
        if ended.done():
            return _fault_of(ended.result())
        hint = self.process.limit_hint()
        return BotFault(FaultKind.CRASH, f"the stream ended without Goodbye{hint}", clock.now()) if hint else None

    def process_ended(self, ended: asyncio.Future[BotExit]) -> None:
        """Tell whoever waits for the bot that its process has ended, should its stream still be open or never come."""
        fault = _fault_of(ended.result())
        if self._session is not None:
            self._session.end(fault.kind, fault.message)
        elif not self.invitation.arrived.done():
            early = BotFault(fault.kind, f"ended before Hello: {fault.message}", fault.at)
            self.invitation.arrived.set_exception(early)
            self.invitation.arrived.exception()  # marks it as retrieved: nobody may be waiting

    def last_words(self) -> str:
        """Return what the bot printed last: for its author and for whoever runs the match, never for other bots."""
        return self.process.last_words()


class AbsentPlayer:
    """The player of a seat whose bot never came: it fails at once and hears nothing."""

    def __init__(self, name: str, fault: BotFault) -> None:
        self.name = name
        self._fault = fault

    def sit(self, introduction: Introduction) -> asyncio.Future[None]:
        """Fail."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        ready.set_exception(self._fault)
        return ready

    def ask(self, question: Question, asker: Asker) -> None:
        """Fail: it is never called, because the seat is out from the start."""
        raise AssertionError("a seat that is out is not asked")

    def final_fault(self) -> BotFault | None:
        """Return the fault it came with."""
        return self._fault

    def tell_fault(self, fault: BotFault, *, faults_left: int, substituted: int | None) -> None:
        """Do nothing: nobody is there."""

    def end(self, result: MatchResult) -> None:
        """Do nothing: nobody is there."""


def jail_level(bots: Iterable[SeatedBot]) -> str:
    """Return the weakest level at which the bots that we started are confined; empty if we started none."""
    levels = {bot.level for bot in bots if isinstance(bot, HostedBot)}
    return next((str(level) for level in JailLevel if level in levels), "")


def printable(text: str) -> str:
    """Return what a bot says of itself, safe to print and to keep."""
    return "".join(sign for sign in text if sign.isascii() and sign.isprintable())[:64]


def _fault_of(how: BotExit) -> BotFault:
    kind = FaultKind.RESOURCE if how.kind is ExitKind.RESOURCE else FaultKind.CRASH
    return BotFault(kind, how.detail, clock.now())
