"""Setup and the choices of both seats at once: spec 4; rulings R36 to R39."""

from __future__ import annotations

from typing import Any

import pytest

from referee.games.pavillon_noir import GAME
from referee.games.pavillon_noir.actions import (
    InstallCannons,
    KeepReputation,
    KeepTrick,
    LayGun,
    LoadGuns,
    PlaceOfficers,
)
from referee.games.pavillon_noir.data import AIM_DECK, DECKS
from referee.games.pavillon_noir.events import DiscsDrawn, FirstSeatNamed, OfficersPlaced, TricksDealt
from referee.games.pavillon_noir.terms import Cannon, Gun, Phase, Projectile, Reputation, Trick, Zone
from referee.rules.chance import ScriptedChance
from referee.rules.course import Course
from referee.rules.engine import Seat
from support.pavillon_noir import A, B, names

BALL, CHAIN, GRAPE = Projectile


def begin(draws: tuple[int, ...] = (), **options: str) -> Course:
    """A game whose piles stay in canonical order."""
    return Course(GAME, 2, GAME.info.read_variant(options), ScriptedChance(draws))


def choose(course: Course, choices: dict[Seat, Any]) -> None:
    course.choose({seat: course.asked[seat].index(action) for seat, action in choices.items()})


def to_the_guns(course: Course) -> Course:
    """Officers amidships, two Long Nines each: one disc per gun."""
    choose(course, dict.fromkeys((A, B), PlaceOfficers(Zone.DECK_MAIN, Zone.DECK_MAIN)))
    choose(course, dict.fromkeys((A, B), InstallCannons(Cannon.LONG_NINE, Cannon.LONG_NINE)))
    return course


def test_officers_are_placed_at_once_and_sailors_fill_the_rest() -> None:
    """Steps 1 and 2, decision D1."""
    course = begin()
    assert course.kind == "SETUP_OFFICERS"
    assert course.asked[A] == course.asked[B] == tuple(PlaceOfficers(one, two) for one in DECKS for two in DECKS)
    assert course.asked[A][course.default(A)] == PlaceOfficers(Zone.DECK_MAIN, Zone.DECK_MAIN)
    choose(course, {A: PlaceOfficers(Zone.DECK_BOW, Zone.DECK_STERN), B: PlaceOfficers(Zone.DECK_MAIN, Zone.DECK_MAIN)})
    ships = [duelist.ship for duelist in course.state.duelists]
    assert [ship.sailors for ship in ships] == [(3, 6, 3), (4, 4, 4)]
    assert course.events == [
        OfficersPlaced(A, Zone.DECK_BOW, Zone.DECK_STERN),
        OfficersPlaced(B, Zone.DECK_MAIN, Zone.DECK_MAIN),
    ]


def test_cannons_and_loads() -> None:
    """Steps 3 and 4, ruling R39: seat 0 draws first. The bag in canonical order is 5 balls, 5 chains, 5 grape."""
    course = begin(draws=(0, 13, 4, 4, 10, 9, 8))
    choose(course, dict.fromkeys((A, B), PlaceOfficers(Zone.DECK_MAIN, Zone.DECK_MAIN)))
    assert course.asked[A] == tuple(InstallCannons(one, two) for one in Cannon for two in Cannon)
    assert course.default(A) == 0
    choose(
        course,
        {
            A: InstallCannons(Cannon.POUNDER18, Cannon.LONG_NINE),
            B: InstallCannons(Cannon.CARRONADE, Cannon.POUNDER18),
        },
    )
    drawn = [event for event in course.events if isinstance(event, DiscsDrawn)]
    assert drawn == [DiscsDrawn(A, (BALL, CHAIN, GRAPE)), DiscsDrawn(B, (CHAIN, GRAPE, GRAPE, GRAPE))]
    assert course.state.bag == (4, 3, 1)
    assert course.kind == "SETUP_LOAD"
    assert course.asked[A] == (
        LoadGuns((BALL, CHAIN), (GRAPE,)),
        LoadGuns((BALL, GRAPE), (CHAIN,)),
        LoadGuns((CHAIN, GRAPE), (BALL,)),
    )
    assert course.asked[B] == (LoadGuns((CHAIN, GRAPE), (GRAPE, GRAPE)), LoadGuns((GRAPE, GRAPE), (CHAIN, GRAPE)))


