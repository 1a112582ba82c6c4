"""The luck of volleys: zero over all throws, and worth most where it may decide. For any bots: ../test_luck.py."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from referee.games.pirates_cove.events import Event, VolleyFired
from referee.games.pirates_cove.luck import closeness, hits_beyond_expected, luck
from referee.games.pirates_cove.state import Combat, Salvo, State
from referee.games.pirates_cove.terms import Captain
from referee.rules.engine import Seat, Step
from referee.rules.parts import replace
from support.pirates_cove import HULL, S0, S1, S2, ship, table

FIGHTERS = (S0, S1, S2, Captain.HOOK)


def fired(shooter: Seat | Captain, target: Seat | Captain, dice: tuple[int, ...]) -> Step[State, Event]:
    state = table(ship(fame=3), ship(fame=9), ship(), month=5)
    combat = Combat(place=2, seats=(S0, S1, S2), hulls=((Captain.HOOK, 5),), shrouds=((S1, 6),))
    state.combat = combat if shooter is not S2 else replace(combat, salvo=Salvo(hit_from=3))
    return Step(state=state, events=(VolleyFired(shooter, target, (HULL,), dice, 0),))


@pytest.mark.parametrize(("shooter", "target"), [(a, b) for a, b in product(FIGHTERS, repeat=2) if a != b], ids=str)
def test_over_all_throws_the_luck_of_a_volley_is_zero(shooter: Seat | Captain, target: Seat | Captain) -> None:
    """Every seat's, also under Smoke, with cards that hit from 3, and of legends."""
    for dice_count in (1, 3):
        steps = [fired(shooter, target, dice) for dice in product(range(1, 7), repeat=dice_count)]
        found = np.array([luck(step.state, step) for step in steps])
        assert np.abs(found.sum(axis=0)).max() < 1e-9
        assert np.abs(found.sum(axis=1)).max() < 1e-12, "what one seat gains, the others lose"
        assert found.any()


def test_hits_are_counted_against_their_expectation() -> None:
    assert hits_beyond_expected((1, 5, 6), 5) == pytest.approx(1)
    assert hits_beyond_expected((1, 2), 3) == pytest.approx(-4 / 3)
    lucky = fired(S0, S1, (6, 6, 6))
    given = luck(lucky.state, lucky)
    assert given[0] > 0 > given[1]
    assert given[0] > given[2]


def test_a_hit_weighs_most_where_it_may_decide() -> None:
    assert closeness(0, 12) > closeness(0, 1)
    assert closeness(0, 6) > closeness(20, 6)
    assert closeness(-7, 6) == closeness(7, 6)


def test_the_weights_are_those_that_were_published() -> None:
    """They are fixed: a change makes other scores of the same records, and belongs in CHANGELOG.md and the docs."""
    step = fired(S0, S1, (6, 6, 6))
    assert luck(step.state, step) == pytest.approx((0.09722, -0.09722, 0.0), abs=1e-5)
