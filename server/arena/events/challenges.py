"""Challenges: unrated matches that authors request for their bots.

Their results are in DIR/challenges, an event folder like DIR/ladder that counts in no table. A challenge takes a free
slot of every bot in it, so it costs the opponents something: hence a quota per day, and one challenge per bot at a
time, as challenger or opponent. A challenge that is void, or was running when the server was killed, is not replayed.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Sequence
from functools import partial

from referee.errors import ConfigError
from referee.match import clock
from referee.match.match import Terms
from server.arena.caller_input import list_names, quote
from server.arena.config import ArenaConfig
from server.arena.errors import FailedPrecondition, NotFound, RateLimited
from server.arena.ladders.hall import Hall
from server.arena.ladders.ladder import OpenLadder
from server.arena.ladders.lobby import Member
from server.arena.ladders.tables import RunningMatch
from server.arena.messages import challenge_label
from server.play.recorded_match import RecordedMatch
from server.system.logs import get_logger
from server.tournament.manifest import Contest

FOLDER = "challenges"
DAY_SECONDS = 86_400.0
PATIENCE_SECONDS = 20.0
"""How long a challenge waits for bots that are playing."""
MAX_AT_ONCE = 8
MAX_OPPONENTS = 16

log = get_logger()


class Challenges:
    """Plays challenges at the tables of the hall."""

    def __init__(self, config: ArenaConfig, hall: Hall, results: OpenLadder) -> None:
        self._config = config
        self._hall = hall
        self.results = results
        self._made: dict[str, deque[float]] = {}
        """Per bot when it made the challenges of the last day."""
        self._bots: set[str] = set()
        """Those in a challenge, or about to be."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self, bot: str, ladder: str, opponents: Sequence[str]) -> RunningMatch:
        """Begin a challenge of a bot. Raises the exceptions of errors.py, with the reason."""
        self._check_open(bot)
        names = self._check_names(bot, opponents)
        contest = self._contest(ladder, len(names))
        for name in names:
            self._check_able(name, contest, is_challenger=name == bot)
        if busy := [name for name in names if name in self._bots]:
            raise FailedPrecondition(f"{busy[0]} is in a challenge already: try again when it is over")
        if len(self._tasks) >= MAX_AT_ONCE:
            raise FailedPrecondition(f"{MAX_AT_ONCE} challenges are being played already: try again in a while")
        self._bots.update(names)
        try:
            members = await self._reserve(names)
        except BaseException:
            self._bots.difference_update(names)
            raise
        self._made.setdefault(bot, deque()).append(clock.now())
        secrets.SystemRandom().shuffle(members)
        terms = self._hall.ladder_terms(contest, secrets.token_bytes(32))
        task = asyncio.create_task(self._play(bot, contest, members, terms))
        self._tasks.add(task)
        task.add_done_callback(partial(self._over, names))
        await asyncio.sleep(0)  # lets the match begin
        running = self._hall.running.get(terms.match_id)
        if running is None:
            raise FailedPrecondition("the match could not begin, through no fault of yours: try again")
        return running

    async def drain(self, seconds: float) -> None:
        """Wait for the running ones, then abandon them."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _check_open(self, bot: str) -> None:
        limit, times = self._config.challenges_per_day, self._made.get(bot, deque())
        if not limit:
            raise FailedPrecondition("challenges are off here (challenges_per_day in arena.toml)")
        if self._hall.draining:
            raise FailedPrecondition("the server is stopping; try again later")
        if self._hall.trouble:
            raise FailedPrecondition(f"no match begins now: {self._hall.trouble}")
        while times and times[0] < clock.now() - DAY_SECONDS:
            times.popleft()
        if len(times) >= limit:
            minutes = int((times[0] + DAY_SECONDS - clock.now()) / 60) + 1
            raise RateLimited(f"{bot} has made {limit} challenges within a day, the most allowed: wait {minutes} min")

    def _check_names(self, bot: str, opponents: Sequence[str]) -> list[str]:
        if not 1 <= len(opponents) <= MAX_OPPONENTS:
            raise ConfigError(
                f"name 1 to {MAX_OPPONENTS} opponents, one for each other seat: you named {len(opponents)}"
            )
        names = [bot, *(self._hall.registry.bot(name).name for name in opponents)]
        if twice := [name for number, name in enumerate(names) if name in names[:number]]:
            raise ConfigError(f"{twice[0]} cannot sit on two seats of a match: name other opponents")
        return names

    def _contest(self, name: str, seats: int) -> Contest:
        """Return a ladder by its name, or the ladder of a game for this number of seats."""
        ladders = self._config.ladders
        named = [ladder for ladder in ladders if ladder.id == name] or [
            ladder for ladder in ladders if ladder.game == name
        ]
        if not named:
            raise NotFound(
                f"there is no ladder or game {quote(name)} here; there is {list_names(ladder.id for ladder in ladders)}"
            )
        fitting = [ladder for ladder in named if ladder.seats == seats]
        if not fitting:
            numbers = " or ".join(str(ladder.seats - 1) for ladder in named)
            raise ConfigError(f"{named[0].game} needs {numbers} opponents here, and you named {seats - 1}")
        return fitting[0]

    def _check_able(self, name: str, contest: Contest, *, is_challenger: bool) -> None:
        known, member = self._hall.registry.bot(name), self._hall.lobby.get(name)
        if known.ban:
            raise FailedPrecondition(f"{name} may not play: {known.ban}")
        if member is None or not member.is_connected:
            cure = ": start it, or reconnect it, and challenge again" if is_challenger else ""
            raise FailedPrecondition(f"{name} is not connected{cure}")
        if member.event:
            raise FailedPrecondition(f"{name} plays in the event {member.event}: challenge it when that is over")
        if not member.plays(contest):
            raise FailedPrecondition(f"{name} does not play {contest.game} with {contest.seats} seats")

    async def _reserve(self, names: Sequence[str]) -> list[Member]:
        """Take a slot of each. A bot that rests between two ladder matches has one."""
        try:
            reserved = await asyncio.wait_for(self._hall.lobby.reserve(names, 0.0), PATIENCE_SECONDS)
        except TimeoutError:
            raise FailedPrecondition(f"not all of {', '.join(names)} were free soon enough: try again") from None
        members = [member for member in reserved if member is not None and not member.event]
        if len(members) == len(names):
            return members
        for member in reserved:
            if member is not None:
                self._hall.lobby.release(member)
        raise FailedPrecondition("a bot left, or was called to an event, while the match was to begin: try again")

    async def _play(self, bot: str, contest: Contest, members: Sequence[Member], terms: Terms) -> None:
        try:
            for member in members:
                self.results.adopt(self._hall.entry_of(member))
            seats = [(member.entry, member) for member in members]
            match = await self._hall.play(terms, contest.id, "", seats, notes=self._config.notes, challenger=bot)
            if isinstance(match, RecordedMatch):
                await self.results.store([(contest.id, match)], self._warn, label=challenge_label(bot))
                return
            log.warning("challenge_void", bot=bot, reason=match.reason)
            if times := self._made.get(bot):  # no fault of the challenger
                times.pop()
        except Exception:  # our bug: one match is lost
            log.exception("challenge_failed", bot=bot)
        finally:
            for member in members:
                self._hall.lobby.release(member)

    def _over(self, names: Sequence[str], task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._bots.difference_update(names)

    def _warn(self, text: str) -> None:
        log.error("trouble", what=text)
