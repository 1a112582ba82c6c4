"""Phase 5, the menu `PORT`: spec 6.11."""

from __future__ import annotations

from referee.games.pirates_cove.actions import (
    BuryChests,
    BuryGold,
    CoveCards,
    CoveGold,
    Done,
    RepairArtisan,
    Upgrade,
)
from referee.games.pirates_cove.events import Buried, FameChanged, ParrotHealed, Repaired, Upgraded, VisitEnded
from referee.games.pirates_cove.state import Freebooter
from referee.games.pirates_cove.terms import Card, FameReason
from support.pirates_cove import CANNONS, CREW, HULL, S0, S1, S2, SAILS, Play, card, port, ship, table


def default(play: Play) -> object:
    """What a failing bot would play."""
    ((seat, options),) = play.decision.options.items()
    return options[play.decision.defaults.get(seat, 0)]


def test_v1_two_levels_of_sails_at_sail_island() -> None:
    play = port(table(ship((1, 1, 1, 1), gold=6), ship(place=1)), 3)
    assert play.options(S0) == (Done(), Upgrade(SAILS, 1, 1), Upgrade(SAILS, 2, 3), Upgrade(SAILS, 3, 5))
    play.do(S0, Upgrade(SAILS, 2, 3))
    assert play.of(Upgraded) == [Upgraded(S0, SAILS, 3, 3)]
    assert (play.state.ships[0].levels, play.state.ships[0].gold) == ((1, 3, 1, 1), 3)
    assert play.of(VisitEnded)[0] == VisitEnded(S0), "one upgrade per visit"


def test_v2_one_dear_level_at_treasure_island() -> None:
    play = port(table(ship((1, 1, 1, 1), gold=9), ship(place=1)), 6)
    dear = [Upgrade(section, 1, 2) for section in (HULL, SAILS, CANNONS, CREW)]
    assert play.options(S0) == (Done(), BuryGold(1), BuryGold(2), BuryGold(3), *dear)
    play.do(S0, Upgrade(SAILS, 1, 2))
    assert (play.state.ships[0].levels, play.state.ships[0].gold) == ((1, 2, 1, 1), 7)
    assert play.options(S0) == (Done(), BuryGold(1), BuryGold(2))


def test_v7_four_chests_and_nine_gold_are_seven_fame() -> None:
    """R42: the fame comes in one sum at the end of the visit."""
    play = port(table(ship((7, 7, 7, 7), gold=9, chests=4), ship(place=1)), 6)
    assert default(play) == BuryChests(4)
    play.do(S0, BuryChests(4), BuryGold(3))
    assert play.of(Buried) == [Buried(S0, 4, 0), Buried(S0, 0, 9)]
    assert play.of(FameChanged) == [FameChanged(S0, 7, FameReason.BURYING)]
    assert play.state.ships[0].fame == 7


def test_r42_each_kind_of_burying_once_per_visit() -> None:
    play = port(table(ship((7, 7, 7, 7), gold=3, chests=4), ship(place=1)), 6)
    chests = tuple(BuryChests(count) for count in (1, 2, 3, 4))
    assert play.options(S0) == (Done(), *chests, BuryGold(1))
    play.do(S0, BuryChests(2))
    assert play.options(S0) == (Done(), BuryGold(1))
    assert play.state.ships[0].fame == 0


def test_r42_a_freebooter_takes_the_larger_half_of_the_sum() -> None:
    state = table(ship((7, 7, 7, 7), gold=3, chests=2), ship(place=1), freebooter=Freebooter(S1, S0))
    play = port(state, 6)
    play.do(S0, BuryChests(2), BuryGold(1))
    assert [each.fame for each in play.state.ships] == [1, 2]


def test_v29_repair_without_enough_gold_costs_the_draw() -> None:
    """R27, R39."""
    play = port(table(ship((-1, 2, -1, 3), gold=3), ship(place=1), deck=[Card.SMOKE]), 7)
    first = play.state.ships[0]
    assert (first.levels, first.gold, first.hand) == ((1, 2, 1, 3), 3, ())
    assert play.of(Repaired) == [Repaired(S0, (HULL, CANNONS), 0, False)]


