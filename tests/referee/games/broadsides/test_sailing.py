"""Programs and the three steps: spec sections 6.1, 6.2 and 6.7."""

from __future__ import annotations

import pytest

from referee.games.broadsides import GAME
from referee.games.broadsides.actions import Program, Surrender
from referee.games.broadsides.events import GameEnded, GunsBear, ProgramLaid, ShipSailed, Surrendered
from referee.games.broadsides.rules.gunnery import bearing_cannons
from referee.games.broadsides.rules.sailing import StartRound
from referee.games.broadsides.state import State
from referee.games.broadsides.terms import Card, Direction, Ground, HullSection, Mast, Place, Reason, Station
from referee.rules.engine import DUEL, Seat
from support.broadsides import (
    BLACK,
    BLACK_WINS,
    DRAW,
    WHITE,
    at_sea,
    change_ship,
    decision,
    dice,
    dice_left,
    fell_mast,
    hold_fire,
    kind,
    mark_hull,
    of_kind,
    options,
    outcome,
    program,
    sail,
    set_hands,
    where,
)

FAR = ((8, 0), 0)


def lose_masts(state: State, count: int, seat: Seat = WHITE) -> State:
    for mast in list(Mast)[:count]:
        fell_mast(state, seat, mast)
    return state


def test_s1_the_ships_of_figure_8() -> None:
    """Vector S1."""
    step = sail(at_sea([((2, 9), 0), ((6, 2), 4)]), "AH AH ST", "PO AH RE")
    assert of_kind(step, ShipSailed) == [
        ShipSailed(WHITE, 1, Card.AH, (2, 8), Direction.N, None),
        ShipSailed(BLACK, 1, Card.PO, (6, 2), Direction.SE, None),
        ShipSailed(WHITE, 2, Card.AH, (2, 7), Direction.N, None),
        ShipSailed(BLACK, 2, Card.AH, (7, 3), Direction.SE, None),
        ShipSailed(WHITE, 3, Card.ST, (2, 7), Direction.NE, None),
        ShipSailed(BLACK, 3, Card.RE, (7, 3), Direction.SE, None),
    ]
    assert of_kind(step, GunsBear) == []
    assert [where(step.state, seat) for seat in DUEL] == [((2, 7), 1), ((7, 3), 3)]


@pytest.mark.parametrize(("lost", "size"), [(0, 64), (1, 48), (2, 12), (3, 2)])
def test_s5_lost_masts_cost_cards(lost: int, size: int) -> None:
    """Vector S5, ruling R16."""
    listed = options(lose_masts(at_sea(), lost), WHITE)
    assert len(listed) == size
    assert all(item.cards.count(Card.DA) == lost for item in listed if isinstance(item, Program))
    if lost == 3:
        assert listed == (program("DA DA DA"), Surrender())


def test_v1_a_ship_that_meets_land_stays_and_turns_over_no_more_cards() -> None:
    """Vector V1, ruling R6."""
    step = sail(at_sea([((1, 8), 0), ((7, 2), 4)], map="cays"), "AH AH ST", "AH AH PO")
    assert of_kind(step, ShipSailed) == [
        ShipSailed(WHITE, 1, Card.AH, (1, 7), Direction.N, None),
        ShipSailed(BLACK, 1, Card.AH, (7, 3), Direction.S, None),
        ShipSailed(WHITE, 2, Card.AH, (1, 7), Direction.N, Ground.ISLAND),
        ShipSailed(BLACK, 2, Card.AH, (7, 3), Direction.S, Ground.ISLAND),
    ]
    assert step.state.round == 2
    assert [ship.cards for ship in step.state.ships] == [(Card.AH, Card.AH)] * 2


def test_v2_the_edge_is_land() -> None:
    """Vector V2, ruling R4."""
    step = sail(at_sea([((0, 5), 6), FAR]), "AH ST AH", "RE RE RE")
    assert [event for event in of_kind(step, ShipSailed) if event.seat == WHITE] == [
        ShipSailed(WHITE, 1, Card.AH, (0, 5), Direction.W, Ground.EDGE)
    ]
    assert where(step.state, WHITE) == ((0, 5), 6)


