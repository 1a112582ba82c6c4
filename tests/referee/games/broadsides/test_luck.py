"""The luck of the guns: zero over the six faces of every shot, by the rules themselves."""

from __future__ import annotations

import random
from copy import copy

import pytest

from referee.games.broadsides import GAME
from referee.games.broadsides.actions import Fire
from referee.games.broadsides.events import HullMarked, ShotFired
from referee.games.broadsides.luck import closeness, damage, luck
from referee.games.broadsides.state import State
from referee.rules.chance import ScriptedChance, SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import DUEL, Seat

ENOUGH = [0, 5] * 200
"""Dice for whatever follows a shot: opposed rolls that differ."""


def shots(games: int) -> list[tuple[State, Seat, Fire]]:
    """States in which a seat fires, and at what, of games by lot."""
    dice, found = random.Random(1), []
    for number in range(games):
        course = Course(GAME, 2, GAME.info.read_variant({}), SeededChance(derive_secret(f"guns/{number}")))
        while course.outcome is None:
            choices = {seat: dice.randrange(len(options)) for seat, options in course.asked.items()}
            for seat, index in choices.items():
                if isinstance(action := course.asked[seat][index], Fire):
                    found.append((course.state, seat, action))
            course.choose(choices)
    return found


def fire(state: State, seat: Seat, action: Fire, face: int) -> tuple[tuple[float, ...], list[object]]:
    """The luck of a shot whose die shows this face, and its events."""
    here = copy(state)
    here.chance = ScriptedChance([face - 1, *ENOUGH])
    step = GAME.apply(here, {seat: action})
    [shot] = [event for event in step.events if isinstance(event, ShotFired)]
    assert shot.die == face
    return luck(here, step), list(step.events)


def test_over_the_six_faces_the_luck_of_every_shot_is_zero() -> None:
    taken = shots(12)
    assert len(taken) > 50
    moved = 0
    for state, seat, action in taken:
        found = [fire(state, seat, action, face)[0] for face in range(1, 7)]
        for each in DUEL:
            assert sum(given[each] for given in found) == pytest.approx(0, abs=1e-12)
        assert all(sum(given) == pytest.approx(0, abs=1e-12) for given in found)
        moved += any(any(given) for given in found)
    assert moved > len(taken) / 2


def test_a_marker_on_the_hull_is_luck_of_who_fired() -> None:
    """By the rules, not by the table of luck: wherever the face 2 marks the hull, it is worth more than a miss."""
    marked = 0
    for state, seat, action in shots(6):
        given, events = fire(state, seat, action, 2)
        if any(isinstance(event, HullMarked) for event in events):
            marked += 1
            assert given[seat] > fire(state, seat, action, 1)[0][seat]
    assert marked > 5


def test_a_marker_is_worth_most_where_it_may_decide() -> None:
    assert closeness(0) == 1 > closeness(1) == closeness(-1) > closeness(4)
    assert damage((2, 2, 0, 1, 0, 0)) == 5
