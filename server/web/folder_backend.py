"""What a folder holds, as pages ask for it: an event, an arena that is not running, or a pile of records.

The answers are those of the arena's own service (`ReadingCalls` in server/arena/api/reading_api.py), which is given the
state of a folder instead of a running arena: so a page shows the same thing in both cases.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from google.protobuf.message import Message

from referee.errors import ConfigError, RecordError, TortugaError
from referee.records.files import read_regular_file
from referee.records.shape import MAX_RECORD_BYTES
from server.arena import errors
from server.arena.api.answer_cache import AnswerCache
from server.arena.api.reading_api import ReadingCalls
from server.arena.people.neutral_names import ask_by_real_name, hide_names
from server.arena.people.teams import Teams
from server.arena.reading.archive import Archive, FoundMatch
from server.arena.reading.standings_maker import StandingsMaker
from server.arena.registry import Registry, wall_millis
from server.tournament.folder import Folder
from server.web.backend import BadRequest, PageNotFound, Unavailable, method_of
from server.web.folder_sources import Source, open_source
from server.web.folder_state import FolderRegistry, FolderState, registry_database
from tortuga.v1 import arena_pb2 as pb

T = TypeVar("T")
NO_CONTEXT: Any = None
"""The service is called without a connection: what needs one (tokens) is not called."""


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
        """Return the folder of an event. The one event of a folder is the folder itself."""
        return self._source.ladder if name == self._source.event else super().event(name)

    async def find(self, match_id: str) -> FoundMatch:
        """Find a match; in the folder of an event, it is one of that event."""
        match = await super().find(match_id)
        return match._replace(event=self._source.event) if self._source.event else match


class FolderBackend:
    """Pages of a folder."""

    def __init__(self, path: Path) -> None:
        """Open a folder. ConfigError: there is nothing to show."""
        self._source = open_source(path)
        self._registry = FolderRegistry(registry_database(self._source), wall_millis)
        self._archive = FolderArchive(self._source, self._registry)
        self._state = FolderState(self._source, self._registry)
        self._neutral_names = Teams(self._registry).neutral_names()
        self._maker = StandingsMaker(self._archive)
        self._reading = ReadingCalls(self._state, self._registry, self._archive, self._maker)
        self._answers = AnswerCache()

    @property
    def title(self) -> str:
        """The name of the event or the folder."""
        return self._source.title

    @property
    def is_arena(self) -> bool:
        """Whether it is an arena that runs: never."""
        return False

    async def start(self) -> None:
        """Look at the folder for the first time."""
        await self._look()

    async def close(self) -> None:
        """End the standings maker, and remove what was made."""
        self._maker.close()
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
        """Read the file of a record."""
        match = await self._answer(self._archive.find(match_id))
        path = self._source.record_path(match.folder, match.match.match_id)
        try:
            return await self._archive.run(lambda: read_regular_file(path, MAX_RECORD_BYTES))
        except OSError:
            raise PageNotFound(f"the record of {match_id} is no longer kept; its result is") from None

    def live(self, match_id: str) -> AsyncGenerator[pb.Sight, None] | None:
        """Return None: nothing can be watched in a folder."""
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
            raise PageNotFound(str(error)) from None
        except ConfigError as error:
            raise BadRequest(str(error)) from None
        except (RecordError, OSError, sqlite3.Error) as error:
            raise Unavailable(f"the folder cannot be read at this moment: {error}") from None

    async def _look(self) -> None:
        """Look for what was added. That is an answer, too: however many wait for it, it is made once a second."""
        try:
            await self._answers.get(("look", b""), lambda: self._archive.run(self._state.read))
        except (TortugaError, OSError, sqlite3.Error) as error:
            raise Unavailable(f"the folder cannot be read at this moment: {error}") from None
