"""The state of a folder: its bots, contests and events, read again when its files have changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from referee.wire import envelope
from server import __version__
from server.arena.arena_state import Attendance, EventOrigin, Progress
from server.arena.ladders.seasons import FOLDER as SEASONS
from server.arena.registry import Registry
from server.arena.registry_schema import MIGRATIONS, CalendarEvent, EventState, KnownBot
from server.system.database import connect, migrate
from server.tournament import store_queries
from server.tournament.agreement import Agreement
from server.tournament.folder import Folder
from server.tournament.status import is_over, read_contests
from server.tournament.store import Store
from server.web.folder_sources import Source, manifest_texts
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import referee_pb2

T = TypeVar("T")


class FolderRegistry(Registry):
    """Bots and events by the roster of a folder; of an arena, by its own registry."""

    def show(self, bots: Sequence[KnownBot], events: Sequence[CalendarEvent]) -> None:
        """Show these from now on."""
        self._bots = {bot.name: bot for bot in bots}
        self._events = {event.name: event for event in events}


class FolderState:
    """The state of a folder, in which nothing happens: an `ArenaState`."""

    def __init__(self, source: Source, registry: FolderRegistry) -> None:
        self._source, self._registry = source, registry
        self._ladders: Sequence[pb.LadderInfo] = ()
        self._progress: dict[str, Progress] = {}
        self._seasons: Sequence[pb.Season] = ()
        self._stamp: object = None

    def info(self) -> pb.ArenaInfo:
        """Return the version: nothing else is known."""
        return pb.ArenaInfo(server_version=__version__)

    def running(self) -> Sequence[pb.MatchInfo]:
        """Return nothing: matches of an event are seen when they are over."""
        return ()

    def attendance(self, bot: str) -> Attendance:
        """Return that nobody is connected."""
        return Attendance(pb.PRESENCE_UNSPECIFIED)

    def ladders(self) -> Sequence[pb.LadderInfo]:
        """Return the contests."""
        return self._ladders

    def why_quiet(self, ladder: pb.LadderInfo) -> str:
        """Say nothing: everybody knows that nothing is played here."""
        return ""

    def seasons(self) -> Sequence[pb.Season]:
        """Return those that an arena's folder has archived."""
        return self._seasons

    def progress(self, event: str) -> Progress | None:
        """Return how far the event of a folder is."""
        return self._progress.get(event)

    def schedule(self, event: str) -> EventOrigin:
        """Return nothing: only its times are known."""
        return EventOrigin()

    def news(self) -> Sequence[pb.NewsItem]:
        """Return nothing: a folder does not say what happened when."""
        return ()

    def read(self) -> None:
        """Read the roster, and how far the event is. Runs in a thread."""
        self._source.refresh()
        folder = self._source.ladder
        stamp = [
            file_stamp(path) for path in (folder.agreement, folder.manifest, folder.rulings, *database_files(folder))
        ]
        if stamp == self._stamp:
            return
        agreement = folder.read_agreement()
        counts = count_matches(folder, agreement)
        self._ladders = ladder_infos(agreement, counts)
        if self._source.arena is not None:
            self._seasons = archived_seasons(self._source.arena)
        if self._source.arena is None:
            self._registry.show(known_bots(folder, agreement), self._events(folder, agreement))
        self._stamp = stamp

    def _events(self, folder: Folder, agreement: Agreement | None) -> list[CalendarEvent]:
        """Return the one event that this folder is."""
        events = []
        for name, text in manifest_texts(self._source).items():
            state = EventState.ANNOUNCED
            if agreement is not None:
                self._progress[name], over = read_reached(folder, agreement)
                state = EventState.FINISHED if over else EventState.RUNNING
            entries = {entry.name: True for entry in agreement.roster} if agreement else {}
            events.append(
                CalendarEvent(
                    name=name,
                    number=1,
                    manifest=text,
                    registration_millis=0,
                    check_in_millis=0,
                    start_millis=first_match(folder) if agreement else 0,
                    state=state,
                    entries=entries,
                )
            )
        return events


