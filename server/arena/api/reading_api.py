"""The calls of the service Arena by which everybody may read: the pages of a folder are answered by them, too.

What goes on comes from the arena's state, bots and events from the registry, finished matches from the archive, and
standings, histories and comparisons from the standings maker (reading/standings_maker.py). Errors are exceptions here;
interceptor.py turns them into status codes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import aclosing

from referee.errors import ConfigError
from referee.rules.infos import INFOS
from referee.wire import envelope
from server.arena.arena_state import ArenaState, Progress
from server.arena.caller_input import Key, ListPage, list_names, quote, read_page
from server.arena.errors import NotFound
from server.arena.interceptor import Context
from server.arena.messages import bot_info, contest_info, event_info, game_of, match_info, read_manifest
from server.arena.reading.archive import Archive
from server.arena.reading.standings_maker import StandingsMaker
from server.arena.registry import Registry
from server.arena.registry_schema import BEFORE_START, CalendarEvent, EventState
from server.standings.messages import ruling_infos
from server.tournament import store_queries
from server.tournament.agreement import Entry
from server.tournament.folder import Folder
from server.tournament.store import Store
from tortuga.v1 import arena_pb2 as pb

OVER = (EventState.FINISHED, EventState.CANCELLED)


class ReadingCalls:
    """What everybody may read of an arena, or of a folder."""

    def __init__(self, state: ArenaState, registry: Registry, archive: Archive, maker: StandingsMaker) -> None:
        self._state, self._registry, self._archive, self._maker = state, registry, archive, maker

    async def GetArena(self, request: pb.GetArenaRequest, context: Context) -> pb.ArenaInfo:
        """Return the arena itself."""
        return self._state.info()

    async def ListGames(self, request: pb.ListGamesRequest, context: Context) -> pb.ListGamesResponse:
        """Return the games that can be played here."""
        games, token = read_page(request, "games", (str,)).cut(sorted(INFOS), lambda game: (game,))
        infos = [INFOS[game] for game in games]
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
        """Return the ladders, without their tables.

        Their order is fixed while the server runs, so their number is the key.
        """
        page = read_page(request, "ladders", (int,))
        ladders, token = page.cut(enumerate(self._state.ladders()), lambda pair: (pair[0],))
        return pb.ListLaddersResponse(
            ladders=[ladder for _, ladder in ladders],
            next_page_token=token,
            public_key=self._archive.public_key(self._archive.ladder),
            seasons=self._state.seasons(),
        )

    async def GetLadder(self, request: pb.GetLadderRequest, context: Context) -> pb.GetLadderResponse:
        """Return one ladder and a page of its table."""
        page = read_page(request, "ladder", (int, float, str), request.name, request.season)
        ladders = {ladder.name: ladder for ladder in self._state.ladders()}
        seasons = [season for season in self._state.seasons() if request.name in season.ladders]
        folder = self._season_folder(request.season)
        ladder = ladders.get(request.name)
        if request.season:
            ladder = await self._archived_ladder(request.season, request.name)
        if ladder is None:
            raise NotFound(f"there is no ladder {quote(request.name)}; there is {list_names(ladders)}")
        listing, keys = await self._maker.ladder(request.name, folder)
        rows, token = page.cut(zip(keys, listing.rows, strict=True), lambda pair: pair[0])
        return pb.GetLadderResponse(
            ladder=ladder,
            seasons=seasons,
            season=request.season,
            quiet="" if request.season else self._state.why_quiet(ladder),
            rows=[row for _, row in rows],
            next_page_token=token,
            table_matches=listing.table_matches,
            method=listing.method,
            warning=listing.warning,
            unplayed_matches=listing.unplayed_matches,
            first=listing.first,
            scale=listing.scale,
            rulings=ruling_infos(await self._archive.rulings(folder)),
        )

    async def GetOverall(self, request: pb.GetOverallRequest, context: Context) -> pb.GetOverallResponse:
        """Return one table over all contests of an event, or over all ladders."""
        page = read_page(request, "overall", (float, str), request.event)
        event = self._registry.event(request.event) if request.event else None
        over = event is not None and event.state in OVER
        answer, keys = await self._maker.overall(self._folder(request.event), over=over)
        rows, answer.next_page_token = page.cut(zip(keys, answer.table.rows, strict=True), lambda pair: pair[0])
        shown = [row for _, row in rows]
        if answer.HasField("table"):
            del answer.table.rows[:]
            answer.table.rows.extend(shown)
        return answer

    async def ListBots(self, request: pb.ListBotsRequest, context: Context) -> pb.ListBotsResponse:
        """Return the bots known here, by name."""
        page = read_page(request, "bots", (str,), request.connected)
        infos = (bot_info(bot, self._state.attendance(bot.name)) for bot in self._registry.bots())
        wanted = (bot for bot in infos if not request.connected or bot.presence == pb.PRESENCE_CONNECTED)
        bots, token = page.cut(wanted, lambda bot: (bot.name.lower(),))
        return pb.ListBotsResponse(bots=bots, next_page_token=token)

    async def GetBot(self, request: pb.GetBotRequest, context: Context) -> pb.Bot:
        """Return one bot."""
        bot = self._registry.bot(request.name)
        return bot_info(bot, self._state.attendance(bot.name))

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Context) -> pb.ListMatchesResponse:
        """Return the running matches, then the finished ones, each latest first."""
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
        matches: list[pb.MatchInfo] = []
        if request.state != pb.MATCH_STATE_FINISHED and not request.season:
            matches = self._running(request, entries, page)
        if request.state != pb.MATCH_STATE_RUNNING and len(matches) <= page.size:
            # A match that ends in between is in both lists; it is shown once.
            shown = {match.match_id for match in matches}
            matches += [
                match for match in await self._finished(request, folder, entries, page) if match.match_id not in shown
            ]
        token = page.token(match_key(matches[page.size - 1])) if len(matches) > page.size else ""
        return pb.ListMatchesResponse(matches=matches[: page.size], next_page_token=token)

    def _running(
        self, request: pb.ListMatchesRequest, entries: Sequence[str] | None, page: ListPage
    ) -> list[pb.MatchInfo]:
        matches = [
            match
            for match in self._state.running()
            if match.event == request.event
            and bool(match.challenger) == request.challenges
            and request.contest in ("", match.contest)
            and match.started_millis >= request.since_millis
            and (entries is None or any(seat.entry in entries for seat in match.seats))
            and (page.after is None or match_key(match) > page.after)
        ]
        return sorted(matches, key=match_key)

    async def _finished(
        self, request: pb.ListMatchesRequest, folder: Folder, entries: Sequence[str] | None, page: ListPage
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
            changes = (
                {} if request.challenges else store_queries.changes_of(store, [match.match_id for match in matches])
            )
            return [match_info(match, changes.get(match.match_id, ()), request.event) for match in matches]

        return await self._archive.ask(folder, question, [])

    async def _entries(self, folder: Folder, bot: str) -> list[str]:
        """Return the entries of a bot in a folder, or the one entry of that name."""
        names = [entry.name for entry in await self._roster(folder) if bot in (entry.name, entry.bot)]
        return names or [self._registry.bot(bot).name]

    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.MatchInfo:
        """Return one match."""
        for match in self._state.running():
            if match.match_id == request.match_id:
                return match
        stored = await self._archive.find(request.match_id)
        is_rated = stored.folder != self._archive.challenges
        info = match_info(stored.match, stored.changes if is_rated else (), stored.event, stored.block)
        info.ruling = await self._archive.ruling_on(stored)
        return info

    async def DownloadRecord(
        self, request: pb.DownloadRecordRequest, context: Context
    ) -> AsyncIterator[pb.RecordChunk]:
        """Send the record of a finished match, in chunks."""
        match = await self._archive.find(request.match_id)
        async with aclosing(self._archive.record(match)) as chunks:
            async for chunk in chunks:
                yield pb.RecordChunk(data=chunk)

    async def ListEvents(self, request: pb.ListEventsRequest, context: Context) -> pb.ListEventsResponse:
        """Return the events of the calendar, the latest first."""
        page = read_page(request, "events", (int,))
        events, token = page.cut(self._registry.events(), lambda event: (-event.number,))
        return pb.ListEventsResponse(events=[await self.event_info(event) for event in events], next_page_token=token)

    async def GetEvent(self, request: pb.GetEventRequest, context: Context) -> pb.GetEventResponse:
        """Return one event with its tables."""
        event = self._registry.event(request.name)
        info = await self.event_info(event)
        over = event.state in OVER
        tables = []
        if event.state not in BEFORE_START:
            tables = await self._maker.event(self._archive.event(event.name), over=over)
        rulings = ruling_infos(await self._archive.rulings(self._archive.event(event.name)), event.name)
        return pb.GetEventResponse(event=info, tables=tables, rulings=rulings)

    async def event_info(self, event: CalendarEvent) -> pb.EventInfo:
        """Return an event as a message."""
        progress = self._state.progress(event.name) or await stored_progress(self._archive, event)
        key = self._archive.public_key(self._archive.event(event.name))
        return event_info(event, progress, key, self._state.schedule(event.name))

    async def ListNews(self, request: pb.ListNewsRequest, context: Context) -> pb.ListNewsResponse:
        """Return what happened, the latest first."""
        page = read_page(request, "news", (int,))
        news, token = page.cut(self._state.news(), lambda item: (-item.number,))
        return pb.ListNewsResponse(news=news, next_page_token=token)

    def _season_folder(self, season: str) -> Folder:
        """Return the folder of an archived season, or of the present one."""
        if not season:
            return self._archive.ladder
        names = [archived.name for archived in self._state.seasons()]
        if season not in names:
            raise NotFound(f"there is no archived season {quote(season)}; there is {list_names(names)}")
        return self._archive.season(season)

    async def _archived_ladder(self, season: str, name: str) -> pb.LadderInfo | None:
        """Return a ladder as it was in an archived season."""
        agreement = await self._archive.run(self._archive.season(season).read_agreement)
        contests = [contest for contest in agreement.manifest.contests if contest.id == name] if agreement else []
        if not contests or agreement is None:
            return None
        matches = await self._archive.ask(self._archive.season(season), lambda store: store.match_count(name), 0)
        info = contest_info(contests[0])
        return pb.LadderInfo(
            name=info.name,
            game=info.game,
            seats=info.seats,
            variant=info.variant,
            clock=envelope.clock(agreement.manifest.time_control),
            matches=matches,
        )

    async def GetRatingHistory(self, request: pb.GetRatingHistoryRequest, context: Context) -> pb.RatingHistory:
        """Return the rating history of a bot, over all its versions."""
        folder = self._contest_folder(request.contest, request.event)
        here = _playing(await self._roster(folder), request.contest)
        entries = {entry.name for entry in here if request.bot == entry.bot} or {request.bot}
        if not entries <= {entry.name for entry in here}:
            raise _no_entry(request.contest, request.bot, here)
        history = await self._maker.history(folder, request.contest)
        points = [pb.RatingPoint.FromString(point) for entry in entries for point in history.points.get(entry, ())]
        points.sort(key=lambda point: (point.table_matches, point.entry))
        return pb.RatingHistory(points=points, table_matches=history.matches, scale=history.scale)

    async def GetEntry(self, request: pb.GetEntryRequest, context: Context) -> pb.EntryDetails:
        """Return one entry of a table."""
        folder = self._contest_folder(request.contest, request.event)
        entry = _find_entry(await self._roster(folder), request.contest, request.entry, latest=request.latest)
        return await self._maker.entry(folder, request.contest, entry)

    async def GetPair(self, request: pb.GetPairRequest, context: Context) -> pb.Pair:
        """Return two entries of a table, compared."""
        folder = self._contest_folder(request.contest, request.event)
        roster = await self._roster(folder)
        first, second = (
            _find_entry(roster, request.contest, name, latest=request.latest)
            for name in (request.first, request.second)
        )
        if first == second:
            raise ConfigError(f"{first} cannot be compared with itself: name two bots")
        return await self._maker.pair(folder, request.contest, first, second)

    def _contest_folder(self, contest: str, event: str) -> Folder:
        self._check_contest(contest, event)
        return self._folder(event)

    def _folder(self, event: str) -> Folder:
        """Return the folder of an event, or of the ladders."""
        return self._archive.event(self._registry.event(event).name) if event else self._archive.ladder

    def _check_contest(self, contest: str, event: str) -> None:
        known: Iterable[str] = [ladder.name for ladder in self._state.ladders()]
        if event:
            manifest = read_manifest(self._registry.event(event).manifest)
            known = [known_contest.id for known_contest in manifest.contests] if manifest else []
        if contest not in known:
            raise NotFound(f"there is no contest {quote(contest)}; there is {list_names(known)}")

    async def _roster(self, folder: Folder) -> tuple[Entry, ...]:
        agreement = await self._archive.run(folder.read_agreement)
        return agreement.roster if agreement else ()


def match_key(match: pb.MatchInfo) -> Key:
    """Order matches: running ones first, then latest first."""
    return int(match.state != pb.MATCH_STATE_RUNNING), -match.started_millis, match.match_id


async def stored_progress(archive: Archive, event: CalendarEvent) -> Progress:
    """Return how far an event is that is not being played."""
    if event.state in BEFORE_START:
        return Progress(0, 0)
    done, _ = await archive.ask(archive.event(event.name), Store.counts, (0, 0))
    return Progress(done, done if event.state == "finished" else 0)


def _playing(roster: Iterable[Entry], contest: str) -> list[Entry]:
    """Return the entries that play the game of a contest: those that its table has."""
    return [entry for entry in roster if not entry.games or game_of(contest) in entry.games]


def _find_entry(roster: Iterable[Entry], contest: str, name: str, *, latest: bool) -> str:
    """Return the entry of that name, or the latest of that bot."""
    here = _playing(roster, contest)
    names = [entry.name for entry in here if name == (entry.bot if latest else entry.name)]
    if not names:
        raise _no_entry(contest, name, here)
    return names[-1]


def _no_entry(contest: str, name: str, here: Iterable[Entry]) -> NotFound:
    names = list_names(sorted({entry.bot for entry in here}))
    return NotFound(f"{contest} has no bot {quote(name)}; it has {names}")
