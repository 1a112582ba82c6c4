"""The calls of the service Arena to submit bots and to follow submissions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from referee.errors import ConfigError
from server.arena.api.comparison_api import ComparisonCalls
from server.arena.caller_input import read_page
from server.arena.error_codes import Context
from server.arena.errors import FailedPrecondition
from server.arena.people.callers import Author
from server.arena.submissions.submission_store import Submission, SubmissionState
from server.arena.submissions.submissions import Submissions
from tortuga.v1 import arena_pb2 as pb

STATES = {state: pb.SubmissionState.Value(f"SUBMISSION_STATE_{state.name}") for state in SubmissionState}


class SubmissionCalls(ComparisonCalls):
    """Submitting bots. Every call needs the token of a bot or a team."""

    submissions: Submissions | None = None
    """Set by the server. None: nothing can be submitted."""

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

        return submission_info(await submissions.receive(author, first.bot, first.size, pieces()))

    async def GetSubmission(self, request: pb.GetSubmissionRequest, context: Context) -> pb.SubmissionDetails:
        """One submission of the caller's, with a piece of its log."""
        submissions, author = self._caller(context)
        found = submissions.find(author, request.id)
        text, end, more = await asyncio.to_thread(submissions.read_log, found, request.log_from)
        return pb.SubmissionDetails(submission=submission_info(found), log=text, log_end=end, more=more)

    async def ListSubmissions(self, request: pb.ListSubmissionsRequest, context: Context) -> pb.ListSubmissionsResponse:
        """The caller's submissions, the latest first."""
        submissions, author = self._caller(context)
        page = read_page(request, "submissions", (int, str, int), author.owner, request.bot)
        mine = [row for row in submissions.of(author) if request.bot in ("", row.bot)]
        rows, token = page.cut(sorted(mine, key=_order), _order)
        return pb.ListSubmissionsResponse(submissions=map(submission_info, rows), next_page_token=token)

    def _caller(self, context: Context) -> tuple[Submissions, Author]:
        if self.submissions is None:
            raise FailedPrecondition("this arena takes no submissions")
        return self.submissions, self.submissions.callers.author(context.invocation_metadata(), context.peer())


def _order(row: Submission) -> tuple[int, str, int]:
    """The latest first."""
    return -row.received_millis, row.bot, -row.number


def submission_info(row: Submission) -> pb.Submission:
    """A submission as a message."""
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
