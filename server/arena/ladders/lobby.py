"""The lobby: hosted bots and connected remote ones, how many more matches each can play, and who is suspended."""

from __future__ import annotations

import asyncio
import functools
import sqlite3
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from referee.door.remote_bots import AdmissionRefused
from referee.door.session import Session
from referee.errors import BotFault, ConfigError, FaultKind
from referee.match import clock
from referee.match.ids import BotIdentity
from referee.match.match import Player, Terms
from referee.rules.infos import INFOS
from server.arena.caller_input import one_line, quote
from server.arena.errors import AlreadyExists
from server.arena.people.audit import AuditLog
from server.arena.people.callers import Author, Callers
from server.arena.people.teams import Teams, TokenKind
from server.arena.rate_limits import RateLimiter
from server.arena.registry import Registry
from server.arena.registry_schema import KnownBot
from server.bots.spec import BotSpec
from server.hosting.hosted_bot import AbsentPlayer, printable
from server.play.summary import FaultSummary
from server.system.logs import get_logger
from server.tournament.manifest import Contest
from tortuga.v1 import referee_pb2 as pb

DAY_SECONDS = 86_400

log = get_logger()


@dataclass(kw_only=True, slots=True, eq=False)
class Member:
    """A bot in one version that can be seated."""

    name: str
    version: str
    language: str = ""
    games: tuple[str, ...] = ()
    """The games it plays. Empty: all."""
    seat_counts: tuple[int, ...] = ()
    """The numbers of seats it plays with. Empty: any."""
    slots: int = 1
    spec: BotSpec | None = None
    """How a hosted bot is started."""
    session: Session | None = None
    """The session of a remote bot."""
    entry: str = ""
    """Its name on the ladders."""
    event: str = ""
    """The event it is reserved for: meanwhile it plays on no ladder."""
    busy: int = 0
    """Matches it is playing."""
    rests_until: float = 0.0
    """When it can play again, or could since."""
    waited: dict[str, int] = field(default_factory=dict)
    """Per ladder the tables filled since its last match there."""

    @property
    def is_connected(self) -> bool:
        """Check whether it can be asked now. A hosted bot always can."""
        return self.session is None or self.session.is_present

    def plays(self, contest: Contest) -> bool:
        """Check whether it plays this game with this number of seats."""
        return (not self.games or contest.game in self.games) and (
            not self.seat_counts or contest.seats in self.seat_counts
        )

    def seat(self, name: str) -> RemoteSeat:
        """Return the remote bot on a seat of one match, under its name there."""
        assert self.session is not None
        return RemoteSeat(name, self, self.session)


class RemoteSeat:
    """A remote bot on a seat of one match."""

    def __init__(self, name: str, member: Member, session: Session) -> None:
        self._identity = BotIdentity(name=name, version=member.version, language=member.language)
        self._session = session

    def identity(self) -> BotIdentity:
        """Return how the record names it."""
        return self._identity

    async def player(self, terms: Terms) -> Player:
        """Return the bot as a player of a new match. It forfeits by itself if the bot is gone."""
        return self._session.open_table()


class MissingBot:
    """A bot that was not connected in time for its match."""

    def __init__(self, name: str, seconds: float) -> None:
        self._name = name
        self._seconds = seconds

    def identity(self) -> BotIdentity:
        """Return how the record names it: nothing else is known."""
        return BotIdentity(name=self._name)

    async def player(self, terms: Terms) -> Player:
        """Return a player that forfeits."""
        text = f"was not connected within {self._seconds:.3g} s of its match"
        return AbsentPlayer(self._name, BotFault(FaultKind.NO_SHOW, text, clock.now()))


