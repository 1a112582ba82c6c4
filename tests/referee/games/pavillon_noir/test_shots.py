"""Fire, boost and evade: spec 6.8 and 6.9; rulings R19 to R25, R43."""

from __future__ import annotations

import pytest

from referee.games.pavillon_noir.actions import DoubleShot, Evade, Fire, Give, Hold, Pass, PlayTrick, RemoveSails
from referee.games.pavillon_noir.events import (
    CardsDiscarded,
    DisasterFlipped,
    DoubleFired,
    FireHeld,
    ReputationUsed,
    ShotEvaded,
    ShotFired,
    ShotLanded,
)
from referee.games.pavillon_noir.state import Duelist
from referee.games.pavillon_noir.terms import (
    Cannon,
    Cause,
    Disaster,
    Gun,
    Projectile,
    Reputation,
    RunKind,
    Track,
    Trick,
    Zone,
)
from support.pavillon_noir import A, B, Line, cards, firing, names, side

BALL, CHAIN, GRAPE = Projectile
FLUSH, MIXED = RunKind
PERFECT = "T26:S9/S6 T21:S7/S8"
"""Two target cards read as A."""
CARRONADES = (Cannon.CARRONADE, Cannon.CARRONADE)


def perfect_shot(b: Duelist, **changes: object) -> Line:
    """A ball at hull_bow (5 planks) with two perfect target cards: 5 damage."""
    line = Line(firing(side(bow="ball", targets=PERFECT, **changes), b))  # type: ignore[arg-type]
    return line.play(Fire(BALL))


def test_v3_the_example_of_the_rulebook() -> None:
    """Vector V3."""
    a = side(sailors=(2, 4, 4), bow="grape ball", zone=Zone.HULL_MAIN, targets="T21:S8/S7 T26:S9/S6")
    line = Line(firing(a, side(hand="H3 S4 D9 C1")))
    assert line.expect("FIRE", A) == (Hold(), Fire(BALL), Fire(GRAPE))
    line.play(Fire(BALL))
    assert line.events == [ShotFired(A, Gun.BOW, Zone.HULL_MAIN, BALL, 4, (1, 0), 2)]
    assert line.expect("EVADE", B) == (Pass(), Evade(MIXED, 3, cards("H3 S4")))
    line.play(Evade(MIXED, 3, cards("H3 S4")))
    own, other = line.state.duelists
    assert other.ship.planks == (5, 3, 5)
    assert other.tracks[Track.EVADE] == (3, 4)
    assert names(other.hand) == "C1 D9"
    assert own.loads[Gun.BOW] == (GRAPE,)
    assert line.heard(ShotEvaded, ShotLanded) == [
        ShotEvaded(B, MIXED, 3, cards("H3 S4"), 1, 1),
        ShotLanded(A, Zone.HULL_MAIN, 1),
    ]
    assert line.expect("LAY_GUN", A)


def test_v9_the_sail_penalty_weakens_an_evasion() -> None:
    """Vector V9."""
    line = perfect_shot(side(hand="H3 H4 C8", sails=(1, 3)))
    assert line.expect("EVADE", B) == (Pass(), Evade(FLUSH, 3, cards("H3 H4")))
    line.play(Evade(FLUSH, 3, cards("H3 H4")))
    other = line.state.duelists[B]
    assert other.ship.planks == (1, 4, 5)
    assert other.tracks[Track.EVADE] == (3, 4)


def test_v10_flush_runs_come_before_mixed_ones() -> None:
    """Vector V10, decision D20; a set that is a flush run is offered as such only."""
    line = perfect_shot(side(hand="S9 S10 S1 H2 C3"))
    assert line.expect("EVADE", B) == (
        Pass(),
        Evade(FLUSH, 9, cards("S9 S10")),
        Evade(FLUSH, 9, cards("S9 S10 S1")),
        Evade(FLUSH, 10, cards("S10 S1")),
        Evade(MIXED, 1, cards("S1 H2")),
        Evade(MIXED, 1, cards("S1 H2 C3")),
        Evade(MIXED, 2, cards("H2 C3")),
        Evade(MIXED, 9, cards("S9 S10 S1 H2")),
        Evade(MIXED, 9, cards("S9 S10 S1 H2 C3")),
        Evade(MIXED, 10, cards("S10 S1 H2")),
        Evade(MIXED, 10, cards("S10 S1 H2 C3")),
    )
    line.play(Evade(MIXED, 9, cards("S9 S10 S1 H2 C3")))
    assert line.heard(ShotEvaded) == [ShotEvaded(B, MIXED, 9, cards("S9 S10 S1 H2 C3"), 2, 3)]
    assert line.state.duelists[B].tracks[Track.EVADE] == (1, 2, 3, 9, 10)


