"""The service Arena: what everybody may see, and how a bot's author enters it for an event.

Running matches come from the arena, bots and events from the registry, finished matches from the archive. Errors are
exceptions here; error_codes.py turns them into status codes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

from referee.errors import ConfigError
from referee.games import GAMES
from referee.wire import envelope
from server.arena.api.submission_api import SubmissionCalls
from server.arena.caller_input import Key, Page, list_names, quote, read_page
from server.arena.error_codes import Context
from server.arena.errors import NotFound, RateLimited
from server.arena.interface import Arena, Progress
from server.arena.messages import bot_info, contest_info, event_info, match_info
from server.arena.people.callers import Author, Callers
from server.arena.people.teams import Teams
from server.arena.reading.archive import Archive
from server.arena.registry import Registry
from server.arena.registry_schema import BEFORE_START, CalendarEvent, EventState
from server.standings.placing_messages import ruling_infos
from server.tournament.folder import Folder
from server.tournament.store import Store
from tortuga.v1 import arena_pb2 as pb

MAX_WATCHERS = 200
MAX_PACE_MILLIS = 10_000


class ArenaService(SubmissionCalls):
    """For everybody. Call `close` when the server has stopped."""

    def __init__(
        self,
        arena: Arena,
        registry: Registry,
        archive: Archive,
        callers: Callers | None = None,
        *,
        max_watchers: int = MAX_WATCHERS,
    ) -> None:
        super().__init__(arena, registry, archive)
        self._callers = callers or Callers(registry, Teams(registry))
        self._max_watchers = max_watchers
        self._watchers = 0

    async def GetArena(self, request: pb.GetArenaRequest, context: Context) -> pb.ArenaInfo:
        """The arena itself."""
        return self._arena.info()

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
            seasons=self._arena.seasons(),
        )

    async def GetLadder(self, request: pb.GetLadderRequest, context: Context) -> pb.GetLadderResponse:
        """One ladder and a page of its table."""
        page = read_page(request, "ladder", (int, float, str), request.name, request.season)
        ladders = {ladder.name: ladder for ladder in self._arena.ladders()}
        seasons = [season for season in self._arena.seasons() if request.name in season.ladders]
        folder = self._season_folder(request.season)
        ladder = ladders.get(request.name)
        if request.season:
            ladder = await self._archived_ladder(request.season, request.name)
        if ladder is None:
            raise NotFound(f"there is no ladder {quote(request.name)}; there is {list_names(ladders)}")
        official, rows = await self._tables.ladder(request.name, folder, request.season or f"after {len(seasons)}")
        rows, token = page.cut(rows, lambda pair: pair[0])
        return pb.GetLadderResponse(
            ladder=ladder,
            seasons=seasons,
            season=request.season,
            quiet="" if request.season else self._arena.why_quiet(ladder),
            rows=[row for _, row in rows],
            next_page_token=token,
            table_matches=official.matches,
            method=official.method,
            warning=official.warning,
            first=official.first,
            scale=official.scale,
            rulings=ruling_infos(await self._archive.rulings(folder)),
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
        filters = request.bot, request.contest, request.event, request.state, request.since_millis, request.challenges
        page = read_page(request, "matches", (int, int, str), *filters, request.season)
        if request.challenges and request.event:
            raise ConfigError("there are no challenges in an event: ask for one or the other")
        if request.season and (request.event or request.challenges):
            raise ConfigError("events and challenges are in no season: ask for one or the other")
        folder = self._archive.challenges if request.challenges else self._folder(request.event)
        if request.season:
            folder = self._season_folder(request.season)
        elif request.contest:
            self._check_contest(request.contest, request.event)
        entries = await self._entries(folder, request.bot) if request.bot else None
        found: list[pb.MatchInfo] = []
        if request.state != pb.MATCH_STATE_FINISHED and not request.season:
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
            and bool(match.challenger) == request.challenges
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
            changes = {} if request.challenges else store.changes_of([match.match_id for match in matches])
            return [match_info(match, changes.get(match.match_id, ()), request.event) for match in matches]

        return await self._archive.ask(folder, question, [])

    async def _entries(self, folder: Folder, bot: str) -> list[str]:
        """The entries of a bot in a folder, or the one entry of that name."""
        found = [one.name for one in await self._roster(folder) if bot in (one.name, one.bot)]
        return found or [self._registry.bot(bot).name]

    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.MatchInfo:
        """One match."""
        for match in self._arena.running():
            if match.match_id == request.match_id:
                return match
        found = await self._archive.find(request.match_id)
        is_rated = found.folder != self._archive.challenges
        info = match_info(found.match, found.changes if is_rated else (), found.event, found.block)
        info.ruling = await self._archive.ruling_on(found)
        return info

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
        over = event.state in (EventState.FINISHED, EventState.CANCELLED)
        tables = []
        if event.state not in BEFORE_START:
            tables = await self._tables.event(event.name, info.matches_done, over=over)
        rulings = ruling_infos(await self._archive.rulings(self._archive.event(event.name)), event.name)
        return pb.GetEventResponse(event=info, tables=tables, rulings=rulings)

    async def _info(self, event: CalendarEvent) -> pb.EventInfo:
        progress = self._arena.progress(event.name) or await stored_progress(self._archive, event)
        key = self._archive.public_key(self._archive.event(event.name))
        return event_info(event, progress, key, self._arena.schedule(event.name))

    async def ListNews(self, request: pb.ListNewsRequest, context: Context) -> pb.ListNewsResponse:
        """What happened, the latest first."""
        page = read_page(request, "news", (int,))
        news, token = page.cut(self._arena.news(), lambda item: (-item.number,))
        return pb.ListNewsResponse(news=news, next_page_token=token)

    def _season_folder(self, season: str) -> Folder:
        """The folder of an archived season, or of the present one."""
        if not season:
            return self._archive.ladder
        names = [one.name for one in self._arena.seasons()]
        if season not in names:
            raise NotFound(f"there is no archived season {quote(season)}; there is {list_names(names)}")
        return self._archive.season(season)

    async def _archived_ladder(self, season: str, name: str) -> pb.LadderInfo | None:
        """A ladder as it was in an archived season."""
        agreement = await self._archive.run(self._archive.season(season).read_agreement)
        found = [contest for contest in agreement.manifest.contests if contest.id == name] if agreement else []
        if not found or agreement is None:
            return None
        matches = await self._archive.ask(self._archive.season(season), lambda store: store.match_count(name), 0)
        info = contest_info(found[0])
        return pb.LadderInfo(
            name=info.name,
            game=info.game,
            seats=info.seats,
            variant=info.variant,
            clock=envelope.clock(agreement.manifest.time_control),
            matches=matches,
        )

    async def WatchMatch(self, request: pb.WatchMatchRequest, context: Context) -> AsyncIterator[pb.Sight]:
        """A match as it is played, for spectators."""
        if request.pace_millis > MAX_PACE_MILLIS:
            raise ConfigError(f"pace_millis is {request.pace_millis}; it can be 0 to {MAX_PACE_MILLIS}")
        full = bool(request.commentator_key)
        if full:
            self._callers.commentator(request.commentator_key, context.peer())
        counts = not is_local(context)  # the pages open one stream per match, however many people watch it
        if counts and self._watchers >= self._max_watchers:
            raise RateLimited(f"{self._max_watchers} spectators are watching already; try again later")
        self._watchers += counts
        try:
            pace = request.pace_millis / 1000
            async with aclosing(self._arena.watch(request.match_id, full=full, pace_seconds=pace)) as sights:
                async for sight in sights:
                    yield sight
        finally:
            self._watchers -= counts

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

    async def Identify(self, request: pb.IdentifyRequest, context: Context) -> pb.Bot:
        """The bot whose token came with the call."""
        bot = self._registry.bot(self._identify(context))
        return bot_info(bot, self._arena.attendance(bot.name))

    async def Challenge(self, request: pb.ChallengeRequest, context: Context) -> pb.MatchInfo:
        """Begin an unrated match of the caller's bot."""
        return await self._arena.challenge(self._identify(context), request.ladder, request.opponents)

    async def GetNotes(self, request: pb.GetNotesRequest, context: Context) -> pb.GetNotesResponse:
        """What the bots noted in a finished match, as far as the caller may see it."""
        has_token = self._callers.has_token(context.invocation_metadata())
        bots = self._callers.bots(self._author(context)) if has_token else []
        found = await self._archive.find(request.match_id)
        return pb.GetNotesResponse(notes=await self._archive.notes(found, bots))

    async def GetAccount(self, request: pb.GetAccountRequest, context: Context) -> pb.Account:
        """Whose token came with the call."""
        author = self._author(context)
        bots = [bot_info(self._registry.bot(name), self._arena.attendance(name)) for name in self._callers.bots(author)]
        if author.bot is not None:
            return pb.Account(bots=bots)
        teams = self._callers.teams
        return pb.Account(team=author.owner, bots=bots, bots_cap=teams.cap(teams.team(author.owner)))

    def _author(self, context: Context) -> Author:
        """The author whose token came with the call."""
        return self._callers.author(context.invocation_metadata(), context.peer())

    def _identify(self, context: Context) -> str:
        """The bot that a call is about, of the author whose token came with it."""
        return self._callers.choose_bot(self._author(context))


def is_local(context: Context) -> bool:
    """Whether the call came through a Unix socket, which only this user's programs can open."""
    return context.peer().startswith("unix:")


def match_key(match: pb.MatchInfo) -> Key:
    """The order of matches: running ones first, then latest first."""
    return int(match.state != pb.MATCH_STATE_RUNNING), -match.started_millis, match.match_id


async def stored_progress(archive: Archive, event: CalendarEvent) -> Progress:
    """How far an event is that is not being played."""
    if event.state in BEFORE_START:
        return Progress(0, 0)
    done, _ = await archive.ask(archive.event(event.name), Store.counts, (0, 0))
    return Progress(done, done if event.state == "finished" else 0)
