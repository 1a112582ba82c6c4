"""What is going on in the arena (its `ArenaState`), and what the services can change in it.

Its methods are called on its loop. Changes are durable when they return. They raise the exceptions of errors.py:
NotFound for an unknown name, FailedPrecondition at the wrong moment.
"""

from __future__ import annotations

import asyncio
import resource
import sqlite3
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import ParamSpec, TypeVar

from referee.door.tokens import hash_token
from referee.match import clock
from referee.match.clock import LagMeter
from referee.wire import envelope
from server import __version__
from server.arena.arena_state import Attendance, EventOrigin, Progress
from server.arena.caller_input import quote
from server.arena.config import FILE, ArenaConfig
from server.arena.errors import FailedPrecondition, NotFound
from server.arena.events.calendar import Calendar
from server.arena.events.challenges import Challenges
from server.arena.events.series import LATE_SECONDS, Series, read_rule
from server.arena.keys import new_token
from server.arena.ladders.hall import Hall
from server.arena.ladders.season_keeper import SeasonKeeper
from server.arena.ladders.seasons import ArchivedSeason
from server.arena.ladders.tables import RunningMatch
from server.arena.messages import why_quiet
from server.arena.news import News
from server.arena.registry import Registry, wall_millis
from server.arena.registry_schema import EventState, KnownBot
from server.arena.submissions.hosting_rules import check_confined, plays_from_bundle
from server.arena.submissions.submissions import Submissions
from server.bots.bundle_store import PREFIX
from server.bots.spec import absolute_spec, find_bot
from server.jail.level import JailLevel
from server.ratings.distributions import Z95
from server.tournament.roster import check_startable
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import referee_pb2

EVERYWHERE = ("0.0.0.0", "[::]", "::", "*")
"""Hosts that stand for all addresses of a machine."""

P = ParamSpec("P")
T = TypeVar("T")


