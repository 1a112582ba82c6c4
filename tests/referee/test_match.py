"""The match with players of this process: faults, policies, clocks, ranks, void. Time is virtual."""

from __future__ import annotations

import asyncio
import re
import sys
import traceback
from dataclasses import replace

import pytest

from referee.errors import BotFault, FaultKind, RulesError
from referee.match.chain import Chain
from referee.match.clock import TimeControl
from referee.match.match import Asker, Choices, Chooser, Introduction, Match, MatchResult, Terms
from referee.match.question import Question
from referee.match.ranking import Elimination, final_ranks
from referee.rules.chance import derive_secret
from referee.rules.course import Course
from referee.rules.engine import Outcome, Seat
from support.players import QuietHost, ScriptedPlayer
from support.tortoise import terms
from support.virtual_time import run

pytestmark = pytest.mark.virtual_time


def play(the_terms: Terms, *players: ScriptedPlayer, lag: float = 0.0) -> MatchResult:
    return run(Match(the_terms, players, QuietHost(lag)).play())


def fault(kind: FaultKind) -> BotFault:
    return BotFault(kind, "scripted", 0.0)


def steady(index: int = 0, **how: float) -> ScriptedPlayer:
    return ScriptedPlayer(lambda question: index, **how)  # type: ignore[arg-type]


def failing(kind: FaultKind, at: int, index: int = 0) -> ScriptedPlayer:
    return ScriptedPlayer(lambda question: fault(kind) if question.question_id == at else index)


def test_a_clean_match_is_ranked_by_the_game() -> None:
    one, two = steady(3), steady(0)
    result = play(terms(), one, two)
    assert result.reason == "finish"
    assert result.ranks == (1, 2)
    assert result.decisions == 8
    assert not result.faults
    assert not result.void
    assert one.result is two.result is result


def test_questions_are_counted_per_seat_so_that_nobody_learns_how_often_others_are_asked() -> None:
    one, two = steady(), steady()
    play(terms(), one, two)
    assert [question.question_id for question in one.asked] == [1, 2, 3, 4]
    assert [question.question_id for question in two.asked] == [1, 2, 3, 4]


def test_simultaneous_seats_are_asked_at_the_same_moment() -> None:
    """The slow seat's question does not wait for the quick seat's answer, nor the other way round."""
    times: list[float] = []

    def note(question: object) -> int:
        times.append(asyncio.get_running_loop().time())
        return 0

    slow, quick = ScriptedPlayer(note, delay=0.5), ScriptedPlayer(note, delay=0.25)
    play(terms(rounds=1), slow, quick)
    assert times == [1000.25, 1000.5]


@pytest.mark.parametrize("kind", [FaultKind.TIMEOUT, FaultKind.ILLEGAL, FaultKind.CRASH, FaultKind.PROTOCOL])
def test_strict_the_first_fault_loses(kind: FaultKind) -> None:
    bad, good = failing(kind, at=2), steady()
    result = play(terms(), bad, good)
    assert (result.ranks, result.reason) == ((2, 1), "fault")
    assert [(f.seat, f.kind, f.out) for f in result.faults] == [(0, kind, True)]
    assert bad.faults == [(kind, 0, None)]
    assert good.faults == []
    assert result.scores == (0.0, 1.0)


def test_lenient_plays_the_default_and_says_what_is_left() -> None:
    late = ScriptedPlayer(lambda question: None if question.question_id <= 2 else 0)
    result = play(terms(faults_allowed=2), late, steady())
    assert result.reason == "finish"
    assert late.faults == [(FaultKind.TIMEOUT, 1, 1), (FaultKind.TIMEOUT, 0, 1)]
    sources = [answer.source for moment in result.moments for answer in moment.answers if answer.seat == 0]
    assert sources == [Chooser.DEFAULT, Chooser.DEFAULT, Chooser.BOT, Chooser.BOT]
    assert [answer.index for moment in result.moments for answer in moment.answers if answer.seat == 0] == [1, 1, 0, 0]


def test_lenient_the_fault_after_the_last_forgiven_one_loses() -> None:
    late = ScriptedPlayer(lambda question: None)
    result = play(terms(faults_allowed=2), late, steady())
    assert (result.ranks, result.reason) == ((2, 1), "fault")
    assert [f.out for f in result.faults] == [False, False, True]


@pytest.mark.parametrize("kind", [FaultKind.CRASH, FaultKind.PROTOCOL, FaultKind.RESOURCE, FaultKind.RESIGN])
def test_lenient_forgives_no_crash_and_no_resignation(kind: FaultKind) -> None:
    result = play(terms(faults_allowed=9), failing(kind, at=1), steady())
    assert result.ranks == (2, 1)
    assert [(f.kind, f.out) for f in result.faults] == [(kind, True)]


