"""Whether a record is true: honest ones hold whatever went wrong in their matches, forged ones are refused."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import FaultKind, RecordError
from referee.games import GAMES
from referee.match.ranking import reason_and_scores
from referee.records.record import pack, unpack
from referee.records.verify import RecordVerdict, verify
from support.forging import AWAY, make_new_chains, mutate, play_record
from support.sizes import pick, sized
from tortuga.v1 import record_pb2 as pb
from tortuga.v1 import referee_pb2

LATE = referee_pb2.FAULT_KIND_TIMEOUT
CRASHED = referee_pb2.FAULT_KIND_CRASH


def proven(record: pb.Record) -> RecordVerdict:
    """What a reader of the file finds; every forger can seal it anew."""
    unpacked, sealed = unpack(pack(record))
    return verify(unpacked, sealed=sealed)


def refused(record: pb.Record) -> str:
    with pytest.raises(RecordError) as caught:
        proven(record)
    return str(caught.value)


# Honest records hold

failures = st.dictionaries(st.integers(1, 40), st.sampled_from(list(FaultKind)), max_size=3)


@sized
@settings(deadline=None, max_examples=pick(quick=30, ci=150, full=1500))
@given(
    st.sampled_from([("broadsides", 2), ("pirates_cove", 3), ("pirates_cove", 4), ("marauders", 2)]),
    st.dictionaries(st.integers(0, 3), failures, max_size=4),
    st.sets(st.integers(0, 3), max_size=2),
    st.integers(0, 2),
)
def test_a_match_in_which_bots_fail_leaves_a_record_that_holds(
    game: tuple[str, int], fails: dict[int, dict[int, FaultKind]], away: set[int], faults_allowed: int
) -> None:
    for seat in away:
        fails.setdefault(seat, {})[AWAY] = FaultKind.NO_SHOW
    record = play_record(*game, fails=fails, faults_allowed=faults_allowed)
    assert proven(record).messages_compared


@pytest.mark.parametrize("game", GAMES)
def test_an_undisturbed_match_holds(game: str) -> None:
    assert proven(play_record(game, 2)).decisions > 0


# Forged results: the story is left as it is, and no chain has to be touched


@pytest.fixture
def record() -> pb.Record:
    return play_record("broadsides", 2)


def winner(record: pb.Record) -> int:
    return list(record.outcome.ranks).index(1)


def test_an_invented_fault_of_the_winner_is_refused(record: pb.Record) -> None:
    """It flips the winner, though that seat plays on to the end of the rules."""
    best = winner(record)
    record.faults.add(seat=best, decision=3, kind=LATE, message="late", out=True)
    record.outcome.ranks[:] = [2 if seat == best else 1 for seat in range(2)]
    record.outcome.scores[:] = [0.0 if seat == best else 1.0 for seat in range(2)]
    record.outcome.reason = "fault"
    assert "decision 3" in refused(record)


@pytest.mark.parametrize("decision", [0, 1, 5, 10_000])
def test_an_invented_crash_of_the_winner_is_refused_wherever_it_stands(record: pb.Record, decision: int) -> None:
    best = winner(record)
    last = len(record.answer_micros)
    record.faults.add(seat=best, decision=min(decision, last + 1), kind=CRASHED, message="gone", out=True)
    record.outcome.ranks[:] = [2 if seat == best else 1 for seat in range(2)]
    refused(record)


def test_other_scores_are_refused(record: pb.Record) -> None:
    record.outcome.scores[:] = [999.0, 999.0]
    assert refused(record).startswith("the scores are")


def test_a_finished_game_is_not_void(record: pb.Record) -> None:
    record.outcome.void = True
    assert "2 ranks, expected 0" in refused(record)
    del record.outcome.ranks[:], record.outcome.scores[:]
    assert "cannot be void" in refused(record)


def test_a_void_match_says_why_and_ranks_nobody(record: pb.Record) -> None:
    del record.story.moments[4:]
    del record.answer_micros[sum(len(moment.answers) for moment in record.story.moments) :]
    make_new_chains(record)
    record.outcome.CopyFrom(pb.RecordOutcome(void=True, reason="because"))
    assert re.search("void.*not say why", refused(record))
    record.outcome.reason = "void: the referee itself was held up for 0.30 s"
    assert proven(record).decisions == len(record.answer_micros)


def test_other_bots_than_its_block_seats_are_refused(record: pb.Record) -> None:
    record.place.CopyFrom(pb.RecordPlace(event="e", contest="broadsides-2", bots=["bot 1", "bot 0"], rotation=1))
    assert proven(record)
    record.place.rotation = 0
    assert re.match("rotation 0 .*bot 1, bot 0", refused(record))


@pytest.mark.parametrize(("seats", "crashed"), [(2, {1}), (3, {1}), (3, {0, 2}), (4, {0, 1, 3})])
def test_a_seat_that_is_out_never_ties_with_one_that_is_in(seats: int, crashed: set[int]) -> None:
    record = play_record("pirates_cove", seats, fails={seat: {4 + seat: FaultKind.CRASH} for seat in crashed})
    assert proven(record)
    seats_in = [rank for seat, rank in enumerate(record.outcome.ranks) if seat not in crashed]
    best_out = min(crashed, key=lambda seat: record.outcome.ranks[seat])
    record.outcome.ranks[best_out] = max(seats_in)
    ranks = tuple(record.outcome.ranks)
    if record.outcome.reason == "fault":
        record.outcome.scores[:] = reason_and_scores(None, ranks)[1]
    assert "a seat that is out" in refused(record)


@pytest.mark.parametrize("crashed", [{1}, {0, 1}])
def test_a_match_that_ended_by_a_fault_is_not_void(crashed: set[int]) -> None:
    record = play_record("pirates_cove", 2, fails={seat: {4: FaultKind.CRASH} for seat in crashed})
    assert proven(record)
    record.outcome.CopyFrom(pb.RecordOutcome(void=True, reason="void: core 0 was held up for 0.29 s"))
    assert "cannot be void" in refused(record)


# Forged stories: the chains are made anew


@pytest.mark.parametrize("source", [pb.ANSWER_SOURCE_DEFAULT, pb.ANSWER_SOURCE_OUT])
def test_answers_that_nobody_gave_need_a_fault(record: pb.Record, source: pb.AnswerSource.ValueType) -> None:
    for moment in record.story.moments:
        for answer in moment.answers:
            if answer.seat == winner(record):
                answer.source = source
    make_new_chains(record)
    assert refused(record).startswith("decision ")


def test_answers_of_nobody_are_refused(record: pb.Record) -> None:
    for moment in record.story.moments:
        for answer in moment.answers:
            answer.source = pb.ANSWER_SOURCE_UNSPECIFIED
    assert re.match("decision 1: .*who chose", refused(record))


def test_a_match_of_two_ends_when_one_is_out() -> None:
    record = play_record("broadsides", 2)
    answer = record.story.moments[2].answers[0]
    decision = 1 + sum(len(moment.answers) for moment in record.story.moments[:2])
    answer.source = pb.ANSWER_SOURCE_DEFAULT
    record.faults.add(seat=answer.seat, decision=decision, kind=LATE, message="late", out=True)
    make_new_chains(record)
    refused(record)


def test_who_is_out_never_answers_again() -> None:
    record = play_record("pirates_cove", 3, fails={1: {3: FaultKind.CRASH}})
    outs = [answer for moment in record.story.moments for answer in moment.answers if answer.source == 3]
    outs[-1].source = pb.ANSWER_SOURCE_BOT
    make_new_chains(record)
    assert "seat 1 is out, the record" in refused(record)


def test_more_faults_than_allowed_are_not_forgiven() -> None:
    fails = {1: {2: FaultKind.TIMEOUT, 4: FaultKind.ILLEGAL}}
    record = play_record("pirates_cove", 3, fails=fails, faults_allowed=2)
    assert proven(record)
    record.fault_policy.faults_allowed = 1
    assert "seat 1 was forgiven more" in refused(record)


def test_a_seat_is_not_put_out_for_what_is_forgiven() -> None:
    record = play_record("pirates_cove", 3, fails={1: {2: FaultKind.TIMEOUT}})
    record.fault_policy.faults_allowed = 1
    assert re.search("seat 1 .*out.*forgiven", refused(record))


def test_a_default_is_the_decision_s_own() -> None:
    """Changed at the last moment, so that the story before it still fits."""
    record = play_record("pirates_cove", 3, fails={1: {3: FaultKind.CRASH}})
    last = max(at for at, moment in enumerate(record.story.moments) if any(a.source == 3 for a in moment.answers))
    del record.story.moments[last + 1 :]
    del record.answer_micros[sum(len(moment.answers) for moment in record.story.moments) :]
    [answer] = [answer for answer in record.story.moments[last].answers if answer.source == 3]
    answer.option_index += 1 if answer.option_index == 0 else -1
    make_new_chains(record)
    assert "was played as the default" in refused(record)


def test_seats_rank_in_the_order_in_which_they_failed() -> None:
    record = play_record("pirates_cove", 4, fails={0: {3: FaultKind.CRASH}, 2: {8: FaultKind.CRASH}})
    ranks = list(record.outcome.ranks)
    assert (ranks[0], ranks[2]) == (4, 3)
    record.outcome.ranks[:] = [3, ranks[1], 4, ranks[3]]
    assert re.search("ranks.*out.*order.*failed", refused(record))


def test_another_version_of_the_messages_is_no_way_around_the_chain_of_what_was_sent(record: pb.Record) -> None:
    """It is said aloud that it was not compared; who counts such a record decides that himself."""
    record.story.messages_version += 1
    assert not proven(record).messages_compared


# Whatever a forger tries


@pytest.mark.few(2)
@sized
@pytest.mark.parametrize("part", range(4))
def test_a_mutant_is_refused_in_words_or_tells_the_same_result(part: int) -> None:
    originals = [
        play_record("broadsides", 2),
        play_record("pavillon_noir", 2, fails={1: {5: FaultKind.ILLEGAL}}),
        play_record("pirates_cove", 3, fails={1: {2: FaultKind.TIMEOUT, 6: FaultKind.CRASH}}, faults_allowed=1),
        play_record("pirates_cove", 4, fails={0: {AWAY: FaultKind.NO_SHOW}}),
    ]
    original, rng = originals[part], random.Random(part)
    held = 0
    for _ in range(pick(quick=60, ci=500, full=5000)):
        mutant = pb.Record.FromString(original.SerializeToString())
        for _ in range(rng.choice([1, 1, 2, 4])):
            mutate(mutant, rng)
        try:
            proven(mutant)
        except RecordError:
            continue
        held += 1
        told = [(fault.seat, fault.decision, fault.out) for fault in mutant.faults]
        assert told == [(fault.seat, fault.decision, fault.out) for fault in original.faults]
        assert mutant.outcome == original.outcome
        assert [m.answers for m in mutant.story.moments] == [m.answers for m in original.story.moments]
    assert held, "names and times may change: some mutants hold"
