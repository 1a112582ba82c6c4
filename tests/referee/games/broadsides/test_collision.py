"""Collisions, the last salvo and the start of Boarding: spec sections 2.7 and 6.9."""

from __future__ import annotations

from itertools import permutations

import pytest

from referee.games.broadsides import GAME
from referee.games.broadsides.actions import ReplaceCaptain
from referee.games.broadsides.data import BLOWS
from referee.games.broadsides.events import (
    BoardingTurnStarted,
    CaptainHit,
    CaptainReplaced,
    CrewLost,
    DiceOpposed,
    Event,
    GameEnded,
    GunsBear,
    ShipsCollided,
    ShotFired,
)
from referee.games.broadsides.rules.contact import blow_direction, contact_sides, crossings
from referee.games.broadsides.state import State
from referee.games.broadsides.terms import (
    Card,
    FireMode,
    Mast,
    Place,
    Point,
    Reason,
    RollPurpose,
    Section,
    ShotEffect,
    Side,
    Station,
)
from referee.rules.engine import DUEL, Seat
from support.broadsides import (
    BLACK,
    DRAW,
    NOBODY,
    STD,
    WHITE,
    WHITE_WINS,
    answer,
    at_sea,
    bombard,
    change_crew,
    change_ship,
    crew_count,
    decision,
    dice,
    fell_mast,
    hold_fire,
    of_kind,
    options,
    outcome,
    sail,
    set_hands,
    shot,
)

S, P = Side.STARBOARD, Side.PORT
STRUCK = [((4, 5), 0), ((5, 5), 6)]
"""V22: seat 1 runs into the starboard beam of seat 0."""


@pytest.mark.parametrize(
    ("white", "white_card", "black", "black_card", "reference", "both", "blow", "sides", "opposite"),
    [
        pytest.param(((4, 5), 0), "RE", ((5, 5), 6), "AH", WHITE, False, 2, (S, P), False, id="v22"),
        pytest.param(((4, 5), 0), "ST", ((5, 5), 6), "AH", WHITE, False, 1, (S, P), False, id="v23-r46"),
        pytest.param(((4, 6), 0), "AH", ((5, 4), 5), "AH", WHITE, True, 1, (S, P), False, id="v24-r25"),
        pytest.param(((4, 6), 0), "AH", ((4, 4), 4), "AH", WHITE, True, 0, (P, P), True, id="v25-r26"),
        pytest.param(((4, 5), 0), "RE", ((4, 6), 0), "AH", WHITE, False, 4, (S, P), False, id="v26-r26"),
        pytest.param(((4, 5), 0), "RE", ((3, 6), 1), "AH", WHITE, False, 5, (P, S), False, id="v27"),
        pytest.param(((5, 5), 6), "AH", ((4, 5), 0), "RE", BLACK, False, 2, (P, S), False, id="v22-seats-exchanged"),
    ],
)
def test_v22_to_v27_how_the_ships_lie_alongside(
    white: tuple[Point, int],
    white_card: str,
    black: tuple[Point, int],
    black_card: str,
    reference: Seat,
    both: bool,
    blow: int,
    sides: tuple[Side, Side],
    opposite: bool,
) -> None:
    """Vectors V22 to V27, rulings R25, R26 and R46."""
    step = sail(at_sea([white, black], dice(6, 1)), f"{white_card} RE RE", f"{black_card} RE RE")
    point = step.state.ships[WHITE].point
    assert of_kind(step, ShipsCollided) == [ShipsCollided(point, reference, both, blow, sides, opposite)]
    boarding = step.state.boarding
    assert boarding is not None
    assert (boarding.sides, boarding.bows_opposite) == (sides, opposite)


