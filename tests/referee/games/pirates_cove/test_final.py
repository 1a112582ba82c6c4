"""Scores, ranks and the final duel: spec section 8, R35."""

from __future__ import annotations

from referee.games.pirates_cove.actions import Fire, Flee, Wait
from referee.games.pirates_cove.data import MAX_EXCHANGES
from referee.games.pirates_cove.events import CombatBegan, FameChanged, Scored
from referee.games.pirates_cove.rules.month import EndMonth
from referee.games.pirates_cove.state import Ship, combat_of
from referee.games.pirates_cove.terms import Card
from referee.rules.engine import Outcome
from referee.rules.parts import replace
from support.pirates_cove import CANNONS, CREW, HULL, S0, S1, S2, S3, SAILS, Play, card, dice, fire, ship, table


def finish(*ships: Ship, draws: list[int] | None = None) -> Play:
    """Play from the end of month 12."""
    return Play(table(*ships, month=12, draws=draws or [], pending=[EndMonth()]))


def test_scores_are_fame_and_fame_cards_and_lower_ties_share_a_rank() -> None:
    hands = [(Card.FAME1, Card.FAME3, Card.SMOKE), (), (Card.FAME2,), ()]
    fames = (5, 12, 7, 9)
    ships = [ship((1, 1, 1, 1), *hand, fame=fame, gold=9) for hand, fame in zip(hands, fames, strict=True)]
    play = finish(*ships)
    assert play.of(Scored) == [Scored(S0, 5, 4), Scored(S1, 12, 0), Scored(S2, 7, 2), Scored(S3, 9, 0)]
    assert play.outcome == Outcome(ranks=(2, 1, 2, 2), reason="most_fame", scores=(9.0, 12.0, 9.0, 9.0))


def test_v33_a_final_duel() -> None:
    play = finish(ship((2, 3, 2, 2), fame=31), ship((2, 2, 2, 2), fame=31), ship(fame=20), draws=dice(5, 6, 5))
    assert play.of(CombatBegan) == [CombatBegan(0, (S0, S1), ())]
    assert play.options(S0) == tuple(Fire(S1, section) for section in (HULL, SAILS, CANNONS, CREW)), "no flight"
    play.do(S0, fire(S1, HULL))
    assert play.state.ships[1].levels == (-1, 2, 2, 2)
    assert play.outcome == Outcome(ranks=(1, 2, 3), reason="final_duel", scores=(31.0, 31.0, 20.0))
    assert play.of(FameChanged) == []


def test_r35_hand_cards_may_be_used_and_ships_out_together_share_the_better_rank() -> None:
    ships = [
        ship((0, 4, 2, 2), Card.MAGAZINE, fame=9),
        ship((0, 3, 2, 2), fame=9),
        ship((0, 2, 2, 2), fame=9),
        ship(fame=1),
    ]
    play = finish(*ships, draws=dice(5, 1, 1))
    play.do(S0, card(Card.MAGAZINE), fire(S1, SAILS))
    assert play.outcome.ranks == (1, 1, 1, 4)


def test_r35_ranks_go_by_how_long_a_ship_lasted() -> None:
    ships = [ship((2, 4, 2, 2), fame=9), ship((0, 3, 2, 2), fame=9), ship((0, 2, 2, 2), fame=9)]
    play = finish(*ships, draws=dice(5, 1, 1, 1, 1, 1, 5, 1, 1))
    play.do(S0, fire(S2, HULL)).do(S1, fire(S0, HULL)).do(S0, fire(S1, HULL))
    assert play.outcome.ranks == (1, 2, 3)


def test_r35_no_fame_changes_even_when_a_parrot_dies() -> None:
    ships = [ship((2, 4, 2, 2), fame=9), ship((2, 3, 2, 2), fame=9, parrot=Card.FLINT, parrot_wounded=True)]
    play = finish(*ships, draws=dice(5, 1, 1))
    play.do(S0, fire(S1, HULL))
    assert play.state.ships[1].parrot is None
    assert [each.fame for each in play.state.ships] == [9, 9]


def test_r35_after_fifty_exchanges_the_ships_left_share_the_first_rank() -> None:
    play = finish(ship((2, 4, 2, 2), fame=9), ship((2, 3, 2, 2), fame=9), ship(fame=1), draws=dice(*[1] * 6))
    play.state.combat = replace(combat_of(play.state), exchange=MAX_EXCHANGES)
    play.do(S0, fire(S1, HULL)).do(S1, fire(S0, HULL))
    assert play.outcome.ranks == (1, 1, 3)


def test_r35_a_reloading_ship_can_only_wait() -> None:
    ships = [ship((2, 4, 2, 2), Card.CANNONADE, fame=9), ship((2, 3, 2, 2), fame=9)]
    play = finish(*ships, draws=dice(*[1] * 9))
    play.do(S0, card(Card.CANNONADE), fire(S1, HULL)).do(S1, fire(S0, HULL))
    # Waiting is the only option, so the referee took it and seat 1 is asked again.
    assert list(play.decision.options) == [S1]
    assert Flee() not in play.options(S1)
    assert Wait() not in play.options(S1)
