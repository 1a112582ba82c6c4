"""The calendar of an arena's events: announced, open for entries, checked in, played, over. Each is an event folder.

A bot that is not connected when an event starts does not take part. An event with remote bots, or one to be watched, is
played in this process, at the same tables as the ladders; any other event in worker processes, as `tortuga tournament
run` would play it, or on the machines of the arena's cluster. In all cases server/tournament schedules, stores and
rates it, and continues it after a restart.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from referee.errors import ConfigError, TortugaError
from referee.match import clock
from referee.records.files import write_atomically
from server.arena.arena_state import EventOrigin
from server.arena.caller_input import one_line
from server.arena.errors import FailedPrecondition
from server.arena.events.event_pools import FallbackPool, TablePool
from server.arena.events.series import Series, SeriesBook, missed_days
from server.arena.ladders.hall import Hall
from server.arena.registry import Registry, wall_millis
from server.arena.registry_schema import BEFORE_START, CalendarEvent, EventState
from server.arena.zones import show_time
from server.bots.spec import find_bot
from server.jail.confinement import Confinement
from server.play.local_pool import LocalPool
from server.play.pool import BlockPool
from server.play.summary import MatchSummary
from server.standings.report import write_report
from server.system.logs import get_logger
from server.tournament.event import check_schedules, follow_rulings, run_event
from server.tournament.folder import Folder
from server.tournament.listener import Listener
from server.tournament.manifest import Contest, Manifest, ManifestBot, make_manifest, write_text
from server.tournament.roster import current_agreement
from server.tournament.runner import Ending
from server.tournament.standings import read_standings
from server.tournament.status import read_status

LOOK_SECONDS = 1.0
"""Time between two checks of the calendar. The wall clock may be changed, so there are no timers."""

LEAST_LATE_SECONDS, MOST_LATE_SECONDS = 120, 86_400
"""Bounds of how late a repeat may start. It waits for its bots after a restart, so it needs some time."""

RETURN_SECONDS = 90.0
"""How long an event waits for its bots after a restart, until they notice that the server is back."""

log = get_logger()


@dataclass(slots=True)
class EventProgress(Listener):
    """How far an event is."""

    name: str
    at_tables: bool
    """Whether it is played at the tables of the hall."""
    done: int = 0
    planned: int | None = None

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """Count it."""
        self.done, self.planned = done, planned

    def warned(self, text: str) -> None:
        """Log it."""
        log.warning("event", name=self.name, what=text)


class Calendar:
    """All events of an arena."""

    def __init__(self, registry: Registry, hall: Hall, folder: Path, confinement: Confinement | None = None) -> None:
        self._confinement = confinement
        self._publish = hall.publish
        self._series = SeriesBook(registry)
        self._zone = hall.config.zone
        self._registry = registry
        self._hall = hall
        self._folder = folder
        self._stop = asyncio.Event()
        self._moving = asyncio.Lock()
        """Held while an event changes its state, by the calendar or by the organiser."""
        self._playing: dict[str, asyncio.Task[None]] = {}
        hall.lobby.reserved_for = self.reserved_for
        hall.bans_changed = self._enforce_bans
        self._pools: dict[str, BlockPool] = {}
        """The workers of events that are not played at the hall's tables."""
        self.progress: dict[str, EventProgress] = {}
        """The events being played."""
        self._older_than_start = {event.name for event in registry.events()}
        """The events that were on the calendar when the server started."""
        self._patient_until = clock.now() + RETURN_SECONDS

    async def run(self) -> None:
        """Do what is due, for ever; first continue the events that were being played."""
        while True:
            try:
                await self._look()
            except Exception as error:  # the disk, or our bug: the next look tries again
                log.exception("calendar", reason=repr(error))
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(self) -> None:
        """Do what is due now. An event that fails does not hold up the others."""
        await self._announce_repeats(wall_millis())
        for name in [event.name for event in self._registry.events()]:
            try:
                async with self._moving:
                    await self._advance(self._registry.event(name), wall_millis())
            except sqlite3.Error as error:  # locked, or no space: the next look tries again
                log.error("calendar", name=name, reason=str(error))
            except Exception as error:  # the disk, or our bug: the next look tries again
                log.exception("calendar", name=name, reason=repr(error))

    async def _advance(self, event: CalendarEvent, now: int) -> None:
        """Bring an event to the state it should be in by now. While the server stops, leave that to the next start."""
        if self._stop.is_set():
            return
        event = await self._open(event, now)
        if event.state is EventState.REGISTRATION and 0 < event.check_in_millis <= now:
            event = await asyncio.to_thread(self._registry.set_state, event.name, EventState.CHECK_IN)
        is_due = event.state in BEFORE_START and 0 < event.start_millis <= now
        if is_due and (reason := self._why_missed(event, now)):
            await self._call_off(event.name, reason)
        elif is_due and not self._is_blocked(event) and self._is_complete(event):
            try:
                await self._start(event.name)
            except FailedPrecondition as error:
                await self._call_off(event.name, str(error))
        if event.state is EventState.RUNNING and event.name not in self._playing:
            self._continue(event, RETURN_SECONDS)

    async def open_if_due(self, name: str) -> None:
        """Open registration of a new event at once if it is due, so that the organiser can continue."""
        async with self._moving:
            await self._open(self._registry.event(name), wall_millis())

    async def _open(self, event: CalendarEvent, now: int) -> CalendarEvent:
        if event.state is not EventState.ANNOUNCED or now < event.registration_millis:
            return event
        event = await asyncio.to_thread(self._registry.set_state, event.name, EventState.REGISTRATION)
        starts = f"; it starts at {self._show(event)}" if event.start_millis else ""
        self._publish("event_opened", event.name, f"bots can enter {event.name}{starts}")
        return event

    def _is_complete(self, event: CalendarEvent) -> bool:
        """Check whether all entered bots are connected, or had time to reconnect after a restart."""
        has_waited = event.name not in self._older_than_start or clock.now() >= self._patient_until
        return has_waited or all(map(self._is_connected, event.entries))

    async def _call_off(self, name: str, reason: str) -> None:
        """Cancel an event that could not start, and say so."""
        log.warning("event_cancelled", name=name, reason=reason)
        await asyncio.to_thread(self._registry.set_state, name, EventState.CANCELLED, one_line(reason))
        self._publish("event_cancelled", name, f"{name} is cancelled: {reason}")

    def _show(self, event: CalendarEvent) -> str:
        return show_time(event.start_millis, self._series.zone(event.name) or self._zone)

    # Events that repeat

    async def _announce_repeats(self, now: int) -> None:
        """Put the next one of each repeating event on the calendar when the one before it is due."""
        for series in self._series.all():
            if series.done_millis > now or self._stop.is_set():
                continue
            try:
                async with self._moving:
                    await asyncio.to_thread(self._announce, series, now)
            except (TortugaError, sqlite3.Error) as error:  # the next look tries again
                log.error("repeat_failed", name=series.name, reason=str(error))
            except Exception as error:  # the disk, or our bug: the next look tries again
                log.exception("repeat_failed", name=series.name, reason=repr(error))

    def _announce(self, series: Series, now: int) -> CalendarEvent:
        """Announce the next repeat: the first that is not missed."""
        days, count = missed_days(series.rule, series.done_millis, now - series.late_millis)
        if count:
            shown = ", ".join(map(str, days)) + (f" and {count - len(days)} more" if count > len(days) else "")
            log.warning("repeats_missed", name=series.name, count=count, days=shown)
            self._publish("event_cancelled", series.name, f"{series.name} was missed, the server was down: {shown}")
        day, start = next(series.rule.after(max(series.done_millis, now - series.late_millis)))
        name, last = series.event_name(day), self._last_repeat(series.name)
        if all(event.name != name for event in self._registry.events()):  # else: killed before the last line below
            self.create(name, series.manifest_of(name), series.times(start))
            for bot in last.entries if last else ():
                if not self._registry.bot(bot).ban:
                    self._registry.enter(name, bot)
        self._series.note_zone(name, series.rule.zone, series.name)
        self._series.put(replace(series, done_millis=start))
        return self._registry.event(name)

    def _last_repeat(self, series: str) -> CalendarEvent | None:
        repeats = [event for event in self._registry.events() if self._series.series_of(event.name) == series]
        return repeats[0] if repeats else None

    def _why_missed(self, event: CalendarEvent, now: int) -> str:
        """Return why a repeat is not played any more. Empty: it may still start."""
        late = self._series.late_millis(event.name)
        if late is None or now <= event.start_millis + late:
            return ""
        return f"missed: it was to start at {self._show(event)}, and {late // 60_000} min later at the latest"

    def _is_blocked(self, event: CalendarEvent) -> bool:
        """Check whether the repeat before this one is still being played."""
        series = self._series.series_of(event.name)
        return bool(series) and any(self._series.series_of(name) == series for name in self._playing)

    def schedule(self, event: str) -> EventOrigin:
        """Return how an event came onto the calendar."""
        series = self._series.series_of(event)
        active = self._series.find(series) if series else None
        return EventOrigin(self._series.zone(event) or self._zone, series, str(active.rule) if active else "")

    def create_series(self, series: Series) -> str:
        """Put an event that repeats on the calendar; returns the name of its first one."""
        if series.check_in_before_millis > series.opens_before_millis > 0:
            raise ConfigError("check-in must begin after registration opens")
        if not 1000 * LEAST_LATE_SECONDS <= series.late_millis <= 1000 * MOST_LATE_SECONDS:
            raise ConfigError(f"late: {LEAST_LATE_SECONDS} s to {MOST_LATE_SECONDS // 3600} h")
        next(series.rule.after(series.done_millis))  # refuses a rule that makes no sense
        self._read_manifest(series.name, series.manifest)
        self._series.add(series)
        return self._announce(series, wall_millis()).name

    # What the organiser does

    def create(self, name: str, manifest: str, times: tuple[int, int, int], zone: str = "") -> CalendarEvent:
        """Put an event on the calendar. The bots of its manifest are entered at once."""
        registration, check_in, start = times
        if check_in and start and check_in > start:
            raise ConfigError("check-in must begin before the start")
        bots = self._read_manifest(name, manifest)
        if zone:
            self._series.note_zone(name, zone)
        return self._registry.create_event(
            name,
            manifest,
            registration_millis=registration,
            check_in_millis=check_in,
            start_millis=start,
            bots=bots,
        )

    def _read_manifest(self, name: str, manifest: str) -> list[str]:
        """Return the bots of a manifest, which can all be entered."""
        try:
            parsed = make_manifest(tomllib.loads(manifest))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise ConfigError(f"the manifest: {error}") from None
        bots = [self._registry.bot(entry.spec.removeprefix("remote:").strip()).name for entry in parsed.bots]
        for bot in bots:
            self._check_fit(bot, name, parsed.contests)
        return bots

    def check_fit(self, bot: str, name: str) -> None:
        """Refuse a bot that plays none of the event's games."""
        self._check_fit(bot, name, make_manifest(tomllib.loads(self._registry.event(name).manifest)).contests)

    def _check_fit(self, bot: str, name: str, contests: Sequence[Contest]) -> None:
        member = self._hall.lobby.get(bot)  # of a bot that is not connected nothing is known
        if member is not None and not any(map(member.plays, contests)):
            offer = ", ".join(contest.id for contest in contests)
            raise ConfigError(f"the bot {bot} plays none of the games of the event {name}: {offer}")

    async def start(self, name: str) -> None:
        """Start an event with the bots that are connected. If they are too few, nothing changes."""
        async with self._moving:
            await self._start(name)

    async def _start(self, name: str) -> None:
        event = self._registry.event(name)
        if event.state not in BEFORE_START:
            raise FailedPrecondition(f"the event {name} is {event.state} already")
        there = [bot for bot in event.entries if self._is_connected(bot)]
        try:
            event = await asyncio.to_thread(self._prepare, name, there)
        except (ConfigError, OSError) as error:
            raise FailedPrecondition(f"it could not start: {error}") from None
        self._publish("event_started", name, f"{name} has started with {len(there)} bots")
        self._continue(event)

    def _prepare(self, name: str, there: Sequence[str]) -> CalendarEvent:
        """Check the bots in and make the event's folder. Can be repeated after a failure."""
        event, folder = self._registry.check_in(name, there), Folder(self._folder / name)
        manifest = self.make_manifest(event)
        for warning in folder.prepare():
            log.warning("event", name=name, what=warning)
        write_atomically(folder.manifest, write_text(manifest).encode(), private=True)
        agreement, _ = current_agreement(folder, remote=True)
        check_schedules(agreement)
        return self._registry.set_state(name, EventState.RUNNING)

    async def cancel(self, name: str, reason: str) -> str:
        """Cancel an event, or end one that repeats with its next one; returns the name of the event."""
        async with self._moving:
            series = self._series.find(name)
            if series is not None:
                await asyncio.to_thread(self._series.put, replace(series, ended=True))
                last = self._last_repeat(name)
                assert last is not None
                name = last.name
                if last.state not in BEFORE_START:
                    return name
            event = self._registry.event(name)
            if event.state in (EventState.FINISHED, EventState.CANCELLED):
                raise FailedPrecondition(f"the event {name} is {event.state} already")
            reason = reason or "by the organiser"
            await asyncio.to_thread(self._registry.set_state, name, EventState.CANCELLED, reason)
            self._publish("event_cancelled", name, f"{name} is cancelled: {reason}")
            if name in self._playing:
                self._playing[name].cancel()
        return name

    async def take_rulings(self, name: str) -> None:
        """Make what is stored of an event that is over follow them. One that is being played does so by itself."""
        folder, state = Folder(self._folder / name), self._registry.event(name).state
        if state in (EventState.FINISHED, EventState.CANCELLED):
            await asyncio.to_thread(follow_rulings, folder)
        if state is EventState.FINISHED:
            await asyncio.to_thread(report, folder)

    def _is_connected(self, bot: str) -> bool:
        member = self._hall.lobby.get(bot)
        return member is not None and member.is_connected

    def make_manifest(self, event: CalendarEvent) -> Manifest:
        """Return the manifest the event is played under: as announced, with the bots that checked in."""
        announced = make_manifest(tomllib.loads(event.manifest))
        heroes = {entry.spec.removeprefix("remote:").strip() for entry in announced.bots if entry.hero}
        entries = []
        for name in (bot for bot, there in event.entries.items() if there):
            bot = self._registry.bot(name)
            spec = self._hall.bundles.resolve(bot.spec) or f"remote: {name}"
            version = self._hall.find(bot).version if bot.hosted else ""  # a remote bot says so itself
            entries.append(ManifestBot(spec=spec, name=name, version=version, hero=name in heroes))
        # At the hall's tables one process plays all rotations of a block: it would meet the same luck again.
        mirrored = announced.mirrored and not self._is_at_tables(event)
        manifest = replace(announced, bots=tuple(entries), mirrored=mirrored)
        for contest in manifest.contests:
            if len(entries) < contest.seats:
                raise ConfigError(f"{contest.id} needs {contest.seats} bots, and {len(entries)} checked in")
        return manifest

    # Playing

    def _continue(self, event: CalendarEvent, patience: float = 0.0) -> None:
        if self._stop.is_set():
            return  # the next start continues it
        self.progress[event.name] = EventProgress(event.name, self._is_at_tables(event))
        task = asyncio.create_task(self._play(event, clock.now() + patience))
        self._playing[event.name] = task
        task.add_done_callback(lambda _: self._forget(event.name))
        self._reserve_bots()

    def _reserve_bots(self) -> None:
        """Reserve bots for the event they play at the hall's tables."""
        for member in self._hall.lobby.members:
            member.event = self.reserved_for(member.name)

    def reserved_for(self, bot: str) -> str:
        """Return the event being played at the hall's tables with this bot. Empty: none."""
        events = [self._registry.event(name) for name, progress in self.progress.items() if progress.at_tables]
        return next((event.name for event in events if event.entries.get(bot)), "")

    def playing(self, bot: str) -> str:
        """Return the event being played with this bot. Empty: none."""
        running = [event for event in self._registry.events() if event.state is EventState.RUNNING]
        return next((event.name for event in running if event.entries.get(bot)), "")

    def keeps_version(self, bot: str) -> str:
        """Return the event in which this bot plays, or will play after its check-in, in the version it has now.

        Empty: none, and the bot may change its version.
        """
        for event in self._registry.events():
            is_held = event.state is EventState.CHECK_IN or (
                event.state is EventState.RUNNING and event.entries.get(bot)
            )
            if is_held and bot in event.entries:
                return event.name
        return ""

    def _is_at_tables(self, event: CalendarEvent) -> bool:
        """Check whether it is to be watched, or remote bots take part."""
        remote = (there and not self._registry.bot(bot).hosted for bot, there in event.entries.items())
        return any(remote) or bool(tomllib.loads(event.manifest).get("watchable"))

    def _forget(self, name: str) -> None:
        del self._playing[name], self.progress[name]
        self._pools.pop(name, None)
        self._reserve_bots()
        self._hall.wake()

    async def _play(self, event: CalendarEvent, patient_until: float) -> None:
        folder, progress = Folder(self._folder / event.name), self.progress[event.name]
        make_pool: Callable[..., BlockPool] = partial(self._worker_pool, event.name)
        if progress.at_tables:
            make_pool = partial(TablePool, self._hall, event.name, patient_until)
        log.info("event_started", name=event.name)
        set_state = self._registry.set_state
        try:
            ending = await run_event(
                folder, progress, confinement=self._confinement, make_pool=make_pool, remote=True, stop=self._stop
            )
            if ending is Ending.FINISHED:
                async with self._moving:
                    await asyncio.to_thread(set_state, event.name, EventState.FINISHED)
                await asyncio.to_thread(report, folder)
                log.info("event_finished", name=event.name)
                self._publish("event_finished", event.name, f"{event.name} is over: {progress.done} matches")
        except TortugaError as error:
            log.error("event_failed", name=event.name, reason=str(error))
            async with self._moving:
                await self._call_off(event.name, f"it failed: {error}")
        except Exception:  # the host's trouble, or our bug: the next look at the calendar continues it
            log.exception("event_interrupted", name=event.name)

    def _worker_pool(self, event: str, **keys: Any) -> BlockPool:
        """Make the pool of an event that is not at our tables. Bots that may not play have no processes in it."""
        cluster = self._hall.cluster
        if cluster is None:
            pool: BlockPool = LocalPool(**keys)
        else:
            bots = Folder(self._folder / event).require_agreement().manifest.bots
            pool = FallbackPool(cluster, [find_bot(bot.spec) for bot in bots], LocalPool, **keys)
        self._pools[event] = pool
        self._enforce_bans()
        return pool

    def _enforce_bans(self) -> None:
        for pool in self._pools.values():
            pool.set_banned(self._registry.banned())

    async def drain(self, seconds: float) -> None:
        """Begin no block; let running ones finish within that time, and leave the rest to the next start."""
        self._stop.set()
        tasks = list(self._playing.values())
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def report(folder: Folder) -> None:
    """Write the report of an event."""
    write_report(folder, folder.require_agreement(), read_status(folder), read_standings(folder))
