"""What must hold in every position of every variant: nothing is made and nothing is lost."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.games.pavillon_noir import GAME
from referee.games.pavillon_noir.data import AIM_DECK, CANNONS, DECKS, DISCS_OF_EACH, SAILORS, TARGETS, ZONES
from referee.games.pavillon_noir.rules.trick_questions import TrickAim
from referee.games.pavillon_noir.state import Duelist, State
from referee.games.pavillon_noir.terms import Decks, Disaster, Projectile, Trick, Zone
from support.play import start, wander


def all_aim_cards(state: State, duelist: Duelist) -> list[int]:
    looked_at = [step.looked_at for step in state.pending if isinstance(step, TrickAim)]
    owner = state.duelists.index(duelist)
    mine = [step.seat == owner for step in state.pending if isinstance(step, TrickAim)]
    extra = [held for cards, own in zip(looked_at, mine, strict=True) if own for held in cards]
    placed = [held for spot in duelist.targets for held in spot.aim_cards]
    return [*duelist.hand, *duelist.deck, *duelist.discard, *placed, *extra]


def check(state: State) -> None:
    for duelist in state.duelists:
        assert sorted(all_aim_cards(state, duelist)) == sorted(AIM_DECK)
        assert list(duelist.hand) == sorted(duelist.hand)
        assert sorted(duelist.tokens) == list(Disaster)
        ship = duelist.ship
        assert all(0 <= ship.markers(zone) <= row.slots for zone, row in ZONES.items())
        assert all(count >= 0 for count in ship.sailors)
        assert 0 <= ship.sailors_lost <= SAILORS
        assert ship.captain in (None, *DECKS)
        assert ship.mate in (None, *DECKS)
        for cannon, load in zip(duelist.cannons, duelist.loads, strict=bool(duelist.cannons)):
            assert len(load) <= CANNONS[cannon].capacity
    loaded = [disc for own in state.duelists for pile in (*own.loads, own.drawn) for disc in pile]
    assert [state.bag[disc] + loaded.count(disc) for disc in Projectile] == [DISCS_OF_EACH] * 3
    laid = [spot.card for own in state.duelists for spot in own.targets]
    assert sorted([*state.target_deck, *state.target_discard, *laid]) == sorted(TARGETS)
    tricks = [trick for own in state.duelists for trick in (*own.tricks, *own.played_tricks, *own.rejected_tricks)]
    assert len(set(tricks)) == len(tricks) <= len(Trick)


@pytest.mark.few(2)
@pytest.mark.parametrize("variant", [variant.value for variant in Decks])
@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32))
def test_cards_discs_and_crew_are_conserved(variant: str, seed: int) -> None:
    """42 aim cards per seat, 15 discs, 30 target cards, 3 tokens, crew and cannons within their limits."""
    course = start(GAME, 2, GAME.info.read_variant({"variant": variant}), str(seed))
    for _ in wander(course, random.Random(seed)):
        check(course.state)
    check(course.state)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_a_zone_that_is_laid_on_always_bears_a_marker(seed: int) -> None:
    """Ruling R20: at least two zones are never empty, so there is always something to lay a gun on."""
    course = start(GAME, 2, GAME.info.read_variant({"variant": "full"}), str(seed))
    for choices in wander(course, random.Random(seed)):
        if course.kind == "LAY_GUN":
            for seat in choices:
                ship = course.state.duelists[1 - seat].ship
                assert len(course.asked[seat]) >= 2
                assert all(ship.markers(option.zone) for option in course.asked[seat])
                assert sum(ship.markers(zone) > 0 for zone in Zone) >= 2
