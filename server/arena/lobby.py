"""Who is there: bots that dialled in and bots that are hosted here, and how much each of them can still take."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

import structlog

from referee import clock
from referee.door.session import Session
from referee.errors import BotFault, FaultKind
from referee.games import GAMES
from referee.match import Player, Terms
from referee.records.record import BotIdentity
from server.arena.rate_limits import RateLimiter
from server.arena.registry import Registry
from server.arena.registry_values import KnownBot
from server.arena.texts import quote
from server.bots.spec import BotSpec
from server.hosting.hosted_bot import AbsentPlayer, printable
from server.tournament.manifest import Contest
from tortuga.v1 import referee_pb2 as pb

DAY_SECONDS = 86_400

log = structlog.get_logger()


@dataclass(kw_only=True, slots=True, eq=False)
class Member:
    """A bot in one version that can be seated."""

    name: str
    version: str
    language: str = ""
    games: tuple[str, ...] = ()
    """Those it plays; empty: all."""
    seat_counts: tuple[int, ...] = ()
    """Of the tables it plays at; empty: any."""
    slots: int = 1
    spec: BotSpec | None = None
    """Of a hosted bot: how it is started."""
    session: Session | None = None
    """Of a remote bot: its stream."""
    entry: str = ""
    """Its name on the ladders."""
    event: str = ""
    """The event it is kept for: it plays in no ladder meanwhile."""
    busy: int = 0
    """Matches it is playing."""
    rests_until: float = 0.0
    waited: dict[str, int] = field(default_factory=dict)
    """Per ladder the tables that were filled since it last sat down there."""

    @property
    def is_there(self) -> bool:
        """Whether it could be asked right now."""
        return self.session is None or self.session.is_present

    def plays(self, contest: Contest) -> bool:
        """Whether it said so, or said nothing."""
        return (not self.games or contest.game in self.games) and (
            not self.seat_counts or contest.seats in self.seat_counts
        )

    def seat(self, name: str) -> RemoteSeat:
        """The bot on a seat of one match, under the name it has there."""
        assert self.session is not None
        return RemoteSeat(name, self, self.session)


class RemoteSeat:
    """A remote bot on one seat."""

    def __init__(self, name: str, member: Member, session: Session) -> None:
        self._identity = BotIdentity(name=name, version=member.version, language=member.language)
        self._session = session

    def identity(self) -> BotIdentity:
        """What the record says of it."""
        return self._identity

    async def player(self, terms: Terms) -> Player:
        """The bot at a new table; a table falls by itself if the bot has gone."""
        return self._session.open_table()


class MissingBot:
    """A bot that did not come to its match."""

    def __init__(self, name: str, seconds: float) -> None:
        self._name = name
        self._seconds = seconds

    def identity(self) -> BotIdentity:
        """Its name is all that is known."""
        return BotIdentity(name=self._name)

    async def player(self, terms: Terms) -> Player:
        """A seat that forfeits."""
        text = f"was not connected within {self._seconds:.3g} s of its match"
        return AbsentPlayer(self._name, BotFault(FaultKind.NO_SHOW, text, clock.now()))


class Lobby:
    """All bots that are there. It is the door's `referee.door.remote_bots.Accounts`."""

    def __init__(self, registry: Registry, *, reconnect_seconds: float, versions_per_day: int = 0) -> None:
        self.reconnect_seconds = reconnect_seconds
        self._registry = registry
        self._versions_per_day = versions_per_day
        self._changes = RateLimiter(versions_per_day / DAY_SECONDS, versions_per_day)
        self._clerk = ThreadPoolExecutor(1, "lobby")
        """Notes who came and went: in order, and in nobody's way when the register is locked."""
        self.wake: Callable[[], None] = lambda: None
        """Called when somebody came, went, sat down or got up; the hall listens."""
        self._members: dict[str, Member] = {}
        self._changed = asyncio.Event()
        self.kept_for: Callable[[str], str] = lambda bot: ""
        """The event that a bot is kept for; the calendar says so."""

    @property
    def members(self) -> Iterable[Member]:
        """All of them."""
        return self._members.values()

    def get(self, name: str) -> Member | None:
        """By the bot's name."""
        return self._members.get(name)

    def add(self, member: Member) -> None:
        """It is there now, perhaps in place of an older version."""
        member.event = self.kept_for(member.name)
        self._members[member.name] = member
        self.changed()

    def remove(self, name: str) -> None:
        """It is there no more."""
        self._members.pop(name, None)
        self.changed()

    def changed(self) -> None:
        """Somebody came, went, sat down or got up."""
        self._changed.set()
        self._changed = asyncio.Event()
        self.wake()

    async def reserve(self, names: Sequence[str], seconds: float) -> list[Member | None]:
        """Wait until all of these have a free slot, and take them all at once; None for who is not there in time.

        All at once, because two matches that each hold what the other waits for would wait for ever.
        """
        patience = clock.now() + seconds
        while True:
            found = [self._members.get(name) for name in names]
            here = [one for one in found if one is not None and one.is_there]
            late = clock.now() >= patience
            if all(one.busy < one.slots for one in here) and (late or len(here) == len(names)):
                for one in here:
                    one.busy += 1
                return [one if one in here else None for one in found]
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), None if late else max(0.05, patience - clock.now()))

    def release(self, member: Member) -> None:
        """It got up."""
        member.busy -= 1
        self.changed()

    def close(self) -> None:
        """Nobody comes any more: see to it that all notes are made."""
        self._clerk.shutdown()

    # What the door asks

    def find(self, token_hash: bytes) -> str | None:
        """Whose token that is."""
        return self._registry.find(token_hash)

    def refusal(self, name: str) -> str:
        """Why it may not come in."""
        reason = self._registry.bot(name).suspended
        return f"this bot is suspended: {reason}" if reason else ""

    def arrived(self, name: str, session: Session) -> str:
        """It said Hello."""
        hello = session.hello
        assert hello is not None
        if refusal := find_nonsense(hello):
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
                f"ladders: come as version {quote(self._registry.bot(name).version)} again, or later"
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
        """Whether it may come as this version. Without a bound a bot could fill the ladders with lines of its own."""
        is_change = version != self._registry.bot(name).version
        return not (self._versions_per_day and is_change) or self._changes.take(name)

    def left(self, name: str, session: Session) -> None:
        """It is gone for good."""
        member = self._members.get(name)
        if member is not None and member.session is session:
            self.remove(name)
            self._write(functools.partial(self._registry.note_seen, name))

    def presence_changed(self, name: str, session: Session) -> None:
        """Its stream broke, or came back."""
        self.changed()

    def _write(self, note: Callable[[], KnownBot]) -> None:
        """Into the register, in a thread. It is for people: what cannot be written holds nobody up."""
        self._clerk.submit(note).add_done_callback(_look_at)


def _look_at(noted: Future[KnownBot]) -> None:
    if (error := noted.exception()) is not None:
        log.error("not_noted", reason=str(error))


def find_nonsense(hello: pb.Hello) -> str:
    """What a Hello wishes for that is not played here; empty: nothing."""
    for game in hello.games:
        if game not in GAMES:
            return f"there is no game {quote(game)} here; the games are {', '.join(GAMES)}"
    most = max(game.info.max_seats for game in GAMES.values())
    for count in hello.seat_counts:
        if not 2 <= count <= most:
            return f"no game here has {count} seats (Hello.seat_counts): it is 2 to {most}"
    return ""