def test_v24_either_ship_as_reference_gives_the_same_placement() -> None:
    """Vector V24, ruling R25: b = 1 seen from seat 0, 7 seen from seat 1."""
    state = sail(at_sea([((4, 6), 0), ((5, 4), 5)], dice(6, 1)), "AH RE RE", "AH RE RE").state
    one, two = state.ships
    assert (blow_direction(one, two), blow_direction(two, one)) == (1, 7)
    assert contact_sides(1, WHITE) == contact_sides(7, BLACK) == (S, P)


def test_v28_the_reference_never_matters_when_both_moved() -> None:
    """Vector V28, ruling R25: all 56 pairs of different facings."""
    pairs = list(permutations(range(8), 2))
    assert len(pairs) == 56
    for one, two in pairs:
        seen_by_white, seen_by_black = (two + 4 - one) % 8, (one + 4 - two) % 8
        assert contact_sides(seen_by_white, WHITE) == contact_sides(seen_by_black, BLACK)
        assert BLOWS[seen_by_white].bows_opposite == BLOWS[seen_by_black].bows_opposite


def pairs_of(sides: tuple[Side, Side], opposite: bool) -> str:
    return " ".join(f"{one.name}–{two.name}" for one, two in crossings(sides, opposite))


def test_v29_crossings_with_bows_the_same_way() -> None:
    """Vector V29, rulings R31 and R32."""
    assert pairs_of((S, P), False) == "A4–A4 B3–B5 C3–C5 D3–D5 E3–E5 F3–F5 G3–G5 H3–H5"


def test_v30_crossings_with_bows_opposite() -> None:
    """Vector V30, rulings R31 and R32."""
    assert pairs_of((P, P), True) == "A4–H5 B5–G5 C5–F5 D5–E5 E5–D5 F5–C5 G5–B5 H5–A4"


def test_s13_which_sections_face_each_other() -> None:
    """Vector S13."""
    same = [one.name[0] + two.name[0] for one, two in crossings((P, S), False)]
    opposite = [one.name[0] + two.name[0] for one, two in crossings((P, P), True)]
    assert same == [letter * 2 for letter in "ABCDEFGH"]
    assert opposite[:4] == ["AH", "BG", "CF", "DE"]


def test_the_other_cards_of_the_round_are_discarded_unseen() -> None:
    """Spec 6.2, step 3."""
    state = sail(at_sea(STRUCK, dice(6, 1)), "RE ST PO", "AH AH AH").state
    assert [ship.cards for ship in state.ships] == [(Card.RE,), (Card.AH,)]


def test_v19_the_last_salvo_spares_hull_and_masts() -> None:
    """Vector V19, ruling R27."""
    state = sail(at_sea(STRUCK, dice(6, 1, 4, 2, 3, 5)), "RE RE RE", "AH RE RE").state
    events: list[Event] = []
    for section in "HCHG":
        step = answer(state, shot(section))
        state, events = step.state, [*events, *step.events]
    assert events == [
        ShotFired(WHITE, Section.H, 4, ShotEffect.STATION),
        CaptainHit(BLACK, Station.H4),
        ShotFired(WHITE, Section.C, 2, ShotEffect.HULL_SPARED),
        ShotFired(WHITE, Section.H, 3, ShotEffect.STATION),
        CrewLost(BLACK, Station.H3, 1),
        ShotFired(WHITE, Section.G, 5, ShotEffect.EMPTY_STATION),
    ]
    assert state.ships[BLACK].masts == (1, 2, 1, 1)
    assert state.ships[BLACK].hull == (0,) * 16
    assert crew_count(state, BLACK) == 21


def test_r27_every_cannon_of_the_contact_side_fires_even_end_on() -> None:
    """A head-on collision: port against port, where in an exchange no gun would bear."""
    state = at_sea([((4, 6), 0), ((4, 4), 4)], dice(6, 1))
    change_ship(state, BLACK, cannons=tuple(gun for gun in state.ships[BLACK].cannons if gun is not Station.D5))
    step = sail(state, "AH RE RE", "AH RE RE")
    assert of_kind(step, GunsBear) == [GunsBear(FireMode.LAST_SALVO, (5, 4))]


