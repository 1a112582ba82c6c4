"""Seats that run out of time, and who is to blame for it: the bot, the host, or another bot. Time is virtual."""

from __future__ import annotations

import re

import pytest

from referee.errors import FaultKind
from referee.games import find_game
from referee.match.ids import BotIdentity
from referee.match.match import Chooser, Match, MatchResult, Terms
from referee.match.question import Question
from referee.records.record import make_record, pack, unpack
from referee.records.verify import verify
from referee.rules.chance import derive_secret
from referee.rules.engine import Seat
from referee.wire import make_terms
from support.players import QuietHost, ScriptedPlayer
from support.tortoise import terms
from support.virtual_time import run


class BusyHost:
    """Excuses everybody but the guilty, who fail for it as often as there are some left."""

    def __init__(self, *guilty: ScriptedPlayer) -> None:
        self.guilty = guilty

    def excuse_overrun(self, seat: Seat, asked_at: float) -> str:
        for player in self.guilty:
            player.fall(FaultKind.RESOURCE)
        if any(player.introduction and player.introduction.seat == seat for player in self.guilty):
            return ""
        return "core 1 was held up for 0.25 s"


def late_once(name: str = "late") -> ScriptedPlayer:
    """Says nothing when it is asked for the first time."""
    asked: list[Question] = []

    def answer(question: Question) -> int | None:
        asked.append(question)
        return None if len(asked) == 1 else 0

    return ScriptedPlayer(answer, name=name)


def steady() -> ScriptedPlayer:
    return ScriptedPlayer(lambda question: 0)


def silent() -> ScriptedPlayer:
    return ScriptedPlayer(lambda question: None)


def play(the_terms: Terms, players: list[ScriptedPlayer], host: QuietHost | BusyHost) -> MatchResult:
    return run(Match(the_terms, players, host).play())


@pytest.mark.parametrize("faults_allowed", [0, 5])
def test_an_overrun_that_the_host_excuses_voids_the_match_and_names_the_evidence(faults_allowed: int) -> None:
    result = play(terms(faults_allowed=faults_allowed), [steady(), late_once()], BusyHost())
    assert result.void
    assert re.match(r"void: seat 1 .*core 1 .*0\.25 s", result.reason)
    assert (result.excused, result.faults) == ((1,), ())


def test_three_bots_that_sleep_together_lose_together() -> None:
    """That they were late at the same moment is no evidence: they may have agreed upon it."""
    result = play(terms(), [silent(), silent(), silent()], QuietHost())
    assert not result.void
    assert [(fault.seat, fault.kind, fault.out) for fault in result.faults] == [
        (seat, FaultKind.TIMEOUT, True) for seat in range(3)
    ]


def test_three_bots_that_sleep_together_lose_to_the_one_that_does_not() -> None:
    result = play(terms(), [silent(), steady(), silent(), silent()], QuietHost())
    assert (result.void, result.ranks[1], result.excused) == (False, 1, ())


def test_a_bot_that_held_up_its_only_opponent_loses() -> None:
    hog, victim = steady(), late_once()
    result = play(terms(), [hog, victim], BusyHost(hog))
    assert (result.void, result.ranks, result.reason) == (False, (2, 1), "fault")
    assert [(fault.seat, fault.kind) for fault in result.faults] == [(0, FaultKind.RESOURCE)]
    assert victim.faults == []


def test_a_bot_that_held_up_one_of_several_is_out_and_that_one_is_asked_again() -> None:
    hog, victim = steady(), late_once()
    result = play(terms(), [hog, victim, steady()], BusyHost(hog))
    assert (result.void, result.reason, result.ranks[0]) == (False, "finish", 3)
    assert [(fault.seat, fault.kind) for fault in result.faults] == [(0, FaultKind.RESOURCE)]
    assert [question.question_id for question in victim.asked] == [1, 1, 2, 3, 4], "a second copy of the first question"
    assert {answer.source for moment in result.moments for answer in moment.answers if answer.seat == 1} == {
        Chooser.BOT
    }
    assert result.time_used_seconds[1] == 0.0, "the time that was taken from it is not counted"


def test_a_bot_that_held_up_itself_and_others_is_not_late_but_over_its_share() -> None:
    hog, victim = silent(), late_once()
    result = play(terms(faults_allowed=9), [hog, victim, steady()], BusyHost(hog))
    assert [(fault.seat, fault.kind, fault.out) for fault in result.faults] == [(0, FaultKind.RESOURCE, True)]
    assert result.reason == "finish"


def test_a_seat_that_was_held_up_and_is_late_once_more_is_not_excused_by_a_bot_that_is_out() -> None:
    hog = steady()
    result = play(terms(), [hog, silent(), steady()], BusyHost(hog))
    assert result.void
    assert result.reason.startswith("void: seat 1 overran")


@pytest.mark.parametrize("guilty", [[], [0], [0, 2]])
def test_the_record_of_such_a_match_holds(guilty: list[int]) -> None:
    game = find_game("pirates_cove")
    players = [steady(), late_once(), silent(), steady()]
    the_terms = make_terms(game, game.info.read_variant({}), derive_secret("busy"), match_id="m", seed="busy")
    result = play(the_terms, players, BusyHost(*(players[seat] for seat in guilty)))
    bots = [BotIdentity(name=f"bot {seat}") for seat in range(4)]
    record = make_record(result, bots, server_version="0", started_unix_millis=1)
    packed, sealed = unpack(pack(record))
    assert verify(packed, sealed=sealed).decisions == result.decisions
    assert ("held up" in record.outcome.reason) == result.void
