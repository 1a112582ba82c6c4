"""The nine reputations, spec 2.10; Q5 to Q8 have further tests beside the vectors of their phase."""

from __future__ import annotations

import pytest

from referee.games.pavillon_noir.actions import (
    DoubleShot,
    Evade,
    Fire,
    Give,
    Pass,
    Prepare,
    SheerOff,
)
from referee.games.pavillon_noir.data import REPUTATIONS
from referee.games.pavillon_noir.events import (
    CardsDiscarded,
    CardsDrawn,
    DoubleFired,
    ReputationUsed,
    ShotEvaded,
    ShotFired,
)
from referee.games.pavillon_noir.terms import Cannon, Cause, Gun, Projectile, Reputation, RunKind, Trick, Zone
from support.pavillon_noir import A, B, Line, cards, firing, names, side, table

BALL, CHAIN, GRAPE = Projectile
PERFECT = "T26:S9/S6 T21:S7/S8"
CARRONADES = (Cannon.CARRONADE, Cannon.CARRONADE)


def test_there_are_nine() -> None:
    """Spec 2.10."""
    assert [row.name for row in REPUTATIONS.values()] == [
        "master_of_shot",
        "navigator",
        "quartermaster",
        "dread",
        "elusive",
        "shipwright",
        "powder_master",
        "no_quarter",
        "eagle_eye",
    ]
    assert list(REPUTATIONS) == list(Reputation)


@pytest.mark.parametrize(
    ("zone", "targets", "initial", "damage", "used"),
    [
        (Zone.SAIL_BOW, "T26:S9/S6", 3, 3, True),
        (Zone.DECK_STERN, PERFECT, 4, 4, True),
        (Zone.HULL_BOW, PERFECT, 5, 4, False),
    ],
)
def test_q1_forgives_a_mismatch_except_against_the_hull(
    zone: Zone, targets: str, initial: int, damage: int, used: bool
) -> None:
    """Q1: the grape or ball does not match, and only the hull minds."""
    disc = GRAPE if zone is not Zone.DECK_STERN else BALL
    line = Line(firing(side(bow=disc.name, zone=zone, targets=targets, reputation=Reputation.Q1))).play(Fire(disc))
    reductions = (0,) * len(targets.split())
    assert line.events[0] == ShotFired(A, Gun.BOW, zone, disc, initial, reductions, damage)
    assert (line.heard(ReputationUsed) != []) == used


def test_q1_makes_every_second_disc_match() -> None:
    """Q1: a grape doubles a ball with +2, also against a hull."""
    a = side(bow="ball grape", cannons=CARRONADES, targets="T26:S9/S6 T21:S8/S7", reputation=Reputation.Q1)
    line = Line(firing(a)).play(Fire(BALL), DoubleShot())
    assert line.heard(DoubleFired, ReputationUsed) == [DoubleFired(A, GRAPE, 5), ReputationUsed(A, Reputation.Q1)]


def test_q2_sheers_off_with_one_penalty_less() -> None:
    """Q2: sail penalty 2 counts as 1, so a run of two works and costs two cards."""
    a = side(hand="S1 H2 D9", sails=(0, 3), targets="T26", reputation=Reputation.Q2)
    line = Line(table(a, side(hand="H4 H6 H8"), draws=(0, 0))).play(SheerOff())
    assert names(line.state.duelists[B].hand) == "H8"
    assert line.heard(ReputationUsed) == [ReputationUsed(A, Reputation.Q2)]


def test_q2_evades_with_one_penalty_less_and_is_silent_without_penalty() -> None:
    """Q2."""
    a = side(bow="ball", targets=PERFECT)
    run = Evade(RunKind.FLUSH, 1, cards("S1 S2"))
    hurt = Line(firing(a, side(hand="S1 S2", sails=(1, 3), reputation=Reputation.Q2))).play(Fire(BALL), run)
    assert hurt.heard(ShotEvaded) == [ShotEvaded(B, RunKind.FLUSH, 1, cards("S1 S2"), 2, 3)]
    assert hurt.heard(ReputationUsed) == [ReputationUsed(B, Reputation.Q2)]
    whole = Line(firing(a, side(hand="S1 S2", reputation=Reputation.Q2))).play(Fire(BALL), run)
    assert whole.heard(ReputationUsed) == []


