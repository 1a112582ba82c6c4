"""The turn: spec 5.2, 5.4, 6.3, 8.2; rulings R6, R15 to R20, R40, R44."""

from __future__ import annotations

from referee.games.pavillon_noir.actions import (
    Action,
    Aim,
    Broadside,
    ChangeTarget,
    Fire,
    Give,
    Hold,
    LayGun,
    Patch,
    Prepare,
    ReloadBattery,
    ReloadOne,
    SheerOff,
)
from referee.games.pavillon_noir.events import CardsDiscarded, CardsDrawn, DeckReshuffled, GameEnded, TurnBegan
from referee.games.pavillon_noir.rules.turn import DiscardDown
from referee.games.pavillon_noir.state import Settings, Ship
from referee.games.pavillon_noir.terms import (
    JOKER,
    Cause,
    EndReason,
    Gun,
    Phase,
    Projectile,
    Side,
    Suit,
    Zone,
    value_of,
)
from referee.rules.engine import duel
from referee.rules.parts import replace
from support.pavillon_noir import A, B, Line, card, cards, firing, names, side, table, target

AIMED_AT = "T01 T02"


def aims(hand: str, targets: int) -> list[Action]:
    """Every natural card on both sides of every target card."""
    return [
        Aim(held, value_of(held), index, place) for held in cards(hand) for index in range(targets) for place in Side
    ]


def armed(hand: str) -> Line:
    """The position of V24: two target cards, three discs, an opponent with one card."""
    return Line(table(side(hand=hand, bow="ball chain", stern="grape", targets=AIMED_AT), side(hand="D10")))


def test_v23_an_empty_hand_can_prepare_or_change_target() -> None:
    """Vector V23, ruling R17."""
    line = Line(table(side(targets=AIMED_AT)))
    assert line.expect("ACTION", A) == (Prepare(), ChangeTarget())
    assert line.default == Prepare()


def test_v24_two_cards_are_not_spent_when_none_would_be_left_to_aim() -> None:
    """Vector V24, ruling R15."""
    line = armed("S3 S5")
    assert line.expect("ACTION", A) == (*aims("S3 S5", 2), Prepare(), ChangeTarget())
    assert len(line.options) == 10


def test_v25_a_third_card_opens_broadside_and_reload() -> None:
    """Vector V25."""
    line = armed("S3 S5 H8")
    assert line.expect("ACTION", A) == (
        *aims("S3 S5 H8", 2),
        Prepare(),
        Broadside(Suit.SPADE),
        ReloadOne(),
        ChangeTarget(),
    )
    assert len(line.options) == 16


def test_v26_a_run_opens_sheer_off() -> None:
    """Vector V26."""
    line = armed("S3 H4 S5")
    assert line.expect("ACTION", A) == (
        *aims("S3 S5 H4", 2),
        Prepare(),
        Broadside(Suit.SPADE),
        SheerOff(),
        ReloadOne(),
        ChangeTarget(),
    )
    assert len(line.options) == 17


def test_v27_a_joker_aims_with_every_value_not_in_the_hand() -> None:
    """Vector V27, ruling R9 (J1)."""
    line = armed("JK S5")
    jokers = [
        Aim(JOKER, value, index, place)
        for value in (1, 2, 3, 4, 6, 7, 8, 9, 10)
        for index in range(2)
        for place in Side
    ]
    assert line.expect("ACTION", A) == (*aims("S5", 2), *jokers, Prepare(), ChangeTarget())
    assert len(line.options) == 42


def test_v28_the_second_action_has_to_be_an_aim() -> None:
    """Vector V28."""
    line = Line(table(side(hand="S3", targets="T01", deck="D4 D5")))
    line.play(Prepare())
    assert line.expect("ACTION", A) == tuple(aims("S3 D4", 1))
    assert line.default == Aim(card("S3"), 3, 0, Side.LEFT)


def test_v49_a_long_discard_list_is_cut_into_single_cards() -> None:
    """Vector V49, decision D22."""
    twelve = "S1 S2 S3 S4 S5 S6 S7 S8 S9 S10 H1 H2"
    line = Line(table(side(hand=twelve), pending=[DiscardDown(A)]))
    sizes = []
    for name in ("S1", "S2", "S3"):
        sizes.append(len(line.expect("DISCARD", A)))
        line.play(Give(cards(name)))
    assert sizes == [12, 11, 10]
    assert len(line.expect("DISCARD", A)) == 84
    assert line.options[0] == Give(cards("S4 S5 S6"))
    line.play(Give(cards("S4 S5 H2")))
    assert names(line.state.duelists[A].hand) == "S6 S7 S8 S9 S10 H1"
    assert line.kind == "ACTION"


