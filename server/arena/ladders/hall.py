"""Plays the matches of an arena: seats free bots, stores results, suspends failing bots.

One loop in one process decides and writes. The ladders run unattended: each time a bot connects, finishes a match or
has rested, free tables are filled (matchmaker.py says with whom). A match that was void, or was running when the server
was killed, is replayed by the same bots with other luck.

With a cluster (cluster_matches.py), ladder matches between hosted bots are played on its machines; all others, and all
of them while the cluster cannot be reached, at the tables of this process.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from referee.door.service import Door
from referee.door.spectator import SpectatorFeed
from referee.match import clock
from referee.match.ids import ladder_match_id
from referee.match.match import MatchResult, Terms
from referee.wire import make_terms
from server.arena.config import FILE, ArenaConfig
from server.arena.errors import FailedPrecondition
from server.arena.ladders.cluster_matches import Answer, ClusterTables, ladder_job
from server.arena.ladders.ladder import LadderMatch, OpenLadder, Unfinished
from server.arena.ladders.lobby import Lobby, Member, Suspensions
from server.arena.ladders.matchmaker import Matchmaker, NextMatch
from server.arena.ladders.seasons import Seasons
from server.arena.ladders.tables import AnswerTimes, RunningMatch, Tables, running_match
from server.arena.news import Publish, discard_news
from server.arena.registry import Registry
from server.arena.registry_schema import KnownBot
from server.bots.bundle_store import BundleStore
from server.bots.spec import BotSpec, content_sha256, find_bot
from server.hosting.cores import core_count
from server.play.recorded_match import RecordedMatch, VoidMatch
from server.play.summary import MatchSummary
from server.system.logs import get_logger
from server.tournament.agreement import Entry
from server.tournament.manifest import Contest
from server.tournament.roster import check_startable
from tortuga.v1 import record_pb2

TABLES_PER_CORE = 32
HOST_SECONDS = 1.0
"""Pause of the bots of a match that this machine could not begin; at once it would fail again."""
STORE_SECONDS = 5.0
"""Least time for storing finished matches when the server stops."""

log = get_logger()


class Hall:
    """All matches of an arena."""

    def __init__(
        self,
        config: ArenaConfig,
        registry: Registry,
        ladder: OpenLadder,
        lobby: Lobby,
        tables: Tables,
        door: Door,
        bundles: BundleStore,
        *,
        seasons: Seasons | None = None,
        publish: Publish = discard_news,
        cluster: ClusterTables | None = None,
    ) -> None:
        self.config = config
        self.cluster = cluster
        self._away = 0
        """Matches of the ladders on machines of the cluster."""
        self.bundles = bundles
        self.registry = registry
        self.seasons = seasons or Seasons(registry)
        self.publish = publish
        self.ladder = ladder
        self.lobby = lobby
        self._tables = tables
        self._door = door
        self.running: dict[str, RunningMatch] = {}
        self.draining = False
        self.between_seasons = False
        """True while the ladders' folder changes: nobody is entered, and no match begins."""
        self.trouble = ""
        self.answers = AnswerTimes()
        self.voided = 0
        self.faults: Counter[str] = Counter()
        self._matchmaker = Matchmaker(config, registry, ladder, lobby, self, self.wake)
        self._suspensions = Suspensions(registry, fault_limit=config.suspend_faults, matches=config.suspend_matches)
        self._woken = asyncio.Event()
        lobby.wake = self.wake
        if cluster is not None:
            cluster.listeners.append(self.wake)
        self.bans_changed: Callable[[], None] = lambda: None
        """Called when other hosted bots may play than before. Set by the calendar."""
        self._playing: set[asyncio.Task[None]] = set()
        self._finished: asyncio.Queue[LadderMatch] = asyncio.Queue()

    # Who may play

    def wake(self) -> None:
        """Have the loop check whether a table can be filled."""
        self._woken.set()

    def find(self, bot: KnownBot) -> BotSpec:
        """Find a hosted bot as it is played: from its bundle, if any, in the version that the arena gave it."""
        spec = find_bot(self.bundles.resolve(bot.spec))
        return replace(spec, version=bot.version) if spec.bundle_hash else spec

    def add_hosted(self, bot: KnownBot) -> None:
        """Add a hosted bot, or replace its older version, which finishes its matches."""
        spec = self.find(bot).capped(self.config.caps, FILE)
        check_startable(spec)
        self._retire(bot.name, spec)
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

    def _retire(self, name: str, successor: BotSpec) -> None:
        """Let a hosted bot finish its matches in the version it has been playing."""
        self._tables.retire(name)
        if self.cluster is not None:
            member = self.lobby.get(name)
            self.cluster.forget_bot(member.spec if member is not None else None)
            self.cluster.forget_bot(successor)  # it may have the folder of an earlier one

    async def check(self, spec: BotSpec) -> None:
        """Refuse a bot that cannot be started, or cannot play the games of the ladders."""
        check_startable(spec)
        await self._tables.check(spec, self.config.ladders, self.config.time_control)

    def disconnect(self, name: str, reason: str) -> None:
        """Close the stream of a bot, or end the processes of a hosted one. It loses the matches it is playing."""
        if self.registry.bot(name).hosted:
            self.lobby.remove(name)
            self.enforce_bans()
        self._door.disconnect(name, reason)
        self.clear_faults(name)

    def enforce_bans(self) -> None:
        """Have the processes of hosted bots that may not play ended: here, in the workers of events, on the cluster."""
        banned = self.registry.banned()
        self._tables.set_banned(banned)
        if self.cluster is not None:
            self.cluster.set_banned({**self.ladder.entries_of(banned), **banned})
        self.bans_changed()

    def clear_faults(self, name: str) -> None:
        """Forget a bot's faults so far."""
        self._suspensions.clear(name)

    # The ladders

    @property
    def limit(self) -> int:
        """Return how many matches may be played at once."""
        return self.config.matches_at_once or TABLES_PER_CORE * core_count()

    async def run(self) -> None:
        """Fill tables and store finished matches, for ever."""
        writer = asyncio.create_task(self._store_finished())
        try:
            while True:
                self._woken.clear()
                if not self.between_seasons:
                    await self._matchmaker.fit()
                while (
                    not (self.draining or self.between_seasons or self.trouble)
                    and (self._has_own_room() or self._has_room_away())
                    and (chosen := self._matchmaker.next()) is not None
                ):
                    self._seat(chosen)
                waiting = asyncio.create_task(self._woken.wait())
                await asyncio.wait([waiting, writer], return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()
                if writer.done():
                    writer.result()
        finally:
            writer.cancel()

    def closed(self) -> frozenset[str]:
        """Return the ladders on which no match begins: paused, or frozen by now."""
        return self.registry.paused() | self.seasons.frozen_now()

    def able(self, contest: Contest) -> int:
        """Return how many bots play on a ladder, now or after what they are playing."""
        return sum(bot.plays(contest) and bot.is_connected and not bot.event for bot in self.lobby.members)

    def _has_own_room(self) -> bool:
        """Check whether another match may begin here. One that was just seated counts, though it does not run yet."""
        others = sum(bool(match.event or match.challenger) for match in self.running.values())
        return len(self._playing) - self._away + others < self.limit

    def _has_room_away(self) -> bool:
        """Check whether another match may begin on a machine of the cluster."""
        return self.cluster is not None and self.cluster.has_room

    def travels(self, member: Member) -> bool:
        """Check whether a bot can play on the cluster, now."""
        return self.cluster is not None and member.spec is not None and self.cluster.travels(member.spec)

    def has_place(self, members: Sequence[Member]) -> bool:
        """Check whether there is room for these bots where they would play together."""
        return self._has_room_away() if all(map(self.travels, members)) else self._has_own_room()

    def entry_of(self, member: Member) -> Entry:
        """Return the entry of a bot on the ladders, made if need be."""
        if self.between_seasons:
            raise FailedPrecondition("the next season is being started; try again in a moment")
        sha256 = content_sha256(member.spec) if member.spec and not member.entry else ""
        entry = self.ladder.enter(member.name, member.version, member.games, sha256)
        member.entry = entry.name
        return entry

    def _seat(self, chosen: NextMatch) -> None:
        contest, members = chosen.contest, chosen.members
        for member in members:
            member.busy += 1
        self.ladder.states[contest.id].field.begin([member.entry for member in members])
        terms = self.ladder_terms(contest, secrets.token_bytes(32))  # remote bots never meet the same luck twice
        away = self._send_away(contest, terms, members)
        task = asyncio.create_task(self._play(contest, terms, members, chosen.again, away))
        self._playing.add(task)
        task.add_done_callback(self._clear)

    def _clear(self, task: asyncio.Task[None]) -> None:
        self._playing.discard(task)
        self.wake()

    def _send_away(self, contest: Contest, terms: Terms, members: Sequence[Member]) -> Answer | None:
        """Give a match to a machine of the cluster. None: it is played here."""
        if self.cluster is None or not all(map(self.travels, members)):
            return None
        bots = [replace(member.spec, name=member.entry) for member in members if member.spec is not None]
        answer = self.cluster.begin(ladder_job(contest, terms, bots, self.config.notes))
        if answer is not None:
            self._away += 1
            answer.add_done_callback(self._came_back)
        return answer

    def _came_back(self, answer: Answer) -> None:
        self._away -= 1
        self.wake()

    async def _play(
        self, contest: Contest, terms: Terms, members: Sequence[Member], again: str, away: Answer | None
    ) -> None:
        entries = tuple(member.entry for member in members)
        pause = self.config.rest_seconds
        began = clock.now()
        try:
            self.ladder.begin(terms.match_id, contest.id, entries, again)
            match = await self._play_anywhere(contest, terms, members, away)
            if isinstance(match, VoidMatch):
                pause = pause if match.began else max(pause, HOST_SECONDS)
                self._void(terms.match_id, contest.id, entries, match.text, match.late_bots)
                return
            self._matchmaker.note_length(contest.id, clock.now() - began)
            self._finished.put_nowait((contest.id, match))
            suspended = await self._suspensions.judge([member.name for member in members], match.summary.faults)
            for name, reason in suspended.items():  # before they are free: a suspended bot begins no further match
                self.disconnect(name, self.registry.bot(name).ban)
                self.publish("bot_suspended", name, f"{name} is suspended: {reason}")
        except Exception:  # our bug: one match is lost, and the next start replays it
            pause = max(pause, HOST_SECONDS)
            log.exception("match_failed", match=terms.match_id, bots=list(entries))
        finally:
            self.ladder.states[contest.id].field.end(entries)
            for member in members:
                self._rest(member, pause)

    async def _play_anywhere(
        self, contest: Contest, terms: Terms, members: Sequence[Member], away: Answer | None
    ) -> RecordedMatch | VoidMatch:
        """Play a ladder match where it was sent, or here."""
        seats = [(member.entry, member) for member in members]
        while away is not None:
            self.running[terms.match_id] = running_match(terms, contest.id, seats)
            try:
                result = await away
            finally:
                del self.running[terms.match_id]
            if result.matches:
                [match] = result.matches
                self.faults.update(fault.kind for fault in match.summary.faults)
                return match
            if result.voids:
                self.voided += 1
                return result.voids[-1]
            away = self._send_away(contest, terms, members)  # it was handed back: no bot has seen anything of it
        return await self.play(terms, contest.id, "", seats, notes=self.config.notes)

    def _void(
        self, match_id: str, contest: str, entries: tuple[str, ...], reason: str, late: Sequence[str] = ()
    ) -> None:
        log.warning("match_void", match=match_id, reason=reason)
        self.ladder.void(match_id, contest, reason, late)
        self._matchmaker.replays.append(Unfinished(match_id=match_id, contest=contest, entries=entries))
        self.wake()

    def _rest(self, member: Member, seconds: float) -> None:
        member.rests_until = clock.now() + seconds
        if seconds:
            asyncio.get_running_loop().call_later(seconds + 0.01, self.wake)
        self.lobby.release(member)

    def ladder_terms(self, contest: Contest, secret: bytes) -> Terms:
        """Return what a ladder match that begins today is played under."""
        return make_terms(
            contest.rules,
            contest.rules.info.read_variant(contest.variant),
            secret,
            match_id=ladder_match_id(contest.id, time.strftime("%Y%m%d", time.gmtime()), secret),
            clock=self.config.time_control,
            faults_allowed=self.config.faults_allowed,
        )

    async def play(
        self,
        terms: Terms,
        contest: str,
        event: str,
        seats: Sequence[tuple[str, Member | None]],
        *,
        notes: str,
        place: record_pb2.RecordPlace | None = None,
        challenger: str = "",
    ) -> RecordedMatch | VoidMatch:
        """Play any match of this arena, with a feed for spectators."""
        feed = SpectatorFeed(terms, [name for name, _ in seats])
        running = running_match(terms, contest, seats)
        self.running[terms.match_id] = replace(running, event=event, feed=feed, place=place, challenger=challenger)
        final: MatchResult | None = None

        def count(result: MatchResult) -> None:
            nonlocal final
            final = result
            self.answers.add(result)
            self.voided += result.void
            self.faults.update(str(fault.kind) for fault in result.faults)

        try:
            return await self._tables.play(terms, seats, place=place, notes=notes, watcher=feed, ended=count)
        finally:
            del self.running[terms.match_id]
            feed.end(final)
            self.wake()

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

    # Seasons

    async def settle(self) -> None:
        """Wait until the last ladder matches are stored. Raises FailedPrecondition while any is being played."""
        if playing := sum(not (match.event or match.challenger) for match in self.running.values()):
            raise FailedPrecondition(
                f"{playing} matches of the ladders are still being played; try again when they are over"
            )
        try:
            async with asyncio.timeout(STORE_SECONDS):
                if self._playing:  # their last questions are answered: only what follows from their results is left
                    await asyncio.wait(self._playing)
                await self._finished.join()
        except TimeoutError:
            raise FailedPrecondition(f"the last results are not stored yet: {self.trouble or 'try again'}") from None

    def forget_season(self) -> None:
        """Let the ladders start again: every bot is entered anew, and no match of the last season is replayed."""
        self._matchmaker.replays.clear()
        for member in self.lobby.members:
            member.entry = ""
            member.waited.clear()

    # The end

    async def drain(self, seconds: float) -> None:
        """Begin no match; wait for the running ones, then abandon them; store all finished ones."""
        self.draining = True
        self._door.stop_admitting("the server is stopping; try again later")
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
