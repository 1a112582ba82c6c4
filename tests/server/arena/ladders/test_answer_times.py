"""How long answers took lately: right to one part in ten, and only of the last minute."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from referee.match import clock
from referee.match.match import Chooser, MatchResult
from server.arena.ladders.tables import WINDOW_SECONDS, AnswerTimes
from support.ladders import make_config, play_terms
from support.tables import ladder_terms


def answered(*seconds: float) -> MatchResult:
    """A match in which bots answered within these times, and the referee once for a bot that was long gone."""
    result = asyncio.run(play_terms(ladder_terms(make_config()), ["ann", "bob"]))
    moment = next(moment for moment in result.moments if moment.answers)
    answer = next(iter(moment.answers))
    answers = [replace(answer, seconds=one, source=Chooser.BOT) for one in seconds]
    other = next(source for source in Chooser if source is not Chooser.BOT)
    answers.append(replace(answer, seconds=3600.0, source=other))
    return replace(result, moments=(replace(moment, answers=tuple(answers)),))


def test_shares_are_right_to_one_part_in_ten() -> None:
    times = AnswerTimes()
    times.add(answered(*(0.001 * number for number in range(1, 101))))
    half, most = times.percentiles(0.5, 0.99)
    assert half == pytest.approx(0.050, rel=0.1)
    assert most == pytest.approx(0.099, rel=0.1)


def test_nothing_was_answered_yet() -> None:
    assert AnswerTimes().percentiles(0.5, 0.99) == [0.0, 0.0]


def test_an_answer_of_no_time_at_all_counts_too() -> None:
    times = AnswerTimes()
    times.add(answered(0.0, 0.0, 1.0))
    half, most = times.percentiles(0.5, 0.99)
    assert half < 0.0001
    assert most == pytest.approx(1.0, rel=0.1)


def test_only_the_last_minute_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    now, times = [100.0], AnswerTimes()
    monkeypatch.setattr(clock, "now", lambda: now[0])
    old, new = answered(9.0), answered(0.001)
    times.add(old)
    now[0] += WINDOW_SECONDS - 1
    times.add(new)
    assert times.percentiles(1.0) == [pytest.approx(9.0, rel=0.1)]
    now[0] += 2
    assert times.percentiles(1.0) == [pytest.approx(0.001, rel=0.1)]
    now[0] += WINDOW_SECONDS
    assert times.percentiles(1.0) == [0.0]