def test_q3_prepares_two_cards_and_discards_one_of_the_hand() -> None:
    """Q3, decision D23."""
    a = side(hand="S1", deck="H2 H3 H4 H5", targets="T26", reputation=Reputation.Q3)
    line = Line(table(a)).play(Prepare())
    assert line.heard(CardsDrawn) == [CardsDrawn(A, 2, cards("H2 H3"))]
    assert line.expect("QM_DISCARD", A) == tuple(map(Give, map(cards, ("S1", "H2", "H3"))))
    line.play(Give(cards("H2")))
    assert names(line.state.duelists[A].hand) == "S1 H3"
    assert line.heard(CardsDiscarded) == [CardsDiscarded(A, cards("H2"), Cause.QUARTERMASTER)]
    assert line.expect("ACTION", A)


def test_q4_dread_costs_the_defender_a_card_after_a_hit() -> None:
    """Q4: the card is drawn by lot after the markers are gone."""
    a = side(bow="ball", targets=PERFECT, zone=Zone.HULL_MAIN, reputation=Reputation.Q4)
    line = Line(firing(a, side(hand="H2 H4 H6", planks=(5, 4, 5), flipped=(True, True, True)), draws=(1,)))
    line.play(Fire(BALL))
    assert line.heard(CardsDiscarded)[0] == CardsDiscarded(B, cards("H4"), Cause.DREAD)
    assert ReputationUsed(A, Reputation.Q4) in line.events


def test_q4_dread_needs_a_marker_removed() -> None:
    """Q4: a miss frightens nobody."""
    a = side(bow="ball", targets="T26:S9/- T21:S7/-", reputation=Reputation.Q4)
    line = Line(firing(a, side(hand="H2 H4 H6"))).play(Fire(BALL))
    assert line.expect("LAY_GUN", A)
    assert line.state.duelists[B].hand == cards("H2 H4 H6")


def test_q5_needs_two_effective_cards() -> None:
    """Q5: with sail penalty 1 a mixed pair of cards has m = 1 and evades nothing."""
    a = side(bow="ball", targets=PERFECT)
    line = Line(firing(a, side(hand="S1 H2", sails=(1, 3), reputation=Reputation.Q5))).play(Fire(BALL))
    assert "EVADE" in line.forced


def test_q9_betters_the_worst_weak_or_missed_card_with_two_aim_cards() -> None:
    """Q9: of a weak (2) and a missed (3) card the missed one; a tie goes to the lower index."""
    weak, missed = "T26:S7/S4", "T21:S1/H7"
    a = side(bow="ball", targets=f"{weak} {missed}", reputation=Reputation.Q9)
    line = Line(firing(a)).play(Fire(BALL))
    assert line.events[0] == ShotFired(A, Gun.BOW, Zone.HULL_BOW, BALL, 5, (2, 2), 1)
    tie = side(bow="ball", targets=f"{missed} T26:H2/H6", reputation=Reputation.Q9)
    line = Line(firing(tie)).play(Fire(BALL))
    assert line.events[0] == ShotFired(A, Gun.BOW, Zone.HULL_BOW, BALL, 5, (2, 3), 0)
    assert line.events[1] == ReputationUsed(A, Reputation.Q9)


def test_q9_does_not_help_half_aimed_hasty_or_good_cards() -> None:
    """Q9."""
    a = side(bow="ball", targets="T26:S9/- T21:S8/S7", reputation=Reputation.Q9)
    line = Line(firing(a)).play(Fire(BALL))
    assert line.events[0] == ShotFired(A, Gun.BOW, Zone.HULL_BOW, BALL, 5, (3, 1), 1)
    assert line.heard(ReputationUsed) == []


def test_r43_eagle_eye_does_not_touch_what_master_gunner_bettered() -> None:
    """Ruling R43: both change only the reduction; Q9 first, at step 4."""
    a = side(bow="ball", targets="T26:S9/S6 T21:S1/S7", reputation=Reputation.Q9, tricks=(Trick.K12,))
    line = Line(firing(a)).play(Fire(BALL))
    assert line.state.shot is not None
    assert line.state.shot.damage == 3
    line.play(Pass())
    assert line.state.duelists[B].ship.planks == (2, 4, 5)
