"""The 24 dirty tricks, spec 2.11. K04, K12 to K16 are in test_shots.py, K22 and K23 in test_attacks.py."""

from __future__ import annotations

from collections import Counter

import pytest

from referee.games.pavillon_noir.actions import (
    Aim,
    ChangeTarget,
    LoadGuns,
    PickTarget,
    PickTrack,
    PickZone,
    PlayTrick,
    Prepare,
    RemoveCrew,
    RemoveSails,
    Restore,
    ReturnDiscs,
    ShootFigure,
    TakeCard,
)
from referee.games.pavillon_noir.data import TRICKS
from referee.games.pavillon_noir.events import (
    AimTakenBack,
    CardsDiscarded,
    CardsDrawn,
    CardsLookedAt,
    DiscsDrawn,
    HandSpied,
    MarkersRemoved,
    MarkersRestored,
    TargetReplaced,
    TrackCleared,
    TrickPlayed,
)
from referee.games.pavillon_noir.state import Duelist
from referee.games.pavillon_noir.terms import (
    JOKER,
    Cause,
    Figure,
    Marker,
    Projectile,
    Side,
    Suit,
    TargetCard,
    Timing,
    Track,
    Trick,
    Zone,
)
from referee.rules.engine import duel
from referee.rules.parts import replace
from support.pavillon_noir import A, B, Line, card, cards, names, side, table, target

BALL, CHAIN, GRAPE = Projectile
FREE = (Trick.K01, Trick.K10, Trick.K11, Trick.K17, Trick.K18)


def playing(trick: Trick, a: Duelist | None = None, b: Duelist | None = None, **others: object) -> Line:
    """A holds the trick, and one card and one target card if nothing else is said, and plays it first thing."""
    own = replace(a or side(hand="S1", targets="T26"), tricks=(trick,))
    line = Line(table(own, b, **others))  # type: ignore[arg-type]
    return line.play(PlayTrick(trick))


def is_offered(trick: Trick, a: Duelist | None = None, b: Duelist | None = None) -> bool:
    own = replace(a or side(hand="S1", targets="T26"), tricks=(trick,))
    return PlayTrick(trick) in Line(table(own, b)).options


def test_there_are_24_with_the_timings_of_the_specification() -> None:
    """Spec 2.11."""
    assert list(TRICKS) == list(Trick)
    assert len({row.name for row in TRICKS.values()}) == 24
    assert Counter(row.when for row in TRICKS.values()) == {
        Timing.FREE: 5,
        Timing.ACT: 8,
        Timing.AIM: 3,
        Timing.BOOST: 3,
        Timing.DEF: 3,
        Timing.REACT: 2,
    }
    assert tuple(trick for trick, row in TRICKS.items() if row.when is Timing.FREE) == FREE


def test_k01_powder_boy_reloads_the_battery_for_nothing() -> None:
    """K01."""
    line = playing(Trick.K01, side(hand="S1", bow="ball", targets="T26"), draws=(0, 0, 0))
    line.play(ReturnDiscs(()))
    assert line.heard(DiscsDrawn) == [DiscsDrawn(A, (BALL, BALL, BALL))]
    assert line.state.duelists[A].loads == ((BALL, BALL), (BALL, BALL)), "the only way to load"
    assert (line.state.actions, names(line.state.duelists[A].hand)) == (2, "S1")


def test_k02_crows_nest_aims_with_one_of_five_and_discards_the_others() -> None:
    """K02, decision D24."""
    a = side(hand="S1", deck="H3 C5 H7 JK D2 D3", targets="T26")
    line = playing(Trick.K02, a)
    looked_at = cards("H3 H7 C5 D2 JK")
    assert line.heard(CardsLookedAt) == [CardsLookedAt(A, 5, looked_at)]
    options = line.expect("TRICK_AIM", A)
    assert options[:2] == (Aim(card("H3"), 3, 0, Side.LEFT), Aim(card("H3"), 3, 0, Side.BELOW))
    assert len(options) == 2 * (4 + 6), "the joker with the six values not looked at"
    line.play(Aim(JOKER, 9, 0, Side.LEFT))
    own = line.state.duelists[A]
    assert own.targets == (target("T26:JK9/-"),)
    assert own.discard == cards("H3 H7 C5 D2")
    assert (line.state.aimed, line.state.actions, names(own.hand)) == (True, 1, "S1")
    assert line.heard(CardsDiscarded) == [CardsDiscarded(A, cards("H3 H7 C5 D2"), Cause.CROWS_NEST)]


