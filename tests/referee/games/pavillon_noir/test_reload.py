"""Reloading: spec 6.6, rulings R12 to R14."""

from __future__ import annotations

from referee.games.pavillon_noir.actions import Give, LoadGuns, ReloadBattery, ReloadOne, ReturnDiscs
from referee.games.pavillon_noir.events import DiscsDrawn, DiscsReturned, Done, GunsLoaded, ReputationUsed
from referee.games.pavillon_noir.terms import Cannon, Deed, Projectile, Reputation
from support.pavillon_noir import A, Line, cards, side, table

BALL, CHAIN, GRAPE = Projectile


def test_v6_a_single_reload_draws_one_disc_and_rearranges_all() -> None:
    """Vector V6, rulings R12 and R13. The bag holds 4 balls, 5 chains, 5 grape: the tenth disc is grape."""
    cannons = (Cannon.POUNDER18, Cannon.LONG_NINE)
    line = Line(table(side(hand="S1 S4 H7", bow="ball", cannons=cannons, targets="T26"), draws=(9,)))
    line.play(ReloadOne())
    assert line.expect("PAY", A) == tuple(map(Give, map(cards, ("S1 S4", "S1 H7", "S4 H7"))))
    line.play(Give(cards("S1 S4")))
    assert line.expect("RELOAD_RETURN", A) == (ReturnDiscs(()), ReturnDiscs((BALL,)))
    line.play(ReturnDiscs(()))
    assert line.expect("LOAD", A) == (
        LoadGuns((BALL, GRAPE), ()),
        LoadGuns((BALL,), (GRAPE,)),
        LoadGuns((GRAPE,), (BALL,)),
    )
    line.play(LoadGuns((GRAPE,), (BALL,)))
    assert line.state.duelists[A].loads == ((GRAPE,), (BALL,))
    assert line.state.bag == (4, 5, 4)
    assert line.events == [
        Done(A, Deed.RELOAD_ONE, cards("S1 S4")),
        DiscsDrawn(A, (GRAPE,)),
        GunsLoaded(A, (GRAPE,), (BALL,)),
    ]


def test_v7_a_battery_is_reloaded_with_a_pair() -> None:
    """Vector V7, ruling R13. Bag after the return: 5, 5, 5; ball, grape, chain, chain are drawn."""
    cannons = (Cannon.CARRONADE, Cannon.POUNDER18)
    a = side(hand="C7 D7", bow="chain", cannons=cannons, targets="T26")
    line = Line(table(a, aimed=True, actions=1, untouched=False, draws=(0, 9, 4, 4)))
    line.play(ReloadBattery())
    assert line.forced == ["PAY"]
    assert line.expect("RELOAD_RETURN", A) == (ReturnDiscs(()), ReturnDiscs((CHAIN,)))
    line.play(ReturnDiscs((CHAIN,)))
    assert line.expect("LOAD", A) == (
        LoadGuns((BALL, CHAIN), (CHAIN, GRAPE)),
        LoadGuns((BALL, GRAPE), (CHAIN, CHAIN)),
        LoadGuns((CHAIN, CHAIN), (BALL, GRAPE)),
        LoadGuns((CHAIN, GRAPE), (BALL, CHAIN)),
    )
    line.play(LoadGuns((CHAIN, CHAIN), (BALL, GRAPE)))
    assert line.state.duelists[A].loads == ((CHAIN, CHAIN), (BALL, GRAPE))
    assert line.state.bag == (4, 3, 4)
    assert line.script_left() == 0
    assert line.heard(DiscsReturned, DiscsDrawn) == [
        DiscsReturned(A, (CHAIN,)),
        DiscsDrawn(A, (BALL, CHAIN, CHAIN, GRAPE)),
    ]


def test_r14_full_cannons_have_to_return_a_disc_first() -> None:
    """Ruling R14."""
    line = Line(table(side(hand="S1 S4 H7", bow="ball grape", stern="ball chain", targets="T26"), draws=(0,)))
    line.play(ReloadOne(), Give(cards("S1 S4")))
    options = line.expect("RELOAD_RETURN", A)
    assert options[:4] == (
        ReturnDiscs((BALL,)),
        ReturnDiscs((CHAIN,)),
        ReturnDiscs((GRAPE,)),
        ReturnDiscs((BALL, BALL)),
    )
    assert options[-1] == ReturnDiscs((BALL, BALL, CHAIN, GRAPE))
    assert len(options) == 11
    assert line.default == ReturnDiscs((BALL,))


def test_q7_a_single_reload_costs_one_card_and_draws_up_to_two_discs() -> None:
    """Spec 2.10: Q7."""
    line = Line(table(side(hand="S1 S4", bow="ball", targets="T26", reputation=Reputation.Q7), draws=(0, 0)))
    line.play(ReloadOne())
    assert line.expect("PAY", A) == (Give(cards("S1")), Give(cards("S4")))
    line.play(Give(cards("S1")), ReturnDiscs(()))
    assert line.heard(DiscsDrawn) == [DiscsDrawn(A, (BALL, BALL))]
    assert line.heard(ReputationUsed) == [ReputationUsed(A, Reputation.Q7)]


def test_q7_draws_no_more_discs_than_there_are_empty_places() -> None:
    """Spec 2.10: Q7."""
    cannons = (Cannon.LONG_NINE, Cannon.LONG_NINE)
    a = side(hand="S1 S4", bow="ball", cannons=cannons, targets="T26", reputation=Reputation.Q7)
    line = Line(table(a, draws=(13,)))
    line.play(ReloadOne(), Give(cards("S1")), ReturnDiscs(()))
    assert line.heard(DiscsDrawn) == [DiscsDrawn(A, (GRAPE,))]