def test_a_seat_that_is_out_in_a_game_of_three_is_played_on_by_the_defaults() -> None:
    bad = failing(FaultKind.CRASH, at=2, index=3)
    result = play(terms(), steady(0), bad, steady(0))
    assert result.reason == "finish"
    assert result.ranks[1] == 3
    assert len(bad.asked) == 2, "a seat that is out is not asked again"
    indices = [(a.index, a.source) for moment in result.moments for a in moment.answers if a.seat == 1]
    assert indices == [(3, Chooser.BOT), (1, Chooser.DEFAULT), (1, Chooser.OUT), (1, Chooser.OUT)]


def test_when_only_one_seat_is_left_the_match_is_over_and_later_failures_rank_better() -> None:
    result = play(terms(), failing(FaultKind.ILLEGAL, at=1), steady(), failing(FaultKind.CRASH, at=3))
    assert (result.ranks, result.reason) == ((3, 1, 2), "fault")


def test_two_seats_that_fail_at_the_same_time_share_the_rank() -> None:
    silent = ScriptedPlayer(lambda question: None), ScriptedPlayer(lambda question: None)
    result = play(terms(), *silent)
    assert (result.ranks, result.reason, result.scores) == ((1, 1), "fault", (0.5, 0.5))


def test_the_earlier_of_two_faults_in_one_decision_ranks_last_whatever_the_seat() -> None:
    def crash(question: object) -> BotFault:
        return fault(FaultKind.CRASH)

    early, late = ScriptedPlayer(crash, delay=0.1), ScriptedPlayer(crash, delay=0.3)
    assert play(terms(), early, late).ranks == (2, 1)
    early, late = ScriptedPlayer(crash, delay=0.1), ScriptedPlayer(crash, delay=0.3)
    assert play(terms(), late, early).ranks == (1, 2)


def test_a_seat_that_fails_while_the_other_thinks_loses_at_that_decision() -> None:
    idle = steady()

    def think(question: object) -> int:
        idle.fall(FaultKind.CRASH)
        return 0

    result = play(terms(rounds=9), ScriptedPlayer(think), idle)
    assert result.ranks == (1, 2)
    assert [(f.seat, f.kind) for f in result.faults] == [(1, FaultKind.CRASH)]


def test_a_seat_that_fails_while_the_others_get_ready_is_out_before_the_first_question() -> None:
    class Hasty(ScriptedPlayer):
        def sit(self, introduction: Introduction) -> asyncio.Future[None]:
            asyncio.get_running_loop().call_later(1.0, self.fall, FaultKind.CRASH)
            return super().sit(introduction)

    one, late = Hasty(lambda question: 0), ScriptedPlayer(lambda question: 0, ready=False)
    result = play(terms(), one, late, steady())
    assert one.asked == []
    assert [(found.seat, found.kind, found.decision) for found in result.faults] == [
        (0, FaultKind.CRASH, 0),
        (1, FaultKind.NO_SHOW, 0),
    ]
    assert result.ranks == (3, 2, 1)


def test_a_failure_that_becomes_known_late_takes_no_time_of_the_question() -> None:
    class Known(ScriptedPlayer):
        def ask(self, question: Question, asker: Asker) -> None:
            now = asyncio.get_running_loop().time()
            self._fallen = BotFault(FaultKind.CRASH, "long ago", now - 0.5)
            asker.failed(Seat(0), self._fallen, now)

    result = play(terms(), Known(lambda question: 0), steady(), steady())
    assert [answer.seconds for answer in result.moments[0].answers if answer.seat == 0] == [0.0]
    assert result.time_used_seconds[0] == 0.0


def test_a_bot_that_never_gets_ready_is_a_no_show() -> None:
    result = play(terms(), ScriptedPlayer(lambda question: 0, ready=False), steady())
    assert (result.ranks, result.reason, result.decisions) == ((2, 1), "fault", 0)
    assert [(f.kind, f.decision) for f in result.faults] == [(FaultKind.NO_SHOW, 0)]


def test_a_match_where_nobody_shows_up_is_a_draw_by_fault() -> None:
    absent = [ScriptedPlayer(lambda question: 0, ready=False) for _ in range(2)]
    assert play(terms(), *absent).ranks == (1, 1)


def test_the_bank_drains_gains_its_increment_and_is_capped() -> None:
    clock = TimeControl(bank_seconds=1.0, increment_seconds=0.125, cap_seconds=0.5)
    thinker = steady(delay=0.25)
    result = play(terms(clock=clock), thinker, steady())
    banks = [(question.bank_left_seconds, question.time_left_seconds) for question in thinker.asked]
    assert banks == [(1.125, 0.5), (1.0, 0.5), (0.875, 0.5), (0.75, 0.5)]
    assert result.time_used_seconds == (1.0, 0.0)


def test_an_empty_bank_is_a_timeout_even_below_the_cap() -> None:
    clock = TimeControl(bank_seconds=0.5, increment_seconds=0.0, cap_seconds=10.0)
    result = play(terms(clock=clock), steady(delay=0.2), steady())
    assert [(f.kind, f.decision) for f in result.faults] == [(FaultKind.TIMEOUT, 5)]


def test_without_a_clock_nobody_is_late() -> None:
    patient = terms(clock=TimeControl(unlimited=True))
    assert play(patient, steady(delay=3600.0), steady()).reason == "finish"


