"""Records of matches in which things go wrong, and the tools of a forger: new seals, new chains, random changes."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from referee.errors import BotFault, FaultKind
from referee.games import find_game
from referee.match.ids import BotIdentity
from referee.match.match import Match
from referee.match.question import Question
from referee.match.ranking import reason_and_scores
from referee.records.record import make_record
from referee.records.replay import Replay
from referee.rules.chance import derive_secret
from referee.rules.engine import rank_by
from referee.wire import make_terms
from support.players import QuietHost, ScriptedPlayer
from support.virtual_time import run
from tortuga.v1 import record_pb2 as pb
from tortuga.v1 import referee_pb2

AWAY = 0
"""As the number of a question: the bot never gets ready."""

VARIANTS: dict[str, dict[str, str]] = {"pavillon_noir": {"max_rounds": "2"}}
"""Games that are long otherwise."""


def play_record(
    game_id: str,
    seats: int,
    *,
    fails: Mapping[int, Mapping[int, FaultKind]] | None = None,
    faults_allowed: int = 0,
    seed: str = "record",
) -> pb.Record:
    """A random match. `fails` says, by seat and number of its question, how it fails there."""
    game, fails = find_game(game_id), fails or {}
    terms = make_terms(
        game,
        game.info.read_variant(VARIANTS.get(game_id, {})),
        derive_secret(seed),
        match_id="forged",
        seed=seed,
        faults_allowed=faults_allowed,
    )

    def player(seat: int) -> ScriptedPlayer:
        rng, failures = random.Random(f"{seed}/{seat}"), fails.get(seat, {})

        def answer(question: Question) -> int | BotFault | None:
            kind = failures.get(question.question_id)
            if kind is FaultKind.TIMEOUT:
                return None
            return rng.randrange(len(question.actions)) if kind is None else BotFault(kind, "as scripted", 0.0)

        return ScriptedPlayer(answer, name=f"bot {seat}", ready=AWAY not in failures)

    result = run(Match(terms, [player(seat) for seat in range(seats)], QuietHost()).play())
    bots = [BotIdentity(name=f"bot {seat}", version="1") for seat in range(seats)]
    return make_record(result, bots, server_version="0", started_unix_millis=1)


def make_new_chains(record: pb.Record) -> None:
    """Give a changed story the links that fit it, as anybody can."""
    replay = Replay(record)
    for moment, replayed in zip(record.story.moments, replay, strict=True):
        moment.course_link, moment.sent_link = replayed.links
    end = replay.chain.end(replay.course.state, replay.course.outcome)
    record.story.end_course_link, record.story.end_sent_link = end


def forge_result(record: pb.Record, rng: random.Random) -> None:
    """Give a record another result, as a forger would who knows the rules: a cut story, other faults, other ranks with
    the scores and the reason that go with them. Chains are made anew; the choices that are left stay as they are."""
    if rng.random() < 0.5:
        cut_story(record, rng.randrange(len(record.story.moments)))
    for _ in range(rng.choice([0, 1, 1, 2])):
        _forge_fault(record, rng)
    replay = Replay(record)
    for _ in replay:
        pass
    outcome = replay.course.outcome
    if rng.random() < 0.2:
        record.outcome.CopyFrom(pb.RecordOutcome(void=True, reason="void: core 0 was held up for 0.29 s"))
        return
    out = [fault.seat for fault in record.faults if fault.out]
    if rng.random() < 0.5:  # those that are out are last in the order of their faults, or tied
        keys = [out.index(seat) if seat in out else len(out) for seat in range(record.story.seats)]
        if outcome is not None:
            keys = [key if seat in out else 100 - outcome.ranks[seat] for seat, key in enumerate(keys)]
        if rng.random() < 0.2:
            keys[rng.randrange(len(keys))] = rng.choice(keys)
    else:
        keys = [rng.randrange(record.story.seats) for _ in range(record.story.seats)]
    ranks = rank_by(keys)
    reason, scores = reason_and_scores(outcome if rng.random() < 0.9 else None, ranks)
    record.outcome.CopyFrom(pb.RecordOutcome(ranks=ranks, reason=reason, scores=scores))


def cut_story(record: pb.Record, moments: int) -> None:
    """Cut a story after so many moments, with the faults that were listed later."""
    del record.story.moments[moments:]
    answers = sum(len(moment.answers) for moment in record.story.moments)
    del record.answer_micros[answers:]
    faults = [fault for fault in record.faults if fault.decision <= answers]
    del record.faults[:]
    record.faults.extend(faults)
    make_new_chains(record)


def _forge_fault(record: pb.Record, rng: random.Random) -> None:
    """List a fault more, a fault less, or one of them otherwise."""
    last = len(record.answer_micros)
    seat = rng.randrange(record.story.seats)
    decision = rng.choice([0, last + 1, last + 1, last + 1, last + 2, rng.randint(0, last + 2)])
    kind: Any = rng.choice(
        [referee_pb2.FAULT_KIND_CRASH, referee_pb2.FAULT_KIND_TIMEOUT, referee_pb2.FAULT_KIND_ILLEGAL]
    )
    faults = list(record.faults)
    match rng.randrange(5):
        case 0 if faults:
            faults.pop(rng.randrange(len(faults)))
        case 1 if faults:
            rng.choice(faults).seat = seat
        case 2 if faults:
            rng.choice(faults).decision = decision
        case 3 if len(faults) > 1:
            rng.shuffle(faults)
        case _:
            faults.append(referee_pb2.SeatFault(seat=seat, decision=decision, kind=kind, message="late", out=True))
            faults.sort(key=lambda fault: fault.decision)
    forged = [referee_pb2.SeatFault.FromString(fault.SerializeToString()) for fault in faults]
    del record.faults[:]
    record.faults.extend(forged)


def mutate(record: pb.Record, rng: random.Random) -> None:
    """Change a random field somewhere in the record: another value, an item more or less, two items swapped."""
    message: Message = record
    while True:
        present = message.ListFields()
        inner = [(field, value) for field, value in present if field.message_type is not None]
        if inner and rng.random() < 0.8:
            field, value = rng.choice(inner)
            if field.is_repeated:
                if rng.random() < 0.3:
                    _mutate_row(value, rng)
                    return
                message = rng.choice(list(value))
            else:
                message = value
            continue
        fields: list[Any] = list(message.DESCRIPTOR.fields)
        _mutate_field(message, rng.choice(fields), rng)
        return


def _mutate_row(row: Any, rng: random.Random) -> None:
    place = rng.randrange(len(row))
    match rng.randrange(4):
        case 0:
            del row[place]
        case 1:
            row.add().CopyFrom(row[place])
        case 2:
            row.add()
        case _:
            del row[place:]


def _mutate_field(message: Message, field: FieldDescriptor, rng: random.Random) -> None:
    if field.message_type is not None:
        message.ClearField(field.name)
        return
    if field.is_repeated:
        row = list(getattr(message, field.name))
        if row and rng.random() < 0.5:
            row[rng.randrange(len(row))] = _value(field, rng)
        elif row and rng.random() < 0.5:
            row.pop(rng.randrange(len(row)))
        else:
            row.append(_value(field, rng))
        message.ClearField(field.name)
        getattr(message, field.name).extend(row)
        return
    setattr(message, field.name, _value(field, rng))


def _value(field: FieldDescriptor, rng: random.Random) -> Any:
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING if field.type == FieldDescriptor.TYPE_BYTES:
            return rng.choice([b"", b"\0" * 16, rng.randbytes(16), rng.randbytes(32), rng.randbytes(100)])
        case FieldDescriptor.CPPTYPE_STRING:
            return rng.choice(["", "x", "\x1b[31mred\x1b[0m", "a\nb", "é" * 200, "broadsides", "</script>"])
        case FieldDescriptor.CPPTYPE_BOOL:
            return rng.random() < 0.5
        case FieldDescriptor.CPPTYPE_DOUBLE:
            return rng.choice([0.0, 1.0, 999.0, -1.0, float("inf"), float("nan")])
        case _:
            return rng.choice([0, 1, 2, 3, 5, 99, 2**31 - 1])
