"""Broadside and sheer-off: spec 6.4 and 6.5, rulings R1 to R8, R28."""

from __future__ import annotations

from referee.games.pavillon_noir.actions import (
    Broadside,
    FireBroadside,
    Give,
    GiveRun,
    LoseAim,
    Pass,
    PlayTrick,
    RemoveCrew,
    RemovePlanks,
    RemoveSails,
    SheerOff,
)
from referee.games.pavillon_noir.events import (
    BroadsideFired,
    CardsDiscarded,
    MarkersRemoved,
    ReputationUsed,
    SheeredOff,
    TrickPlayed,
)
from referee.games.pavillon_noir.rules.attacks import shot_sets
from referee.games.pavillon_noir.state import Duelist
from referee.games.pavillon_noir.terms import Cause, Gun, Marker, Projectile, Reputation, Side, Suit, Track, Trick
from support.pavillon_noir import A, B, Line, cards, names, side, table, target

BALL, CHAIN, GRAPE = Projectile
BOW_GRAPE, STERN_BALL = (Gun.BOW, GRAPE), (Gun.STERN, BALL)


def test_v4_a_broadside_of_two_spades() -> None:
    """Vector V4, ruling R1: any projectile counts."""
    a = side(hand="S4 S7 H2", bow="ball grape", stern="chain", targets="T26")
    line = Line(table(a, side(targets="T01:H5/- T02")))
    line.play(Broadside(Suit.SPADE))
    assert line.forced == ["PAY"], "S4 S7 is the only payment"
    assert line.expect("BROADSIDE_SHOT", A) == (
        FireBroadside(((Gun.BOW, BALL), (Gun.BOW, GRAPE))),
        FireBroadside(((Gun.BOW, BALL), (Gun.STERN, CHAIN))),
        FireBroadside(((Gun.BOW, GRAPE), (Gun.STERN, CHAIN))),
    )
    line.play(FireBroadside(((Gun.BOW, BALL), (Gun.STERN, CHAIN))))
    assert line.forced == ["PAY", "REACT", "LOSE_AIM"]
    assert line.expect("REMOVE_PLANKS", B) == (RemovePlanks(0, 0, 1), RemovePlanks(0, 1, 0), RemovePlanks(1, 0, 0))
    line.play(RemovePlanks(0, 1, 0))
    assert line.expect("REMOVE_SAILS", B) == (RemoveSails(0, 1), RemoveSails(1, 0))
    line.play(RemoveSails(0, 1))
    own, other = line.state.duelists
    assert (other.ship.planks, other.ship.sails) == ((5, 3, 5), (3, 2))
    assert other.targets == (target("T01"), target("T02"))
    assert other.discard == cards("H5")
    assert own.tracks[Track.BROADSIDE] == (Suit.SPADE,)
    assert own.loads == ((GRAPE,), ())
    assert own.discard == cards("S4 S7")
    assert line.state.bag == (5, 5, 4)
    assert line.events[0] == BroadsideFired(A, Suit.SPADE, cards("S4 S7"), ((Gun.BOW, BALL), (Gun.STERN, CHAIN)))


def test_v30_a_joker_joins_the_flush_only_after_all_hearts() -> None:
    """Vector V30, ruling R9 (J2): four cards would be more than the three projectiles."""
    line = Line(table(side(hand="H3 H5 H9 JK", bow="ball grape", stern="chain", targets="T26"), side(hand="S1")))
    line.play(Broadside(Suit.HEART))
    assert line.expect("PAY", A) == tuple(map(Give, map(cards, ("H3 H5", "H3 H9", "H5 H9", "H3 H5 H9"))))


def gunners(crew: int, reputation: Reputation | None = None, hand: str = "") -> Duelist:
    """The load of V32 with so many sailors on the bow deck."""
    return side(hand=hand, targets="T26", sailors=(crew, 4, 4), bow="grape", stern="ball ball", reputation=reputation)


def test_v32_the_owner_may_silence_a_gun_to_save_a_card() -> None:
    """Vector V32, rulings R2, R7, R8."""
    assert shot_sets(gunners(2), 2) == (
        FireBroadside((BOW_GRAPE,)),
        FireBroadside((STERN_BALL,)),
        FireBroadside((STERN_BALL, STERN_BALL)),
    )