def test_v3_ships_that_swap_places_do_not_collide() -> None:
    """Vector V3, ruling R7: and stern to stern no gun bears in any step."""
    step = sail(at_sea([((4, 5), 2), ((5, 5), 6)]), "AH RE RE", "AH RE RE")
    assert [where(step.state, seat) for seat in DUEL] == [((5, 5), 2), ((4, 5), 6)]
    assert of_kind(step, GunsBear) == []
    assert decision(step.state).kind == "PROGRAM"


def test_v4_ships_whose_paths_cross_do_not_collide() -> None:
    """Vector V4, ruling R7."""
    step = sail(at_sea([((4, 5), 1), ((5, 5), 7)], dice(6, 1)), "AH RE RE", "AH RE RE")
    one, two = step.state.ships
    assert (one.point, two.point) == ((5, 4), (4, 4))
    assert [cannon.name for cannon in bearing_cannons(one, two)] == ["E5", "F5"]
    assert [cannon.name for cannon in bearing_cannons(two, one)] == ["E3", "F3"]
    assert decision(step.state).kind == "FIRE"


def test_v5_a_ship_may_enter_the_point_the_other_leaves() -> None:
    """Vector V5, ruling R7."""
    step = sail(at_sea([((4, 5), 0), ((4, 4), 0)]), "AH RE RE", "AH RE RE")
    assert [ship.point for ship in step.state.ships] == [(4, 4), (4, 3)]
    assert of_kind(step, GunsBear) == []


@pytest.mark.parametrize(("masts", "sections", "size"), [(0, 0, 64), (0, 1, 48), (1, 1, 12), (2, 1, 2), (4, 2, 2)])
def test_v6_masts_and_destroyed_sections_count_alike(masts: int, sections: int, size: int) -> None:
    """Vector V6, ruling R16: D above 3 costs no more than 3 cards."""
    state = lose_masts(at_sea(), masts)
    for hull in (HullSection.B5, HullSection.C3)[:sections]:
        mark_hull(state, WHITE, hull, 2)
    assert len(options(state, WHITE)) == size
    assert len(options(state, BLACK)) == 64


def test_programs_are_listed_in_the_order_of_the_cards() -> None:
    """Spec 5.2: lexicographic with AH < ST < PO < RE < DA."""
    listed = options(at_sea(), WHITE)
    first = ("AH AH AH", "AH AH ST", "AH AH PO", "AH AH RE", "AH ST AH")
    assert listed[:5] == tuple(program(names) for names in first)
    assert listed[-1] == program("RE RE RE")
    one_lost = options(lose_masts(at_sea(), 1), WHITE)
    assert one_lost[:2] == (program("AH AH DA"), program("AH ST DA"))
    assert one_lost[4:6] == (program("AH DA AH"), program("AH DA ST"))
    assert one_lost[-1] == program("DA RE RE")


@pytest.mark.parametrize(("lost", "cards"), [(0, "RE RE RE"), (1, "RE RE DA"), (2, "RE DA DA"), (3, "DA DA DA")])
def test_the_default_program_stays_and_never_surrenders(lost: int, cards: str) -> None:
    """Spec 5.2."""
    state = lose_masts(at_sea(), lost)
    assert options(state, WHITE)[decision(state).defaults[WHITE]] == program(cards)


def test_v9_two_wrecks_out_of_each_others_guns_are_compared() -> None:
    """Vector V9."""
    state = lose_masts(lose_masts(at_sea([((0, 0), 0), ((8, 8), 0)]), 3, WHITE), 3, BLACK)
    set_hands(state, WHITE, Place(WHITE, Station.C3), 0)
    StartRound().run(state)
    assert state.events[-1] == GameEnded(BLACK, Reason.DEADLOCK)
    assert outcome(state) == (BLACK_WINS, "DEADLOCK")


def test_two_wrecks_play_on_while_a_gun_bears() -> None:
    """Spec 6.1, step 2."""
    state = lose_masts(lose_masts(at_sea(), 3, WHITE), 3, BLACK)
    StartRound().run(state)
    assert decision(state).kind == "PROGRAM"
    for seat in DUEL:
        change_ship(state, seat, cannons=())
    StartRound().run(state)
    assert outcome(state)[1] == "DEADLOCK"


