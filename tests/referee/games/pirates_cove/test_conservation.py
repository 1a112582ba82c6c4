"""Nothing is lost and nothing comes from nowhere, in whatever game chance leads to. Spec 2.3 to 2.6, R31."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.pirates_cove import GAME
from referee.games.pirates_cove.data import CARDS, LEGEND_DECK, TREASURES
from referee.games.pirates_cove.rules.tavern import ParrotOffer
from referee.games.pirates_cove.state import State
from referee.games.pirates_cove.terms import Captain, Card
from support.play import start, wander


def tavern_cards(state: State) -> Counter[Card]:
    """All Tavern cards, wherever they lie."""
    cards = Counter([*state.tavern, *state.tavern_discard])
    for ship in state.ships:
        cards.update(ship.hand)
        cards.update([ship.parrot] if ship.parrot else [])
        cards.update([Card.ARTISAN] if ship.artisan is not None else [])
    cards.update(state.combat.laid if state.combat else ())
    cards.update(task.parrot for task in state.pending if isinstance(task, ParrotOffer))
    return cards


def treasure_cards(state: State) -> Counter[int]:
    """All Treasure cards, face up, face down and discarded."""
    return Counter([*state.face_up, *state.treasure_discard, *(card for pile in state.piles for card in pile)])


def captains(state: State) -> Counter[Captain]:
    """All pirates, afloat, sunk or still to come."""
    afloat = [ship.captain for ship in state.black_ships if ship.captain is not None]
    return Counter([*afloat, *state.legends, *state.legend_discard])


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@settings(max_examples=8, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_gold_chests_cards_and_pirates_are_conserved(seats: int, seed: int) -> None:
    box = Counter({row.id: row.copies for row in CARDS.values()})
    course = start(GAME, seats, {}, str(seed))
    for _ in wander(course, random.Random(seed)):
        state: State = course.state
        assert state.gold + sum(ship.gold for ship in state.ships) == 124
        assert state.chests + sum(ship.chests for ship in state.ships) == 50
        assert min(state.gold, state.chests) >= 0
        assert tavern_cards(state) == box
        assert treasure_cards(state) == Counter(dict.fromkeys(range(1, len(TREASURES) + 1), 2))
        assert captains(state) == Counter(LEGEND_DECK)
        for ship in state.ships:
            assert min(ship.fame, ship.gold, ship.chests) >= 0
            assert all(-1 <= level <= 7 for level in ship.levels)


@pytest.mark.parametrize("seats", [2, 5])
def test_a_game_lasts_twelve_months_and_nobody_is_out_before(seats: int) -> None:
    """Spec 8: every seat navigates twelve times."""
    course, rng = start(GAME, seats, {}, "twelve"), random.Random(12)
    navigated: Counter[int] = Counter()
    for _ in wander(course, rng):
        if course.kind == "NAVIGATE":
            navigated.update(course.asked.keys())
    assert navigated == Counter(dict.fromkeys(range(seats), 12))
    assert course.state.month == 12