def test_without_cannons_on_the_contact_sides_boarding_starts_at_once() -> None:
    """Spec 6.9, steps 3 and 6."""
    state = at_sea(STRUCK, dice(2, 5))
    change_ship(state, WHITE, cannons=(Station.B5,))
    change_ship(state, BLACK, cannons=(Station.B3,))
    step = sail(state, "RE RE RE", "AH RE RE")
    assert of_kind(step, GunsBear) == []
    assert step.events[-2:] == (DiceOpposed(RollPurpose.FIRST_TURN, (2, 5), BLACK), BoardingTurnStarted(BLACK, 1))
    assert list(decision(step.state).options) == [BLACK]


def test_r28_captains_lost_in_the_salvo_or_before_are_replaced_and_boarding_starts() -> None:
    """White lost its captain earlier in the round, black loses it in the salvo; nobody loses cards for it."""
    state = at_sea(STRUCK, dice(6, 1, 4, 3, 1))
    change_crew(state, WHITE, captain=None)
    state = sail(state, "RE RE RE", "AH RE RE").state
    state = bombard(state, "H--")
    assert decision(state).kind == "REPLACE_CAPTAIN"
    assert list(decision(state).options) == [WHITE, BLACK]
    step = GAME.apply(state, dict.fromkeys(DUEL, ReplaceCaptain(Station.B3)))
    assert step.events[:2] == (CaptainReplaced(WHITE, Station.B3), CaptainReplaced(BLACK, Station.B3))
    after = step.state
    assert [ship.no_cards for ship in after.ships] == [False, False]
    assert decision(after).kind == "BOARD_MOVE"
    assert len(options(after, WHITE)) > 1


def lone(state: State, seat: Seat, name: str) -> None:
    """Leave a ship one crew member on one station, without captain."""
    change_crew(state, seat, hands=(NOBODY, NOBODY), captain=None)
    set_hands(state, seat, Place(seat, Station[name]), 1)


def test_the_last_salvo_can_eliminate() -> None:
    """Spec 6.9, step 4."""
    state = at_sea(STRUCK, dice(3, 1, 4))
    lone(state, BLACK, "E4")
    state = sail(state, "RE RE RE", "AH RE RE").state
    step = answer(bombard(state, "E-"), shot("-"))
    assert step.events[-1] == GameEnded(WHITE, Reason.ELIMINATED)
    assert outcome(step.state) == (WHITE_WINS, "ELIMINATED")


def test_the_last_salvo_can_eliminate_both() -> None:
    state = at_sea(STRUCK, dice(3, 1, 4, 4))
    for seat in DUEL:
        lone(state, seat, "E4")
    state = sail(state, "RE RE RE", "AH RE RE").state
    assert outcome(bombard(state, "E-E-")) == (DRAW, "MUTUAL_LOSS")


def test_hull_and_masts_lose_their_meaning_in_a_collision() -> None:
    """Spec 6.9, steps 2 and 4: three destroyed sections no longer sink."""
    state = at_sea(STRUCK, dice(6, 1, 6, 1), (STD, STD))
    change_ship(state, WHITE, hull=(2,) * 6 + (0,) * 10)
    fell_mast(state, BLACK, Mast.A)
    state = hold_fire(sail(state, "DA DA DA", "AH DA RE").state)
    assert decision(state).kind == "BOARD_MOVE"


def test_r6_a_ship_aground_can_be_collided_with() -> None:
    """White runs on the edge in step 1; its turn of step 3 is not obeyed, black's bow strikes its port beam."""
    state = sail(at_sea([((8, 5), 2), ((8, 3), 4)], dice(6, 1)), "AH ST ST", "RE AH AH").state
    step = answer(state, shot("-"))
    assert of_kind(step, ShipsCollided) == [ShipsCollided((8, 5), WHITE, False, 6, (P, S), False)]