class RunningArena:
    """Answers the services, and carries out what the organiser asks for."""

    def __init__(
        self,
        config: ArenaConfig,
        registry: Registry,
        hall: Hall,
        calendar: Calendar,
        challenges: Challenges,
        lag: LagMeter,
        level: JailLevel,
        *,
        keeper: SeasonKeeper | None = None,
        news: News | None = None,
    ) -> None:
        self._keeper = keeper or SeasonKeeper(hall, hall.ladder.folder.path.parent)
        self._news = news
        self._config = config
        self._registry = registry
        self._hall = hall
        self._calendar = calendar
        self._challenges = challenges
        self._lag = lag
        self._level = level
        self._started_millis = wall_millis()
        self.bots_address = ""
        self.public_address = ""
        self.submissions: Submissions | None = None
        """None: nothing can be submitted."""
        self.ca = ""
        """The certificate authority that callers must trust, PEM."""

    # What is going on

    def running(self) -> Sequence[pb.MatchInfo]:
        """Return the running matches."""
        return [running_info(match) for match in self._hall.running.values()]

    def attendance(self, bot: str) -> Attendance:
        """Return whether a bot is connected, and how many matches it is playing. A hosted bot always is connected."""
        member = self._hall.lobby.get(bot)
        if member is None:
            return Attendance()
        return Attendance(pb.PRESENCE_CONNECTED if member.is_connected else pb.PRESENCE_RECONNECTING, member.busy)

    def ladders(self) -> Sequence[pb.LadderInfo]:
        """Return all ladders, in the order of the configuration."""
        paused, frozen = self._registry.paused(), self._hall.seasons.frozen()
        running = [match.contest for match in self._hall.running.values() if not (match.event or match.challenger)]
        return [
            pb.LadderInfo(
                name=contest.id,
                game=contest.game,
                seats=contest.seats,
                variant=[referee_pb2.Setting(name=name, value=value) for name, value in contest.variant.items()],
                clock=envelope.clock(self._config.time_control),
                matches=self._hall.ladder.states[contest.id].matches,
                running=running.count(contest.id),
                paused=contest.id in paused,
                frozen_millis=frozen.get(contest.id, 0),
                bots=self._hall.able(contest),
            )
            for contest in self._config.ladders
        ]

    def progress(self, event: str) -> Progress | None:
        """Return how far an event is."""
        progress = self._calendar.progress.get(event)
        return None if progress is None else Progress(progress.done, progress.planned or 0)

    def info(self) -> pb.ArenaInfo:
        """Return the arena itself: where its doors are."""
        return pb.ArenaInfo(
            server_version=__version__,
            started_millis=self._started_millis,
            bots_address=self.bots_address,
            public_address=self.public_address,
            tls=bool(self._config.tls_cert),
            draining=self._hall.draining,
            running=len(self._hall.running),
            bots=sum(member.is_connected for member in self._hall.lobby.members),
            challenges_per_day=self._config.challenges_per_day,
            zone=self._config.zone,
        )

    def status(self) -> pb.ServerStatus:
        """Return the state of the server."""
        hall, members = self._hall, list(self._hall.lobby.members)
        remote = [member for member in members if member.session is not None]
        middle, slowest = hall.answers.percentiles(0.5, 0.99)
        return pb.ServerStatus(
            server_version=__version__,
            started_millis=self._started_millis,
            draining=hall.draining,
            connected=sum(member.is_connected for member in remote),
            reconnecting=sum(not member.is_connected for member in remote),
            hosted=len(members) - len(remote),
            running=len(hall.running),
            on_cluster=sum(match.feed is None for match in hall.running.values()),
            cluster=hall.cluster.words() if hall.cluster is not None else "",
            matches=sum(standing.matches for standing in hall.ladder.states.values()),
            voided=hall.voided,
            faults=sum(hall.faults.values()),
            lag_millis=1000 * self._lag.longest_stall_since(clock.now() - 60),
            answer_p50_millis=1000 * middle,
            answer_p99_millis=1000 * slowest,
            memory_bytes=memory_bytes(),
            bots_address=self.bots_address,
            public_address=self.public_address,
            trouble=hall.trouble,
        )

    def watch(self, match_id: str, *, full: bool, pace_seconds: float = 0.0) -> AsyncGenerator[pb.Sight, None]:
        """Return a match as it is played."""
        match = self._hall.running.get(match_id)
        if match is None:
            raise NotFound(f"no match {quote(match_id)} is being played; `tortuga client matches --running` lists them")
        if match.feed is None:
            raise FailedPrecondition(
                f"{match_id} is being played on a machine of the arena's cluster and cannot be watched; its record "
                "comes with its end"
            )
        delay = self._config.commentator_delay_seconds if full else 0.0
        return match.feed.watch(full=full, delay_seconds=delay, pace_seconds=pace_seconds)

    def doors(self) -> pb.DoorsInfo:
        """Return how others reach the arena."""
        bots, public = (
            address_outside(address, self._config.host_name) for address in (self.bots_address, self.public_address)
        )
        return pb.DoorsInfo(bots_address=bots, public_address=public, tls=bool(self._config.tls_cert), ca=self.ca)

    # What the organiser can do. The registry writes to disk, so it is called in a thread.

    async def add_bot(self, name: str, owner: str) -> str:
        """Register a new remote bot; returns its token."""
        token = new_token()
        await change_registry(self._registry.add, name, owner, hash_token(token))
        return token

    async def host_bot(self, spec: str, name: str, owner: str) -> str:
        """Register a new hosted bot, or a new version of one; returns its name."""
        bot_spec = find_bot(spec).capped(self._config.caps, FILE)
        name = name or bot_spec.name
        self._registry.check_may_host(name)
        if event := self._calendar.playing(name):
            raise FailedPrecondition(
                f"the bot {name} plays in the event {event}, from its first match to its last in one version: host the "
                "new one when the event is over, or under another name"
            )
        check_confined(bot_spec, self._level, trusted=self._config.trust_hosted)
        stored = absolute_spec(spec)
        if plays_from_bundle(bot_spec, self._level):
            check_startable(bot_spec)
            stored = f"{PREFIX}{(await asyncio.to_thread(self._hall.bundles.add, bot_spec)).sha256}"
            folder = await asyncio.to_thread(self._hall.bundles.resolve, stored)
            bot_spec = find_bot(folder).capped(self._config.caps, FILE)
        await self._hall.check(bot_spec)
        bot = await change_registry(
            self._registry.host,
            name,
            owner,
            stored,
            version=bot_spec.version,
            language=bot_spec.language,
            games=bot_spec.games,
            slots=self._config.matches_per_bot,
        )
        if bot.may_play:
            self._hall.add_hosted(bot)
        return bot.name

    def add_hosted(self, bot: KnownBot) -> None:
        """Let a hosted bot of an earlier run play again."""
        check_confined(self._hall.find(bot), self._level, trusted=self._config.trust_hosted)
        self._hall.add_hosted(bot)

    async def rotate(self, name: str) -> str:
        """Replace a bot's token and disconnect it; returns the new token."""
        token = new_token()
        bot = await change_registry(self._registry.rotate, name, hash_token(token))
        self._hall.disconnect(bot.name, "this bot has a new token")
        return token

    def disconnect_token(self, label: str, reason: str) -> None:
        """Disconnect the bots that came with the team's token of this label."""
        for bot in self._hall.lobby.came_with(label):
            self._hall.disconnect(bot, reason)

    async def revoke(self, name: str) -> None:
        """Revoke a bot: it may never play again."""
        bot = await change_registry(self._registry.revoke, name)
        self._hall.disconnect(name, bot.ban)

    async def suspend(self, name: str, reason: str) -> None:
        """Suspend a bot: it may not play for now."""
        bot = await change_registry(self._registry.suspend, name, reason)
        self._hall.disconnect(name, bot.ban)
        self._hall.publish("bot_suspended", name, f"{name} is suspended: {bot.suspended}")

    async def lift(self, name: str) -> None:
        """Lift a bot's suspension."""
        bot = await change_registry(self._registry.lift, name)
        self._hall.clear_faults(name)
        self._hall.enforce_bans()
        if bot.hosted and bot.may_play:
            self._hall.add_hosted(bot)

    async def forget_submissions(self, owner: str) -> None:
        """Forget what an owner submitted. Bundles stay, for records name them."""
        if self.submissions is not None:
            await change_registry(self.submissions.forget, owner)

    async def pause(self, ladder: str) -> None:
        """Begin no further match on a ladder. Empty: on all ladders."""
        await change_registry(self._registry.pause, self._named(ladder))

    async def resume(self, ladder: str) -> None:
        """Resume a ladder. Empty: all ladders."""
        await change_registry(self._registry.resume, self._named(ladder))
        self._hall.wake()

    def _named(self, ladder: str) -> list[str]:
        return [ladder] if ladder else [contest.id for contest in self._config.ladders]

    # Seasons and news

    def why_quiet(self, ladder: pb.LadderInfo) -> str:
        """Say why nothing is played on a ladder. Empty: something is, or will be in a moment."""
        return why_quiet(ladder)

    def seasons(self) -> Sequence[pb.Season]:
        """Return the archived seasons, the latest first."""
        return [season_info(season) for season in self._hall.seasons.seasons()]

    def news(self) -> Sequence[pb.NewsItem]:
        """Return what happened, the latest first."""
        return [
            pb.NewsItem(number=item.number, millis=item.at_millis, kind=item.kind, subject=item.subject, text=item.text)
            for item in (self._news.latest() if self._news else ())
        ]

    async def freeze(self, ladder: str, at_millis: int) -> None:
        """Begin no match on a ladder from a moment on. Empty: on all ladders. 0: now."""
        await self._keeper.freeze(self._named(ladder), at_millis)

    async def unfreeze(self, ladder: str) -> None:
        """Take a freeze back. Empty: of all ladders."""
        await self._keeper.unfreeze(self._named(ladder))

    async def archive_season(self, name: str) -> pb.Season:
        """Keep the final tables and the records of a season that is over."""
        return season_info(await asyncio.shield(self._keeper.archive(name)))

    async def start_season(self, *, from_ratings: bool, shrink: float) -> Sequence[pb.StartingRating]:
        """Start the next season; returns what bots start with."""
        ratings = await asyncio.shield(self._keeper.start(from_ratings=from_ratings, shrink=shrink))
        return [
            pb.StartingRating(
                contest=start.contest,
                bot=start.bot,
                version=start.version,
                rating=start.rating,
                plus_minus=Z95 * start.deviation,
            )
            for start in ratings
        ]

    # Events

    def schedule(self, event: str) -> EventOrigin:
        """Return how an event came onto the calendar."""
        return self._calendar.schedule(event)

    async def create_event(
        self,
        name: str,
        manifest: str,
        registration_millis: int,
        check_in_millis: int,
        start_millis: int,
        zone: str = "",
    ) -> None:
        """Put an event on the calendar. The zone is that of its times."""
        times = registration_millis, check_in_millis, start_millis
        await change_registry(self._calendar.create, name, manifest, times, zone)
        await self._calendar.open_if_due(name)

    async def create_series(self, request: pb.CreateEventRequest) -> str:
        """Put a repeating event on the calendar; returns the name of its first one."""
        zone = request.zone or self._config.zone
        late = request.late_seconds if request.HasField("late_seconds") else LATE_SECONDS
        series = Series(
            name=request.name,
            manifest=request.manifest,
            every=str(read_rule(request.every, zone)),
            zone=zone,
            opens_before_millis=1000 * request.opens_before_seconds,
            check_in_before_millis=1000 * request.check_in_before_seconds,
            late_millis=1000 * late,
            done_millis=wall_millis(),
        )
        return await change_registry(self._calendar.create_series, series)

    async def enter(self, event: str, bot: str, *, late: bool) -> None:
        """Enter a bot: while registration is open, or `late`, at any time before the start."""
        self._check_open(event, late=late)
        self._calendar.check_fit(bot, event)
        await change_registry(self._registry.enter, event, bot)

    async def leave(self, event: str, bot: str) -> None:
        """Withdraw a bot from an event."""
        self._check_open(event, late=False)
        await change_registry(self._registry.leave, event, bot)

    def _check_open(self, event: str, *, late: bool) -> None:
        state = self._registry.event(event).state
        if not late and state is not EventState.REGISTRATION:
            raise FailedPrecondition(f"registration for {event} is not open: it is {state}")

    async def challenge(self, bot: str, ladder: str, opponents: Sequence[str]) -> pb.MatchInfo:
        """Begin an unrated match of a bot."""
        return running_info(await self._challenges.begin(bot, ladder, opponents))

    async def start_event(self, name: str) -> None:
        """Start an event now, whatever the calendar says."""
        await asyncio.shield(self._calendar.start(name))

    async def cancel_event(self, name: str, reason: str) -> str:
        """Cancel an event, or end one that repeats; returns the name of the event that was cancelled."""
        return await asyncio.shield(self._calendar.cancel(name, reason))

    async def take_rulings(self, event: str) -> None:
        """Go on under the rulings that were just made on an event. Empty: on the ladders."""
        if event:
            await asyncio.shield(self._calendar.take_rulings(event))
        else:
            await asyncio.shield(self._hall.ladder.take_rulings())
            self._hall.wake()


