"""The bots that look ahead: they answer every question legally, search where they should, and stop when told to."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from typing import Any

import pytest

import tortuga_bot
from referee.games import GAMES
from referee.rules.engine import Seat
from server.bots.spec import find_bot
from server.play.simulate import load_choose, make_strategy
from support.play import start, wander
from tortuga_bot import Match, Question
from tortuga_bot.deadline import Deadline, read_budget

BOTS = {
    "admiral": "marauders",
    "commodore": "broadsides",
    "corsair": "pirates_cove",
    "quartermaster": "pavillon_noir",
}
CHOICES_COMPARED = 60
"""Moments of a match with a budget; a whole one takes many seconds."""
EVERY_CARD: dict[str, dict[str, str]] = {"quartermaster": {"variant": "full"}}


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("think_seconds", [0.0, 0.002])
def test_a_game_is_played_to_its_end(name: str, think_seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by a bot that has no time at all: then the rules of thumb decide."""
    game, bot = GAMES[BOTS[name]], find_bot(name)
    choose: Any = load_choose(bot)
    monkeypatch.setitem(choose.__globals__, "THINK_SECONDS", think_seconds)
    variant = game.info.read_variant(EVERY_CARD.get(name, {}))
    course = start(game, 2, variant, "search")
    searcher = make_strategy(bot, course, variant, Seat(0), "search")
    rng = random.Random(1)
    while course.outcome is None:
        course.choose(
            {
                seat: searcher(course, seat) if seat == 0 else rng.randrange(len(options))
                for seat, options in course.asked.items()
            }
        )
    assert course.outcome is not None


