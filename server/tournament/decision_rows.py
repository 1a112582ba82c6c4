"""Turns records into rows for learning: one for each decision that was put to a bot.

A row has what the bot was sent, as bytes of our messages, and what it did. `observation` and `options` joined are the
Position of <game>.proto, because joining protobuf messages merges them. Everything follows from rules, luck and choices
(referee/records/replay.py), so nothing is in a row that its seat could not know.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from referee.errors import RecordError
from referee.match.match import Chooser
from referee.match.question import make_question
from referee.records.record import read_packed, unpack
from referee.records.replay import replay_course
from referee.rules.engine import Seat
from referee.wire import find_wire
from server.ratings.scores import seat_scores
from tortuga.v1 import record_pb2 as pb


class Split(StrEnum):
    """What a block is for: what is learnt on one must be judged on another, as its matches share their luck."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


class DecisionRow(NamedTuple):
    """One decision. The order is that of the columns, and `COLUMNS` says what they are."""

    match: str
    contest: str
    block: int
    seat: int
    seats: int
    bot: str
    decision: int
    question: int
    kind: str
    observation: bytes
    options: bytes
    option_count: int
    choice: int
    source: str
    micros: int
    rank: int
    result: float
    score: float


COLUMNS = {
    "match": "the match",
    "contest": "the game and the number of seats",
    "block": "the block: its matches share their luck, and are in one split",
    "seat": "the seat, from 0",
    "seats": "how many seats the match has",
    "bot": "the bot on that seat, with its version where it is an entry of its own",
    "decision": "the number of the decision in the match, over all seats, from 1",
    "question": "the number of the question to this seat, from 1, as the bot was told",
    "kind": "what was to be decided, as the specification calls it",
    "observation": "what the seat was sent: a serialized Position of <game>.proto, without its options",
    "options": "the options it was sent, as the rest of that Position: join both to parse it",
    "option_count": "how many options there were",
    "choice": "the index of the option that was played",
    "source": "who chose it: bot, or default where the bot failed at this question",
    "micros": "how long the answer took, in microseconds",
    "rank": "the rank of the seat at the end, 1 the best",
    "result": "the share of the other seats that it beat, ties counting half",
    "score": "the score of the game's own rules",
}


class PlannedMatch(NamedTuple):
    """A match to be exported."""

    match_id: str
    contest: str
    block: int
    record: Path
    sha256: bytes
    split: Split


def split_of(contest: str, block: int) -> Split:
    """Return what a block is for: it follows from its name, so a later export of the same event agrees."""
    number = int.from_bytes(hashlib.sha256(f"{contest}/{block}".encode()).digest()[:4], "big") % 10
    return Split.TEST if number == 0 else Split.VALIDATION if number == 1 else Split.TRAIN


def read_planned(match: PlannedMatch) -> pb.Record:
    """Read the record of a match, if it is the one that was stored."""
    try:
        packed = read_packed(match.record)
        if hashlib.sha256(packed).digest() != match.sha256:
            raise RecordError("it is not the record that was stored")
        return unpack(packed)[0]
    except OSError as error:
        raise RecordError(str(error.strerror)) from None


def decision_rows(match: PlannedMatch, record: pb.Record) -> Iterator[DecisionRow]:
    """Yield the decisions of a match. Seats that were out were not asked and have none."""
    story, outcome = record.story, record.outcome
    wire, results = find_wire(story.game), seat_scores([*outcome.ranks])
    bots = [seat.bot_name for seat in record.seats]
    asked, decision = [0] * story.seats, 0
    courses = replay_course(record)
    course = next(courses)
    for moment in story.moments:
        kind = course.kind
        for answer in moment.answers:
            decision += 1
            if answer.source == pb.ANSWER_SOURCE_OUT:
                continue
            seat = answer.seat
            asked[seat] += 1
            if Seat(seat) not in course.asked:
                raise RecordError(f"decision {decision}: the rules do not ask seat {seat}")
            question = make_question(course, wire, Seat(seat), asked[seat])
            yield DecisionRow(
                match=match.match_id,
                contest=match.contest,
                block=match.block,
                seat=seat,
                seats=story.seats,
                bot=bots[seat],
                decision=decision,
                question=asked[seat],
                kind=kind,
                observation=question.situation + question.events,
                options=question.options,
                option_count=len(question.actions),
                choice=answer.option_index,
                source=Chooser(answer.source).name.lower(),
                micros=record.answer_micros[decision - 1],
                rank=outcome.ranks[seat],
                result=results[seat],
                score=outcome.scores[seat],
            )
        next(courses)  # checks the answers against the rules and plays them