def test_v10_surrender_ends_the_game_before_anything_is_revealed() -> None:
    """Vector V10."""
    state = lose_masts(at_sea(), 3)
    step = GAME.apply(state, {WHITE: Surrender(), BLACK: program("AH AH AH")})
    assert step.events == (Surrendered(WHITE), GameEnded(BLACK, Reason.SURRENDER))
    assert outcome(step.state) == (BLACK_WINS, "SURRENDER")


def test_both_may_surrender_at_once() -> None:
    """Spec 6.1, step 5."""
    state = lose_masts(lose_masts(at_sea(), 3, WHITE), 3, BLACK)
    step = GAME.apply(state, {WHITE: Surrender(), BLACK: Surrender()})
    assert outcome(step.state) == (DRAW, "MUTUAL_SURRENDER")


def test_r20_a_ship_that_can_sail_may_not_surrender() -> None:
    state = lose_masts(at_sea(), 2)
    assert Surrender() not in options(state, WHITE)


def test_r20_a_wreck_without_cards_is_not_asked_and_cannot_surrender() -> None:
    state = lose_masts(at_sea(), 3)
    change_ship(state, WHITE, no_cards=True)
    assert list(decision(state).options) == [BLACK]


def test_r5_a_diagonal_passes_between_two_land_points() -> None:
    """On ring (6,4) and (5,5) are land; the line from (5,4) to (6,5) runs between them."""
    step = sail(at_sea([((5, 4), 3), FAR], map="ring"), "AH RE RE", "RE RE RE")
    assert where(step.state, WHITE) == ((6, 5), 3)


def test_r6_a_ship_aground_turns_over_nothing_but_is_free_in_the_next_round() -> None:
    state = sail(at_sea([((0, 5), 6), FAR]), "AH ST ST", "RE RE RE").state
    assert not state.ships[WHITE].aground
    assert where(sail(state, "ST ST AH", "RE RE RE").state, WHITE) == ((0, 4), 0)


def test_r6_a_ship_aground_fires_and_is_fired_at() -> None:
    """Aground at the eastern edge, the enemy on its port beam, in each of the three steps."""
    state = sail(at_sea([((8, 5), 2), ((8, 4), 2)], dice(6, 1, 6, 1, 6, 1)), "AH RE RE", "RE RE RE").state
    assert state.ships[WHITE].aground
    fought = hold_fire(state)
    assert dice_left(fought) == 0
    assert fought.round == 2


def test_r16_cards_already_laid_are_played_as_laid() -> None:
    """Damage taken in step 1 does not change the cards of steps 2 and 3."""
    state = sail(at_sea(chance=dice(6, 1, 6, 1, 6, 1)), "RE AH RE", "RE RE RE").state
    for mast in Mast:
        fell_mast(state, WHITE, mast)
    state = hold_fire(state)
    assert state.ships[WHITE].point == (4, 4)
    assert len(options(state, WHITE)) == 2


def test_r8_ships_that_lie_still_exchange_fire_after_each_step() -> None:
    state = sail(at_sea(chance=dice(6, 1, 6, 1, 6, 1)), "RE RE RE", "RE RE RE").state
    steps = []
    while kind(state) == "FIRE":
        steps.append(state.step)
        state = hold_fire_once(state)
    assert steps == [1, 1, 2, 2, 3, 3]
    assert dice_left(state) == 0


def hold_fire_once(state: State) -> State:
    return GAME.apply(state, {seat: listed[-1] for seat, listed in decision(state).options.items()}).state


def test_a_program_is_told_to_all_seeing_eyes_before_the_first_card() -> None:
    step = sail(at_sea([((0, 10), 0), FAR]), "AH ST RE", "RE RE RE")
    assert step.events[:2] == (
        ProgramLaid(WHITE, (Card.AH, Card.ST, Card.RE)),
        ProgramLaid(BLACK, (Card.RE, Card.RE, Card.RE)),
    )