@pytest.mark.few(1)
@pytest.mark.parametrize("seats", [3, 4])
def test_the_admiral_answers_at_larger_tables_whatever_happens(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All seats choose by dice, so it is also asked in places where its own play would never bring it."""
    game, bot = GAMES["marauders"], find_bot("admiral")
    choose: Any = load_choose(bot)
    monkeypatch.setitem(choose.__globals__, "THINK_SECONDS", 0.002)
    variant = game.info.read_variant({})
    course = start(game, seats, variant, "large")
    admirals = [make_strategy(bot, course, variant, Seat(seat), "large") for seat in range(seats)]
    kinds = set()
    for _ in wander(course, random.Random(seats)):
        for seat, options in course.asked.items():
            assert 0 <= admirals[seat](course, seat) < len(options)
        kinds.add(course.kind)
    assert {"action", "port", "merchant", "raid", "declare", "npc_declare", "capture", "jettison"} <= kinds


@pytest.mark.parametrize("name", BOTS)
def test_it_draws_worlds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game, bot = GAMES[BOTS[name]], find_bot(name)
    choose: Any = load_choose(bot)
    drawn: list[int] = []
    real = tortuga_bot.model

    def model(question: Question) -> Any:
        drawn.append(1)
        return real(question)

    monkeypatch.setattr(tortuga_bot, "model", model)
    monkeypatch.setitem(choose.__globals__, "THINK_SECONDS", 0.05)
    variant = game.info.read_variant({})
    course = start(game, 2, variant, "worlds")
    bots = [make_strategy(bot, course, variant, Seat(seat), "worlds") for seat in (0, 1)]
    for _ in range(60):
        if course.outcome is not None or drawn:
            break
        course.choose({seat: bots[seat](course, seat) for seat in course.asked})
    assert drawn


def test_a_deadline_is_over_when_the_clock_says_so() -> None:
    match = Match("m", "broadsides", 0, ("a", "b"), {}, has_clock=True)
    message: Any = type("Message", (), {"time_left_millis": 0})()
    assert Deadline(Question(match, message), math.inf).is_over()
    assert not Deadline(Question(Match("m", "broadsides", 0, ("a", "b"), {}), message), 60.0).is_over()
    assert Deadline(Question(Match("m", "broadsides", 0, ("a", "b"), {}), message), 0.0).is_over()


@pytest.mark.parametrize("name", BOTS)
def test_with_a_budget_of_trials_the_same_seed_gives_the_same_match(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the processor's clock runs wild: it is not asked."""
    game, bot = GAMES[BOTS[name]], find_bot(name)
    choose: Any = load_choose(bot)
    monkeypatch.setitem(choose.__globals__, "TRIALS", 8)
    variant = game.info.read_variant({})
    matches: list[list[dict[Seat, int]]] = []
    for passed in (0.0, 1000.0):
        monkeypatch.setattr("time.thread_time", itertools.count(step=passed).__next__)
        course, taken = start(game, 2, variant, "budget"), list[dict[Seat, int]]()
        bots = [make_strategy(bot, course, variant, Seat(seat), "budget") for seat in (0, 1)]
        while course.outcome is None and len(taken) < CHOICES_COMPARED:
            taken.append({seat: bots[seat](course, seat) for seat in course.asked})
            course.choose(taken[-1])
        matches.append(taken)
    assert matches[0] == matches[1]


def test_a_budget_is_used_up_by_trials_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    message: Any = type("Message", (), {"time_left_millis": 0})()
    question = Question(Match("m", "broadsides", 0, ("a", "b"), {}), message)
    until = Deadline(question, 0.0, trials=2)
    until.count_trial()
    assert not until.is_over()
    until.count_trial()
    assert until.is_over()
    assert read_budget() is None
    monkeypatch.setenv("TORTUGA_PARAM_budget", "30")
    assert read_budget() == 30


@pytest.mark.parametrize("name", sorted(set(BOTS) - {"admiral"}))  # test_kits.py plays with what it copies, a package
def test_its_build_copies_what_it_finds_in_the_kit(name: str) -> None:
    bot = find_bot(name)
    assert bot.folder is not None
    copied = {word.rpartition("/")[2] for word in bot.build[-1].split() if word.startswith("../")}
    assert copied == {"strategy.py", "look_ahead.py"}
    choose: Any = load_choose(bot)
    sources = {choose.__globals__["thumb"].__file__, choose.__globals__["look_ahead"].__file__}
    assert {source.rpartition("/")[2] for source in sources} == copied


def test_the_quartermasters_rules_in_worlds_are_the_gunners() -> None:
    """Every choice of a game, by the state on one side and by the messages on the other."""
    choose: Any = load_choose(find_bot("quartermaster"))
    rules, gunner = choose.__globals__["rules"], find_bot("gunner")
    game = GAMES["pavillon_noir"]
    variant = game.info.read_variant({})
    course = start(game, 2, variant, "rules")
    bots = [make_strategy(gunner, course, variant, Seat(seat), "rules") for seat in (0, 1)]
    compared = set()
    while course.outcome is None:
        choices = {seat: bots[seat](course, seat) for seat in course.asked}
        for seat, index in choices.items():
            if course.kind in rules.JUDGES:
                scores = rules.JUDGES[course.kind](course.state, seat, course.asked[seat])
                assert scores.index(max(scores)) == index, (course.kind, course.asked[seat])
                compared.add(course.kind)
        course.choose(choices)
    assert {"ACTION", "FIRE", "LAY_GUN", "PAY", "LOAD", "DISCARD", "REMOVE_PLANKS"} <= compared


def test_the_quartermaster_sees_who_is_about_to_win() -> None:
    """Both seats together have one win, and a ship that loses planks has less of it."""
    choose: Any = load_choose(find_bot("quartermaster"))
    chance_to_win = choose.__globals__["worth"].chance_to_win
    game = GAMES["pavillon_noir"]
    course = start(game, 2, game.info.read_variant({}), "worth")
    rng = random.Random(2)
    while course.state.turn < 6:
        course.choose({seat: rng.randrange(len(options)) for seat, options in course.asked.items()})
    state = course.state
    assert chance_to_win(state, 0) + chance_to_win(state, 1) == pytest.approx(1.0)
    before = chance_to_win(state, 0)
    own = state.duelists[0]
    for planks in ((5, 4, 1), (4, 1, 0)):
        ship = dataclasses.replace(own.ship, planks=planks)
        state.duelists = (dataclasses.replace(own, ship=ship), state.duelists[1])
        assert chance_to_win(state, 0) < before
        before = chance_to_win(state, 0)


def load_look_ahead() -> Any:
    """What the searching bots share, as they find it."""
    choose: Any = load_choose(find_bot("quartermaster"))
    return choose.__globals__["look_ahead"]


class FakeWorld:
    """A world in which an option is worth what it says."""

    def __init__(self, values: list[float]) -> None:
        self.values = values
        self.taken = -1

    def clone(self) -> FakeWorld:
        return FakeWorld(self.values)

    def play(self, index: int) -> None:
        self.taken = index


def run_race(
    monkeypatch: pytest.MonkeyPatch, worlds: list[list[float]], trust: float, candidates: list[int]
) -> tuple[int, list[int]]:
    """Which option wins a race through those worlds, and which options were tried, in order."""
    left, tried = list(worlds), []
    model: Any = type("Model", (), {"worlds": lambda self, count: [FakeWorld(left.pop(0)) for _ in range(count)]})()
    monkeypatch.setattr(tortuga_bot, "model", lambda question: model)
    until: Any = type("Until", (), {"is_over": lambda self: not left, "count_trial": lambda self: None})()

    def play_on(world: FakeWorld) -> float:
        tried.append(world.taken)
        return world.values[world.taken]

    question: Any = None
    return load_look_ahead().race(question, candidates, play_on, until, trust), tried


def test_a_race_is_won_by_the_best_option(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_race(monkeypatch, [[0.1, 0.2, 0.6], [0.2, 0.3, 0.5]], 0.0, [0, 1, 2])[0] == 2
    assert run_race(monkeypatch, [[0.6, 0.2, 0.1], [0.5, 0.3, 0.2]], 0.0, [0, 1, 2])[0] == 0


def test_the_usual_choice_stands_unless_another_is_better_by_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_race(monkeypatch, [[0.50, 0.52]], 0.03, [0, 1])[0] == 0
    assert run_race(monkeypatch, [[0.50, 0.52], [0.5, 0.53], [0.5, 0.52]], 0.03, [0, 1])[0] == 1
    assert run_race(monkeypatch, [], 0.0, [1, 0]) == (1, [])
    assert run_race(monkeypatch, [[0.1, 0.9]], 0.0, [0]) == (0, [])


def test_an_option_far_behind_is_tried_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = [[0.5, 0.10 + luck, 0.5 + 5 * luck] for luck in (0.01, -0.02, 0.01, 0.0, 0.02, -0.01, 0.0, 0.01)]
    _, tried = run_race(monkeypatch, worlds, 0.03, [0, 1, 2])
    assert tried.count(1) == load_look_ahead().FEWEST_TRIES
    assert tried.count(2) == len(worlds)


def test_a_race_ends_when_one_is_clearly_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = [[0.5, 0.8 + luck] for luck in (0.01, -0.02, 0.01, 0.0, 0.02, -0.01, 0.0, 0.01)]
    answer, tried = run_race(monkeypatch, worlds, 0.03, [0, 1])
    assert answer == 1
    assert len(tried) == 2 * load_look_ahead().FEWEST_TRIES


def test_what_was_cut_short_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    model: Any = type("Model", (), {"worlds": lambda self, count: [FakeWorld([0.5, 0.9])]})()
    monkeypatch.setattr(tortuga_bot, "model", lambda question: model)
    until: Any = type("Until", (), {"is_over": lambda self: False, "count_trial": lambda self: None})()
    question: Any = None
    assert load_look_ahead().race(question, [0, 1], lambda world: 0.5 if world.taken == 0 else None, until, 0.0) == 0