def test_v51_the_discard_pile_is_reshuffled_when_a_card_must_be_drawn() -> None:
    """Vector V51, ruling R33."""
    pile = "S1 S2 S3 S4 S5 S6 S7 S8 S9 S10"
    line = Line(firing(side(deck="H1", discard=pile, targets="T01", bow="ball"), side(hand="D1")))
    line.play(Hold())
    drawn = [event for event in line.heard(CardsDrawn) if isinstance(event, CardsDrawn) and event.seat == A]
    assert drawn == [CardsDrawn(A, 2, tuple(sorted(cards("H1 S10"))))]
    assert line.heard(DeckReshuffled) == [DeckReshuffled(A)]
    own = line.state.duelists[A]
    assert (len(own.deck), len(own.discard)) == (9, 0)


def test_v52_the_hand_limit_is_checked_at_the_end_of_the_turn_only() -> None:
    """Vector V52, ruling R44."""
    line = Line(table(side(hand="S1 S3 S5 S7 S9", targets="T01", deck="H1 H3 H5")))
    line.play(Prepare(), Aim(card("S1"), 1, 0, Side.LEFT))
    options = line.expect("DISCARD", A)
    assert options == tuple(Give((held,)) for held in cards("S3 S5 S7 S9 H1 H3 H5"))
    line.play(Give(cards("H5")))
    assert names(line.state.duelists[A].hand) == "S3 S5 S7 S9 H1 H3"
    assert CardsDiscarded(A, cards("H5"), Cause.HAND_LIMIT) in line.events


def test_v53_changing_the_target_offers_every_other_zone_with_both_guns() -> None:
    """Vector V53, ruling R18."""
    line = Line(table(side(hand="S1 S3", zone=Zone.HULL_BOW, targets="T01:C5/- T02")))
    line.play(ChangeTarget())
    others = [zone for zone in Zone if zone is not Zone.HULL_BOW]
    assert line.expect("LAY_GUN", A) == tuple(LayGun(gun, zone) for gun in Gun for zone in others)
    assert len(line.options) == 14
    assert line.default == LayGun(Gun.BOW, Zone.SAIL_BOW)
    assert line.state.duelists[A].discard == cards("C5")
    assert sorted(line.state.target_discard) == [1, 2]


def test_v40_the_hand_limit_follows_the_main_deck() -> None:
    """Vector V40."""
    limits = [Ship(sailors=(4, crew, 4)).hand_limit for crew in (6, 5, 4, 3, 2, 1, 0)]
    assert limits == [6, 6, 6, 6, 5, 4, 3]


def test_v50_at_the_cap_officers_break_a_tie_in_planks() -> None:
    """Vector V50."""
    a = side(planks=(5, 4, 3), targets="T01")
    b = side(planks=(5, 4, 3), captain=None, hand="S1")
    line = Line(table(a, b, turn=2, first=B, settings=Settings(max_rounds=1)))
    line.play(Prepare())
    line.play(line.options[0])
    assert line.outcome == duel(A, "cap_win")
    assert line.events[-1] == GameEnded(A, EndReason.CAP_WIN)


def cap(a: Ship, b: Ship) -> Line:
    own, other = replace(side(targets="T01"), ship=a), replace(side(), ship=b)
    return Line(table(own, other, turn=2, settings=Settings(max_rounds=1), phase=Phase.FIRE))


def test_at_the_cap_planks_then_officers_then_crew_then_sails_decide() -> None:
    """Spec 8.2."""
    full = Ship(sailors=(4, 4, 4), captain=Zone.DECK_MAIN, mate=Zone.DECK_MAIN)
    fewer_sails = Ship(sails=(3, 2), sailors=(4, 4, 4), captain=Zone.DECK_MAIN, mate=Zone.DECK_MAIN)
    fewer_crew = Ship(sailors=(4, 4, 3), captain=Zone.DECK_MAIN, mate=Zone.DECK_MAIN)
    fewer_officers = Ship(sailors=(4, 4, 4), captain=Zone.DECK_MAIN)
    fewer_planks = Ship(sailors=(4, 4, 4), planks=(5, 4, 4), captain=Zone.DECK_MAIN, mate=Zone.DECK_MAIN)
    order = [full, fewer_sails, fewer_crew, fewer_officers, fewer_planks]
    for better, ship in enumerate(order):
        for worse in order[better + 1 :]:
            assert cap(ship, worse).outcome == duel(A, "cap_win")
            assert cap(worse, ship).outcome == duel(B, "cap_win")
    assert cap(full, full).outcome == duel(None, "cap_draw")


def test_r6_nobody_sheers_off_against_an_empty_hand() -> None:
    """Ruling R6."""
    line = Line(table(side(hand="S3 H4 S9", targets="T01"), side()))
    assert SheerOff() not in line.options


