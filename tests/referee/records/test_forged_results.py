"""Records with another result, sealed anew: they hold only where docs/security.md says that a fault is believed."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from referee.errors import FaultKind, RecordError
from referee.records.record import pack, unpack
from referee.records.replay import Replay
from referee.records.verify import verify
from support.forging import AWAY, forge_result, mutate, play_record
from support.sizes import pick, sized
from tortuga.v1 import record_pb2 as pb
from tortuga.v1 import referee_pb2

ORIGINALS: list[tuple[str, int, Mapping[int, Mapping[int, FaultKind]], int]] = [
    ("broadsides", 2, {}, 0),
    ("broadsides", 2, {1: {5: FaultKind.CRASH}}, 0),
    ("pirates_cove", 3, {1: {2: FaultKind.TIMEOUT, 6: FaultKind.CRASH}}, 1),
    ("pirates_cove", 4, {0: {AWAY: FaultKind.NO_SHOW}, 2: {5: FaultKind.CRASH}, 3: {5: FaultKind.CRASH}}, 0),
]
MUTANTS = 2000


def holds(record: pb.Record) -> bool:
    """Check a record as a reader of its file does."""
    try:
        unpacked, sealed = unpack(pack(record))
        verify(unpacked, sealed=sealed)
    except RecordError:
        return False
    return True


def moment_of(record: pb.Record, decision: int) -> range:
    """Return the decisions of the moment that holds this one; those after the last are of one moment."""
    first = 1
    for moment in record.story.moments:
        decisions = range(first, first + len(moment.answers))
        if decision in decisions:
            return decisions
        first = decisions.stop
    return range(first, 2**31) if decision else range(1)


def is_believed(fault: referee_pb2.SeatFault, record: pb.Record) -> bool:
    """Check whether docs/security.md says that only the list of faults can tell this one."""
    decisions = moment_of(record, fault.decision)
    answers = [answer.seat for moment in record.story.moments for answer in moment.answers]
    where_the_story_ends = fault.decision == 0 or fault.decision > len(answers)
    was_asked = not where_the_story_ends and answers[fault.decision - 1] == fault.seat
    return where_the_story_ends or not was_asked or sum(other.decision in decisions for other in record.faults) > 1


def listed(record: pb.Record) -> list[tuple[int, int, bool]]:
    return [(fault.seat, fault.decision, fault.out) for fault in record.faults]


def check_rules(record: pb.Record) -> None:
    """Check what no list of faults can excuse."""
    out = {fault.seat for fault in record.faults if fault.out}
    seats_in = [seat for seat in range(record.story.seats) if seat not in out]
    replay = Replay(record)
    for _ in replay:
        pass
    if record.outcome.void:
        assert replay.course.outcome is None
        assert len(seats_in) > 1
        assert not record.outcome.ranks
        return
    assert replay.course.outcome is not None or len(seats_in) < 2
    ranks = record.outcome.ranks
    assert all(ranks[seat] <= len(seats_in) for seat in seats_in)
    assert all(ranks[seat] > len(seats_in) for seat in out)


@sized
@pytest.mark.parametrize("part", range(len(ORIGINALS)))
def test_another_result_holds_only_by_a_fault_that_the_page_documents(part: int) -> None:
    game, seats, fails, allowed = ORIGINALS[part]
    original, rng = play_record(game, seats, fails=fails, faults_allowed=allowed), random.Random(part)
    assert holds(original)
    tried = held = 0
    while tried < pick(quick=MUTANTS // 10, ci=MUTANTS, full=MUTANTS * 5) // len(ORIGINALS):
        mutant = pb.Record.FromString(original.SerializeToString())
        forge_result(mutant, rng)
        if rng.random() < 0.1:
            mutate(mutant, rng)
        if mutant.outcome == original.outcome:
            continue
        tried += 1
        if not holds(mutant):
            continue
        held += 1
        check_rules(mutant)
        if not mutant.outcome.void:
            told = listed(original)
            changed = [fault for fault in mutant.faults if (fault.seat, fault.decision, fault.out) not in told]
            assert all(is_believed(fault, mutant) for fault in changed)
            assert changed or any(is_believed(fault, mutant) for fault in mutant.faults)
    assert held, "the forger knows the rules: some mutants are of the kinds that the page documents"
