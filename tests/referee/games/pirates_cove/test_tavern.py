"""Drawing Tavern cards and settling parrots: spec 6.9."""

from __future__ import annotations

from referee.games.pirates_cove.actions import Buy, CoveCards, CoveGold, Done, Keep, SwapParrot
from referee.games.pirates_cove.events import (
    CardDrawn,
    FameChanged,
    ParrotDrawn,
    ParrotSettled,
    TavernReshuffled,
    VisitEnded,
)
from referee.games.pirates_cove.terms import Card, FameReason
from support.pirates_cove import S0, port, ship, table

FILL = [Card.FAME1] * 20


def test_v17_a_swap_costs_a_fame_and_the_pile_is_shuffled() -> None:
    deck = [Card.SILVER, *FILL]
    orders = [tuple(range(20, -1, -1))]
    play = port(
        table(ship(fame=4, gold=2, parrot=Card.FLINT, parrot_wounded=True), ship(place=2), deck=deck, orders=orders), 1
    )
    play.do(S0, Buy(1))
    assert play.decision.kind == "PARROT_SWAP"
    assert play.options(S0) == (Keep(), SwapParrot())
    assert len(play.state.tavern) == 20
    play.do(S0, SwapParrot())
    first = play.state.ships[0]
    assert (first.fame, first.parrot, first.parrot_wounded, first.hand) == (3, Card.SILVER, False, ())
    assert play.state.tavern == (Card.FLINT, *FILL), "the old parrot went on top and was then shuffled to the bottom"
    assert play.of(ParrotDrawn) == [ParrotDrawn(S0, Card.SILVER, False)]
    assert play.of(ParrotSettled) == [ParrotSettled(S0, Card.SILVER, True)]
    assert FameChanged(S0, -1, FameReason.PARROT_SWAP) in play.events


def test_a_kept_parrot_sends_the_new_one_back_without_replacement() -> None:
    play = port(table(ship(fame=4, gold=2, parrot=Card.FLINT), ship(place=2), deck=[Card.SILVER, *FILL]), 1)
    play.do(S0, Buy(1), Keep())
    first = play.state.ships[0]
    assert (first.fame, first.parrot, first.hand, first.gold) == (4, Card.FLINT, (), 0)
    assert len(play.state.tavern) == 21
    assert Card.SILVER in play.state.tavern


def test_r29_at_fame_zero_the_old_parrot_is_kept_by_force() -> None:
    play = port(table(ship(gold=2, parrot=Card.FLINT), ship(place=2), deck=[Card.SILVER, *FILL]), 1)
    play.do(S0, Buy(1))
    assert play.state.ships[0].parrot is Card.FLINT
    assert play.of(ParrotSettled) == [ParrotSettled(S0, Card.FLINT, False)]


def test_the_rest_of_the_draw_waits_for_the_parrot() -> None:
    play = port(table(ship(fame=1, gold=4, parrot=Card.FLINT), ship(place=2), deck=[Card.BONES, Card.SMOKE, *FILL]), 1)
    play.do(S0, Buy(2))
    assert play.state.ships[0].hand == ()
    play.do(S0, Keep())
    # The draw pile was shuffled with Bones in it; the script leaves it as it is, Bones on top.
    assert play.decision.kind == "PARROT_SWAP"


def test_r30_an_empty_pile_takes_the_discards_and_two_empty_piles_give_nothing() -> None:
    state = table(ship(), ship(place=2), tavern_discard=[Card.SMOKE])
    play = port(state, 7)
    assert play.options(S0) == (CoveCards(), CoveGold())
    play.do(S0, CoveCards())
    assert play.state.ships[0].hand == (Card.SMOKE,)
    assert play.of(TavernReshuffled) == [TavernReshuffled(1)]
    assert play.of(CardDrawn) == [CardDrawn(S0, Card.SMOKE)]
    assert (play.state.tavern, play.state.tavern_discard) == ((), ())


def test_r30_no_more_is_sold_than_there_is() -> None:
    play = port(table(ship(gold=9), ship(place=2), deck=[Card.SMOKE], tavern_discard=[Card.WIND]), 1)
    assert play.options(S0) == (Done(), Buy(1), Buy(2))


def test_r41_cards_are_paid_before_they_are_drawn_and_sold_once() -> None:
    play = port(table(ship(gold=9), ship(place=2), deck=[Card.SMOKE, Card.WIND, *FILL]), 1)
    assert play.options(S0) == (Done(), Buy(1), Buy(2), Buy(3))
    play.do(S0, Buy(2))
    assert play.state.ships[0].gold == 5
    assert play.state.ships[0].hand == (Card.SMOKE, Card.WIND)
    assert play.of(VisitEnded)[0] == VisitEnded(S0), "nothing else is offered, so the visit is over"
