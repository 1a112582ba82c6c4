"""Luck that is counted is zero on average for any bots, so a score less luck has the mean of the score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from referee.games import GAMES, find_game
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course, SeatLuck
from referee.rules.engine import Seat
from support.sizes import pick, sized

Choose = Callable[[Course, Seat, SeatLuck], int]

TABLES = [("broadsides", 2), ("pirates_cove", 2), ("pirates_cove", 4), ("marauders", 2), ("marauders", 3)]


def by_lot(dice: np.random.RandomState) -> Choose:
    return lambda course, seat, luck: int(dice.randint(len(course.asked[seat])))


def stops_when_lucky(dice: np.random.RandomState) -> Choose:
    """Tries to bias its luck: it fires while it was unlucky, and once it was lucky it ceases, flees or waits."""

    def choose(course: Course, seat: Seat, luck: SeatLuck) -> int:
        options = course.asked[seat]
        wanted = ("Flee", "Cease", "Wait") if luck.given[seat] > 0 else ("Fire",)
        found = [index for index, option in enumerate(options) if type(option).__name__ in wanted]
        return found[0] if found else int(dice.randint(len(options)))

    return choose


def played(game_id: str, seats: int, first: Callable[[np.random.RandomState], Choose]) -> Iterator[list[float]]:
    """The luck of each seat in game after game."""
    dice, game = np.random.RandomState(seats), find_game(game_id)
    for number in range(pick(quick=60, ci=200, full=4000) // (3 if game_id == "marauders" else 1)):
        secret = derive_secret(f"luck/{seats}/{number}")
        course = Course(game, seats, game.info.read_variant({}), SeededChance(secret))
        luck = SeatLuck(course)
        choosers = [first(dice), *(by_lot(dice) for _ in range(seats - 1))]
        while course.outcome is None:
            course.choose({seat: choosers[seat](course, seat, luck) for seat in course.asked})
            luck.follow(course)
        yield luck.given


@pytest.mark.few(3)
@sized
@pytest.mark.parametrize("first", [by_lot, stops_when_lucky])
@pytest.mark.parametrize(("game_id", "seats"), TABLES)
def test_the_mean_of_a_score_less_luck_is_that_of_the_score_for_any_bots(
    game_id: str, seats: int, first: Callable[[np.random.RandomState], Choose]
) -> None:
    """Within four standard errors; also if a bot does what it can to bias its luck."""
    found = np.array(list(played(game_id, seats, first)))
    assert np.abs(found.sum(axis=1)).max() < 1e-9, "what one seat gains, the others lose"
    own = found[:, 0]
    assert own.std() > 0.01
    assert abs(own.mean()) < 4 * own.std() / math.sqrt(len(own))


def test_a_bot_that_stops_when_lucky_would_bias_luck_without_its_expectation() -> None:
    """The test above can fail: hits that are counted without what was to be expected are no luck."""
    game = find_game("pirates_cove")
    assert game.luck is not None
    dice, hits = np.random.RandomState(2), []
    for number in range(60):
        course = Course(game, 2, game.info.read_variant({}), SeededChance(derive_secret(f"raw/{number}")))
        luck, raw = SeatLuck(course), 0.0
        choosers = [stops_when_lucky(dice), by_lot(dice)]
        while course.outcome is None:
            course.choose({seat: choosers[seat](course, seat, luck) for seat in course.asked})
            luck.follow(course)
            volleys = [event for event in course.events if type(event).__name__ == "VolleyFired"]
            raw += sum(event.hits * (1 if event.shooter == 0 else -1) for event in volleys)
        hits.append(raw)
    found = np.array(hits)
    assert abs(found.mean()) > 4 * found.std() / math.sqrt(len(found))


@pytest.mark.parametrize("game_id", [name for name in GAMES if find_game(name).luck is None])
def test_games_that_do_not_count_luck_have_none(game_id: str) -> None:
    game = find_game(game_id)
    course = Course(game, 2, game.info.read_variant({}), SeededChance(derive_secret("x")))
    luck = SeatLuck(course)
    course.choose(dict.fromkeys(course.asked, 0))
    luck.follow(course)
    assert luck.given == [0.0, 0.0]