def test_k02_reshuffles_as_needed_and_looks_at_fewer_cards_if_there_are_no_more() -> None:
    """K02."""
    line = playing(Trick.K02, side(hand="S1", deck="H3", discard="C5 C6", targets="T26"))
    assert line.heard(CardsLookedAt) == [CardsLookedAt(A, 3, cards("H3 C5 C6"))]
    assert not is_offered(Trick.K02, side(hand="S1", deck="", targets="T26"))


def test_k03_the_surgeon_brings_sailors_back() -> None:
    """K03, ruling R32: only sailors come back, and only to free slots."""
    line = playing(Trick.K03, side(hand="S1", sailors=(2, 4, 3), targets="T26"))
    assert line.expect("RESTORE", A) == (Restore((1, 0, 1)), Restore((2, 0, 0)))
    line.play(Restore((1, 0, 1)))
    assert line.state.duelists[A].ship.sailors == (3, 4, 4)
    assert line.state.actions == 1
    assert line.heard(MarkersRestored) == [MarkersRestored(A, Marker.CREW, (1, 0, 1))]


def test_k03_restores_no_officer() -> None:
    """K03: the captain is dead, but no sailor is lost."""
    assert not is_offered(Trick.K03, side(hand="S1", captain=None, targets="T26"))
    line = playing(Trick.K03, side(hand="S1", sailors=(3, 4, 4), captain=None, targets="T26"))
    assert line.expect("RESTORE", A) == (Restore((0, 1, 0)), Restore((1, 0, 0)))


def test_k05_the_spyglass_sees_the_hand_and_takes_a_card() -> None:
    """K05, decision D26: each distinct card once."""
    line = playing(Trick.K05, b=side(hand="H2 C3 JK JK"))
    assert line.heard(HandSpied) == [HandSpied(A, cards("H2 C3 JK JK"))]
    assert line.expect("SPYGLASS", A) == (TakeCard(card("H2")), TakeCard(card("C3")), TakeCard(JOKER))
    line.play(TakeCard(JOKER))
    assert names(line.state.duelists[B].hand) == "H2 C3 JK"
    assert line.heard(CardsDiscarded) == [CardsDiscarded(B, (JOKER,), Cause.SPYGLASS)]
    assert not is_offered(Trick.K05)


def test_k06_swivel_guns_cost_two_figures() -> None:
    """K06, ruling R26: the owner chooses."""
    line = playing(Trick.K06)
    options = line.expect("REMOVE_CREW", B)
    assert len(options) == 6 + 2 * 3 + 1
    line.play(RemoveCrew(0, 2, 0, False, False))
    assert line.state.duelists[B].ship.sailors == (4, 2, 4)
    assert line.expect("ACTION", A)


def test_k07_fire_pots_burn_two_sails() -> None:
    """K07."""
    line = playing(Trick.K07)
    assert line.expect("REMOVE_SAILS", B) == (RemoveSails(0, 2), RemoveSails(1, 1), RemoveSails(2, 0))
    line.play(RemoveSails(1, 1))
    assert line.state.duelists[B].ship.sails == (2, 2)
    assert not is_offered(Trick.K07, b=side(sails=(0, 0)))


def test_k08_the_saboteur_chooses_the_zone() -> None:
    """K08, ruling R26."""
    line = playing(Trick.K08, b=side(planks=(5, 0, 5), flipped=(False, True, False)))
    assert line.expect("PICK_ZONE", A) == (PickZone(Zone.HULL_BOW), PickZone(Zone.HULL_STERN))
    line.play(PickZone(Zone.HULL_STERN))
    assert line.state.duelists[B].ship.planks == (5, 0, 4)


