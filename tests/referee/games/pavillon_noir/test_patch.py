"""Patching up: spec 6.7."""

from __future__ import annotations

from referee.games.pavillon_noir.actions import Give, MoveFigure, Patch, Stop
from referee.games.pavillon_noir.events import Done, FigureMoved, ReputationUsed, ZoneRepaired
from referee.games.pavillon_noir.rules.patch import moves
from referee.games.pavillon_noir.state import Ship
from referee.games.pavillon_noir.terms import Deed, Figure, Reputation, Zone
from support.pavillon_noir import A, Line, cards, side, table

SAILOR, CAPTAIN, MATE = Figure
SB, SS, DB, DM, DS, HB, HM, HS = Zone


def patching(hand: str = "S1 S2 S3 S4", **changes: object) -> Line:
    line = Line(table(side(hand=hand, targets="T26", **changes)))  # type: ignore[arg-type]
    return line.play(Patch())


def test_v8_three_moves_bring_two_sails_back() -> None:
    """Vector V8."""
    line = patching(sails=(1, 3)).play(Give(cards("S1 S2 S3")))
    assert line.state.duelists[A].ship.sail_penalty == 1
    assert line.expect("PATCH_MOVE", A) == (MoveFigure(SAILOR, DB, SB), MoveFigure(SAILOR, DM, SB))
    line.play(MoveFigure(SAILOR, DM, SB))
    assert line.expect("PATCH_MOVE", A) == (
        Stop(),
        MoveFigure(SAILOR, DB, SB),
        MoveFigure(SAILOR, DB, DM),
        MoveFigure(SAILOR, DM, SB),
        MoveFigure(SAILOR, DS, DM),
    )
    assert line.default == Stop()
    line.play(MoveFigure(SAILOR, DS, DM))
    assert len(line.expect("PATCH_MOVE", A)) == 6
    line.play(MoveFigure(SAILOR, DM, SB))
    ship = line.state.duelists[A].ship
    assert (ship.sails, ship.sailors, ship.sail_penalty) == ((3, 3), (4, 3, 3), 0)
    assert line.events == [
        Done(A, Deed.PATCH, cards("S1 S2 S3")),
        ZoneRepaired(A, DM, SB, False),
        FigureMoved(A, SAILOR, DS, DM),
        ZoneRepaired(A, DM, SB, False),
    ]
    assert line.kind == "ACTION"


def test_v41_nobody_leaves_a_deck_empty_and_officers_do_not_repair() -> None:
    """Vector V41."""
    ship = Ship(sailors=(1, 4, 3), planks=(4, 3, 5), captain=DM, mate=DM)
    assert moves(ship) == (
        MoveFigure(SAILOR, DM, DB),
        MoveFigure(SAILOR, DM, DS),
        MoveFigure(SAILOR, DM, HM),
        MoveFigure(CAPTAIN, DM, DB),
        MoveFigure(CAPTAIN, DM, DS),
        MoveFigure(MATE, DM, DB),
        MoveFigure(MATE, DM, DS),
    )


def test_patch_cards_are_sets_of_one_to_three_that_leave_a_card_to_aim() -> None:
    """Decision D15, ruling R15."""
    line = patching("S1 S2 S3", planks=(5, 3, 5))
    assert line.expect("PATCH_CARDS", A) == tuple(map(Give, map(cards, ("S1", "S2", "S3", "S1 S2", "S1 S3", "S2 S3"))))


def test_the_action_ends_when_no_move_is_left() -> None:
    """Spec 6.7 step 2: one sail is missing, and after its repair the sailor's place is all there is."""
    line = patching(sailors=(1, 1, 1), captain=None, planks=(5, 3, 5)).play(Give(cards("S1 S2 S3")))
    assert line.expect("PATCH_MOVE", A) == (
        MoveFigure(SAILOR, DM, DB),
        MoveFigure(SAILOR, DM, DS),
        MoveFigure(SAILOR, DM, HM),
        MoveFigure(MATE, DM, DB),
        MoveFigure(MATE, DM, DS),
    )
    line.play(MoveFigure(SAILOR, DM, HM))
    assert line.kind == "ACTION", "every deck bears one figure now"
    assert line.state.duelists[A].ship.sailors == (1, 0, 1)


def test_an_officer_moves_with_his_deck() -> None:
    """Spec 6.7 step 3."""
    line = patching(sailors=(3, 4, 4)).play(Give(cards("S1")), MoveFigure(CAPTAIN, DM, DB))
    ship = line.state.duelists[A].ship
    assert (ship.captain, ship.mate, ship.markers(DB), ship.markers(DM)) == (DB, DM, 4, 5)


def test_q6_the_first_sailor_who_repairs_stays() -> None:
    """Spec 2.10: Q6; the second one is lost as usual."""
    line = patching(planks=(4, 2, 5), reputation=Reputation.Q6).play(Give(cards("S1 S2")))
    line.play(MoveFigure(SAILOR, DM, HM))
    assert line.state.duelists[A].ship.sailors == (4, 4, 4)
    line.play(MoveFigure(SAILOR, DM, HM))
    assert line.state.duelists[A].ship.sailors == (4, 3, 4)
    assert line.heard(ZoneRepaired) == [ZoneRepaired(A, DM, HM, True), ZoneRepaired(A, DM, HM, False)]
    assert line.heard(ReputationUsed) == [ReputationUsed(A, Reputation.Q6)]


def test_r31_and_a_flipped_zone_can_be_repaired_without_a_new_token() -> None:
    """Spec 6.7 step 4, ruling R31: missing planks are counted as they are now."""
    line = patching(planks=(0, 4, 5), flipped=(True, False, False)).play(Give(cards("S1")))
    assert line.forced == ["PATCH_MOVE"], "only the bow deck is roped to the bow hull"
    own = line.state.duelists[A]
    assert own.ship.planks == (1, 4, 5)
    assert own.ship.planks_missing == 4
    assert own.flipped == (True, False, False)
