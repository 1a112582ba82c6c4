"""What a folder holds, as pages ask for it: an event, an arena that is not running, or a pile of records.

The answers are those of the arena's own service (`ReadingCalls` in server/arena/api/reading_api.py), which is given the
state of a folder instead of a running arena: so a page shows the same thing in both cases.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message

from referee.errors import ConfigError, RecordError, TortugaError
from referee.records.files import read_regular_file
from referee.records.shape import MAX_RECORD_BYTES
from referee.wire import envelope
from server import __version__
from server.arena import errors
from server.arena.api.answer_cache import AnswerCache
from server.arena.api.reading_api import ReadingCalls
from server.arena.arena_state import Attendance, Progress, Schedule
from server.arena.ladders.seasons import FOLDER as SEASONS
from server.arena.people.neutral_names import ask_by_real_name, hide_names
from server.arena.people.teams import Teams
from server.arena.reading.archive import Archive, FoundMatch
from server.arena.reading.standings_maker import RatingTables
from server.arena.registry import Registry, wall_millis
from server.arena.registry_schema import MIGRATIONS, CalendarEvent, EventState, KnownBot
from server.system.database import connect, migrate
from server.tournament import store_queries
from server.tournament.agreement import Agreement
from server.tournament.folder import Folder
from server.tournament.status import is_over, read_contests
from server.tournament.store import Store
from server.web.backend import BadRequest, NotFound, Unavailable, method_of
from server.web.folder_sources import Source, manifest_texts, open_source
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import referee_pb2

T = TypeVar("T")
NO_CONTEXT: Any = None
"""The service is called without a connection: what needs one (tokens) is not called."""


class FolderRegistry(Registry):
    """Bots and events by the roster of a folder; of an arena, by its own registry."""

    def show(self, bots: Sequence[KnownBot], events: Sequence[CalendarEvent]) -> None:
        """Show these from now on."""
        self._bots = {bot.name: bot for bot in bots}
        self._events = {event.name: event for event in events}


class FolderArchive(Archive):
    """The matches of a folder."""

    def __init__(self, source: Source, registry: Registry) -> None:
        super().__init__(source.arena or source.ladder.path, registry)
        self._source = source

    @property
    def ladder(self) -> Folder:
        """The folder whose contests are the ladders."""
        return self._source.ladder

    def event(self, name: str) -> Folder:
        """The folder of an event. The one event of a folder is the folder itself."""
        return self._source.ladder if name == self._source.event else super().event(name)

    async def find(self, match_id: str) -> FoundMatch:
        """A match; in the folder of an event, it is one of that event."""
        found = await super().find(match_id)
        return found._replace(event=self._source.event) if self._source.event else found


@dataclass(kw_only=True)
class FolderState:
    """The state of a folder, in which nothing happens: an `ArenaState`."""

    ladder_infos: Sequence[pb.LadderInfo] = ()
    event_progress: dict[str, Progress] = field(default_factory=dict)
    archived: Sequence[pb.Season] = ()

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
        return self.ladder_infos

    def why_quiet(self, ladder: pb.LadderInfo) -> str:
        """Say nothing: everybody knows that nothing is played here."""
        return ""

    def seasons(self) -> Sequence[pb.Season]:
        """Return those that an arena's folder has archived."""
        return self.archived

    def progress(self, event: str) -> Progress | None:
        """Return how far the event of a folder is."""
        return self.event_progress.get(event)

    def schedule(self, event: str) -> Schedule:
        """Return nothing: only its times are known."""
        return Schedule()

    def news(self) -> Sequence[pb.NewsItem]:
        """Return nothing: a folder does not say what happened when."""
        return ()


