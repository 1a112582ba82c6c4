"""Removing markers, disasters, the end: spec 6.10; rulings R26 to R31."""

from __future__ import annotations

from referee.games.pavillon_noir.actions import Fire, Pass, RemoveCrew, RemovePlanks, RemoveSails
from referee.games.pavillon_noir.events import DisasterFlipped, GameEnded, MarkersRemoved
from referee.games.pavillon_noir.rules.damage import LOSSES
from referee.games.pavillon_noir.state import Duelist
from referee.games.pavillon_noir.terms import Disaster, EndReason, Marker, Projectile, Zone
from referee.rules.engine import duel
from support.pavillon_noir import A, B, Line, firing, side, table

SAILS, CREW, PLANKS = Disaster


def losing(b: Duelist, marker: Marker, count: int, zone: Zone | None = None) -> Line:
    """B is about to lose markers in A's turn."""
    return Line(table(side(hand="S1", targets="T26"), b, pending=[LOSSES[marker](B, count, zone)]))


def test_v36_a_disaster_leads_to_another() -> None:
    """Vector V36."""
    b = side(planks=(2, 2, 5), tokens=(PLANKS, CREW, SAILS))
    line = losing(b, Marker.PLANK, 2, Zone.HULL_BOW)
    assert line.heard(DisasterFlipped) == [DisasterFlipped(B, Zone.HULL_BOW, PLANKS)]
    assert line.state.duelists[B].ship.planks_missing == 7
    assert line.expect("REMOVE_PLANKS", B) == (RemovePlanks(0, 0, 2), RemovePlanks(0, 1, 1), RemovePlanks(0, 2, 0))
    line.play(RemovePlanks(0, 2, 0))
    assert line.state.duelists[B].ship.planks_missing == 9
    assert line.heard(DisasterFlipped)[1] == DisasterFlipped(B, Zone.HULL_MAIN, CREW)
    assert len(line.expect("REMOVE_CREW", B)) == 25
    line.play(RemoveCrew(3, 0, 0, False, False))
    assert line.outcome is None
    assert line.expect("ACTION", A)


def test_v37_a_disaster_sinks_the_ship() -> None:
    """Vector V37, ruling R30."""
    b = side(planks=(3, 3, 1), tokens=(SAILS, CREW, PLANKS))
    line = losing(b, Marker.PLANK, 1, Zone.HULL_STERN)
    assert line.state.duelists[B].ship.planks_missing == 8
    line.play(RemovePlanks(1, 1, 0))
    assert line.outcome == duel(A, "sink")
    assert line.events[-2:] == [MarkersRemoved(B, Marker.PLANK, (1, 1, 0)), GameEnded(A, EndReason.SINK)]


def officers_at_the_bow(targets: str) -> Line:
    a = side(bow="grape", zone=Zone.DECK_BOW, targets=targets)
    b = side(sailors=(1, 6, 4), captain=Zone.DECK_BOW, mate=Zone.DECK_BOW)
    return Line(firing(a, b)).play(Fire(Projectile.GRAPE))


def test_v38_both_officers_lost_is_the_end() -> None:
    """Vector V38."""
    line = officers_at_the_bow("T26:S9/S6 T21:S7/S8")
    assert line.forced[-1] == "REMOVE_CREW", "all three are removed without asking"
    assert line.outcome == duel(A, "officers")
    assert line.events[-2:] == [MarkersRemoved(B, Marker.CREW, (1, 0, 0), True, True), GameEnded(A, EndReason.OFFICERS)]


def test_v39_the_owner_may_give_up_an_officer_or_the_game() -> None:
    """Vector V39, ruling R27."""
    line = officers_at_the_bow("T26:S9/S6 T21:S8/S7")
    assert line.expect("REMOVE_CREW", B) == (
        RemoveCrew(0, 0, 0, True, True),
        RemoveCrew(1, 0, 0, False, True),
        RemoveCrew(1, 0, 0, True, False),
    )
    assert line.default == RemoveCrew(1, 0, 0, False, True)
    line.play(RemoveCrew(0, 0, 0, True, True))
    assert line.outcome == duel(A, "officers")


