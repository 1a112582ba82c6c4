"""The calls of the service Arena that only a running arena answers: live matches, and what an author's token allows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

from referee.errors import ConfigError
from server.arena.api.reading_api import ReadingCalls
from server.arena.caller_input import read_page
from server.arena.errors import FailedPrecondition, RateLimited
from server.arena.interceptor import Context
from server.arena.messages import bot_info
from server.arena.operations.running_arena import RunningArena
from server.arena.people.callers import Author, Callers
from server.arena.reading.archive import Archive
from server.arena.registry import Registry
from server.arena.submissions.submission_store import Submission, SubmissionState
from server.arena.submissions.submissions import Submissions
from tortuga.v1 import arena_pb2 as pb

MAX_WATCHERS = 200
MAX_PACE_MILLIS = 10_000
STATES = {state: pb.SubmissionState.Value(f"SUBMISSION_STATE_{state.name}") for state in SubmissionState}


class WatchCalls:
    """Live matches."""

    def __init__(self, arena: RunningArena, callers: Callers, max_watchers: int = MAX_WATCHERS) -> None:
        self._arena, self._callers, self._max_watchers = arena, callers, max_watchers
        self._watchers = 0

    async def WatchMatch(self, request: pb.WatchMatchRequest, context: Context) -> AsyncIterator[pb.Sight]:
        """Send a match as it is played, for spectators."""
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


class AuthorCalls:
    """An author's bots, events and challenges."""

    def __init__(
        self, arena: RunningArena, registry: Registry, archive: Archive, callers: Callers, reading: ReadingCalls
    ) -> None:
        self._arena, self._registry, self._archive = arena, registry, archive
        self._callers, self._reading = callers, reading

    async def EnterEvent(self, request: pb.EnterEventRequest, context: Context) -> pb.EventInfo:
        """Enter the caller's bot for an event."""
        bot = self._identify(context)
        event = self._registry.event(request.name)
        await self._arena.enter(event.name, bot, late=False)
        return await self._reading.event_info(self._registry.event(event.name))

    async def LeaveEvent(self, request: pb.LeaveEventRequest, context: Context) -> pb.EventInfo:
        """Withdraw the caller's bot from an event."""
        bot = self._identify(context)
        event = self._registry.event(request.name)
        await self._arena.leave(event.name, bot)
        return await self._reading.event_info(self._registry.event(event.name))

    async def Identify(self, request: pb.IdentifyRequest, context: Context) -> pb.Bot:
        """Return the bot whose token came with the call."""
        bot = self._registry.bot(self._identify(context))
        return bot_info(bot, self._arena.attendance(bot.name))

    async def Challenge(self, request: pb.ChallengeRequest, context: Context) -> pb.MatchInfo:
        """Begin an unrated match of the caller's bot."""
        return await self._arena.challenge(self._identify(context), request.ladder, request.opponents)

    async def GetNotes(self, request: pb.GetNotesRequest, context: Context) -> pb.GetNotesResponse:
        """Return what the bots noted in a finished match, as far as the caller may see it."""
        has_token = self._callers.has_token(context.invocation_metadata())
        bots = self._callers.bots(self._author(context)) if has_token else []
        match = await self._archive.find(request.match_id)
        return pb.GetNotesResponse(notes=await self._archive.notes(match, bots))

    async def GetAccount(self, request: pb.GetAccountRequest, context: Context) -> pb.Account:
        """Return whose token came with the call."""
        author = self._author(context)
        bots = [bot_info(self._registry.bot(name), self._arena.attendance(name)) for name in self._callers.bots(author)]
        if author.bot is not None:
            return pb.Account(bots=bots)
        teams = self._callers.teams
        return pb.Account(team=author.owner, bots=bots, bots_cap=teams.cap(teams.team(author.owner)))

    def _author(self, context: Context) -> Author:
        """Return the author whose token came with the call."""
        return self._callers.author(context.invocation_metadata(), context.peer())

    def _identify(self, context: Context) -> str:
        """Return the bot that a call is about, of the author whose token came with it."""
        return self._callers.choose_bot(self._author(context))


class SubmissionCalls:
    """Submitting bots. Every call needs the token of a bot or a team."""

    def __init__(self, arena: RunningArena) -> None:
        self._arena = arena

    async def Submit(self, request_iterator: AsyncIterator[pb.SubmitRequest], context: Context) -> pb.Submission:
        """Receive a bot to be built, checked and hosted."""
        submissions, author = self._caller(context)
        first = await anext(aiter(request_iterator), None)
        if first is None:  # the line broke at once: gRPC does not tell that from an end
            raise ConfigError("nothing was sent: send the archive again")

        async def pieces() -> AsyncIterator[bytes]:
            yield first.data
            async for request in request_iterator:
                yield request.data
            self._caller(context)  # the token may have been revoked meanwhile: that may be a quarter of an hour

        return submission_info(await submissions.receive(author, first.bot, first.size, pieces()))

    async def GetSubmission(self, request: pb.GetSubmissionRequest, context: Context) -> pb.SubmissionDetails:
        """Return one submission of the caller's, with a piece of its log."""
        submissions, author = self._caller(context)
        row = submissions.find(author, request.id)
        text, end, more = await asyncio.to_thread(submissions.read_log, row, request.log_from)
        return pb.SubmissionDetails(submission=submission_info(row), log=text, log_end=end, more=more)

    async def ListSubmissions(self, request: pb.ListSubmissionsRequest, context: Context) -> pb.ListSubmissionsResponse:
        """Return the caller's submissions, the latest first."""
        submissions, author = self._caller(context)
        page = read_page(request, "submissions", (int, str, int), author.owner, request.bot)
        mine = [row for row in submissions.of(author) if request.bot in ("", row.bot)]
        rows, token = page.cut(sorted(mine, key=_latest_first), _latest_first)
        return pb.ListSubmissionsResponse(submissions=map(submission_info, rows), next_page_token=token)

    def _caller(self, context: Context) -> tuple[Submissions, Author]:
        submissions = self._arena.submissions
        if submissions is None:
            raise FailedPrecondition("this arena takes no submissions")
        return submissions, submissions.callers.author(context.invocation_metadata(), context.peer())


def is_local(context: Context) -> bool:
    """Check whether the call came through a Unix socket, which only this user's programs can open."""
    return context.peer().startswith("unix:")


def _latest_first(row: Submission) -> tuple[int, str, int]:
    return -row.received_millis, row.bot, -row.number


def submission_info(row: Submission) -> pb.Submission:
    """Return a submission as a message."""
    return pb.Submission(
        id=row.id,
        bot=row.bot,
        state=STATES[row.state],
        step=row.step,
        reason=row.reason,
        version=row.version,
        bundle_hash=bytes.fromhex(row.bundle),
        received_millis=row.received_millis,
        changed_millis=row.changed_millis,
    )
