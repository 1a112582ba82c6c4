"""Reads finished matches from disk without blocking the event loop.

DIR/ladder and DIR/events/NAME are event folders (server/tournament/folder.py). Their databases are queried in a few
threads of our own, so that many callers cannot take up those of the arena. The query of a caller who has gone is
interrupted.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar

from referee.errors import ConfigError, RecordError
from referee.records.notes import read_notes
from referee.records.record import read_record
from server.arena.caller_input import check_name, quote
from server.arena.errors import NotFound
from server.arena.ladders.seasons import FOLDER as SEASONS
from server.arena.ladders.seasons import season_folder
from server.arena.registry import Registry
from server.play.summary import MatchSummary
from server.tournament import store_queries
from server.tournament.folder import Folder
from server.tournament.rulings.ruled_matches import RuledMatches
from server.tournament.rulings.ruling_file import Rulings, read_rulings
from server.tournament.store import Store
from tortuga.v1.record_pb2 import RecordNote

READERS = 4
CHUNK_BYTES = 64 * 1024

T = TypeVar("T")


class FoundMatch(NamedTuple):
    """A finished match and its folder."""

    match: MatchSummary
    changes: list[tuple[int, int]]
    block: list[str]
    """The matches of its block, by rotation."""
    folder: Folder
    event: str
    """Empty: it is a match of a ladder, or a challenge."""


class Archive:
    """The event folders of an arena."""

    def __init__(self, directory: Path, registry: Registry) -> None:
        self._directory = directory
        self._registry = registry
        self._readers = ThreadPoolExecutor(READERS, "archive")
        self._public_keys: dict[Folder, bytes] = {}

    def close(self) -> None:
        """Answer no more queries."""
        self._readers.shutdown(wait=False, cancel_futures=True)

    @property
    def ladder(self) -> Folder:
        """The folder of all ladders."""
        return Folder(self._directory / "ladder")

    @property
    def challenges(self) -> Folder:
        """The folder of all challenges."""
        return Folder(self._directory / "challenges")

    def season(self, name: str) -> Folder:
        """Return the folder of an archived season."""
        return season_folder(self._directory, name)

    def public_key(self, folder: Folder) -> bytes:
        """Return what the signatures of a folder's records are checked with. Empty: they are not signed, or not yet."""
        key = self._public_keys.get(folder, b"") or folder.public_key()
        self._public_keys[folder] = key
        return key

    def event(self, name: str) -> Folder:
        """Return the folder of an event."""
        return Folder(self._directory / "events" / check_name(name, "event"))

    async def run(self, work: Callable[[], T]) -> T:
        """Run something slow in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, work)

    async def ask(self, folder: Folder, question: Callable[[Store], T], nothing: T) -> T:
        """Query a folder's database; `nothing` is the answer if it does not exist yet."""
        gone = False

        def answer() -> T:
            if gone or not folder.database.exists():
                return nothing
            with _look(folder) as store:
                store.interrupt_when(lambda: gone)
                return question(store)

        try:
            return await self.run(answer)
        except asyncio.CancelledError:
            gone = True
            raise

    async def rulings(self, folder: Folder) -> Rulings:
        """Return what was ruled in a folder."""
        return await self.run(lambda: read_rulings(folder.rulings))

    async def ruling_on(self, stored: FoundMatch) -> str:
        """Return why a match does not count as it ended, as text. Empty: it does."""

        def read() -> str:
            rulings = read_rulings(stored.folder.rulings)
            agreement = stored.folder.read_agreement() if rulings else None
            ruled = RuledMatches(rulings, agreement, stored.match.contest) if agreement else RuledMatches()
            ruled.judge_match(stored.match)
            return ruled.why_out(stored.match.match_id)

        return await self.run(read)

    async def find(self, match_id: str) -> FoundMatch:
        """Find a finished match, of a ladder, an event or a challenge. Only ids that a database knows become paths."""

        def question(store: Store) -> tuple[MatchSummary, list[tuple[int, int]], list[str]] | None:
            match = store.match(match_id)
            if match is None:
                return None
            return match, store.changes(match_id), store_queries.block_matches(store, match.contest, match.block)

        events = ((event.name, self.event(event.name)) for event in self._registry.events())
        archived = self._directory / SEASONS
        seasons = sorted(archived.glob("[!.]*"), reverse=True)
        places = [("", self.ladder), *events, ("", self.challenges), *(("", Folder(path)) for path in seasons)]
        for event, folder in places:
            row = await self.ask(folder, question, None)
            if row is not None:
                return FoundMatch(*row, folder, event)
        raise NotFound(f"there is no match {quote(match_id)}; `tortuga client matches` lists them")

    async def record(self, stored: FoundMatch) -> AsyncGenerator[bytes, None]:
        """Read the record of a match, in chunks."""
        path = stored.folder.record(stored.match.match_id)
        gone = f"the record of {stored.match.match_id} is no longer kept; its result is"
        if not stored.match.kept:
            raise NotFound(gone)
        try:
            file = await self.run(lambda: path.open("rb"))
        except FileNotFoundError:
            raise NotFound(gone) from None
        with file:
            while chunk := await self.run(lambda: file.read(CHUNK_BYTES)):
                yield chunk

    async def notes(self, stored: FoundMatch, bots: Collection[str] = ()) -> list[RecordNote]:
        """Read what the bots noted in a match, as far as everybody may; of these bots all of it. By decision."""
        match_id = stored.match.match_id
        if not stored.match.kept:
            raise NotFound(f"the record of {match_id} is no longer kept, nor are its notes; its result is")

        def read() -> list[RecordNote]:
            notes = [*read_record(stored.folder.record(match_id))[0].notes]
            agreement = stored.folder.read_agreement() if bots else None
            # Not by the name of the entry alone: another bot may be called like a later version of one of these.
            own = {entry.name for entry in agreement.roster if entry.bot in bots} if agreement else set()
            seats = {place for place, seat in enumerate(stored.match.seats) if seat.bot in own}
            path = stored.folder.notes(match_id)
            if seats and path.exists():
                notes += [note for note in read_notes(path).notes if note.seat in seats]
            return sorted(notes, key=lambda note: note.decision)

        try:
            return await self.run(read)
        except RecordError as error:
            raise NotFound(f"the notes of {match_id} cannot be read any more; its result is kept") from error


def _look(folder: Folder) -> Store:
    try:
        return Store.read_only(folder.database)
    except ConfigError as error:
        raise RecordError(str(error)) from None  # not the caller's error