def test_v33_three_cards_need_three_discs_in_cannons_that_may_fire() -> None:
    """Vector V33, ruling R3."""
    assert shot_sets(gunners(2), 3) == (
        FireBroadside((BOW_GRAPE, STERN_BALL)),
        FireBroadside((STERN_BALL, STERN_BALL)),
    )


def test_v34_an_empty_gun_deck_silences_its_cannon_and_costs_two() -> None:
    """Vector V34, ruling R4."""
    assert shot_sets(gunners(0), 2) == shot_sets(gunners(0), 3) == ()
    own = gunners(0, hand="S1 S2 S3 S4")
    assert Broadside(Suit.SPADE) not in Line(table(own, side(hand="D9"))).options


def test_v35_no_quarter_ignores_penalties_and_costs_one_more_aim_card() -> None:
    """Vector V35: Q8."""
    own = gunners(2, Reputation.Q8, hand="S1 S2 H9")
    assert shot_sets(own, 2) == (
        FireBroadside((BOW_GRAPE, STERN_BALL)),
        FireBroadside((STERN_BALL, STERN_BALL)),
    )
    line = Line(table(own, side(targets="T01:H1/H2 T02:H3/H4")))
    line.play(Broadside(Suit.SPADE), FireBroadside((BOW_GRAPE, STERN_BALL)))
    options = line.expect("LOSE_AIM", B)
    assert len(options) == 4
    assert options[0] == LoseAim(((0, Side.LEFT), (0, Side.BELOW), (1, Side.LEFT)))
    assert ReputationUsed(A, Reputation.Q8) in line.events


def test_q8_cannot_take_more_aim_cards_than_are_placed() -> None:
    """Decision D10: k = min(E + 1, placed)."""
    own = gunners(4, Reputation.Q8, hand="S1 S2 H9")
    line = Line(table(own, side(targets="T01:H1/H2")))
    line.play(Broadside(Suit.SPADE), FireBroadside((STERN_BALL, STERN_BALL)))
    assert line.state.duelists[B].discard == cards("H1 H2")
    assert line.heard(ReputationUsed) == []


def test_r2_penalties_save_discs_but_not_cards() -> None:
    """Ruling R2: two cards are paid, one disc is spent."""
    own = gunners(2, hand="S1 S2 H9")
    line = Line(table(own))
    line.play(Broadside(Suit.SPADE), FireBroadside((STERN_BALL,)))
    assert line.state.duelists[A].loads == ((GRAPE,), (BALL,))
    assert line.state.duelists[A].hand == cards("H9")
    assert line.expect("REMOVE_PLANKS", B)[0] == RemovePlanks(0, 0, 1)


def test_r28_planks_go_before_sails_before_crew() -> None:
    """Ruling R28."""
    a = side(hand="S1 S2 S3 H9", bow="grape ball", stern="chain", targets="T26")
    line = Line(table(a))
    line.play(Broadside(Suit.SPADE), Give(cards("S1 S2 S3")))
    line.play(RemovePlanks(1, 0, 0), RemoveSails(1, 0), RemoveCrew(1, 0, 0, False, False))
    removed = [event.marker for event in line.heard(MarkersRemoved) if isinstance(event, MarkersRemoved)]
    assert removed == [Marker.PLANK, Marker.SAIL, Marker.CREW]


def test_a_broadside_takes_no_more_markers_than_there_are() -> None:
    """Spec 6.4 step 6: one sail is left for two chains."""
    a = side(hand="S1 S2 H9", bow="chain chain", targets="T26")
    line = Line(table(a, side(sails=(0, 1))))
    line.play(Broadside(Suit.SPADE))
    assert line.forced == ["PAY", "BROADSIDE_SHOT", "REACT", "REMOVE_SAILS"]
    assert line.state.duelists[B].ship.sails == (0, 0)


def test_a_covered_suit_is_not_offered_again() -> None:
    """Spec 2.9."""
    line = Line(table(side(hand="S1 S2 H3 H4 D9", bow="ball ball", targets="T26", suits=(Suit.SPADE,))))
    assert Broadside(Suit.SPADE) not in line.options
    assert Broadside(Suit.HEART) in line.options


