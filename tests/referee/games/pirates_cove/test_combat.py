"""Combat between player ships: boarding, exchanges, volleys. Spec 6.2 to 6.5."""

from __future__ import annotations

import pytest

from referee.games.pirates_cove.actions import Fire, Flee, Pass, Wait
from referee.games.pirates_cove.events import (
    CombatBegan,
    CombatEnded,
    ExchangeBegan,
    FameChanged,
    Passed,
    ShipHit,
    ShipLeft,
    VolleyFired,
)
from referee.games.pirates_cove.rules.ships import dice_count, speed
from referee.games.pirates_cove.state import Combat, Navy
from referee.games.pirates_cove.terms import Captain, Card, Damage, Departure, FameReason, Window
from support.pirates_cove import CANNONS, CREW, HULL, S0, S1, S2, SAILS, Play, card, dice, fight, fire, ship, table

EVEN = (2, 2, 2, 2)


def levels(play: Play) -> list[list[int]]:
    return [list(each.levels) for each in play.state.ships]


def combat(play: Play) -> Combat:
    assert play.state.combat is not None
    return play.state.combat


# --- Who fights ---------------------------------------------------------------------------------------------------


def test_one_ship_or_treasure_island_is_no_combat() -> None:
    """Spec 6.2 step 2, R45."""
    assert fight(table(ship(place=2), ship(place=3))).of(CombatBegan) == []
    assert fight(table(ship(), ship()), 6).of(CombatBegan) == []


def test_r1_combats_go_in_island_order() -> None:
    ships = [ship((2, 4, 2, 2), place=5), ship(EVEN, place=5), ship((2, 4, 2, 2), place=1), ship(EVEN, place=1)]
    play = fight(table(*ships, draws=dice(2, 2)), 1)
    play.do(S2, Flee()).do(S0, Flee())
    assert [event.place for event in play.of(CombatBegan)] == [1, 5]


def test_two_ships_at_an_outer_island_fight_in_order_of_speed() -> None:
    play = fight(table(ship((1, 2, 1, 1)), ship((1, 3, 1, 1))))
    assert play.of(CombatBegan) == [CombatBegan(2, (S1, S0), ())]
    assert play.of(ExchangeBegan) == [ExchangeBegan(1, (S1, S0))]


# --- Boarding -----------------------------------------------------------------------------------------------------


def test_the_boarding_list_is_alphabetical_with_one_overboard_per_chest() -> None:
    hand = [Card.WIND, Card.SMOKE, Card.OVERBOARD, Card.GRAPPLE, Card.BECALMED, Card.WIND, Card.FAME1, Card.NAVY]
    play = fight(table(ship(EVEN, *hand, chests=2), ship()))
    assert play.decision.kind == "BOARDING"
    assert play.options(S0) == (
        Pass(),
        card(Card.BECALMED),
        card(Card.GRAPPLE),
        card(Card.OVERBOARD, chests=1),
        card(Card.OVERBOARD, chests=2),
        card(Card.SMOKE),
        card(Card.WIND),
    )


def test_v12_overboard() -> None:
    play = fight(table(ship((2, 1, 2, 2), Card.OVERBOARD, chests=7), ship((2, 0, 2, 2))))
    play.do(S0, card(Card.OVERBOARD, chests=3))
    assert play.state.ships[0].chests == 4
    assert play.state.chests == 46
    assert speed(play.state, S0) == 11
    assert speed(play.state, S1) == 4


def test_overboard_needs_a_chest() -> None:
    play = fight(table(ship(EVEN, Card.OVERBOARD, Card.WIND), ship()))
    assert play.options(S0) == (Pass(), card(Card.WIND))


def test_r6_the_boarding_order_stays_and_the_first_exchange_uses_the_new_speeds() -> None:
    play = fight(table(ship((2, 4, 2, 2), Card.SMOKE, Card.GRAPPLE), ship((2, 2, 2, 2), Card.WIND, Card.WIND)))
    play.do(S0, card(Card.SMOKE)).do(S1, card(Card.WIND)).do(S0, card(Card.GRAPPLE)).do(S1, card(Card.WIND))
    assert play.of(ExchangeBegan) == [ExchangeBegan(1, (S1, S0))]


def test_a_ship_that_passed_may_play_in_a_later_round() -> None:
    """Spec 6.3 step 3: rounds go on until one consists of passes."""
    play = fight(table(ship((2, 4, 2, 2), Card.WIND), ship((2, 2, 2, 2), Card.SMOKE)))
    play.do(S0, Pass()).do(S1, card(Card.SMOKE)).do(S0, card(Card.WIND))
    assert play.of(Passed) == [Passed(seat, Window.BOARDING) for seat in (S0, S1, S0, S1)]
    assert play.decision.kind == "VOLLEY"
    assert combat(play).speed == ((S0, 6),)


