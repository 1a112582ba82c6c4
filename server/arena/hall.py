"""The heart of an arena: whoever is free is seated, matches are played and kept, and who fails too often must rest.

One loop in one process decides and writes. The ladders run by themselves: each time somebody comes, gets up or has
rested, the free tables are filled (`server.schedule.next_table` says with whom). A match that was void, or that was
running when the server was killed, is played again by the same bots, with other luck.
"""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from referee import clock
from referee.door.service import Door
from referee.door.spectator import SpectatorFeed
from referee.errors import FaultKind, MatchVoid
from referee.match import MatchResult, Terms
from referee.match_ids import ladder_match_id
from referee.wire.terms import make_terms
from server.arena.answer_times import AnswerTimes
from server.arena.config import ArenaConfig
from server.arena.ladder import Finished, Kept, OpenLadder, Unfinished
from server.arena.lobby import Lobby, Member
from server.arena.registry import KnownBot, Registry, one_line
from server.arena.tables import Tables
from server.bots.spec import find_bot
from server.hosting.cores import available_cores
from server.schedule.next_table import Candidate, next_table
from server.tournament.manifest import Contest
from server.tournament.worker import FinishedMatch

TABLES_PER_CORE = 32
HOST_SECONDS = 1.0
"""When this machine could not even begin a match, its bots wait so long: the same would happen again at once."""
KEEP_SECONDS = 5.0
"""When the server stops, so much time is always there for writing down what is finished."""
AGAIN_LIMIT = 1000
"""So many void matches wait to be played again; older ones are given up."""

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RunningMatch:
    """A match that is being played."""

    match_id: str
    contest: str
    event: str
    """Empty: a ladder's."""
    entries: tuple[str, ...]
    versions: tuple[str, ...]
    started_millis: int
    feed: SpectatorFeed