def carronade(load: str, zone: Zone = Zone.HULL_BOW, targets: str = "T26:S9/S6 T21:S8/S7") -> Line:
    return Line(firing(side(bow=load, cannons=CARRONADES, zone=zone, targets=targets)))


def test_v11_a_double_shot_of_two_balls_empties_the_bow() -> None:
    """Vector V11."""
    line = carronade("ball ball").play(Fire(BALL))
    assert line.expect("BOOST", A) == (Pass(), DoubleShot())
    line.play(DoubleShot())
    assert line.heard(DoubleFired, ShotLanded, DisasterFlipped) == [
        DoubleFired(A, BALL, 5),
        ShotLanded(A, Zone.HULL_BOW, 5),
        DisasterFlipped(B, Zone.HULL_BOW, Disaster.LOSE_SAILS),
    ]
    assert line.expect("REMOVE_SAILS", B) == tuple(RemoveSails(bow, 3 - bow) for bow in range(4))
    assert line.state.duelists[A].loads[Gun.BOW] == ()


def test_v12_a_double_shot_that_does_not_match_adds_one() -> None:
    """Vector V12."""
    line = carronade("ball grape").play(Fire(BALL), DoubleShot())
    assert line.heard(DoubleFired) == [DoubleFired(A, GRAPE, 4)]
    assert line.state.duelists[B].ship.planks == (1, 4, 5)


def test_v13_a_double_shot_never_rises_above_the_markers_there() -> None:
    """Vector V13, ruling R22."""
    line = carronade("chain chain", Zone.SAIL_BOW, "T26:S9/S6").play(Fire(CHAIN), DoubleShot())
    assert line.heard(DoubleFired, ShotLanded) == [DoubleFired(A, CHAIN, 3), ShotLanded(A, Zone.SAIL_BOW, 3)]
    assert line.state.duelists[B].ship.sails == (0, 3)


def test_v14_a_hasty_shot_costs_the_defender_a_card() -> None:
    """Vector V14, rulings R24 and R25."""
    line = Line(firing(side(bow="chain", zone=Zone.SAIL_BOW, targets="T03"), side(hand="S1 H1 C1")))
    line.play(Fire(CHAIN))
    assert line.events == [ShotFired(A, Gun.BOW, Zone.SAIL_BOW, CHAIN, 3, (4,), -1)]
    assert line.expect("HASTY_DISCARD", B) == tuple(map(Give, map(cards, ("S1", "H1", "C1"))))
    line.play(Give(cards("H1")))
    assert line.heard(CardsDiscarded, ShotLanded) == [
        CardsDiscarded(B, cards("H1"), Cause.HASTY_SHOT),
        ShotLanded(A, Zone.SAIL_BOW, 0),
    ]
    assert "EVADE" not in line.forced
    assert line.expect("LAY_GUN", A)


def test_v42_a_mismatched_projectile_costs_one() -> None:
    """Vector V42."""
    nines = (Cannon.LONG_NINE, Cannon.LONG_NINE)
    a = side(bow="grape", cannons=nines, zone=Zone.HULL_MAIN, targets="T26:S10/S6 T21:S8/S7")
    line = Line(firing(a)).play(Fire(GRAPE))
    assert line.events[0] == ShotFired(A, Gun.BOW, Zone.HULL_MAIN, GRAPE, 4, (0, 2), 1)
    assert line.state.duelists[B].ship.planks == (5, 3, 5)


def test_v43_runs_that_evade_nothing_are_not_offered() -> None:
    """Vector V43, ruling R4."""
    line = perfect_shot(side(hand="S1 H2 C3 D4 S6", sails=(1, 1)))
    assert line.expect("EVADE", B) == (Pass(), Evade(MIXED, 1, cards("S1 H2 C3 D4")))
    line.play(Evade(MIXED, 1, cards("S1 H2 C3 D4")))
    assert line.heard(ShotEvaded) == [ShotEvaded(B, MIXED, 1, cards("S1 H2 C3 D4"), 1, 4)]


ONE_MISS = "T26:S9/S6 T21:S1/S7"
"""Reductions 0 and 3 for the 18-pounder."""


