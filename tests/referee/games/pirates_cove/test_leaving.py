"""Leaving a combat: retreat, flight, mutiny, nightfall. Spec 6.7."""

from __future__ import annotations

from referee.games.pirates_cove.actions import Flee
from referee.games.pirates_cove.data import MAX_EXCHANGES
from referee.games.pirates_cove.events import CombatEnded, FameChanged, MutinyRolled, ShipLeft
from referee.games.pirates_cove.state import combat_of
from referee.games.pirates_cove.terms import Captain, Card, Departure, FameReason
from referee.rules.parts import replace
from support.pirates_cove import HULL, S0, S1, S2, SAILS, Play, card, dice, fight, fire, ship, table

EVEN = (2, 2, 2, 2)


def test_v6_a_mutiny_takes_gold_chests_and_two_fame() -> None:
    """R10, R44."""
    play = fight(table(ship((2, 4, 2, 2), fame=5, gold=7, chests=4), ship(EVEN), draws=dice(1)))
    play.do(S0, Flee())
    first = play.state.ships[0]
    assert (first.fame, first.gold, first.chests, first.place) == (3, 0, 0, 7)
    assert play.of(MutinyRolled) == [MutinyRolled(S0, 1, 7, 4)]


def test_r10_any_other_die_costs_nothing() -> None:
    for die in (2, 3, 4, 5, 6):
        play = fight(table(ship((2, 4, 2, 2), fame=5, gold=7, chests=4), ship(EVEN), draws=dice(die)))
        play.do(S0, Flee())
        first = play.state.ships[0]
        assert (first.fame, first.gold, first.chests, first.place) == (5, 7, 4, 7)


def test_r10_a_forced_retreat_throws_no_die() -> None:
    play = fight(table(ship((2, 4, 2, 2)), ship((0, 2, 2, 2)), draws=dice(5, 1, 1)))
    play.do(S0, fire(S1, HULL))
    assert play.of(MutinyRolled) == []
    assert play.dice_left() == 0
    assert play.state.ships[1].place == 7


def test_r9_every_ship_that_stays_gains_for_a_touched_one_that_leaves() -> None:
    ships = [ship((2, 4, 2, 2)), ship((2, 3, 2, 2)), ship(EVEN)]
    play = fight(table(*ships, draws=dice(5, 1, 1, 2)))
    play.do(S0, fire(S1, SAILS)).do(S1, Flee())
    assert play.of(ShipLeft) == [ShipLeft(S1, Departure.FLIGHT, True)]
    assert play.of(FameChanged) == [
        FameChanged(S0, 1, FameReason.RETREAT),
        FameChanged(S2, 1, FameReason.RETREAT),
    ]


def test_r9_the_fame_comes_before_the_mutiny_die_and_not_for_an_untouched_ship() -> None:
    ships = [ship((2, 4, 2, 2), fame=9), ship((2, 3, 2, 2), fame=9)]
    play = fight(table(*ships, draws=dice(1)))
    play.do(S0, Flee())
    assert play.of(FameChanged) == [FameChanged(S0, -2, FameReason.MUTINY)]
    play = fight(table(*ships, draws=dice(5, 1, 1, 1)))
    play.do(S0, fire(S1, SAILS)).do(S1, Flee())
    assert play.of(FameChanged) == [
        FameChanged(S0, 1, FameReason.RETREAT),
        FameChanged(S1, -2, FameReason.MUTINY),
    ]


def test_r11_ships_that_leave_together_give_each_other_nothing() -> None:
    ships = [ship((3, 4, 2, 2), Card.MAGAZINE), ship((0, 3, 2, 2)), ship((0, 2, 2, 2))]
    play = fight(table(*ships, draws=dice(5, 1, 1)))
    play.do(S0, card(Card.MAGAZINE), fire(S1, SAILS))
    assert [event.seat for event in play.of(ShipLeft)] == [S1, S2]
    assert play.of(FameChanged) == [FameChanged(S0, 1, FameReason.RETREAT)] * 2


def at_dusk(play: Play) -> Play:
    """The same combat in its last exchange."""
    play.state.combat = replace(combat_of(play.state), exchange=MAX_EXCHANGES)
    return play


def test_r34_at_nightfall_the_fastest_player_ship_holds_the_place() -> None:
    ships = [ship((2, 4, 2, 2)), ship((2, 2, 2, 2))]
    play = at_dusk(fight(table(*ships, draws=dice(5, 6, 1, 6, 1, 1))))
    play.do(S0, fire(S1, HULL)).do(S1, fire(S0, HULL))
    assert play.of(ShipLeft) == [ShipLeft(S1, Departure.NIGHTFALL, True)]
    assert play.of(FameChanged) == []
    assert play.of(CombatEnded) == [CombatEnded(2, (S0,))]
    assert play.dice_left() == 0, "no mutiny die"


def test_r34_at_nightfall_legends_drive_all_player_ships_away() -> None:
    ships = [ship((2, 4, 6, 6)), ship((2, 2, 6, 6))]
    draws = [0, *dice(4, 4, 4), *dice(*[1] * 10)]  # Hook picks seat 0 and misses, then both miss
    play = at_dusk(fight(table(*ships, draws=draws, black={2: Captain.HOOK})))
    play.do(S0, fire(Captain.HOOK)).do(S1, fire(Captain.HOOK))
    assert [(event.seat, event.how) for event in play.of(ShipLeft)] == [
        (S0, Departure.NIGHTFALL),
        (S1, Departure.NIGHTFALL),
    ]
    assert [each.place for each in play.state.ships] == [7, 7]
    assert play.of(FameChanged) == []