def test_v5_sheering_off_with_a_run_of_four() -> None:
    """Vector V5."""
    a = side(hand="S7 H8 C9 D10 S2", targets="T26")
    line = Line(table(a, side(hand="H1 H2 H3 H4 H5 H6"), draws=(0, 0, 0, 0, 0)))
    line.play(SheerOff())
    assert line.expect("PAY", A) == (
        GiveRun(7, cards("S7 H8")),
        GiveRun(7, cards("S7 H8 C9")),
        GiveRun(7, cards("S7 H8 C9 D10")),
        GiveRun(8, cards("H8 C9")),
        GiveRun(8, cards("H8 C9 D10")),
        GiveRun(9, cards("C9 D10")),
    )
    line.play(GiveRun(7, cards("S7 H8 C9 D10")))
    own, other = line.state.duelists
    assert names(other.hand) == "H6"
    assert line.script_left() == 0
    assert own.tracks[Track.SHEER] == (7, 8, 9, 10)
    assert line.heard(SheeredOff, CardsDiscarded) == [
        SheeredOff(A, 7, cards("S7 H8 C9 D10")),
        CardsDiscarded(B, cards("H1 H2 H3 H4 H5"), Cause.SHEERED_OFF),
    ]


def test_v44_the_sail_penalty_shortens_a_run() -> None:
    """Vector V44, rulings R4 and R5."""
    a = side(hand="S1 H2 C3 D9", sails=(0, 3), targets="T26")
    line = Line(table(a, side(hand="H1 H3 H5 H7"), draws=(0, 0)))
    line.play(SheerOff())
    assert line.forced == ["PAY", "REACT"]
    assert names(line.state.duelists[B].hand) == "H5 H7"
    assert line.state.duelists[A].tracks[Track.SHEER] == (1, 2, 3)


def test_v54_the_parrot_saves_the_hand_but_not_the_run() -> None:
    """Vector V54: K22."""
    a = side(hand="S2 H3 D9", targets="T26")
    line = Line(table(a, side(hand="H1 H4", tricks=(Trick.K22,))))
    line.play(SheerOff())
    assert line.expect("REACT", B) == (Pass(), PlayTrick(Trick.K22))
    assert line.default == Pass()
    line.play(PlayTrick(Trick.K22))
    own, other = line.state.duelists
    assert names(other.hand) == "H1 H4"
    assert (names(own.hand), own.tracks[Track.SHEER]) == ("D9", (2, 3))
    assert (other.tricks, other.played_tricks) == ((), (Trick.K22,))
    assert TrickPlayed(B, Trick.K22) in line.events


def test_a_kept_parrot_lets_the_sheer_off_happen() -> None:
    """Decision D21: the default is to pass."""
    line = Line(
        table(side(hand="S2 H3 D9", targets="T26"), side(hand="H1 H4 H7", tricks=(Trick.K22,)), draws=(0, 1, 0))
    )
    line.play(SheerOff(), Pass())
    assert line.state.duelists[B].hand == ()
    assert line.heard(CardsDiscarded) == [CardsDiscarded(B, cards("H1 H7 H4"), Cause.SHEERED_OFF)]


def test_k23_nets_save_the_markers_but_not_the_aim_cards() -> None:
    """Spec 2.11: K23."""
    a = side(hand="S1 S2 H9", bow="ball chain", targets="T26")
    line = Line(table(a, side(targets="T01:H1/H2", tricks=(Trick.K22, Trick.K23))))
    line.play(Broadside(Suit.SPADE))
    assert line.expect("REACT", B) == (Pass(), PlayTrick(Trick.K23)), "the parrot is no help against a broadside"
    line.play(PlayTrick(Trick.K23))
    other = line.state.duelists[B]
    assert other.discard == cards("H1 H2")
    assert (other.ship.planks, other.ship.sails) == ((5, 4, 5), (3, 3))
    assert line.kind == "ACTION"


def test_r11_a_joker_covers_the_value_it_stands_for() -> None:
    """Ruling R11."""
    line = Line(table(side(hand="S4 JK D9", targets="T26"), side(hand="H1"), draws=(0,)))
    line.play(SheerOff(), GiveRun(4, cards("S4 JK")))
    assert line.state.duelists[A].tracks[Track.SHEER] == (4, 5)
    assert line.state.duelists[A].discard == cards("S4 JK")