def test_an_overrun_while_the_host_was_held_up_voids_the_match() -> None:
    late, other = ScriptedPlayer(lambda question: None), steady()
    result = play(terms(faults_allowed=5), late, other, lag=0.3)
    assert result.void
    assert (result.ranks, result.scores, result.faults) == ((), (), ())
    assert re.match(r"void: seat 0 .*referee.*0\.30 s", result.reason)
    assert result.excused == (0,)
    assert late.result is other.result is result


def test_the_host_is_asked_about_the_time_since_the_clock_of_the_seat_started() -> None:
    class Held(ScriptedPlayer):
        def _fail(self, question: Question, asker: Asker, fault: BotFault) -> None:
            self._asked_at += 0.02  # the question was held back for so long
            super()._fail(question, asker, fault)

    class Host(QuietHost):
        def excuse_overrun(self, seat: Seat, asked_at: float) -> str:
            moments.append(asked_at)
            return ""

    moments: list[float] = []
    run(Match(terms(), [Held(lambda question: None), steady()], Host()).play())
    assert moments == [1000.02]


async def test_a_match_that_is_abandoned_is_void_for_all_who_sit_there() -> None:
    """They would wait for ever, and a remote bot would never get its table back."""
    thinking, other = steady(delay=0.5), steady()

    match = asyncio.create_task(Match(terms(), [thinking, other], QuietHost()).play())
    await asyncio.sleep(0.1)
    assert thinking.asked
    match.cancel()
    with pytest.raises(asyncio.CancelledError):
        await match
    for player in (thinking, other):
        assert player.result is not None
        assert player.result.void
        assert re.match("void: .*abandoned", player.result.reason)
    await asyncio.sleep(1)
    assert len(thinking.asked) == 1, "its answer came too late"


@pytest.mark.parametrize("moment", [0, 1, 3])
async def test_a_bug_of_ours_ends_the_match_with_its_error_and_not_the_callback_that_brought_the_answer(
    moment: int,
) -> None:
    def watch(course: Course, kind: str, choices: Choices) -> None:
        seen.append(kind)
        if len(seen) > moment:
            raise RulesError("what now?")

    seen: list[str] = []
    errors: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: errors.append(context))
    players = steady(), steady()
    with pytest.raises(RulesError, match="what now"):
        await Match(terms(), players, QuietHost(), watch).play()
    assert [player.result.void for player in players if player.result] == [True, True]
    assert errors == []


async def test_a_bug_in_the_chain_ends_the_match_while_the_bots_still_think(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(chain: Chain, state: object, positions: object) -> None:
        raise RulesError("no such state")

    monkeypatch.setattr(Chain, "ask", broken)
    thinking = steady(delay=0.5)
    with pytest.raises(RulesError, match="no such state"):
        await Match(terms(), [thinking, steady(delay=0.5)], QuietHost()).play()
    assert asyncio.get_running_loop().time() == 1000.0
    assert thinking.result is not None


class Prompt(ScriptedPlayer):
    """Answers, or fails, before `ask` returns."""

    def ask(self, question: Question, asker: Asker) -> None:
        self.asked.append(question)
        self.depth = len(traceback.extract_stack(limit=None, f=sys._getframe()))
        asker.answered(self._seat, 1, 0.0)


def test_players_that_answer_at_once_play_the_same_match_and_pile_up_no_calls() -> None:
    prompt = Prompt(lambda question: 1), Prompt(lambda question: 1)
    long = terms(rounds=99)
    result = play(long, *prompt)
    other = play(long, steady(1, delay=0.1), steady(1))
    assert [moment.links for moment in result.moments] == [moment.links for moment in other.moments]
    assert result.end_links == other.end_links
    assert [len(player.asked) for player in prompt] == [99, 99]
    first = Prompt(lambda question: 1)
    play(terms(rounds=1), first, steady())
    assert prompt[0].depth == first.depth


def test_a_late_host_does_not_excuse_an_illegal_answer() -> None:
    assert play(terms(), failing(FaultKind.ILLEGAL, at=1), steady(), lag=9.0).ranks == (2, 1)


def test_the_same_choices_give_the_same_chain_and_another_secret_another() -> None:
    results = [play(terms(), steady(1, delay=delay), steady(2)) for delay in (0.0, 0.4)]
    assert [moment.links for moment in results[0].moments] == [moment.links for moment in results[1].moments]
    other = play(replace(terms(), secret=derive_secret("another")), steady(1), steady(2))
    assert other.end_links.course != results[0].end_links.course


def test_ranks_of_seats_that_stayed_follow_the_game_and_come_before_all_that_are_out() -> None:
    outcome = Outcome(ranks=(1, 2, 2, 4, 5), reason="finish", scores=(0.0,) * 5)
    out = {Seat(0): Elimination(2, 20.001), Seat(3): Elimination(1, 20.0), Seat(4): Elimination(1, 20.003)}
    assert final_ranks(5, outcome, out) == (3, 1, 1, 4, 4)