async def change_registry(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Change the registry in a thread. It is done even if the caller has gone."""
    try:
        return await asyncio.shield(asyncio.to_thread(work, *args, **kwargs))
    except sqlite3.OperationalError as error:  # locked by another program, or the disk is full
        raise FailedPrecondition(
            f"nothing was changed, the registry cannot be written now: {error}; try again"
        ) from None


def season_info(season: ArchivedSeason) -> pb.Season:
    """Return an archived season."""
    return pb.Season(
        name=season.name,
        archived_millis=season.archived_millis,
        matches=season.matches,
        ladders=season.ladders,
    )


def address_outside(address: str, host_name: str) -> str:
    """Return a door's address as others connect to it. Without a host if it listens everywhere and has no name."""
    host, _, port = address.rpartition(":")
    if not address:
        return ""
    if host_name:
        return f"{host_name}:{port}"
    return f":{port}" if host in EVERYWHERE else address


def running_info(match: RunningMatch) -> pb.MatchInfo:
    """Return a running match."""
    return pb.MatchInfo(
        match_id=match.match_id,
        state=pb.MATCH_STATE_RUNNING,
        contest=match.contest,
        event=match.event,
        started_millis=match.started_millis,
        seats=[
            pb.MatchSeat(entry=entry, version=version)
            for entry, version in zip(match.entries, match.versions, strict=True)
        ],
        block=match.place.block if match.place else 0,
        stage=match.place.stage if match.place else 0,
        label=match.place.label if match.place else "",
        rotation=match.place.rotation if match.place else 0,
        game=match.game,
        challenger=match.challenger,
        on_cluster=match.feed is None,
    )


def memory_bytes() -> int:
    """Return the memory this process uses now; where the system does not tell, the most it ever used."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