def test_k08_can_sink_a_ship() -> None:
    """K08: consequences as of any lost plank."""
    line = playing(Trick.K08, b=side(planks=(3, 1, 1), flipped=(False, False, False)))
    line.play(PickZone(Zone.HULL_STERN))
    assert line.outcome == duel(A, "sink")


def test_k09_the_sharpshooter_picks_a_figure_from_a_thin_deck() -> None:
    """K09, decision D28, ruling R26."""
    b = side(sailors=(1, 3, 0), captain=Zone.DECK_BOW, mate=Zone.DECK_STERN)
    line = playing(Trick.K09, b=b)
    assert line.expect("SHARPSHOOTER", A) == (
        ShootFigure(Zone.DECK_BOW, Figure.SAILOR),
        ShootFigure(Zone.DECK_BOW, Figure.CAPTAIN),
        ShootFigure(Zone.DECK_STERN, Figure.MATE),
    )
    line.play(ShootFigure(Zone.DECK_STERN, Figure.MATE))
    assert line.state.duelists[B].ship.mate is None
    assert line.heard(MarkersRemoved) == [MarkersRemoved(B, Marker.CREW, (0, 0, 0), False, True)]
    assert not is_offered(Trick.K09)


def test_k10_rum_draws_three_cards() -> None:
    """K10."""
    line = playing(Trick.K10, side(hand="S1", deck="H1 H2 H3 H4", targets="T26"))
    assert line.heard(CardsDrawn) == [CardsDrawn(A, 3, cards("H1 H2 H3"))]
    assert (line.state.actions, line.state.aimed) == (2, False)


def test_k11_fair_wind_gives_a_third_action() -> None:
    """K11: and with it another chance not to aim yet."""
    line = playing(Trick.K11)
    assert line.state.actions == 3
    line.play(Prepare(), Prepare())
    assert all(isinstance(option, Aim) for option in line.expect("ACTION", A))


def test_k17_a_new_helmsman_uncovers_one_track() -> None:
    """K17, decision D29."""
    a = side(hand="S1", targets="T26", suits=(Suit.HEART,), evade=(3, 4))
    line = playing(Trick.K17, a)
    assert line.expect("PICK_TRACK", A) == (PickTrack(Track.BROADSIDE), PickTrack(Track.EVADE))
    line.play(PickTrack(Track.EVADE))
    assert line.state.duelists[A].tracks == ((Suit.HEART,), (), ())
    assert line.heard(TrackCleared) == [TrackCleared(A, Track.EVADE)]
    assert not is_offered(Trick.K17)


def test_k18_spare_canvas_brings_two_sails_back() -> None:
    """K18."""
    line = playing(Trick.K18, side(hand="S1", sails=(1, 2), targets="T26"))
    assert line.expect("RESTORE", A) == (Restore((1, 1)), Restore((2, 0)))
    line.play(Restore((2, 0)))
    assert line.state.duelists[A].ship.sails == (3, 2)
    assert line.state.actions == 2
    assert not is_offered(Trick.K18)


def test_k19_carpenters_bring_two_planks_back() -> None:
    """K19."""
    line = playing(Trick.K19, side(hand="S1", planks=(4, 4, 3), targets="T26"))
    assert line.expect("RESTORE", A) == (Restore((0, 0, 2)), Restore((1, 0, 1)))
    line.play(Restore((0, 0, 2)))
    assert line.state.duelists[A].ship.planks == (4, 4, 5)
    assert line.state.actions == 1
    assert not is_offered(Trick.K19)


def test_v55_ranging_shot_takes_the_aim_cards_back() -> None:
    """Vector V55: K20, decision D30."""
    a = side(hand="S1", targets="T04 T05:H4/JK7")
    line = playing(Trick.K20, a)
    assert line.expect("PICK_TARGET", A) == (PickTarget(0), PickTarget(1))
    line.play(PickTarget(1))
    own = line.state.duelists[A]
    assert names(own.hand) == "S1 H4 JK"
    assert own.targets == (target("T04"), target("T30"))
    assert line.state.target_discard == (TargetCard(5),)
    assert (line.state.aimed, line.state.actions) == (True, 1)
    assert line.heard(AimTakenBack, TargetReplaced) == [
        AimTakenBack(A, cards("H4 JK")),
        TargetReplaced(A, 1, TargetCard(30)),
    ]