def archived_seasons(arena: Path) -> list[pb.Season]:
    """Return the seasons in the folder of an arena, the latest first."""
    seasons = []
    for path in (arena / SEASONS).glob("[!.]*"):
        folder = Folder(path)
        agreement = folder.read_agreement() if path.is_dir() else None
        if agreement is not None:
            played = {contest: count for contest, count in count_matches(folder, agreement).items() if count}
            seasons.append(
                pb.Season(
                    name=path.name,
                    archived_millis=int(1000 * folder.agreement.stat().st_mtime),
                    matches=sum(played.values()),
                    ladders=[*played],
                )
            )
    return sorted(seasons, key=lambda season: -season.archived_millis)


def registry_database(source: Source) -> sqlite3.Connection:
    """Open the registry of an arena to read; or make an empty one in memory."""
    if source.arena is not None and (source.arena / "arena.db").exists():
        return connect(source.arena / "arena.db", read_only=True, cure="`tortuga fsck` says more")
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrate(connection, source.ladder.path, MIGRATIONS)
    return connection


def database_files(folder: Folder) -> list[Path]:
    """Return the database, and what was written to it last."""
    return [folder.database, folder.database.with_name(f"{folder.database.name}-wal")]


def file_stamp(path: Path) -> tuple[int, int] | None:
    """Return what changes when a file is written. None: there is none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


def _read_store(folder: Folder, question: Callable[[Store], T], nothing: T) -> T:
    if not folder.database.exists():
        return nothing
    with Store.read_only(folder.database) as store:
        return question(store)


def count_matches(folder: Folder, agreement: Agreement | None) -> dict[str, int]:
    """Count the matches of each contest."""
    contests = agreement.manifest.contests if agreement else ()
    return _read_store(folder, lambda store: {contest.id: store.match_count(contest.id) for contest in contests}, {})


def first_match(folder: Folder) -> int:
    """Return when the first match began. 0: none has."""
    return _read_store(folder, store_queries.first_millis, 0)


class Reached(NamedTuple):
    """How far an event is, and whether everything is played."""

    progress: Progress
    over: bool


def read_reached(folder: Folder, agreement: Agreement) -> Reached:
    """Return how far an event is, without asking who runs it: that would take its lock for a moment."""

    def question(store: Store) -> Reached:
        contests = read_contests(folder, agreement, store)
        done, over = store.counts()[0], is_over(folder, contests)
        planned = [contest.matches_planned() for contest in contests]
        known = 0 if None in planned else sum(count or 0 for count in planned)
        return Reached(Progress(done, done if over else known), over)

    return _read_store(folder, question, Reached(Progress(0, 0), over=False))


def ladder_infos(agreement: Agreement | None, counts: dict[str, int]) -> list[pb.LadderInfo]:
    """Return the contests as ladders."""
    if agreement is None:
        return []
    clock = envelope.clock(agreement.manifest.time_control)
    return [
        pb.LadderInfo(
            name=contest.id,
            game=contest.game,
            seats=contest.seats,
            variant=[referee_pb2.Setting(name=name, value=value) for name, value in contest.variant.items()],
            clock=clock if agreement.manifest.bots else None,
            matches=counts.get(contest.id, 0),
        )
        for contest in agreement.manifest.contests
    ]


def known_bots(folder: Folder, agreement: Agreement | None) -> list[KnownBot]:
    """Return the bots of the roster, as their records describe them."""
    if agreement is None:
        return []
    bots: dict[str, KnownBot] = {}
    nothing: dict[str, tuple[str, str, int]] = {}
    seen = _read_store(folder, store_queries.bot_identities, nothing)
    for entry in agreement.roster:
        version, language, millis = seen.get(entry.name, ("", "", 0))
        bots[entry.bot] = KnownBot(
            name=entry.bot,
            version=entry.version or version,
            language=language,
            games=entry.games,
            seen_millis=millis,
        )
    return list(bots.values())
