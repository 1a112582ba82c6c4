"""The service Arena: what everybody may see, and how a bot's author enters it for an event.

Running matches come from the arena, bots and events from the registry, finished matches from the archive. Errors are
exceptions here; error_codes.py turns them into status codes.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import aclosing

from referee.door.token_throttle import TokenThrottle
from referee.door.tokens import hash_token
from referee.games import GAMES
from server.arena.archive import Archive
from server.arena.error_codes import Context
from server.arena.errors import NotFound, RateLimited, Unauthenticated
from server.arena.interface import Arena, Progress
from server.arena.messages import bot_info, describe, event_info, match_info
from server.arena.paging import Key, Page, read_page
from server.arena.rating_tables import RatingTables
from server.arena.registry import Registry
from server.arena.registry_values import BEFORE_START, CalendarEvent
from server.arena.texts import list_names, quote
from server.tournament.folder import Folder
from server.tournament.store import Store
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import arena_pb2_grpc

MAX_WATCHERS = 200


class ArenaService(arena_pb2_grpc.ArenaServicer):
    """For everybody. Call `close` when the server has stopped."""

    def __init__(self, arena: Arena, registry: Registry, archive: Archive, *, max_watchers: int = MAX_WATCHERS) -> None:
        self._arena, self._registry, self._archive = arena, registry, archive
        self._tables = RatingTables(archive)
        self._token_throttle = TokenThrottle()
        self._max_watchers = max_watchers
        self._watchers = 0

    def close(self) -> None:
        """Stop the table maker."""
        self._tables.close()

    async def ListGames(self, request: pb.ListGamesRequest, context: Context) -> pb.ListGamesResponse:
        """The games that can be played here."""
        games, token = read_page(request, "games", (str,)).cut(sorted(GAMES), lambda game: (game,))
        infos = [GAMES[game].info for game in games]
        return pb.ListGamesResponse(
            games=[
                pb.GameInfo(
                    id=info.id,
                    title=info.title,
                    min_seats=info.min_seats,
                    max_seats=info.max_seats,
                    rules_version=info.rules_version,
                )
                for info in infos
            ],
            next_page_token=token,
        )

    async def ListLadders(self, request: pb.ListLaddersRequest, context: Context) -> pb.ListLaddersResponse:
        """The ladders, without their tables. Their order is fixed while the server runs, so their number is the key."""
        page = read_page(request, "ladders", (int,))
        ladders, token = page.cut(enumerate(self._arena.ladders()), lambda pair: (pair[0],))
        return pb.ListLaddersResponse(
            ladders=[ladder for _, ladder in ladders],
            next_page_token=token,
            public_key=self._archive.public_key(self._archive.ladder),
        )

    async def GetLadder(self, request: pb.GetLadderRequest, context: Context) -> pb.GetLadderResponse:
        """One ladder and a page of its table."""
        page = read_page(request, "ladder", (int, float, str), request.name)
        ladders = {ladder.name: ladder for ladder in self._arena.ladders()}
        if request.name not in ladders:
            raise NotFound(f"there is no ladder {quote(request.name)}; there is {list_names(ladders)}")
        official, rows = await self._tables.ladder(request.name)
        rows, token = page.cut(rows, lambda pair: pair[0])
        return pb.GetLadderResponse(
            ladder=ladders[request.name],
            rows=[row for _, row in rows],
            next_page_token=token,
            table_matches=official.matches,
            method=official.method,
            warning=official.warning,
            first=official.first,
            scale=official.scale,
        )

    async def ListBots(self, request: pb.ListBotsRequest, context: Context) -> pb.ListBotsResponse:
        """The bots known here, by name."""
        page = read_page(request, "bots", (str,), request.connected)
        infos = (bot_info(bot, self._arena.attendance(bot.name)) for bot in self._registry.bots())
        wanted = (bot for bot in infos if not request.connected or bot.presence == pb.PRESENCE_CONNECTED)
        bots, token = page.cut(wanted, lambda bot: (bot.name.lower(),))
        return pb.ListBotsResponse(bots=bots, next_page_token=token)

    async def GetBot(self, request: pb.GetBotRequest, context: Context) -> pb.Bot:
        """One bot."""
        bot = self._registry.bot(request.name)
        return bot_info(bot, self._arena.attendance(bot.name))

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Context) -> pb.ListMatchesResponse:
        """The running matches, then the finished ones, each latest first."""
        filters = request.bot, request.contest, request.event, request.state, request.since_millis
        page = read_page(request, "matches", (int, int, str), *filters)
        folder = (
            self._archive.event(self._registry.event(request.event).name) if request.event else self._archive.ladder
        )
        self._check_contest(request)
        entries = await self._entries(folder, request.bot) if request.bot else None
        found: list[pb.MatchInfo] = []
        if request.state != pb.MATCH_STATE_FINISHED:
            found = self._running(request, entries, page)
        if request.state != pb.MATCH_STATE_RUNNING and len(found) <= page.size:
            # A match that ends in between is in both lists; it is shown once.
            shown = {match.match_id for match in found}
            found += [
                match for match in await self._finished(request, folder, entries, page) if match.match_id not in shown
            ]
        token = page.token(match_key(found[page.size - 1])) if len(found) > page.size else ""
        return pb.ListMatchesResponse(matches=found[: page.size], next_page_token=token)

    def _running(self, request: pb.ListMatchesRequest, entries: Sequence[str] | None, page: Page) -> list[pb.MatchInfo]:
        found = [
            match
            for match in self._arena.running()
            if match.event == request.event
            and request.contest in ("", match.contest)
            and match.started_millis >= request.since_millis
            and (entries is None or any(seat.entry in entries for seat in match.seats))
            and (page.after is None or match_key(match) > page.after)
        ]
        return sorted(found, key=match_key)

    async def _finished(
        self, request: pb.ListMatchesRequest, folder: Folder, entries: Sequence[str] | None, page: Page
    ) -> list[pb.MatchInfo]:
        before: tuple[int, str] | None = None
        if page.after is not None and page.after[0] == 1:
            before = -int(page.after[1]), str(page.after[2])

        def question(store: Store) -> list[pb.MatchInfo]:
            matches = store.latest(
                page.size + 1,
                before=before,
                contest=request.contest,
                bots=entries,
                since_millis=request.since_millis,
            )
            return [match_info(match, store.changes(match.match_id), request.event) for match in matches]

        return await self._archive.ask(folder, question, [])

    def _check_contest(self, request: pb.ListMatchesRequest) -> None:
        known: Iterable[str] = [ladder.name for ladder in self._arena.ladders()]
        if request.event:
            known = describe(self._registry.event(request.event).manifest)[1]
        if request.contest and request.contest not in known:
            raise NotFound(f"there is no contest {quote(request.contest)}; there is {list_names(known)}")

    async def _entries(self, folder: Folder, bot: str) -> list[str]:
        """The entries of a bot in a folder, or the one entry of that name."""
        agreement = await self._archive.run(folder.read_agreement)
        roster = agreement.roster if agreement else ()
        found = [one.name for one in roster if bot in (one.name, one.bot)]
        return found or [self._registry.bot(bot).name]

    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.MatchInfo:
        """One match."""
        for match in self._arena.running():
            if match.match_id == request.match_id:
                return match
        found = await self._archive.find(request.match_id)
        return match_info(found.match, found.changes, found.event)

    async def DownloadRecord(
        self, request: pb.DownloadRecordRequest, context: Context
    ) -> AsyncIterator[pb.RecordChunk]:
        """The record of a finished match, in chunks."""
        found = await self._archive.find(request.match_id)
        async with aclosing(self._archive.record(found)) as chunks:
            async for chunk in chunks:
                yield pb.RecordChunk(data=chunk)

    async def ListEvents(self, request: pb.ListEventsRequest, context: Context) -> pb.ListEventsResponse:
        """The events of the calendar, the latest first."""
        page = read_page(request, "events", (int,))
        events, token = page.cut(self._registry.events(), lambda event: (-event.number,))
        return pb.ListEventsResponse(events=[await self._info(event) for event in events], next_page_token=token)

    async def GetEvent(self, request: pb.GetEventRequest, context: Context) -> pb.GetEventResponse:
        """One event with its tables."""
        event = self._registry.event(request.name)
        info = await self._info(event)
        tables = [] if event.state in BEFORE_START else await self._tables.event(event.name, info.matches_done)
        return pb.GetEventResponse(event=info, tables=tables)

    async def _info(self, event: CalendarEvent) -> pb.EventInfo:
        progress = self._arena.progress(event.name) or await stored_progress(self._archive, event)
        return event_info(event, progress, self._archive.public_key(self._archive.event(event.name)))

    async def WatchMatch(self, request: pb.WatchMatchRequest, context: Context) -> AsyncIterator[pb.Sight]:
        """A match as it is played, for spectators."""
        if self._watchers >= self._max_watchers:
            raise RateLimited(f"{self._max_watchers} spectators are watching already; try again later")
        self._watchers += 1
        try:
            async with aclosing(self._arena.watch(request.match_id, request.commentator_key)) as sights:
                async for sight in sights:
                    yield sight
        finally:
            self._watchers -= 1

    async def EnterEvent(self, request: pb.EnterEventRequest, context: Context) -> pb.EventInfo:
        """Enter the caller's bot for an event."""
        bot = self._identify(context)
        event = self._registry.event(request.name)
        await self._arena.enter(event.name, bot, late=False)
        return await self._info(self._registry.event(event.name))

    async def LeaveEvent(self, request: pb.LeaveEventRequest, context: Context) -> pb.EventInfo:
        """Withdraw the caller's bot from an event."""
        bot = self._identify(context)
        event = self._registry.event(request.name)
        await self._arena.leave(event.name, bot)
        return await self._info(self._registry.event(event.name))

    async def GetNotes(self, request: pb.GetNotesRequest, context: Context) -> pb.GetNotesResponse:
        """What the bots noted in a finished match, as far as the caller may see it."""
        bot = self._identify(context) if "authorization" in dict(context.invocation_metadata() or ()) else ""
        found = await self._archive.find(request.match_id)
        return pb.GetNotesResponse(notes=await self._archive.notes(found, bot))

    def _identify(self, context: Context) -> str:
        """The bot whose token came with the call. Addresses that guess tokens have to wait, as at the bots' door; a
        right token never has to: neighbours may share an address."""
        metadata = dict(context.invocation_metadata() or ())
        kind, _, token = str(metadata.get("authorization", "")).partition(" ")
        bot = self._registry.find(hash_token(token)) if kind == "Bearer" else None
        if bot is None:
            if seconds := self._token_throttle.count_failure(context.peer()):
                raise RateLimited(f"too many wrong tokens came from your address: wait {math.ceil(seconds)} s")
            raise Unauthenticated('the metadata needs "authorization: Bearer TOKEN" with the token of your bot')
        return bot


def match_key(match: pb.MatchInfo) -> Key:
    """The order of matches: running ones first, then latest first."""
    return int(match.state != pb.MATCH_STATE_RUNNING), -match.started_millis, match.match_id


async def stored_progress(archive: Archive, event: CalendarEvent) -> Progress:
    """How far an event is that is not being played."""
    if event.state in BEFORE_START:
        return Progress(0, 0)
    done, _ = await archive.ask(archive.event(event.name), Store.counts, (0, 0))
    return Progress(done, done if event.state == "finished" else 0)