class Hall:
    """An arena at work."""

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
        self._again: deque[Unfinished] = deque(ladder.unfinished, maxlen=AGAIN_LIMIT)
        self._begun: dict[str, int] = {contest.id: 0 for contest in config.ladders}
        """When each ladder's last table was filled, counted in tables: the one that waits longest is served first."""
        self._filled = 0
        self._failed: dict[str, deque[bool]] = {}
        """Of each bot its last matches since it came or was let in again: whether it failed."""
        self._woken = asyncio.Event()
        lobby.wake = self.wake
        self._playing: set[asyncio.Task[None]] = set()
        self._finished: asyncio.Queue[Finished] = asyncio.Queue()

    # Who may play

    def wake(self) -> None:
        """Something changed: look whether a table can be filled."""
        self._woken.set()

    def add_hosted(self, bot: KnownBot) -> None:
        """A hosted bot, from now on in this version."""
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
        """A bot may play no more, for now or for ever."""
        member = self.lobby.get(name)
        if member is not None and member.spec is not None:
            self.lobby.remove(name)
        self._door.disconnect(name, reason)
        self.clear_faults(name)

    def clear_faults(self, name: str) -> None:
        """Its faults so far count no more."""
        self._failed.pop(name, None)

    # The ladders

    @property
    def limit(self) -> int:
        """Matches at once."""
        return self.config.matches_at_once or TABLES_PER_CORE * len(available_cores())

    async def run(self) -> None:
        """Fill tables for ever, and keep what was played."""
        writer = asyncio.create_task(self._keep())
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
        """Counted by the tables that were filled: a match that was given away just now does not run yet."""
        return len(self._playing) + sum(bool(match.event) for match in self.running.values()) < self.limit

    def _fill_one(self) -> bool:
        """Fill one table, if any can be filled."""
        return self._fill_again() or self._fill_ladder()

    def _fill_again(self) -> bool:
        """What was void is played again as soon as all its bots are free."""
        by_entry = {member.entry: member for member in self.lobby.members if member.entry}
        open_ladders = self._begun.keys() - self.registry.paused()
        for unfinished in list(self._again):
            if unfinished.contest not in open_ladders:
                continue
            members = [by_entry.get(entry) for entry in unfinished.entries]
            ready = [member for member in members if member is not None and self._is_free(member)]
            if len(ready) == len(members):
                self._again.remove(unfinished)
                self._seat(self.ladder.contest(unfinished.contest), ready, again=unfinished.match_id)
                return True
        return False

    def _fill_ladder(self) -> bool:
        """The ladder that has waited longest is served first; bots it waits for are kept for it."""
        kept: set[str] = set()
        paused = self.registry.paused()
        for contest in sorted(self.config.ladders, key=lambda one: self._begun[one.id]):
            if contest.id in paused:
                continue
            able = [one for one in self.lobby.members if one.plays(contest) and one.is_there and not one.event]
            free = [one for one in able if self._is_free(one) and one.name not in kept]
            standing = self.ladder.standings[contest.id]
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
                kept |= {one.name for one in free}
        return False

    def _enter(self, member: Member) -> None:
        if not member.entry:
            member.entry = self.ladder.enter(member.name, member.version, member.games).name

    def _is_free(self, member: Member) -> bool:
        limit = min(member.slots, self.config.matches_per_bot)
        return member.is_there and not member.event and member.busy < limit and member.rests_until <= clock.now()

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
            self._finished.put_nowait(Finished(contest=contest.id, played=played))
            await self._judge(members, played.result)  # before they are free: who has to go begins nothing more
        except MatchVoid as error:
            pause = max(pause, HOST_SECONDS)
            self._void(terms.match_id, contest.id, entries, f"void: {error}")
        except Exception:  # our bug: one match less, and the next start tries it again
            pause = max(pause, HOST_SECONDS)
            log.exception("match_failed", match=terms.match_id, bots=list(entries))
        finally:
            for member in members:
                self._rest(member, pause)

    def _void(self, match_id: str, contest: str, entries: tuple[str, ...], reason: str) -> None:
        log.warning("match_void", match=match_id, reason=reason)
        self.ladder.void(match_id, contest, reason)
        self._again.append(Unfinished(match_id=match_id, contest=contest, entries=entries))
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
        """Any match of this arena, with a feed from which it can be watched."""
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

    async def _keep(self) -> None:
        """One writer: all that is finished at a time goes into one transaction."""
        while True:
            finished = [await self._finished.get()]
            while not self._finished.empty():
                finished.append(self._finished.get_nowait())
            kept = await self.ladder.keep(finished, self._warn)
            self.trouble = ""
            for one in kept:
                self._tell(one)
            for _ in finished:
                self._finished.task_done()
            self.wake()

    def _warn(self, text: str) -> None:
        log.error("trouble", what=text)
        self.trouble = text

    def _tell(self, kept: Kept) -> None:
        summary = kept.match.summary
        log.info(
            "match_finished",
            match=summary.match_id,
            contest=summary.contest,
            number=summary.block,
            bots=list(summary.seated),
            ranks=list(summary.ranks),
            reason=summary.reason,
        )

    async def _judge(self, members: Sequence[Member], result: MatchResult) -> None:
        """Who fails too often is suspended, and told so."""
        limit = self.config.suspend_faults
        failed = {int(fault.seat) for fault in result.faults if fault.kind is not FaultKind.RESIGN}
        for seat, member in enumerate(members):
            last = self._failed.setdefault(member.name, deque(maxlen=self.config.suspend_matches))
            last.append(seat in failed)
            if seat in failed and 0 < limit <= sum(last) and not self.registry.bot(member.name).suspended:
                text = next(fault.message for fault in reversed(result.faults) if fault.seat == seat)
                reason = one_line(f"failed in {sum(last)} of its last {len(last)} matches, the last time: {text}")
                log.warning("suspended", bot=member.name, reason=reason)
                try:
                    await asyncio.to_thread(self.registry.suspend, member.name, reason)
                except sqlite3.Error as error:  # its next fault tries again
                    log.error("not_suspended", bot=member.name, reason=str(error))
                    continue
                self.disconnect(member.name, f"this bot is suspended: {reason}")

    # The end

    async def drain(self, seconds: float) -> None:
        """Begin nothing more; wait for what runs, then give it up; and keep all that is finished."""
        self.draining = True
        self._door.stop_admitting("the server is stopping; come back in a while")
        until = clock.now() + seconds
        while self._playing and clock.now() < until:
            await asyncio.wait(self._playing, timeout=min(0.5, max(0.0, until - clock.now())))
        for task in self._playing:
            task.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)
        try:
            await asyncio.wait_for(self._finished.join(), max(KEEP_SECONDS, until - clock.now()))
        except TimeoutError:  # the next start plays them again
            log.error("given_up", trouble=self.trouble)