def test_v45_master_gunner_then_point_blank() -> None:
    """Vector V45: K12, K13, K14."""
    a = side(bow="ball", targets=ONE_MISS, tricks=(Trick.K12, Trick.K13, Trick.K14))
    line = Line(firing(a, side(hand="S1 S2"))).play(Fire(BALL))
    assert line.expect("BOOST", A) == (
        Pass(),
        PlayTrick(Trick.K12, 1),
        PlayTrick(Trick.K13),
        PlayTrick(Trick.K14),
    )
    line.play(PlayTrick(Trick.K12, 1))
    assert line.state.shot is not None
    assert (line.state.shot.damage, line.state.shot.reductions) == (5, (0, 0))
    assert line.expect("BOOST", A) == (Pass(), PlayTrick(Trick.K14))
    line.play(PlayTrick(Trick.K14))
    assert line.heard(ShotLanded, DisasterFlipped) == [
        ShotLanded(A, Zone.HULL_BOW, 5),
        DisasterFlipped(B, Zone.HULL_BOW, Disaster.LOSE_SAILS),
    ]
    assert "EVADE" not in line.forced
    assert line.expect("REMOVE_SAILS", B)


def test_v46_double_charge_empties_the_cannon() -> None:
    """Vector V46: K13."""
    a = side(bow="ball grape", targets=ONE_MISS, tricks=(Trick.K13,))
    line = Line(firing(a, side(hand="S1 S2"))).play(Fire(BALL), PlayTrick(Trick.K13))
    assert line.expect("EVADE", B) == (Pass(), Evade(FLUSH, 1, cards("S1 S2")))
    line.play(Pass())
    assert line.state.duelists[B].ship.planks == (1, 4, 5)
    assert line.state.duelists[A].loads[Gun.BOW] == ()
    assert line.state.bag == (5, 5, 5)


def test_v47_defensive_tricks_and_one_run() -> None:
    """Vector V47: K04, K15, K16; ruling R23."""
    b = side(hand="S1 S2", tricks=(Trick.K04, Trick.K15, Trick.K16))
    line = perfect_shot(b)
    run = Evade(FLUSH, 1, cards("S1 S2"))
    assert line.expect("EVADE", B) == (Pass(), run, PlayTrick(Trick.K04), PlayTrick(Trick.K15))
    line.play(PlayTrick(Trick.K15), run)
    assert line.expect("EVADE", B) == (Pass(), PlayTrick(Trick.K04))
    line.play(Pass())
    assert line.state.duelists[B].ship.planks == (4, 4, 5)


def test_v48_elusive_adds_one_to_a_mixed_run() -> None:
    """Vector V48: Q5."""
    line = perfect_shot(side(hand="S1 H2 C3", reputation=Reputation.Q5))
    assert Evade(MIXED, 1, cards("S1 H2 C3")) in line.expect("EVADE", B)
    line.play(Evade(MIXED, 1, cards("S1 H2 C3")))
    assert line.heard(ShotEvaded, ReputationUsed) == [
        ShotEvaded(B, MIXED, 1, cards("S1 H2 C3"), 2, 3),
        ReputationUsed(B, Reputation.Q5),
    ]
    assert line.state.duelists[B].ship.planks == (2, 4, 5)


def test_r20_a_zone_that_became_empty_can_still_be_fired_at() -> None:
    """Ruling R20: the shot has nothing to remove, but it can be hasty."""
    a = side(bow="chain", zone=Zone.SAIL_BOW, targets="T03")
    line = Line(firing(a, side(hand="S1 H1", sails=(0, 3)))).play(Fire(CHAIN))
    assert line.events == [ShotFired(A, Gun.BOW, Zone.SAIL_BOW, CHAIN, 0, (4,), -4)]
    assert line.expect("HASTY_DISCARD", B) == (Give(cards("S1")), Give(cards("H1")))


def test_r21_a_double_shot_does_not_save_the_worst_miss() -> None:
    """Ruling R21: the damage is not raised to 0 in between."""
    line = carronade("chain chain", Zone.SAIL_BOW, "T03").play(Fire(CHAIN), DoubleShot())
    assert line.heard(DoubleFired, ShotLanded) == [DoubleFired(A, CHAIN, 1), ShotLanded(A, Zone.SAIL_BOW, 1)]
    worse = carronade("ball ball", Zone.SAIL_BOW, "T03").play(Fire(BALL), DoubleShot())
    assert worse.heard(DoubleFired, ShotLanded) == [DoubleFired(A, BALL, -1), ShotLanded(A, Zone.SAIL_BOW, 0)]


def test_a_shot_without_missing_damage_cannot_be_doubled() -> None:
    """Spec 6.8 step 5: the zone's one sail is hit already."""
    a = side(bow="chain chain", cannons=CARRONADES, zone=Zone.SAIL_BOW, targets="T26:S9/S6")
    line = Line(firing(a, side(sails=(1, 3))))
    line.play(Fire(CHAIN))
    assert line.expect("BOOST", A) == (Pass(), DoubleShot()), "one sail, one lost to the carronade: 0 < 1"
    assert line.state.duelists[A].loads[Gun.BOW] == (CHAIN,)


