"""The luck of skulls: counted by draws, so that a re-roll counts the dice thrown anew and no other."""

from __future__ import annotations

import pytest

from referee.games.marauders import GAME
from referee.games.marauders.events import Event
from referee.games.marauders.luck import AGAINST, EXPECTED, WORTH, luck, skull_worth
from referee.games.marauders.rules.dice import SKULL
from referee.games.marauders.state import State
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.engine import Step


def after_draws(*keys: tuple[str, int]) -> tuple[State, Step[State, Event], list[int]]:
    """A state, a step in which these dice were thrown, and what they show."""
    before: State = GAME.new(2, GAME.info.read_variant({}), SeededChance(derive_secret("skulls")))
    state = before.copy()
    dice = [state.chance.draw(purpose, owner, 6) + 1 for purpose, owner in keys]
    return before, Step(state=state, events=()), dice


def test_skulls_count_against_their_expectation() -> None:
    assert sum((face >= SKULL) - EXPECTED for face in range(1, 7)) == pytest.approx(0)
    before, step, dice = after_draws(*([("raid", 0)] * 9))
    skulls = sum(die >= SKULL for die in dice)
    given = luck(before, step)
    assert given[0] == pytest.approx(WORTH["raid"] * (skulls - 3))
    assert given[0] == pytest.approx(-given[1])


def test_an_npcs_skull_is_bad_luck_of_the_seat_it_meets() -> None:
    before, step, dice = after_draws(("npc navy_EN crew", 1))
    assert luck(before, step)[1] == pytest.approx(AGAINST * ((dice[0] >= SKULL) - EXPECTED))
    assert skull_worth("npc navy_EN location") == skull_worth("demand") == skull_worth("npc order") == 0


def test_what_belongs_to_the_table_or_is_not_counted_is_nobodys_luck() -> None:
    before, step, _ = after_draws(("raid", -1), ("location", 0), ("demand", 1))
    assert luck(before, step) == (0.0, 0.0)
    assert luck(before, Step(state=before, events=())) == (0.0, 0.0)