class FolderBackend:
    """Pages of a folder."""

    def __init__(self, path: Path) -> None:
        """Open a folder. ConfigError: there is nothing to show."""
        self._source = open_source(path)
        self._title = self._source.title
        self._registry = FolderRegistry(registry_database(self._source), wall_millis)
        self._archive = FolderArchive(self._source, self._registry)
        self._state = FolderState()
        self._neutral_names = Teams(self._registry).neutral_names()
        self._tables = RatingTables(self._archive)
        self._reading = ReadingCalls(self._state, self._registry, self._archive, self._tables)
        self._answers = AnswerCache()
        self._stamp: object = None

    @property
    def title(self) -> str:
        """The name of the event or the folder."""
        return self._title

    @property
    def is_arena(self) -> bool:
        """It is none that runs."""
        return False

    async def start(self) -> None:
        """Look at the folder for the first time."""
        await self._look()

    async def close(self) -> None:
        """End the table maker, and remove what was made."""
        self._tables.close()
        self._archive.close()
        self._registry.close()
        self._source.close()

    async def ask(self, request: Message, token: str = "") -> Any:
        """Return the answer that an arena gives: bots of deleted teams have neutral names."""
        method = getattr(self._reading, method_of(request), None)
        if method is None:
            raise BadRequest("this is a folder, not an arena: nothing can be changed here")
        asked = type(request)()
        asked.CopyFrom(request)
        if isinstance(asked, pb.ListMatchesRequest):
            asked.event = asked.event or self._source.event  # matches of the one event are said to be of it

        async def answer() -> Message:
            if names := self._neutral_names:
                ask_by_real_name(asked, names, {shown: name for name, shown in names.items()})
            response: Message = await method(asked, NO_CONTEXT)
            if names:
                hide_names(response, names)
            return response

        key = method_of(asked), asked.SerializeToString(deterministic=True)
        return await self._answers.get(key, lambda: self._answer(answer()))

    async def record(self, match_id: str) -> bytes:
        """The file of a record."""
        found = await self._answer(self._archive.find(match_id))
        path = self._source.record_path(found.folder, found.match.match_id)
        try:
            return await self._archive.run(lambda: read_regular_file(path, MAX_RECORD_BYTES))
        except OSError:
            raise NotFound(f"the record of {match_id} is no longer kept; its result is") from None

    def live(self, match_id: str) -> AsyncGenerator[pb.Sight, None] | None:
        """Nothing can be watched in a folder."""
        return None

    async def _answer(self, answer: Coroutine[Any, Any, T]) -> T:
        """Return an answer of the service, with our errors instead of its own."""
        try:
            await self._look()
        except BaseException:
            answer.close()
            raise
        try:
            return await answer
        except errors.NotFound as error:
            raise NotFound(str(error)) from None
        except ConfigError as error:
            raise BadRequest(str(error)) from None
        except (RecordError, OSError, sqlite3.Error) as error:
            raise Unavailable(f"the folder cannot be read at this moment: {error}") from None

    async def _look(self) -> None:
        """Look for what was added. That is an answer, too: however many wait for it, it is made once a second."""
        try:
            await self._answers.get(("look", b""), lambda: self._archive.run(self._read))
        except (TortugaError, OSError, sqlite3.Error) as error:
            raise Unavailable(f"the folder cannot be read at this moment: {error}") from None

    def _read(self) -> None:
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
        self._state.ladder_infos = ladder_infos(agreement, counts)
        if self._source.arena is not None:
            self._state.archived = archived_seasons(self._source.arena)
        if self._source.arena is None:
            self._registry.show(known_bots(folder, agreement), self._events(folder, agreement))
        self._stamp = stamp

    def _events(self, folder: Folder, agreement: Agreement | None) -> list[CalendarEvent]:
        """The one event that this folder is."""
        found = []
        for name, text in manifest_texts(self._source).items():
            state = EventState.ANNOUNCED
            if agreement is not None:
                self._state.event_progress[name], over = read_reached(folder, agreement)
                state = EventState.FINISHED if over else EventState.RUNNING
            entries = {one.name: True for one in agreement.roster} if agreement else {}
            found.append(
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
        return found


def archived_seasons(arena: Path) -> list[pb.Season]:
    """The seasons in the folder of an arena, the latest first."""
    found = []
    for path in (arena / SEASONS).glob("[!.]*"):
        folder = Folder(path)
        agreement = folder.read_agreement() if path.is_dir() else None
        if agreement is not None:
            played = {contest: count for contest, count in count_matches(folder, agreement).items() if count}
            found.append(
                pb.Season(
                    name=path.name,
                    archived_millis=int(1000 * folder.agreement.stat().st_mtime),
                    matches=sum(played.values()),
                    ladders=[*played],
                )
            )
    return sorted(found, key=lambda season: -season.archived_millis)


def registry_database(source: Source) -> sqlite3.Connection:
    """The registry of an arena, opened to read; or an empty one in memory."""
    if source.arena is not None and (source.arena / "arena.db").exists():
        return connect(source.arena / "arena.db", read_only=True, cure="`tortuga fsck` says more")
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrate(connection, source.ladder.path, MIGRATIONS)
    return connection


def database_files(folder: Folder) -> list[Path]:
    """The database, and what was written to it last."""
    return [folder.database, folder.database.with_name(f"{folder.database.name}-wal")]


def file_stamp(path: Path) -> tuple[int, int] | None:
    """Changes when a file is written. None: there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _read_store(folder: Folder, question: Callable[[Store], T], nothing: T) -> T:
    if not folder.database.exists():
        return nothing
    with Store.read_only(folder.database) as store:
        return question(store)


def count_matches(folder: Folder, agreement: Agreement | None) -> dict[str, int]:
    """The matches of each contest."""
    contests = agreement.manifest.contests if agreement else ()
    return _read_store(folder, lambda store: {one.id: store.match_count(one.id) for one in contests}, {})


def first_match(folder: Folder) -> int:
    """When the first match began. 0: none has."""
    return _read_store(folder, store_queries.first_millis, 0)


class Reached(NamedTuple):
    """How far an event is, and whether everything is played."""

    progress: Progress
    over: bool


def read_reached(folder: Folder, agreement: Agreement) -> Reached:
    """How far an event is, without asking who runs it: that would take its lock for a moment."""

    def question(store: Store) -> Reached:
        contests = read_contests(folder, agreement, store)
        done, over = store.counts()[0], is_over(folder, contests)
        planned = [one.matches_planned() for one in contests]
        known = 0 if None in planned else sum(one or 0 for one in planned)
        return Reached(Progress(done, done if over else known), over)

    return _read_store(folder, question, Reached(Progress(0, 0), over=False))


def ladder_infos(agreement: Agreement | None, counts: dict[str, int]) -> list[pb.LadderInfo]:
    """The contests as ladders."""
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
    """The bots of the roster, as their records describe them."""
    if agreement is None:
        return []
    found: dict[str, KnownBot] = {}
    nothing: dict[str, tuple[str, str, int]] = {}
    seen = _read_store(folder, store_queries.bot_identities, nothing)
    for one in agreement.roster:
        version, language, millis = seen.get(one.name, ("", "", 0))
        found[one.bot] = KnownBot(
            name=one.bot,
            version=one.version or version,
            language=language,
            games=one.games,
            seen_millis=millis,
        )
    return list(found.values())