def test_r16_a_must_with_an_empty_hand_lapses() -> None:
    """Ruling R16: no card of the game brings it about, so the position is set by hand."""
    line = Line(table(side(targets="T01"), actions=1, untouched=False))
    assert line.forced == ["ACTION", "FIRE"]
    assert [event.count for event in line.heard(CardsDrawn) if isinstance(event, CardsDrawn)] == [1, 2]
    assert line.state.turn == 2


def test_r17_changing_the_target_is_only_the_very_first_choice() -> None:
    """Ruling R17 and spec 5.4."""
    line = Line(table(side(hand="S1 S3", targets="T01")))
    assert ChangeTarget() in line.options
    line.play(Aim(card("S1"), 1, 0, Side.LEFT))
    assert ChangeTarget() not in line.expect("ACTION", A)


def test_r19_a_gun_may_fire_in_the_turn_in_which_it_was_laid() -> None:
    """Ruling R19: only phase 1 is skipped."""
    line = Line(table(side(hand="S1", bow="ball", targets="T01")))
    line.play(ChangeTarget(), LayGun(Gun.BOW, Zone.HULL_MAIN))
    assert line.expect("FIRE", A) == (Hold(), Fire(Projectile.BALL))
    assert line.default == Hold()


def test_r20_an_empty_zone_cannot_be_chosen() -> None:
    """Ruling R20."""
    line = Line(table(side(hand="S1", targets="T01"), side(sails=(0, 3), planks=(0, 4, 5))))
    line.play(ChangeTarget())
    assert {option.zone for option in line.options if isinstance(option, LayGun)} == {
        Zone.SAIL_STERN,
        Zone.DECK_BOW,
        Zone.DECK_MAIN,
        Zone.DECK_STERN,
        Zone.HULL_MAIN,
        Zone.HULL_STERN,
    }


def test_r40_an_aim_card_that_is_replaced_goes_to_the_discard_pile() -> None:
    """Rulings R10 and R40: a joker is discarded as a joker."""
    line = Line(table(side(hand="S1 S3", targets="T05:JK7/H4")))
    line.play(Aim(card("S3"), 3, 0, Side.LEFT))
    own = line.state.duelists[A]
    assert own.targets == (target("T05:S3/H4"),)
    assert own.discard == (JOKER,)
    assert CardsDiscarded(A, (JOKER,), Cause.REPLACED) in line.events


def test_once_aimed_every_card_may_be_spent() -> None:
    """Spec 5.4: `keep` is 0 after the first Aim."""
    line = Line(table(side(hand="S3 H3", bow="ball", targets="T01"), side(hand="D1"), aimed=True, actions=1))
    assert line.expect("ACTION", A)[4:] == (Prepare(), ReloadOne(), ReloadBattery(), ChangeTarget())


def test_patch_is_offered_only_with_a_legal_move() -> None:
    """Spec 5.4: the decks of the fresh ship are full and nothing is damaged."""
    whole = Line(table(side(hand="S1 S3", targets="T01")))
    hurt = Line(table(side(hand="S1 S3", targets="T01", sails=(2, 3))))
    assert Patch() not in whole.options
    assert Patch() in hurt.options


def test_turns_alternate_and_two_make_a_round() -> None:
    """Spec 4 step 10."""
    line = Line(table(side(hand="S1", targets="T01"), side(hand="H1", targets="T02", gun=Gun.BOW), actions=1))
    line.play(line.options[0])
    assert line.heard(TurnBegan) == [TurnBegan(B, 2)]
    assert (line.state.round, line.state.active) == (1, B)
    line.play(Prepare(), Aim(card("H1"), 1, 0, Side.LEFT))
    assert line.heard(TurnBegan) == [TurnBegan(B, 2), TurnBegan(A, 3)]
    assert (line.state.round, line.state.active) == (2, A)


def test_laying_the_gun_defaults_to_the_same_gun_and_zone_while_something_is_there() -> None:
    """Decision D4, ruling R20."""
    partly = Line(firing(side(bow="ball", zone=Zone.HULL_MAIN, targets="T26:S9/S6 T21:S8/S7")))
    assert partly.play(Fire(Projectile.BALL)).expect("LAY_GUN", A)
    assert partly.default == LayGun(Gun.BOW, Zone.HULL_MAIN)
    wholly = Line(firing(side(bow="chain", zone=Zone.SAIL_BOW, targets="T26:S9/S6")))
    assert wholly.play(Fire(Projectile.CHAIN)).expect("LAY_GUN", A)
    assert wholly.default == LayGun(Gun.BOW, Zone.SAIL_STERN)