def test_v30_repair_paid_then_one_card_and_gold() -> None:
    play = port(table(ship((-1, 2, -1, 3), gold=5), ship(place=1), deck=[Card.SMOKE]), 7)
    assert play.of(Repaired) == [Repaired(S0, (HULL, CANNONS), 4, True)]
    assert play.options(S0) == (CoveCards(), CoveGold())
    play.do(S0, CoveGold())
    first = play.state.ships[0]
    assert (first.levels, first.gold, first.hand) == ((1, 2, 1, 3), 3, (Card.SMOKE,))


def test_r39_level_zero_is_not_repaired() -> None:
    play = port(table(ship((0, 0, 0, 0), gold=1), ship(place=1)), 7)
    assert play.of(Repaired) == []
    assert play.state.ships[0].levels == (0, 0, 0, 0)
    assert default(play) == CoveCards()


def test_r31_the_cove_gives_no_more_gold_than_there_is() -> None:
    play = port(table(ship(), ship(place=1), gold=1, deck=[Card.SMOKE]), 7)
    play.do(S0, CoveGold())
    assert (play.state.ships[0].gold, play.state.gold) == (1, 0)


def test_the_cove_draw_is_due_before_the_visit_can_end_but_cards_may_come_first() -> None:
    play = port(table(ship((1, 1, 1, 1), Card.ARTISAN), ship(place=1), deck=[Card.SMOKE, Card.SHIPWRIGHT]), 7)
    artisans = tuple(card(Card.ARTISAN, section=section) for section in (HULL, SAILS, CANNONS, CREW))
    assert play.options(S0) == (CoveCards(), CoveGold(), *artisans)
    play.do(S0, CoveCards())
    wrights = tuple(card(Card.SHIPWRIGHT, section=section) for section in (HULL, SAILS, CANNONS, CREW))
    assert play.options(S0) == (Done(), *artisans, *wrights), "cards drawn in a visit may be used in it"


def test_r28_a_second_artisan_replaces_the_first() -> None:
    first = ship((1, 1, 1, 1), Card.ARTISAN, artisan=HULL, artisan_damaged=True)
    play = port(table(first, ship(place=1)), 2)
    play.do(S0, card(Card.ARTISAN, section=CREW))
    ours = play.state.ships[0]
    assert (ours.artisan, ours.artisan_damaged) == (CREW, False)
    assert play.state.tavern_discard == (Card.ARTISAN,)


def test_an_artisan_is_repaired_for_one_gold_between_artisan_and_shipwright() -> None:
    first = ship((7, 7, 7, 6), Card.ARTISAN, Card.SHIPWRIGHT, gold=1, artisan=HULL, artisan_damaged=True)
    play = port(table(first, ship(place=1)), 2)
    artisans = tuple(card(Card.ARTISAN, section=section) for section in (HULL, SAILS, CANNONS, CREW))
    assert play.options(S0) == (Done(), *artisans, RepairArtisan(), card(Card.SHIPWRIGHT, section=CREW))
    play.do(S0, RepairArtisan())
    assert (play.state.ships[0].artisan_damaged, play.state.ships[0].gold) == (False, 0)
    play.do(S0, card(Card.SHIPWRIGHT, section=CREW))
    assert play.state.ships[0].levels == (7, 7, 7, 7)
    assert play.state.tavern_discard == (Card.SHIPWRIGHT,)


def test_an_upgrade_stops_at_level_seven_and_at_the_purse() -> None:
    play = port(table(ship((5, 1, 1, 1), gold=20), ship(place=1)), 2)
    assert play.options(S0) == (Done(), Upgrade(HULL, 1, 3), Upgrade(HULL, 2, 7))
    play = port(table(ship((5, 1, 1, 1), gold=6), ship(place=1)), 2)
    assert play.options(S0) == (Done(), Upgrade(HULL, 1, 3))


def test_a_wounded_parrot_recovers_in_port() -> None:
    play = port(table(ship(parrot=Card.FLINT, parrot_wounded=True), ship(place=1)), 5)
    assert play.of(ParrotHealed) == [ParrotHealed(S0)]
    assert not play.state.ships[0].parrot_wounded


def test_ships_visit_a_place_fastest_first() -> None:
    ships = [ship((1, 2, 1, 1), chests=1), ship((1, 4, 1, 1), chests=1), ship((1, 3, 1, 1), chests=1)]
    play = port(table(*ships), 6)
    for seat in (S1, S2, S0):
        assert list(play.decision.options) == [seat]
        play.do(seat, BuryChests(1))