def test_k21_grapnels_strip_an_opposing_target_card() -> None:
    """K21, decision D30: only cards with aim cards."""
    line = playing(Trick.K21, b=side(targets="T01 T02:H5/H6 T03:-/H7"))
    assert line.expect("PICK_TARGET", A) == (PickTarget(1), PickTarget(2))
    line.play(PickTarget(1))
    other = line.state.duelists[B]
    assert other.targets == (target("T01"), target("T02"), target("T03:-/H7"))
    assert other.discard == cards("H5 H6")
    assert line.heard(CardsDiscarded) == [CardsDiscarded(B, cards("H5 H6"), Cause.GRAPNELS)]
    assert not is_offered(Trick.K21, b=side(targets="T01"))


def test_k24_gun_drill_aims_twice_for_one_action() -> None:
    """K24, decision D24."""
    line = playing(Trick.K24, side(hand="S1 S2 S3", targets="T26"))
    line.play(Aim(card("S2"), 2, 0, Side.LEFT))
    assert {option.card for option in line.expect("TRICK_AIM", A) if isinstance(option, Aim)} == set(cards("S1 S3"))
    line.play(Aim(card("S3"), 3, 0, Side.BELOW))
    own = line.state.duelists[A]
    assert own.targets == (target("T26:S2/S3"),)
    assert (names(own.hand), line.state.actions, line.state.aimed) == ("S1", 1, True)
    assert not is_offered(Trick.K24)


@pytest.mark.parametrize("trick", FREE)
def test_free_tricks_cost_no_action_but_spoil_changing_the_target(trick: Trick) -> None:
    """Spec 5.4: CHANGE_TARGET only as the very first choice."""
    a = side(hand="S1", sails=(2, 3), evade=(1,), bow="ball ball", stern="ball", targets="T26", tricks=(trick,))
    line = Line(table(a, draws=(0, 0, 0))).play(PlayTrick(trick))
    while line.kind != "ACTION":
        line.play(line.options[0])
    assert line.state.actions == (3 if trick is Trick.K11 else 2)
    assert ChangeTarget() not in line.options
    assert TrickPlayed(A, trick) in line.events


def test_tricks_that_cost_an_action_leave_a_card_and_an_action_to_aim() -> None:
    """Spec 5.4: ACT tricks not on the last action before aiming, nor without a card to aim with."""
    act, free, aim = PlayTrick(Trick.K06), PlayTrick(Trick.K10), PlayTrick(Trick.K20)
    held = (Trick.K06, Trick.K10, Trick.K20)
    must = Line(table(side(hand="S1", targets="T26", tricks=held), actions=1, untouched=False)).options
    assert (act in must, free in must, aim in must) == (False, True, True)
    bare = Line(table(side(targets="T26", tricks=held))).options
    assert (act in bare, free in bare, aim in bare) == (False, True, True)
    done = Line(table(side(targets="T26", tricks=held), aimed=True, actions=1)).options
    assert (act in done, free in done, aim in done) == (True, True, True)


def test_loading_options_after_the_powder_boy_hold_all_discs() -> None:
    """K01: kept and drawn discs are spread together (R13)."""
    line = playing(Trick.K01, side(hand="S1", bow="ball", stern="chain", targets="T26"), draws=(13 - 1, 11))
    line.play(ReturnDiscs(()))
    assert line.expect("LOAD", A) == (
        LoadGuns((BALL, CHAIN), (GRAPE, GRAPE)),
        LoadGuns((BALL, GRAPE), (CHAIN, GRAPE)),
        LoadGuns((CHAIN, GRAPE), (BALL, GRAPE)),
        LoadGuns((GRAPE, GRAPE), (BALL, CHAIN)),
    )