@pytest.mark.parametrize("first", [A, B])
def test_the_first_seat_lays_first_and_takes_turn_one_with_four_cards(first: Seat) -> None:
    """Steps 5, 6, 9, 10."""
    course = to_the_guns(begin(draws=(0, 0, 0, 0), first_seat=str(first)))
    assert FirstSeatNamed(first) in course.events
    for seat in (first, Seat(1 - first)):
        assert list(course.asked) == [seat]
        assert (course.kind, course.default(seat)) == ("LAY_GUN", 0)
        choose(course, {seat: LayGun(Gun.STERN, Zone.SAIL_BOW)})
    assert (course.kind, list(course.asked)) == ("ACTION", [first])
    assert [len(duelist.hand) for duelist in course.state.duelists] == [4, 4]
    assert names(course.state.duelists[A].hand) == "D9 D10 JK JK", "the top of a deck in canonical order"
    assert (course.state.turn, course.state.round, course.state.phase) == (1, 1, Phase.ACTIONS)


def test_the_first_seat_is_drawn_by_lot_unless_it_is_named() -> None:
    """Option first_seat: one fair draw, after the discs."""
    assert to_the_guns(begin(draws=(0, 0, 0, 0, 1))).state.first == B


def test_each_seat_draws_target_cards_from_its_own_end_of_the_deck() -> None:
    """Luck: how often a seat lays its gun does not shift the cards of the other."""
    course = to_the_guns(begin(draws=(0, 0, 0, 0), first_seat="0"))
    choose(course, {A: LayGun(Gun.BOW, Zone.HULL_BOW)})
    choose(course, {B: LayGun(Gun.BOW, Zone.HULL_BOW)})
    own, other = (tuple(spot.card for spot in duelist.targets) for duelist in course.state.duelists)
    assert (own, other) == ((30, 29), (1, 2))


def lay(course: Course) -> Course:
    for seat in (A, B):
        choose(course, {seat: LayGun(Gun.BOW, Zone.SAIL_BOW)})
    return course


def test_reputations_are_chosen_at_once_from_three_each() -> None:
    """Step 7, decision D5."""
    course = lay(to_the_guns(begin(draws=(0, 0, 0, 0), first_seat="0", variant="reputation")))
    assert course.kind == "CHOOSE_REPUTATION"
    assert course.asked[A] == tuple(map(KeepReputation, (Reputation.Q1, Reputation.Q2, Reputation.Q3)))
    assert course.asked[B] == tuple(map(KeepReputation, (Reputation.Q4, Reputation.Q5, Reputation.Q6)))
    choose(course, {A: KeepReputation(Reputation.Q2), B: KeepReputation(Reputation.Q4)})
    own, other = course.state.duelists
    assert (own.reputation, own.rejected_reputations) == (Reputation.Q2, (Reputation.Q1, Reputation.Q3))
    assert (other.reputation, other.rejected_reputations) == (Reputation.Q4, (Reputation.Q5, Reputation.Q6))
    assert course.kind == "ACTION"


def test_r37_eighteen_tricks_are_dealt_in_three_rounds_and_none_twice() -> None:
    """Step 8, rulings R36 and R37: the hands are dealt afterwards."""
    course = lay(to_the_guns(begin(draws=(0, 0, 0, 0), first_seat="0", variant="full")))
    choose(course, {A: KeepReputation(Reputation.Q1), B: KeepReputation(Reputation.Q4)})
    dealt: list[Trick] = []
    for number in range(3):
        assert course.kind == "CHOOSE_TRICK"
        assert [len(duelist.hand) for duelist in course.state.duelists] == [0, 0]
        news = [event for event in course.events if isinstance(event, TricksDealt)]
        dealt += [trick for event in news for trick in event.tricks]
        expected = tuple(Trick(6 * number + place) for place in (1, 2, 3))
        assert course.asked[A] == tuple(map(KeepTrick, expected))
        course.choose({A: 0, B: 2})
    assert dealt == list(Trick)[:18]
    own, other = course.state.duelists
    assert own.tricks == (Trick.K01, Trick.K07, Trick.K13)
    assert other.tricks == (Trick.K06, Trick.K12, Trick.K18)
    assert own.rejected_tricks == (Trick.K02, Trick.K03, Trick.K08, Trick.K09, Trick.K14, Trick.K15)
    assert (course.kind, len(own.hand)) == ("ACTION", 4)


def test_the_aim_deck_has_forty_cards_and_two_jokers() -> None:
    """Spec 2.4."""
    assert len(AIM_DECK) == 42
    assert names(AIM_DECK[:2]) == "S1 S2"
    assert names(AIM_DECK[-3:]) == "D10 JK JK"