class Lobby:
    """All bots that can be seated. It is the door's `referee.door.remote_bots.Accounts`."""

    def __init__(
        self,
        registry: Registry,
        *,
        reconnect_seconds: float,
        versions_per_day: int = 0,
        callers: Callers | None = None,
    ) -> None:
        self.reconnect_seconds = reconnect_seconds
        self._registry = registry
        self._callers = callers or Callers(registry, Teams(registry))
        self._audit = AuditLog(registry)
        self._making = asyncio.Lock()
        self._tokens_used: dict[str, str] = {}
        """By bot the label of the team's token that it came with last."""
        self._versions_per_day = versions_per_day
        self._changes = RateLimiter(versions_per_day / DAY_SECONDS, versions_per_day)
        self._writer = ThreadPoolExecutor(1, "lobby")
        """Writes to the registry who came and went: in order, and without blocking when it is locked."""
        self.wake: Callable[[], None] = lambda: None
        """Called when a bot came, went, or began or ended a match. Set by the hall."""
        self._members: dict[str, Member] = {}
        self._changed = asyncio.Event()
        self.reserved_for: Callable[[str], str] = lambda bot: ""
        """The event that a bot is reserved for. Set by the calendar."""

    @property
    def members(self) -> Iterable[Member]:
        """Return all bots."""
        return self._members.values()

    def get(self, name: str) -> Member | None:
        """Return a bot by its name."""
        return self._members.get(name)

    def add(self, member: Member) -> None:
        """Add a bot, or replace its older version."""
        member.event = self.reserved_for(member.name)
        self._members[member.name] = member
        self.changed()

    def remove(self, name: str) -> None:
        """Remove a bot."""
        self._members.pop(name, None)
        self.changed()

    def changed(self) -> None:
        """Note that a bot came, went, or began or ended a match."""
        self._changed.set()
        self._changed = asyncio.Event()
        self.wake()

    async def reserve(self, names: Sequence[str], seconds: float) -> list[Member | None]:
        """Wait until all of these have a free slot, and take a slot of each; None for a bot not connected in time.

        All slots are taken at once: two matches that each hold what the other needs would wait for ever.
        """
        deadline = clock.now() + seconds
        while True:
            wanted = [self._members.get(name) for name in names]
            here = [member for member in wanted if member is not None and member.is_connected]
            late = clock.now() >= deadline
            if all(member.busy < member.slots for member in here) and (late or len(here) == len(names)):
                for member in here:
                    member.busy += 1
                return [member if member in here else None for member in wanted]
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), None if late else max(0.05, deadline - clock.now()))

    def release(self, member: Member) -> None:
        """Free a slot of a bot."""
        member.busy -= 1
        self.changed()

    def close(self) -> None:
        """Finish all writes to the registry."""
        self._writer.shutdown()

    # What the door calls

    def find(self, token_hash: bytes) -> str | None:
        """Return the bot that has this token."""
        bot = self._registry.find(token_hash)
        if bot is None and (token := self._callers.teams.find(token_hash)):
            if token.kind is not TokenKind.AUTHOR:
                why = f"bots need the token of a bot or a team, and this is one of the kind {token.kind}"
                raise AdmissionRefused("PERMISSION_DENIED", why)
            raise AdmissionRefused(
                "INVALID_ARGUMENT",
                f"this is the token of the team {token.team}: name the bot with TORTUGA_TOKEN=TOKEN:NAME, or run the "
                "bot with `tortuga bot connect FOLDER --invite FILE`",
            )
        if bot is not None:
            self._tokens_used.pop(bot, None)
        return bot

    async def find_of_team(self, token_hash: bytes, bot: str) -> str | None:
        """Return the bot of this name, of the team whose token has this hash; made if it is new."""
        token = self._callers.teams.find(token_hash)
        if token is None or token.kind is not TokenKind.AUTHOR:
            return None
        author = Author(owner=token.team)
        try:
            async with self._making:  # two at once could be one too many
                if self._callers.check_bot_name(author, bot):
                    await asyncio.to_thread(self._registry.add, bot, token.team, b"")
                    await asyncio.to_thread(self._audit.append, f"team {token.team}", "NewBot", bot)
        except AlreadyExists as error:
            raise AdmissionRefused("PERMISSION_DENIED", str(error)) from None
        except ConfigError as error:
            raise AdmissionRefused("FAILED_PRECONDITION", str(error)) from None
        except sqlite3.Error as error:
            raise AdmissionRefused("UNAVAILABLE", f"the bot {bot} cannot be added now: {error}") from None
        known = self._registry.bot(bot)
        if known.hosted or known.revoked:
            why = known.ban or "the server starts this bot itself"
            raise AdmissionRefused("PERMISSION_DENIED", f"{why}: connect under another name")
        self._tokens_used[bot] = token.label
        return bot

    def came_with(self, label: str) -> list[str]:
        """Return the bots that came last with the team's token of this label."""
        return [bot for bot, used in self._tokens_used.items() if used == label]

    def refusal(self, name: str) -> str:
        """Return why a bot is refused. Empty: it is not."""
        bot = self._registry.bot(name)
        if bot.hosted:
            return (
                "this bot was submitted, and the server starts it itself: `tortuga client submit` sends a new version"
            )
        return f"this bot is suspended: {bot.suspended}" if bot.suspended else ""

    def arrived(self, name: str, session: Session) -> str:
        """Take in a bot that said Hello. Return why it is refused, or nothing."""
        hello = session.hello
        assert hello is not None
        if refusal := refuse_hello(hello):
            return refusal
        member = Member(
            name=name,
            version=printable(hello.bot_version),
            language=printable(hello.language),
            games=tuple(dict.fromkeys(hello.games)),
            seat_counts=tuple(dict.fromkeys(hello.seat_counts)),
            slots=session.slots,
            session=session,
        )
        if not self._may_change(name, member.version):
            return (
                f"this bot changed its version {self._versions_per_day} times in a day, and each is a line on the "
                f"ladders: connect as version {quote(self._registry.bot(name).version)} again, or later"
            )
        note = functools.partial(
            self._registry.note_hello,
            name,
            version=member.version,
            language=member.language,
            games=member.games,
            seat_counts=member.seat_counts,
            slots=member.slots,
        )
        self._write(note)
        self.add(member)
        return ""

    def _may_change(self, name: str, version: str) -> bool:
        """Check whether it may connect as this version. Without a limit a bot could fill the ladders with its lines."""
        is_change = version != self._registry.bot(name).version
        return not (self._versions_per_day and is_change) or self._changes.take(name)

    def left(self, name: str, session: Session) -> None:
        """Remove a bot that has left and will not come back."""
        member = self._members.get(name)
        if member is not None and member.session is session:
            self.remove(name)
            self._write(functools.partial(self._registry.note_seen, name))

    def presence_changed(self, name: str, session: Session) -> None:
        """Note that a bot's stream broke, or came back."""
        self.changed()

    def _write(self, note: Callable[[], KnownBot]) -> None:
        """Write to the registry, in a thread. These notes are for people, so a failure is only logged."""
        self._writer.submit(note).add_done_callback(_log_failure)


