"""Compares a block that two machines have played, with the same bots and the same luck.

A bot that decides by what it sees alone answers the same on both. If one answers differently although everything had
been the same until then, it decides by time or chance of its own, or one of the machines plays other code in its place.
Which of the two, the test of the hosts tells (server/ratings/hosts.py): a bot's own chance strikes on all hosts alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from referee.records.record import unpack
from server.play.block_jobs import BlockJob, RepeatedBlock
from server.play.recorded_match import RecordedMatch
from tortuga.v1 import record_pb2 as pb


def compare_block(job: BlockJob, first: Sequence[RecordedMatch], second: Sequence[RecordedMatch]) -> RepeatedBlock:
    """Compare the matches of a block, which two hosts have played."""
    diverged: set[str] = set()
    for pair in zip(first, second, strict=True):
        one, other = (unpack(match.packed)[0] for match in pair)
        diverged.update(one.seats[seat].bot_name for seat in diverging_seats(one, other))
    return RepeatedBlock(
        contest=job.contest,
        block=job.block,
        hosts=(first[0].summary.host, second[0].summary.host),
        bots=tuple(bot.name for bot in job.bots),
        diverged=tuple(sorted(diverged)),
    )


def diverging_seats(one: pb.Record, other: pb.Record) -> set[int]:
    """Return the seats that differ where the two matches begin to differ; none if they are the same to their end."""
    for mine, theirs in zip_longest(_moments(one), _moments(other), fillvalue=frozenset[tuple[int, int, int]]()):
        if mine != theirs:
            return {seat for seat, _, _ in mine ^ theirs} if mine and theirs else _failed(one) ^ _failed(other)
    return _failed(one) ^ _failed(other)


def _moments(record: pb.Record) -> Iterator[frozenset[tuple[int, int, int]]]:
    for moment in record.story.moments:
        yield frozenset((answer.seat, answer.option_index, answer.source) for answer in moment.answers)


def _failed(record: pb.Record) -> set[int]:
    return {fault.seat for fault in record.faults}
