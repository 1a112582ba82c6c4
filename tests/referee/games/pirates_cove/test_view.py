"""What a seat sees of the table and of events: spec section 3."""

from __future__ import annotations

from referee.games.pirates_cove import GAME
from referee.games.pirates_cove.actions import Buy, CoveGold, Pass
from referee.games.pirates_cove.events import CardDrawn, ParrotDrawn
from referee.games.pirates_cove.rules.month import BeginMonth
from referee.games.pirates_cove.state import BlackShip, Navy
from referee.games.pirates_cove.terms import Captain, Card, Offer, Phase
from referee.games.pirates_cove.view import VisitView
from support.pirates_cove import HULL, S0, S1, S2, card, dice, fight, fire, months, port, ship, table


def test_a_hand_is_seen_by_its_owner_and_counted_by_the_others() -> None:
    state = table(ship((1, 1, 1, 1), Card.FAME3, Card.SMOKE), ship((1, 1, 1, 1), Card.WIND))
    state.pending = (BeginMonth(),)
    assert GAME.view(state, S0).hand == (Card.FAME3, Card.SMOKE)
    assert GAME.view(state, S1).hand == (Card.WIND,)
    assert [each.hand_count for each in GAME.view(state, S1).ships] == [2, 1]


def test_a_drawn_card_is_seen_by_its_owner_only_but_a_parrot_by_all() -> None:
    drawn = CardDrawn(S0, Card.FAME3)
    assert GAME.seen(drawn, S0) == drawn
    assert GAME.seen(drawn, S1) == CardDrawn(S0, None)
    parrot = ParrotDrawn(S0, Card.FLINT, True)
    assert GAME.seen(parrot, S1) == parrot


def test_a_combat_is_public() -> None:
    ships = [ship((2, 4, 2, 2), Card.SMOKE), ship((2, 2, 2, 2), Card.CANNONADE), ship((2, 1, 2, 2))]
    play = fight(table(*ships, draws=dice(5, 1, 1)))
    play.do(S0, card(Card.SMOKE)).do(S0, fire(S1, HULL)).do(S1, card(Card.CANNONADE))
    seen = GAME.view(play.state, S2)
    assert seen.phase is Phase.COMBAT
    assert seen.deciding == (S1,)
    assert seen.combat is not None
    assert (seen.combat.place, seen.combat.exchange, seen.combat.order) == (2, 1, (S0, S1, S2))
    assert (seen.combat.seats, seen.combat.speed, seen.combat.shrouds) == ((S0, S1, S2), (), ((S0, 6),))
    assert (seen.combat.touched, seen.combat.reloading) == (frozenset({S1}), frozenset())
    assert (seen.combat.laid, seen.combat.salvo.cards) == ((Card.SMOKE,), (Card.CANNONADE,))
    assert (seen.combat.dice_from, seen.combat.becalmed) == (None, False)


def test_legends_and_their_hull_points_are_public() -> None:
    fast = ship((2, 1, 2, 2), parrot=Card.TRELAWNEY)
    play = fight(table(fast, ship(), black={2: Captain.HOOK}, navy=Navy(2, S1), draws=dice(5, 1, 1)))
    seen = GAME.view(play.state, S1)
    assert seen.combat is not None
    assert seen.combat.hulls == ((Captain.HOOK, 5), (Captain.NAVY, 4))
    assert seen.navy == Navy(2, S1)
    assert seen.black_ships == (BlackShip(2, Captain.HOOK),)


def test_a_visit_shows_what_is_left_to_do() -> None:
    play = port(table(ship(fame=1, gold=9, parrot=Card.FLINT), ship(place=2), deck=[Card.BONES, Card.SMOKE]), 1)
    assert GAME.view(play.state, S1).visit == VisitView(seat=S0, place=1, offers=(Offer.BUY,), fame=0)
    play.do(S0, Buy(1))
    assert GAME.view(play.state, S1).visit is None
    assert GAME.view(play.state, S1).parrot_offer == (S0, Card.BONES)


def test_in_a_card_window_everybody_seems_to_decide_in_turn() -> None:
    """A seat that can only pass is named like one that holds a card."""
    ships = [ship(), ship((1, 1, 1, 1), Card.FREEBOOTER)]
    play = months(table(*ships, month=1))
    assert GAME.view(play.state, S0).deciding == (S1,)
    play.do(S1, Pass())
    assert GAME.view(play.state, S0).deciding == (S0, S1), "navigation, all at once"


def test_the_cove_reward_must_be_taken() -> None:
    play = port(table(ship((1, 1, 1, 1), Card.SHIPWRIGHT), ship(place=2), deck=[Card.FAME1]), 7)
    assert GAME.view(play.state, S0).visit == VisitView(seat=S0, place=7, offers=(Offer.COVE,), fame=0)
    play.do(S0, CoveGold())
    assert GAME.view(play.state, S0).visit == VisitView(seat=S0, place=7, offers=(), fame=0)