def _log_failure(written: Future[KnownBot]) -> None:
    if (error := written.exception()) is not None:
        log.error("registry_write_failed", reason=str(error))


def refuse_hello(hello: pb.Hello) -> str:
    """Return why a Hello is refused: it asks for what is not played here. Empty: it is not."""
    for game in hello.games:
        if game not in INFOS:
            return f"there is no game {quote(game)} here; the games are {', '.join(INFOS)}"
    most = max(info.max_seats for info in INFOS.values())
    for count in hello.seat_counts:
        if not 2 <= count <= most:
            return f"no game here has {count} seats (Hello.seat_counts): it is 2 to {most}"
    return ""


class Suspensions:
    """Remembers in which of its last matches each bot failed, and suspends those that reach the limit."""

    def __init__(self, registry: Registry, *, fault_limit: int, matches: int) -> None:
        """A bot is suspended that failed in `fault_limit` of its last `matches`. A limit of 0: never."""
        self._registry = registry
        self._fault_limit = fault_limit
        self._matches = matches
        self._failed: dict[str, deque[bool]] = {}
        """Per bot whether it failed in each of its last matches, since it came or its suspension was lifted."""

    def clear(self, name: str) -> None:
        """Forget a bot's faults."""
        self._failed.pop(name, None)

    async def judge(self, names: Sequence[str], faults: Sequence[FaultSummary]) -> dict[str, str]:
        """Count a match of these bots, in seat order; returns the bots that are suspended now, and why."""
        failed = {int(fault.seat) for fault in faults if fault.kind != FaultKind.RESIGN}
        suspended: dict[str, str] = {}
        for seat, name in enumerate(names):
            last = self._failed.setdefault(name, deque(maxlen=self._matches))
            last.append(seat in failed)
            if seat in failed and 0 < self._fault_limit <= sum(last) and not self._registry.bot(name).suspended:
                text = next(fault.message for fault in reversed(faults) if fault.seat == seat)
                reason = one_line(f"failed in {sum(last)} of its last {len(last)} matches, the last time: {text}")
                log.warning("suspended", bot=name, reason=reason)
                try:
                    await asyncio.to_thread(self._registry.suspend, name, reason)
                except sqlite3.Error as error:  # its next fault tries again
                    log.error("suspend_failed", bot=name, reason=str(error))
                    continue
                suspended[name] = reason
        return suspended
