"""The luck of the dice: zero on average by construction, whatever the bots do, and worth something."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from referee.chance import SeededChance, derive_secret
from referee.course import Course
from referee.engine import Seat, Step
from referee.games import find_game
from referee.games.pirates_cove import GAME
from referee.games.pirates_cove.actions import Fire, Flee
from referee.games.pirates_cove.events import Event, VolleyFired
from referee.games.pirates_cove.luck import closeness, hits_beyond_expected, luck
from referee.games.pirates_cove.state import Combat, Salvo, State
from referee.games.pirates_cove.terms import Captain
from referee.parts import replace
from referee.seat_luck import SeatLuck
from server.ratings.share import seat_scores
from support.pirates_cove import HULL, S0, S1, S2, ship, table
from support.sizes import pick, sized

Choose = Callable[[Course, Seat, SeatLuck], int]

FIGHTERS = (S0, S1, S2, Captain.HOOK)


def fired(shooter: Seat | Captain, target: Seat | Captain, dice: tuple[int, ...]) -> Step[State, Event]:
    state = table(ship(fame=3), ship(fame=9), ship(), month=5)
    combat = Combat(place=2, seats=(S0, S1, S2), hulls=((Captain.HOOK, 5),), shrouds=((S1, 6),))
    state.combat = combat if shooter is not S2 else replace(combat, salvo=Salvo(hit_from=3))
    return Step(state=state, events=(VolleyFired(shooter, target, (HULL,), dice, 0),))


@pytest.mark.parametrize(
    ("shooter", "target"), [(a, b) for a, b in product(FIGHTERS, repeat=2) if a != b], ids=str
)
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


def random_choice(dice: np.random.RandomState) -> Choose:
    return lambda course, seat, luck: int(dice.randint(len(course.asked[seat])))


def flees_when_lucky(dice: np.random.RandomState) -> Choose:
    """Tries to bias the luck: it fires while it was unlucky and leaves once it was lucky."""

    def choose(course: Course, seat: Seat, luck: SeatLuck) -> int:
        options = course.asked[seat]
        wanted = Flee if luck.given[seat] > 0 else Fire
        found = [index for index, option in enumerate(options) if isinstance(option, wanted)]
        return found[0] if found else int(dice.randint(len(options)))

    return choose


def play(choosers: list[Choose], name: str) -> tuple[list[float], tuple[float, ...]]:
    course = Course(GAME, len(choosers), GAME.info.read_variant({}), SeededChance(derive_secret(name)))
    luck = SeatLuck(course)
    while course.outcome is None:
        course.choose({seat: choosers[seat](course, seat, luck) for seat in course.asked})
        luck.follow(course)
    return luck.given, seat_scores(course.outcome.ranks)


@sized
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("hostile", [False, True], ids=["random", "flees when lucky"])
def test_a_score_less_luck_has_the_same_mean_for_any_bots(seats: int, hostile: bool) -> None:
    """The mean of the luck is zero within four standard errors, also if a bot tries to bias it."""
    dice = np.random.RandomState(seats)
    games = pick(quick=60, ci=300, full=3000)
    found = []
    for number in range(games):
        first = flees_when_lucky(dice) if hostile else random_choice(dice)
        given, _ = play([first, *(random_choice(dice) for _ in range(seats - 1))], f"luck/{seats}/{number}")
        assert math.fsum(given) == pytest.approx(0, abs=1e-9)
        found.append(given[0])
    luck_of_first = np.array(found)
    assert luck_of_first.std() > 0.01
    assert abs(luck_of_first.mean()) < 4 * luck_of_first.std() / math.sqrt(games)


def test_the_weights_are_those_that_were_published() -> None:
    """They are fixed: a change makes other scores of the same records, and belongs in CHANGELOG.md and the docs."""
    step = fired(S0, S1, (6, 6, 6))
    assert luck(step.state, step) == pytest.approx((0.09722, -0.09722, 0.0), abs=1e-5)


def test_games_that_do_not_count_luck_have_none() -> None:
    game = find_game("pavillon_noir")
    course = Course(game, 2, game.info.read_variant({}), SeededChance(derive_secret("x")))
    luck = SeatLuck(course)
    course.choose({seat: 0 for seat in course.asked})
    luck.follow(course)
    assert luck.given == [0.0, 0.0]
