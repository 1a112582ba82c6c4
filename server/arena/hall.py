"""The hall, where the matches of an arena are played: free bots are seated, results stored, failing bots suspended.

One loop in one process decides and writes. The ladders run by themselves: each time a bot connects, finishes a match or
has rested, free tables are filled (`server.schedule.next_table` says with whom). A match that was void, or was running
when the server was killed, is played again by the same bots with other luck.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from referee import clock
from referee.door.service import Door
from referee.door.spectator import SpectatorFeed
from referee.errors import MatchVoid
from referee.match import MatchResult, Terms
from referee.match_ids import ladder_match_id
from referee.wire.terms import make_terms
from server.arena.answer_times import AnswerTimes
from server.arena.config import ArenaConfig
from server.arena.ladder import LadderMatch, OpenLadder, Unfinished
from server.arena.lobby import Lobby, Member
from server.arena.registry import Registry
from server.arena.registry_values import KnownBot
from server.arena.suspensions import Suspensions
from server.arena.tables import Tables
from server.bots.content import content_sha256
from server.bots.spec import find_bot
from server.hosting.cores import available_cores
from server.schedule.next_table import Candidate, next_table
from server.tournament.finished_match import FinishedMatch
from server.tournament.manifest import Contest
from server.tournament.summary import MatchSummary

TABLES_PER_CORE = 32
HOST_SECONDS = 1.0
"""Pause of the bots of a match that this machine could not begin; at once it would fail again."""
STORE_SECONDS = 5.0
"""Least time for storing finished matches when the server stops."""
REPLAY_LIMIT = 1000
"""Void matches queued for replay, at most; older ones are dropped."""

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RunningMatch:
    """A match being played."""

    match_id: str
    contest: str
    event: str
    """Empty: it is a ladder match."""
    entries: tuple[str, ...]
    versions: tuple[str, ...]
    started_millis: int
    feed: SpectatorFeed


class Hall:
    """All matches of an arena."""

    def __init__(
        self, config: ArenaConfig, registry: Registry, ladder: OpenLadder, lobby: Lobby, tables: Tables, door: Door
    ) -> None:
        self.config = config
        self.registry = registry
        self.ladder = ladder
        self.lobby = lobby
        self._tables = tables
        self._door = door
        self.running: dict[str, RunningMatch] = {}
        self.draining = False
        self.trouble = ""
        self.answers = AnswerTimes()
        self.voided = 0
        self.faults: Counter[str] = Counter()
        self._replays: deque[Unfinished] = deque(ladder.unfinished, maxlen=REPLAY_LIMIT)
        self._begun: dict[str, int] = {contest.id: 0 for contest in config.ladders}
        """Per ladder the number of its last table, counted over all ladders; the lowest has waited longest."""
        self._filled = 0
        self._suspensions = Suspensions(registry, fault_limit=config.suspend_faults, matches=config.suspend_matches)
        self._woken = asyncio.Event()
        lobby.wake = self.wake
        self._playing: set[asyncio.Task[None]] = set()
        self._finished: asyncio.Queue[LadderMatch] = asyncio.Queue()

    # Who may play

    def wake(self) -> None:
        """Something changed: check whether a table can be filled."""
        self._woken.set()

    def add_hosted(self, bot: KnownBot) -> None:
        """Add a hosted bot, or replace its older version."""
        spec = find_bot(bot.spec)
        self.lobby.add(
            Member(
                name=bot.name,
                version=spec.version,
                language=spec.language,
                games=spec.games,
                slots=self.config.matches_per_bot,
                spec=spec,
            )
        )

    def disconnect(self, name: str, reason: str) -> None:
        """Remove a bot that may no longer play, and close its stream."""
        member = self.lobby.get(name)
        if member is not None and member.spec is not None:
            self.lobby.remove(name)
        self._door.disconnect(name, reason)
        self.clear_faults(name)

    def clear_faults(self, name: str) -> None:
        """Forget a bot's faults so far."""
        self._suspensions.clear(name)

    # The ladders

    @property
    def limit(self) -> int:
        """Matches at once, at most."""
        return self.config.matches_at_once or TABLES_PER_CORE * len(available_cores())

    async def run(self) -> None:
        """Fill tables and store finished matches, for ever."""
        writer = asyncio.create_task(self._store_finished())
        try:
            while True:
                self._woken.clear()
                while not self.draining and not self.trouble and self._has_room() and self._fill_one():
                    pass
                waiting = asyncio.create_task(self._woken.wait())
                await asyncio.wait([waiting, writer], return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()
                if writer.done():
                    writer.result()
        finally:
            writer.cancel()

    def _has_room(self) -> bool:
        """Whether another match may begin. A match that was just seated is counted, though it does not run yet."""
        return len(self._playing) + sum(bool(match.event) for match in self.running.values()) < self.limit

    def _fill_one(self) -> bool:
        """Fill one table; False: none can be filled."""
        return self._fill_replay() or self._fill_ladder()

    def _fill_replay(self) -> bool:
        """Replay a void match as soon as all its bots are free."""
        if not self._replays:
            return False
        by_entry = {member.entry: member for member in self.lobby.members if member.entry}
        open_ladders = self._begun.keys() - self.registry.paused()
        for unfinished in list(self._replays):
            if unfinished.contest not in open_ladders:
                continue
            members = [by_entry.get(entry) for entry in unfinished.entries]
            ready = [member for member in members if member is not None and self._is_free(member)]
            if len(ready) == len(members):
                self._replays.remove(unfinished)
                self._seat(self.ladder.contest(unfinished.contest), ready, again=unfinished.match_id)
                return True
        return False

    def _fill_ladder(self) -> bool:
        """Serve the ladder that has waited longest. Its bots are reserved for it while it waits for more."""
        reserved: set[str] = set()
        paused = self.registry.paused()
        for contest in sorted(self.config.ladders, key=lambda one: self._begun[one.id]):
            if contest.id in paused:
                continue
            able = [one for one in self.lobby.members if one.plays(contest) and one.is_connected and not one.event]
            free = [one for one in able if self._is_free(one) and one.name not in reserved]
            standing = self.ladder.states[contest.id]
            for member in free:
                self._enter(member)
            candidates = [
                Candidate(
                    name=one.entry,
                    matches=standing.played(one.entry) + one.busy,
                    elo=standing.elo(one.entry),
                    waited=one.waited.get(contest.id, 0),
                )
                for one in free
            ]
            table = next_table(candidates, contest.seats, standing.meetings)
            if table is not None:
                for one in free:
                    one.waited[contest.id] = 0 if one.entry in table else one.waited.get(contest.id, 0) + 1
                seated = [next(one for one in free if one.entry == entry) for entry in table]
                secrets.SystemRandom().shuffle(seated)
                self._seat(contest, seated)
                return True
            if len(able) >= contest.seats:
                reserved |= {one.name for one in free}
        return False

    def _enter(self, member: Member) -> None:
        if not member.entry:
            sha256 = content_sha256(member.spec) if member.spec else ""
            member.entry = self.ladder.enter(member.name, member.version, member.games, sha256).name

    def _is_free(self, member: Member) -> bool:
        limit = min(member.slots, self.config.matches_per_bot)
        return member.is_connected and not member.event and member.busy < limit and member.rests_until <= clock.now()

    def _seat(self, contest: Contest, members: Sequence[Member], again: str = "") -> None:
        self._filled += 1
        self._begun[contest.id] = self._filled
        for member in members:
            member.busy += 1
        task = asyncio.create_task(self._play(contest, members, again))
        self._playing.add(task)
        task.add_done_callback(self._clear)

    def _clear(self, task: asyncio.Task[None]) -> None:
        self._playing.discard(task)
        self.wake()

    async def _play(self, contest: Contest, members: Sequence[Member], again: str) -> None:
        secret = secrets.token_bytes(32)  # remote bots never meet the same luck twice
        terms = self._ladder_terms(contest, secret)
        entries = tuple(member.entry for member in members)
        pause = self.config.rest_seconds
        try:
            self.ladder.begin(terms.match_id, contest.id, entries, again)
            played = await self.play(terms, contest.id, "", list(zip(entries, members, strict=True)))
            if played.result.void:
                self._void(terms.match_id, contest.id, entries, played.result.reason)
                return
            self._finished.put_nowait((contest.id, played))
            suspended = await self._suspensions.judge([member.name for member in members], played.result)
            for name, reason in suspended.items():  # before they are free: a suspended bot begins no further match
                self.disconnect(name, f"this bot is suspended: {reason}")
        except MatchVoid as error:
            pause = max(pause, HOST_SECONDS)
            self._void(terms.match_id, contest.id, entries, f"void: {error}")
        except Exception:  # our bug: one match is lost, and the next start replays it
            pause = max(pause, HOST_SECONDS)
            log.exception("match_failed", match=terms.match_id, bots=list(entries))
        finally:
            for member in members:
                self._rest(member, pause)

    def _void(self, match_id: str, contest: str, entries: tuple[str, ...], reason: str) -> None:
        log.warning("match_void", match=match_id, reason=reason)
        self.ladder.void(match_id, contest, reason)
        self._replays.append(Unfinished(match_id=match_id, contest=contest, entries=entries))
        self.wake()

    def _rest(self, member: Member, seconds: float) -> None:
        if seconds:
            member.rests_until = clock.now() + seconds
            asyncio.get_running_loop().call_later(seconds + 0.01, self.wake)
        self.lobby.release(member)

    def _ladder_terms(self, contest: Contest, secret: bytes) -> Terms:
        """What a ladder match that begins today is played under."""
        return make_terms(
            contest.rules,
            contest.rules.info.read_variant(contest.variant),
            secret,
            match_id=ladder_match_id(contest.id, time.strftime("%Y%m%d", time.gmtime()), secret),
            clock=self.config.time_control,
            faults_allowed=self.config.faults_allowed,
        )

    async def play(
        self, terms: Terms, contest: str, event: str, seats: Sequence[tuple[str, Member | None]], *, reveal: bool = True
    ) -> FinishedMatch:
        """Play any match of this arena, with a feed for spectators."""
        names = [name for name, _ in seats]
        feed = SpectatorFeed(terms, names, reveal=reveal)
        self.running[terms.match_id] = RunningMatch(
            match_id=terms.match_id,
            contest=contest,
            event=event,
            entries=tuple(names),
            versions=tuple(member.version if member else "" for _, member in seats),
            started_millis=int(time.time() * 1000),
            feed=feed,
        )
        result: MatchResult | None = None
        try:
            played = await self._tables.play(terms, seats, feed)
            result = played.result
        finally:
            del self.running[terms.match_id]
            feed.end(result)
            self.wake()
        self.answers.add(result)
        self.voided += result.void
        self.faults.update(str(fault.kind) for fault in result.faults)
        return played

    async def _store_finished(self) -> None:
        """Store finished matches, all that are waiting in one transaction."""
        while True:
            finished = [await self._finished.get()]
            while not self._finished.empty():
                finished.append(self._finished.get_nowait())
            stored = await self.ladder.store(finished, self._warn)
            self.trouble = ""
            for match in stored:
                self._log_finished(match)
            for _ in finished:
                self._finished.task_done()
            self.wake()

    def _warn(self, text: str) -> None:
        log.error("trouble", what=text)
        self.trouble = text

    def _log_finished(self, match: MatchSummary) -> None:
        log.info(
            "match_finished",
            match=match.match_id,
            contest=match.contest,
            number=match.block,
            bots=list(match.seated),
            ranks=list(match.ranks),
            reason=match.reason,
        )

    # The end

    async def drain(self, seconds: float) -> None:
        """Begin no match; wait for the running ones, then abandon them; store all finished ones."""
        self.draining = True
        self._door.stop_admitting("the server is stopping; come back in a while")
        until = clock.now() + seconds
        while self._playing and clock.now() < until:
            await asyncio.wait(self._playing, timeout=min(0.5, max(0.0, until - clock.now())))
        for task in self._playing:
            task.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)
        try:
            await asyncio.wait_for(self._finished.join(), max(STORE_SECONDS, until - clock.now()))
        except TimeoutError:  # the next start replays them
            log.error("results_not_stored", trouble=self.trouble)