@pytest.mark.parametrize(("crew", "offered"), [(1, True), (0, False)])
def test_an_empty_gun_deck_may_not_fire(crew: int, offered: bool) -> None:
    """Spec 2.3: one figure is enough to cover the no-fire slot."""
    line = Line(firing(side(sailors=(crew, 4, 4), bow="ball", targets=PERFECT)))
    assert (line.kind == "FIRE") == offered
    assert ("FIRE" in line.forced) != offered


@pytest.mark.parametrize(("crew", "damage"), [(4, 5), (3, 5), (2, 4), (1, 3)])
def test_the_cannon_penalty_follows_the_deck_of_the_active_gun(crew: int, damage: int) -> None:
    """Spec 2.3; the other gun's deck does not count."""
    line = Line(firing(side(sailors=(crew, 4, 1), bow="ball", targets=PERFECT))).play(Fire(BALL))
    assert line.events[0] == ShotFired(A, Gun.BOW, Zone.HULL_BOW, BALL, 5, (0, 0), damage)


def test_holding_fire_is_told() -> None:
    """Decision D17: HOLD is the default."""
    line = Line(firing(side(bow="ball", targets=PERFECT), side(targets="T01")))
    assert line.default == Hold()
    assert line.play(Hold()).events[0] == FireHeld(A)


def test_an_evasion_down_to_nothing_ends_the_questions() -> None:
    """Spec 6.9: repeated until the damage is gone."""
    a = side(bow="chain", zone=Zone.SAIL_BOW, targets="T26:S9/S6")
    line = Line(firing(a, side(hand="S1 S2 S3 C9", tricks=(Trick.K15,)))).play(Fire(CHAIN))
    line.play(Evade(FLUSH, 1, cards("S1 S2 S3")))
    assert line.expect("LAY_GUN", A)
    assert line.state.duelists[B].tricks == (Trick.K15,)


def test_k16_only_braces_decks_and_k04_only_the_bow() -> None:
    """Spec 2.11: K04, K16."""
    a = side(bow="grape", zone=Zone.DECK_STERN, targets=PERFECT)
    b = side(tricks=(Trick.K04, Trick.K15, Trick.K16))
    line = Line(firing(a, b)).play(Fire(GRAPE))
    assert line.expect("EVADE", B) == (Pass(), PlayTrick(Trick.K15), PlayTrick(Trick.K16))
    line.play(PlayTrick(Trick.K16), Pass())
    assert line.heard(ShotLanded) == [ShotLanded(A, Zone.DECK_STERN, 1)]


def test_r43_master_gunner_brings_a_carronade_to_one_only() -> None:
    """Ruling R43: K12; a target card without aim cards cannot be read at all."""
    a = side(bow="ball", cannons=CARRONADES, targets="T26:S9/- T21", tricks=(Trick.K12,))
    line = Line(firing(a)).play(Fire(BALL))
    assert line.expect("BOOST", A) == (Pass(), PlayTrick(Trick.K12, 0))
    line.play(PlayTrick(Trick.K12, 0))
    assert line.heard(ShotLanded) == [ShotLanded(A, Zone.HULL_BOW, 0)], "5 - 1 - 4 = 0"


def test_r22_master_gunner_does_not_lift_a_doubled_shot_above_the_markers_there() -> None:
    """Ruling R22: the running damage never rises above the initial potential, so evasions count in full."""
    a = side(bow="chain chain", cannons=CARRONADES, zone=Zone.SAIL_BOW, targets="T26:S9/-", tricks=(Trick.K12,))
    line = Line(firing(a, side(hand="S1 S2"))).play(Fire(CHAIN), DoubleShot(), PlayTrick(Trick.K12, 0))
    assert line.state.shot is not None
    assert line.state.shot.damage == 3, "3 - 3 = 0, doubled 2, straightened 4: there are only 3 sails"
    line.play(Evade(FLUSH, 1, cards("S1 S2")))
    assert line.heard(ShotLanded) == [ShotLanded(A, Zone.SAIL_BOW, 1)]


def test_r23_one_run_per_shot() -> None:
    """Ruling R23: the second run of the hand is not offered any more."""
    line = perfect_shot(side(hand="S1 S2 C7 C8", tricks=(Trick.K15,)))
    assert len(line.expect("EVADE", B)) == 4
    line.play(Evade(FLUSH, 1, cards("S1 S2")))
    assert line.expect("EVADE", B) == (Pass(), PlayTrick(Trick.K15))


def test_k04_the_figurehead_takes_three_off() -> None:
    """Spec 2.11: K04."""
    line = perfect_shot(side(tricks=(Trick.K04,))).play(PlayTrick(Trick.K04))
    assert line.heard(ShotLanded) == [ShotLanded(A, Zone.HULL_BOW, 2)]
    assert line.state.duelists[B].ship.planks == (3, 4, 5)