def test_smoke_and_grapple_cannot_be_doubled() -> None:
    """Spec 6.3 step 4."""
    play = fight(table(ship((2, 4, 2, 2), Card.SMOKE, Card.SMOKE, Card.GRAPPLE, Card.GRAPPLE), ship()))
    play.do(S0, card(Card.SMOKE))
    assert play.options(S0) == (Pass(), card(Card.GRAPPLE))
    play.do(S0, card(Card.GRAPPLE))
    assert play.decision.kind == "VOLLEY", "nothing is left to play"


def test_v32_becalmed_ends_boarding_and_forbids_volley_cards_but_smoke_stays() -> None:
    play = fight(
        table(
            ship((2, 4, 2, 2), Card.SMOKE, Card.WIND, Card.MAGAZINE),
            ship((2, 2, 2, 2), Card.BECALMED, Card.WIND),
        )
    )
    play.do(S0, card(Card.SMOKE)).do(S1, card(Card.BECALMED))
    assert play.decision.kind == "VOLLEY"
    assert combat(play).shrouds == ((S0, 6),)
    assert play.options(S0) == (*(Fire(S1, section) for section in (HULL, SAILS, CANNONS, CREW)), Flee())


def test_a_pass_looks_the_same_with_and_without_a_card_to_play() -> None:
    """Spec 3: the log shows a pass for every seat."""
    holding = fight(table(ship((2, 4, 2, 2), Card.SMOKE), ship(EVEN)))
    holding.do(S0, Pass())
    bluffing = fight(table(ship((2, 4, 2, 2), Card.FAME1), ship(EVEN)))
    assert holding.events == bluffing.events


# --- Volleys ------------------------------------------------------------------------------------------------------


def test_the_volley_list() -> None:
    """Spec 5.2: targets ascending, sections in mat order, flee, then cards."""
    ships = [ship(EVEN), ship((2, 4, 2, 2), Card.CANNONADE, Card.MAGAZINE, Card.GRAPESHOT), ship(EVEN)]
    play = fight(table(*ships))
    targets = tuple(Fire(seat, section) for seat in (S0, S2) for section in (HULL, SAILS, CANNONS, CREW))
    cards = (card(Card.GRAPESHOT), card(Card.MAGAZINE), card(Card.CANNONADE))
    assert play.options(S1) == (*targets, Flee(), *cards)
    play.do(S1, cards[1])
    assert play.options(S1) == (*targets, cards[0], cards[2]), "R14: after a card the ship must fire"


def test_r14_two_of_a_name_cannot_be_played_in_one_volley() -> None:
    play = fight(table(ship((2, 4, 2, 2), Card.MAGAZINE, Card.MAGAZINE), ship(EVEN)))
    play.do(S0, card(Card.MAGAZINE))
    assert card(Card.MAGAZINE) not in play.options(S0)
    assert play.state.tavern_discard == (Card.MAGAZINE,), "discarded at once"


def test_v4_magazine_strikes_every_hull_present() -> None:
    """R16: on top of the normal damage, which may go to another section."""
    ships = [ship((3, 4, 1, 1), Card.MAGAZINE), ship((3, 2, 2, 2)), ship((3, 1, 2, 2))]
    play = fight(table(*ships, draws=dice(5, 6)))
    play.do(S0, card(Card.MAGAZINE), fire(S1, SAILS))
    assert levels(play) == [[1, 4, 1, 1], [1, 0, 2, 2], [1, 1, 2, 2]]
    assert combat(play).touched == {S0, S1, S2}


def test_r16_smoke_does_not_help_against_a_magazine() -> None:
    ships = [ship((3, 4, 1, 1), Card.MAGAZINE), ship((3, 2, 2, 2)), ship((3, 1, 2, 2), Card.SMOKE)]
    play = fight(table(*ships, draws=dice(5, 1)))
    play.do(S2, card(Card.SMOKE))
    play.do(S0, card(Card.MAGAZINE), fire(S1, SAILS))
    assert levels(play)[2] == [2, 1, 2, 2]


def test_v20_sails_count_from_the_next_exchange_on() -> None:
    """R5."""
    play = fight(
        table(
            ship((3, 4, 3, 3)),
            ship((3, 3, 3, 3)),
            ship((3, 2, 3, 3)),
            draws=dice(5, 6, 1, 1, 1, 1, 1, 1, 1),
        )
    )
    play.do(S0, fire(S1, SAILS)).do(S1, fire(S0, HULL)).do(S2, fire(S0, HULL))
    assert levels(play)[1] == [3, 1, 3, 3]
    assert play.of(ExchangeBegan) == [ExchangeBegan(1, (S0, S1, S2)), ExchangeBegan(2, (S0, S2, S1))]
    assert play.dice_left() == 0


