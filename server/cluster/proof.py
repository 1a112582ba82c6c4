"""Proves what a machine says of a block: it counts if it is of the job given out and holds when it is replayed.

A machine sends records, and nothing else of theirs is believed: names and paths come from the job, rows from the
record, and the record's end from playing it again by the rules. That takes 3 to 45 ms of processor time per match, so
it is done in processes of their own; in a very long event a random share of the matches is enough to catch a liar.
Which options bots chose, how long they took and which faults they had remains the machine's word (docs/cluster.md).
"""

from __future__ import annotations

import asyncio
import multiprocessing
import random
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor

from referee.errors import RecordError, TortugaError
from referee.match.match import Terms
from referee.match.notes import EVERYBODY, OWNER
from referee.records.record import unpack
from referee.records.shape import MAX_ALL_NOTES_BYTES, MAX_NAME
from referee.records.verify import verify
from referee.wire import envelope
from server import __version__
from server.bots.spec import BotSpec
from server.cluster.messages import SentBlock, SentMatch
from server.hosting.cores import core_count
from server.play.block_jobs import BlockJob
from server.play.recorded_match import RecordedMatch, record_match
from server.system.processes import end_with_parent
from tortuga.v1 import record_pb2 as pb
from tortuga.v1 import referee_pb2

MAX_LOG_BYTES = 1 << 20
"""Largest log of a bot that a machine may send; they are cut off far below."""


def replay_processes() -> Executor:
    """Return processes that replay, one per core."""
    context = multiprocessing.get_context("spawn")  # neither gRPC nor Dask survives a fork
    return ProcessPoolExecutor(core_count(), mp_context=context, initializer=end_with_parent)


class Prover:
    """Proves blocks in other processes."""

    def __init__(self, share: float, make_executor: Callable[[], Executor] = replay_processes) -> None:
        """Replay this share of the matches: which ones, no machine can know."""
        self._share = share
        self._make_executor = make_executor
        self._executor: Executor | None = None
        self._luck = random.SystemRandom()

    async def prove(self, job: BlockJob, block: SentBlock) -> tuple[RecordedMatch, ...] | str:
        """Return the matches of a block, or how the machine lied."""
        replayed = [self._luck.random() < self._share for _ in block.matches]
        loop = asyncio.get_running_loop()
        for _ in range(2):
            executor = self._executor = self._executor or self._make_executor()
            try:
                return await loop.run_in_executor(executor, prove_block, job, block.matches, replayed)
            except BrokenExecutor:  # a process was killed, perhaps by the record
                if self._executor is executor:
                    self._executor = None
        return "the process that replays its records died twice"

    def close(self) -> None:
        """End the processes."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None


def prove_block(
    job: BlockJob, matches: Sequence[SentMatch], replayed: Sequence[bool]
) -> tuple[RecordedMatch, ...] | str:
    """Return the matches of a block, or why one of them cannot have been played so. Runs in another process."""
    try:
        if len(matches) != len(job.rotations):
            raise RecordError(f"{len(matches)} matches came back of {len(job.rotations)}")
        return tuple(
            prove_match(job, rotation, match, replay=replay)
            for rotation, match, replay in zip(job.rotations, matches, replayed, strict=True)
        )
    except TortugaError as error:
        return str(error)


def prove_match(job: BlockJob, rotation: int, match: SentMatch, *, replay: bool) -> RecordedMatch:
    """Return a match as it is stored. Raises RecordError if it is not what the job asked for, or does not hold."""
    terms = job.terms(rotation)
    try:
        record, sealed = unpack(match.record)
        check_record(record, job, rotation, terms)
        if not sealed:
            raise RecordError("its seal is broken")
        if replay and not verify(record, sealed=sealed).messages_compared:
            raise RecordError("its bots were sent messages of another version")
        _check_beside(match, record, job)
    except RecordError as error:
        raise RecordError(f"{terms.match_id}: {error}") from None
    return record_match(record, match.logs, match.notes)  # packed anew: its bytes are ours


def check_record(record: pb.Record, job: BlockJob, rotation: int, terms: Terms) -> None:
    """Raise RecordError if a record is not of the match that was given out."""
    story, place = record.story, job.place(rotation)
    expected: dict[str, tuple[object, object]] = {
        "match": (record.match_id, terms.match_id),
        "place": (record.place if record.HasField("place") else None, place),
        "game": (story.game, terms.game.info.id),
        "version of the rules": (story.rules_version, terms.game.info.rules_version),
        "version of the messages": (story.messages_version, terms.wire.messages_version),
        "settings": (list(story.variant), envelope.settings(terms.variant)),
        "seats": (story.seats, len(job.bots)),
        "luck": (story.chance_secret, terms.secret),
        "seed": (record.seed, terms.seed),
        "clock": (record.clock, envelope.clock(terms.clock)),
        "fault policy": (record.fault_policy, referee_pb2.FaultPolicy(faults_allowed=terms.faults_allowed)),
        "version of Tortuga": (record.server_version, __version__),
        "host": (record.host, job.host[:MAX_NAME]),
        "speed of the host": (record.host_speed, job.host_speed),
    }
    for what, (is_so, should_be) in expected.items():
        if is_so != should_be:
            raise RecordError(f"its {what} is {shortened(is_so)}, expected {shortened(should_be)}")
    if record.outcome.void:
        raise RecordError("it is void")
    for number, (seat, bot) in enumerate(zip(record.seats, job.seating(rotation), strict=True)):
        _check_seat(number, seat, bot)


def _check_seat(number: int, seat: pb.RecordSeat, bot: BotSpec) -> None:
    """Check that the bot of the job sat there. What its manifest leaves open, it says itself."""
    expected = {
        "bot": (seat.bot_name, bot.name),
        "bundle": (seat.bundle_hash, bot.bundle_hash),
        "version": (seat.bot_version, bot.version or seat.bot_version),
        "language": (seat.language, bot.language or seat.language),
    }
    for what, (is_so, should_be) in expected.items():
        if is_so != should_be:
            raise RecordError(f"the {what} of seat {number} is {shortened(is_so)}, expected {shortened(should_be)}")


def _check_beside(match: SentMatch, record: pb.Record, job: BlockJob) -> None:
    """Check what is stored beside a record: logs of the bots that failed, and notes."""
    failed = {fault.seat for fault in record.faults}
    if not failed.issuperset(match.logs) or any(len(log) > MAX_LOG_BYTES for log in match.logs.values()):
        raise RecordError("it comes with logs of bots that did not fail, or of more than 1 MiB")
    if len(match.notes) > (MAX_ALL_NOTES_BYTES if job.notes == OWNER else 0):
        raise RecordError(f"it comes with {len(match.notes)} bytes of notes")
    if record.notes and job.notes != EVERYBODY:
        raise RecordError("it holds notes that are not for everybody")


def shortened(value: object) -> str:
    """Return a value for an error, on one short line."""
    text = value.hex() if isinstance(value, bytes) else ascii(str(value))
    return text if len(text) <= 80 else f"{text[:77]}..."
