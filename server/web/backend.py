"""The one way in which pages ask an arena, or a folder of records.

A page asks with a request of the service Arena (arena.proto) and gets its response: the `.json` of a page holds those
messages. ArenaBackend (arena_backend.py) sends the request to the arena's door; FolderBackend (folder_backend.py)
answers it from an event's folder or a pile of records, with the code of the arena's own service. Every method may raise
the errors below; their message is for people.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol, overload

from google.protobuf.message import Message

from referee.errors import TortugaError
from tortuga.v1 import arena_pb2 as pb

_METHODS = {method.input_type.name: method.name for method in pb.DESCRIPTOR.services_by_name["Arena"].methods}


class BackendError(TortugaError):
    """Why a page cannot be shown, for people. Its address was understood, though."""


class PageNotFound(BackendError):
    """There is nothing of this name: page 404."""


class BadRequest(BackendError):
    """A filter or a page token makes no sense: page 400."""


class Forbidden(BackendError):
    """A token is wrong, or missing: page 403."""


class Unavailable(BackendError):
    """The arena does not answer, or is too busy: page 503, which comes back by itself."""


def method_of(request: Message) -> str:
    """Return the method of the service Arena that takes this request."""
    return _METHODS[request.DESCRIPTOR.name]


class Backend(Protocol):
    """An arena or a folder, asked by many pages at once."""

    @property
    def title(self) -> str:
        """The name of the arena or the event."""
        ...

    @property
    def is_arena(self) -> bool:
        """Whether bots can be entered here and matches can be watched. False: a folder."""
        ...

    async def start(self) -> None:
        """Get ready: called once, on the loop of the pages, before the first page."""
        ...

    async def close(self) -> None:
        """End the iterators of `live`, and release what is held: called once, after the last page."""
        ...

    # What everybody may ask.
    @overload
    async def ask(self, request: pb.GetArenaRequest) -> pb.ArenaInfo: ...
    @overload
    async def ask(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse: ...
    @overload
    async def ask(self, request: pb.ListLaddersRequest) -> pb.ListLaddersResponse: ...
    @overload
    async def ask(self, request: pb.GetLadderRequest) -> pb.GetLadderResponse: ...
    @overload
    async def ask(self, request: pb.GetOverallRequest) -> pb.GetOverallResponse: ...
    @overload
    async def ask(self, request: pb.ListBotsRequest) -> pb.ListBotsResponse: ...
    @overload
    async def ask(self, request: pb.GetBotRequest) -> pb.Bot: ...
    @overload
    async def ask(self, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse: ...
    @overload
    async def ask(self, request: pb.GetMatchRequest) -> pb.MatchInfo: ...
    @overload
    async def ask(self, request: pb.ListEventsRequest) -> pb.ListEventsResponse: ...
    @overload
    async def ask(self, request: pb.GetEventRequest) -> pb.GetEventResponse: ...
    @overload
    async def ask(self, request: pb.ListNewsRequest) -> pb.ListNewsResponse: ...
    @overload
    async def ask(self, request: pb.GetRatingHistoryRequest) -> pb.RatingHistory: ...
    @overload
    async def ask(self, request: pb.GetEntryRequest) -> pb.EntryDetails: ...
    @overload
    async def ask(self, request: pb.GetPairRequest) -> pb.Pair: ...

    # What an author may ask an arena, with the token of a bot or a team.
    @overload
    async def ask(self, request: pb.GetAccountRequest, token: str) -> pb.Account: ...
    @overload
    async def ask(self, request: pb.EnterEventRequest | pb.LeaveEventRequest, token: str) -> pb.EventInfo: ...
    @overload
    async def ask(self, request: pb.ChallengeRequest, token: str) -> pb.MatchInfo: ...

    async def record(self, match_id: str) -> bytes:
        """Return the record file of a finished match. PageNotFound also if it is not kept, or may not be shown yet."""
        ...

    def live(self, match_id: str) -> AsyncGenerator[pb.Sight, None] | None:
        """Return the sights of a running match from its start to its end. None: nothing can be watched here.

        One call is one subscription: live_streams.py shares it among all readers of the match.
        """
        ...