def test_v24_grapeshot_recoil_forces_the_shooter_out() -> None:
    """R8, R15: own recoil touches, so the other ship gains."""
    play = fight(table(ship((2, 3, 1, 1), Card.GRAPESHOT), ship(EVEN), draws=dice(3, 2)))
    play.do(S0, card(Card.GRAPESHOT), fire(S1, HULL))
    assert play.of(VolleyFired) == [VolleyFired(S0, S1, (HULL,), (3, 2), 1)]
    assert [each.damage for each in play.of(ShipHit)] == [Damage.LEVEL_LOST, Damage.LEVEL_LOST, Damage.DESTROYED]
    assert play.of(ShipLeft) == [ShipLeft(S0, Departure.FORCED, True)]
    assert play.of(FameChanged) == [FameChanged(S1, 1, FameReason.RETREAT)]
    assert levels(play)[1] == [1, 2, 2, 2]


def test_v25_grapeshot_recoil_comes_after_the_departures() -> None:
    """R15."""
    play = fight(table(ship((2, 3, 2, 2), Card.GRAPESHOT), ship((0, 2, 2, 2)), draws=dice(3, 2, 1)))
    play.do(S0, card(Card.GRAPESHOT), fire(S1, HULL))
    assert play.of(ShipLeft) == [ShipLeft(S1, Departure.FORCED, True)]
    assert play.of(FameChanged) == [FameChanged(S0, 1, FameReason.RETREAT)]
    assert levels(play)[0] == [2, 3, 0, 2]
    assert play.of(CombatEnded) == [CombatEnded(2, (S0,))]


def test_r15_grapeshot_beats_smoke_and_recoil_goes_through_artisan_and_parrot() -> None:
    ships = [ship((2, 3, 2, 2), Card.GRAPESHOT, artisan=CANNONS), ship(EVEN, Card.SMOKE)]
    play = fight(table(*ships, draws=dice(3, 4, 2)))
    play.do(S1, card(Card.SMOKE)).do(S0, card(Card.GRAPESHOT), fire(S1, SAILS))
    assert levels(play)[1] == [2, 0, 2, 2]
    assert play.state.ships[0].artisan is None
    assert levels(play)[0] == [2, 3, 2, 2]


def test_v26_cannonade_strikes_all_sections_and_costs_the_next_turn() -> None:
    """R17."""
    play = fight(table(ship((2, 3, 3, 3), Card.CANNONADE), ship(EVEN), draws=dice(5, 1, 2, 1, 1, 1, 1)))
    play.do(S0, card(Card.CANNONADE), fire(S1, CREW))
    assert levels(play)[1] == [1, 1, 1, 1]
    assert [each.section for each in play.of(ShipHit)] == [HULL, SAILS, CANNONS, CREW]
    play.do(S1, fire(S0, HULL))
    assert play.options(S0) == (Wait(), Flee())
    play.do(S0, Wait()).do(S1, fire(S0, HULL))
    assert fire(S1, HULL) in play.options(S0), "only one turn is lost"


def test_v31_smoke_is_hit_by_sixes_only() -> None:
    play = fight(table(ship((2, 4, 2, 2)), ship((2, 2, 2, 2), Card.SMOKE), draws=dice(5, 6, 4)))
    play.do(S1, card(Card.SMOKE)).do(S0, fire(S1, CREW))
    assert play.of(VolleyFired) == [VolleyFired(S0, S1, (CREW,), (5, 6, 4), 1)]
    assert levels(play)[1] == [2, 2, 2, 1]


def test_grapple_makes_player_ships_throw_by_crew() -> None:
    play = fight(table(ship((2, 4, 1, 6), Card.GRAPPLE), ship((2, 2, 6, 1))))
    play.do(S0, card(Card.GRAPPLE))
    assert [dice_count(each, combat(play)) for each in play.state.ships] == [5, 2]


def test_r43_grapple_outlasts_the_ship_that_played_it() -> None:
    ships = [ship((2, 4, 1, 6), Card.GRAPPLE), ship((2, 3, 1, 6)), ship((2, 2, 1, 6))]
    play = fight(table(*ships, draws=dice(2)))
    play.do(S0, card(Card.GRAPPLE)).do(S0, Flee())
    assert combat(play).dice_from is CREW
    assert play.state.tavern_discard == (), "discarded at the end of the combat"


def test_battle_cards_are_discarded_at_the_end() -> None:
    play = fight(table(ship((2, 4, 2, 2), Card.SMOKE, Card.WIND), ship(EVEN), draws=dice(2)))
    play.do(S0, card(Card.SMOKE), card(Card.WIND))
    play.do(S0, Flee())
    assert play.state.tavern_discard == (Card.SMOKE, Card.WIND)
    assert play.state.combat is None


@pytest.mark.parametrize("captain", [Captain.HOOK, Captain.NAVY])
def test_r7_only_legends_are_fired_at_while_they_are_there(captain: Captain) -> None:
    black = {2: Captain.HOOK if captain is Captain.HOOK else None}
    navy = Navy(2, S1) if captain is Captain.NAVY else None
    fast = ship((2, 1, 2, 2), parrot=Card.TRELAWNEY)
    play = fight(table(fast, ship(EVEN), black=black, navy=navy))
    assert play.options(S0) == (Fire(captain, HULL), Flee())
