"""What the pages ask: the seam between them and an arena, or a folder of records.

The methods mirror the service Arena of arena.proto and speak its messages: the `.json` of a page holds those messages.
ArenaBackend (arena_backend.py) calls the arena's door; FolderBackend (folder_backend.py) reads an event's folder
or a pile of records. Every method may raise the errors below; their message is for people.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from referee.errors import TortugaError
from tortuga.v1 import arena_pb2 as pb


class BackendError(TortugaError):
    """Why a page cannot be shown, for people. Its address was understood, though."""


class NotFound(BackendError):
    """There is nothing of this name: page 404."""


class BadRequest(BackendError):
    """A filter or a page token makes no sense: page 400."""


class Forbidden(BackendError):
    """A token is wrong, or missing: page 403."""


class Unavailable(BackendError):
    """The arena does not answer, or is too busy: page 503, which comes back by itself."""


class Backend(Protocol):
    """Read-only, and safe to call from many pages at once."""

    @property
    def title(self) -> str:
        """What is shown here: the arena's or the event's name."""
        ...

    @property
    def is_arena(self) -> bool:
        """Whether bots can be entered here and matches can be watched. False: a folder."""
        ...

    async def start(self) -> None:
        """Called once, on the loop of the pages, before the first page."""
        ...

    async def close(self) -> None:
        """Called once, after the last page. Ends the iterators of `live`."""
        ...

    async def get_arena(self, request: pb.GetArenaRequest) -> pb.ArenaInfo:
        """The arena itself. Of a folder only the version is known."""
        ...

    async def list_games(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:
        """The games that are played here."""
        ...

    async def list_ladders(self, request: pb.ListLaddersRequest) -> pb.ListLaddersResponse:
        """The ladders, without their tables."""
        ...

    async def get_ladder(self, request: pb.GetLadderRequest) -> pb.GetLadderResponse:
        """One ladder and a page of its table."""
        ...

    async def list_bots(self, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
        """The bots known here, by name."""
        ...

    async def get_bot(self, request: pb.GetBotRequest) -> pb.Bot:
        """One bot."""
        ...

    async def list_matches(self, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
        """Matches, latest first: running ones, then finished ones."""
        ...

    async def get_match(self, request: pb.GetMatchRequest) -> pb.MatchInfo:
        """One match."""
        ...

    async def list_events(self, request: pb.ListEventsRequest) -> pb.ListEventsResponse:
        """The events, latest first."""
        ...

    async def get_event(self, request: pb.GetEventRequest) -> pb.GetEventResponse:
        """One event with its tables."""
        ...

    async def list_news(self, request: pb.ListNewsRequest) -> pb.ListNewsResponse:
        """What happened, the latest first. Of a folder nothing is known."""
        ...

    async def get_rating_history(self, request: pb.GetRatingHistoryRequest) -> pb.RatingHistory:
        """How the rating of a bot came about, over all its versions."""
        ...

    async def get_entry(self, request: pb.GetEntryRequest) -> pb.EntryDetails:
        """One entry of a table: its opponents, seats and faults."""
        ...

    async def get_pair(self, request: pb.GetPairRequest) -> pb.Pair:
        """Two entries of a table, compared."""
        ...

    async def record(self, match_id: str) -> bytes:
        """The record's file of a finished match. NotFound also if it is not kept, or may not be shown yet."""
        ...

    def live(self, match_id: str) -> AsyncGenerator[pb.Sight, None] | None:
        """The sights of a running match from its start; ends with the match. None: nothing can be watched here.

        One call is one subscription: live_streams.py shares it among all readers of the match.
        """
        ...
