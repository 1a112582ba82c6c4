"""The calls of the service Arena for details of a table: histories, entries and pairs.

The table maker (reading/standings_maker.py) answers them. Names are checked here first, so that it does no needless
work.
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.errors import ConfigError
from server.arena.caller_input import list_names, quote
from server.arena.error_codes import Context
from server.arena.errors import NotFound
from server.arena.interface import Arena
from server.arena.messages import game_of, read_manifest
from server.arena.reading.archive import Archive
from server.arena.reading.standings_maker import RatingTables
from server.arena.registry import Registry
from server.tournament.agreement import Entry
from server.tournament.folder import Folder
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import arena_pb2_grpc


class ComparisonCalls(arena_pb2_grpc.ArenaServicer):
    """Histories, entries and pairs. Call `close` when the server has stopped."""

    def __init__(self, arena: Arena, registry: Registry, archive: Archive) -> None:
        self._arena, self._registry, self._archive = arena, registry, archive
        self._tables = RatingTables(archive)

    def close(self) -> None:
        """Stop the table maker."""
        self._tables.close()

    async def GetRatingHistory(self, request: pb.GetRatingHistoryRequest, context: Context) -> pb.RatingHistory:
        """The rating history of a bot, over all its versions."""
        folder = self._contest_folder(request.contest, request.event)
        here = _playing(await self._roster(folder), request.contest)
        entries = {one.name for one in here if request.bot == one.bot} or {request.bot}
        if not entries <= {one.name for one in here}:
            raise _no_entry(request.contest, request.bot, here)
        history = await self._tables.history(folder, request.contest)
        points = [pb.RatingPoint.FromString(point) for entry in entries for point in history.points.get(entry, ())]
        points.sort(key=lambda point: (point.table_matches, point.entry))
        return pb.RatingHistory(points=points, table_matches=history.matches, scale=history.scale)

    async def GetEntry(self, request: pb.GetEntryRequest, context: Context) -> pb.EntryDetails:
        """One entry of a table."""
        folder = self._contest_folder(request.contest, request.event)
        entry = _find_entry(await self._roster(folder), request.contest, request.entry, latest=request.latest)
        return await self._tables.entry(folder, request.contest, entry)

    async def GetPair(self, request: pb.GetPairRequest, context: Context) -> pb.Pair:
        """Two entries of a table, compared."""
        folder = self._contest_folder(request.contest, request.event)
        roster = await self._roster(folder)
        first, second = (
            _find_entry(roster, request.contest, name, latest=request.latest)
            for name in (request.first, request.second)
        )
        if first == second:
            raise ConfigError(f"{first} cannot be compared with itself: name two bots")
        return await self._tables.pair(folder, request.contest, first, second)

    def _contest_folder(self, contest: str, event: str) -> Folder:
        self._check_contest(contest, event)
        return self._folder(event)

    def _folder(self, event: str) -> Folder:
        """The folder of an event, or of the ladders."""
        return self._archive.event(self._registry.event(event).name) if event else self._archive.ladder

    def _check_contest(self, contest: str, event: str) -> None:
        known: Iterable[str] = [ladder.name for ladder in self._arena.ladders()]
        if event:
            manifest = read_manifest(self._registry.event(event).manifest)
            known = [one.id for one in manifest.contests] if manifest else []
        if contest not in known:
            raise NotFound(f"there is no contest {quote(contest)}; there is {list_names(known)}")

    async def _roster(self, folder: Folder) -> tuple[Entry, ...]:
        agreement = await self._archive.run(folder.read_agreement)
        return agreement.roster if agreement else ()


def _playing(roster: Iterable[Entry], contest: str) -> list[Entry]:
    """The entries that play the game of a contest: those that its table has."""
    return [one for one in roster if not one.games or game_of(contest) in one.games]


def _find_entry(roster: Iterable[Entry], contest: str, name: str, *, latest: bool) -> str:
    """The entry of that name, or the latest of that bot."""
    here = _playing(roster, contest)
    found = [one.name for one in here if name == (one.bot if latest else one.name)]
    if not found:
        raise _no_entry(contest, name, here)
    return found[-1]


def _no_entry(contest: str, name: str, here: Iterable[Entry]) -> NotFound:
    names = list_names(sorted({one.bot for one in here}))
    return NotFound(f"{contest} has no bot {quote(name)}; it has {names}")