def test_r29_two_zones_emptied_at_once_meet_disaster_from_bow_to_stern() -> None:
    """Ruling R29: each disaster with all its consequences before the next."""
    line = losing(side(planks=(1, 1, 5)), Marker.PLANK, 2).play(RemovePlanks(1, 1, 0))
    assert line.heard(DisasterFlipped) == [DisasterFlipped(B, Zone.HULL_BOW, SAILS)]
    line.play(RemoveSails(3, 0))
    assert line.heard(DisasterFlipped)[1:] == [DisasterFlipped(B, Zone.HULL_MAIN, CREW)]
    assert line.state.duelists[B].flipped == (True, True, False)
    assert line.expect("REMOVE_CREW", B)


def test_r30_a_sunk_ship_meets_no_disaster() -> None:
    """Ruling R30: the win check comes first."""
    line = losing(side(planks=(1, 0, 4), flipped=(False, True, False)), Marker.PLANK, 1, Zone.HULL_BOW)
    assert line.outcome == duel(A, "sink")
    assert line.heard(DisasterFlipped) == []


def test_a_zone_meets_one_disaster_only() -> None:
    """Spec 6.10: also if it was repaired and is emptied again."""
    line = losing(side(planks=(1, 4, 5), flipped=(True, False, False)), Marker.PLANK, 1, Zone.HULL_BOW)
    assert line.heard(DisasterFlipped) == []
    assert line.expect("ACTION", A)


def test_a_disaster_takes_what_is_there() -> None:
    """Spec 6.10 step 1: two sails are left for three."""
    line = losing(side(planks=(1, 4, 5), sails=(2, 0)), Marker.PLANK, 1, Zone.HULL_BOW)
    assert line.state.duelists[B].ship.sails == (0, 0)
    assert line.forced == ["REMOVE_PLANKS", "REMOVE_SAILS"]


def test_planks_default_to_the_option_that_keeps_the_weakest_zone_strongest() -> None:
    """Decision D11."""
    line = losing(side(planks=(2, 4, 5)), Marker.PLANK, 2)
    assert line.expect("REMOVE_PLANKS", B)
    assert line.default == RemovePlanks(0, 0, 2)
    even = losing(side(planks=(3, 3, 3)), Marker.PLANK, 2)
    assert even.default == RemovePlanks(0, 1, 1), "leaves 2 in the weakest zone, and so does nothing before it"


def test_crew_defaults_to_the_fewest_officers() -> None:
    """Decision D13."""
    line = losing(side(), Marker.CREW, 2)
    assert line.default == RemoveCrew(0, 0, 2, False, False)


def test_r26_a_shot_at_a_deck_lets_its_owner_choose_there_only() -> None:
    """Ruling R26, decision D13."""
    a = side(bow="grape", zone=Zone.DECK_MAIN, targets="T26:S9/S6 T21:S8/S7 T01")
    line = Line(firing(a, side())).play(Fire(Projectile.GRAPE))
    assert line.expect("REMOVE_CREW", B) == (
        RemoveCrew(0, 0, 0, False, True),
        RemoveCrew(0, 0, 0, True, False),
        RemoveCrew(0, 1, 0, False, False),
    )


def test_both_officers_die_by_different_losses() -> None:
    """Spec 1: neither captain nor mate, at any moment."""
    line = losing(side(captain=None), Marker.CREW, 1).play(RemoveCrew(0, 0, 0, False, True))
    assert line.outcome == duel(A, "officers")


def test_passing_an_evasion_keeps_the_hand() -> None:
    """Decision D20: the default is to pass."""
    a = side(bow="ball", targets="T26:S9/S6 T21:S7/S8")
    line = Line(firing(a, side(hand="S1 S2"))).play(Fire(Projectile.BALL))
    assert line.default == Pass()
    line.play(Pass())
    assert len(line.state.duelists[B].hand) == 2
    assert line.state.duelists[B].ship.planks == (0, 4, 5)
