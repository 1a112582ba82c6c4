"""Exchanges of fire, shots and losing conditions: spec sections 2.5, 2.6 and 6.3 to 6.5."""

from __future__ import annotations

import random

import pytest

from referee.games.broadsides import GAME
from referee.games.broadsides.actions import Cease, Fire
from referee.games.broadsides.events import (
    CannonLost,
    CaptainHit,
    CrewLost,
    DiceOpposed,
    FireCeased,
    GameEnded,
    GunsBear,
    HullMarked,
    MastHit,
    ShotFired,
)
from referee.games.broadsides.rules.condition import is_immobilised, is_sunk
from referee.games.broadsides.rules.gunnery import bearing_cannons, exposed_side
from referee.games.broadsides.state import State
from referee.games.broadsides.terms import (
    FireMode,
    HullSection,
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
from referee.rules.engine import DUEL
from support.broadsides import (
    ABEAM,
    BLACK,
    BLACK_WINS,
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
    dice_left,
    hold_fire,
    mark_hull,
    of_kind,
    options,
    outcome,
    sail,
    set_hands,
    shot,
)
from support.play import start, wander

STAY = "RE RE RE"
STERN_SHOT = (((4, 5), 2), ((5, 5), 1))
"""Firing picture 3 (S2c): black lies dead ahead of white, white on black's port quarter."""


def in_action(*shown: int, ships: tuple[tuple[Point, int], ...] = ABEAM, setup: tuple[str, ...] = STD) -> State:
    """Step 1 of a round in which both remain, at the first shot."""
    return sail(at_sea(ships, dice(*shown), (STD, setup)), STAY, STAY).state


def names(stations: tuple[Station, ...]) -> str:
    return " ".join(station.name for station in stations)


@pytest.mark.parametrize(
    ("white", "black", "white_guns", "black_guns", "white_side", "black_side"),
    [
        pytest.param(((4, 5), 0), ((5, 4), 7), "B3 C3", "B5 C5 D5 E5 F5", Side.STARBOARD, Side.PORT, id="s2a"),
        pytest.param(((4, 5), 0), ((5, 5), 0), "B3 C3 D3 E3 F3", "B5 C5 D5 E5 F5", Side.STARBOARD, Side.PORT, id="s2b"),
        pytest.param(((4, 5), 2), ((5, 5), 1), "", "E5 F5", None, Side.PORT, id="s2c"),
        pytest.param(((4, 5), 0), ((5, 6), 0), "E3 F3", "B5 C5", Side.STARBOARD, Side.PORT, id="s2d"),
    ],
)
def test_s2_the_guns_of_the_four_firing_pictures(
    white: tuple[Point, int],
    black: tuple[Point, int],
    white_guns: str,
    black_guns: str,
    white_side: Side | None,
    black_side: Side | None,
) -> None:
    """Vectors S2a to S2d, ruling R11."""
    one, two = at_sea([white, black]).ships
    assert (names(bearing_cannons(one, two)), names(bearing_cannons(two, one))) == (white_guns, black_guns)
    assert (exposed_side(one, two), exposed_side(two, one)) == (white_side, black_side)


def test_every_cell_of_the_full_gun_table() -> None:
    """Spec 2.5: rows are the own facing, columns where the enemy lies."""
    table = """
        -   sF2 sB5 sA2 -   pA2 pB5 pF2
        pF2 -   sF2 sB5 sA2 -   pA2 pB5
        pB5 pF2 -   sF2 sB5 sA2 -   pA2
        pA2 pB5 pF2 -   sF2 sB5 sA2 -
        -   pA2 pB5 pF2 -   sF2 sB5 sA2
        sA2 -   pA2 pB5 pF2 -   sF2 sB5
        sB5 sA2 -   pA2 pB5 pF2 -   sF2
        sF2 sB5 sA2 -   pA2 pB5 pF2 -"""
    letters = {"F2": "BC", "B5": "BCDEF", "A2": "EF"}
    around = ((4, 4), (5, 4), (5, 5), (5, 6), (4, 6), (3, 6), (3, 5), (3, 4))
    for facing, row in enumerate(table.strip().splitlines()):
        for point, cell in zip(around, row.split(), strict=True):
            one, two = at_sea([((4, 5), facing), (point, 0)]).ships
            digit = "3" if cell[0] == "s" else "5"
            assert names(bearing_cannons(one, two)) == " ".join(letter + digit for letter in letters.get(cell[1:], ""))


@pytest.mark.parametrize("point", [(4, 3), (6, 5), (6, 7), (2, 4)])
def test_r1_no_gun_bears_on_a_ship_two_points_away(point: Point) -> None:
    for facing in range(8):
        one, two = at_sea([((4, 5), facing), (point, 0)]).ships
        assert bearing_cannons(one, two) == ()
        assert exposed_side(two, one) is None


def test_s3_a_five_on_c_takes_the_cannon_and_its_crew() -> None:
    """Vector S3."""
    step = answer(in_action(6, 1, 5), shot("C"))
    assert step.events == (
        ShotFired(WHITE, Section.C, 5, ShotEffect.STATION),
        CannonLost(BLACK, Station.C5),
        CrewLost(BLACK, Station.C5, 2),
    )
    assert len(step.state.ships[BLACK].cannons) == 9
    assert crew_count(step.state, BLACK) == 20


def test_s4_a_third_hull_hit_has_no_effect() -> None:
    """Vector S4, ruling R15; the section costs a card from the next program on (R16)."""
    state, markers, effects = in_action(6, 1, 2, 2, 2, 6, 1, 6, 1), [], []
    for _ in range(3):
        step = answer(state, shot("C"))
        state = step.state
        markers.append(state.ships[BLACK].hull[HullSection.C5])
        effects.append(of_kind(step, ShotFired)[0].effect)
    assert markers == [1, 2, 2]
    assert effects == [ShotEffect.HULL, ShotEffect.HULL, ShotEffect.THIRD_HIT]
    assert state.ships[BLACK].damage == 1
    assert sum(state.ships[BLACK].hull) == 2
    state = hold_fire(state)
    assert (len(options(state, WHITE)), len(options(state, BLACK))) == (64, 48)


def test_s6_masts_and_hull_immobilise_but_do_not_sink() -> None:
    """Vector S6, rulings R18 and R19."""
    state = bombard(in_action(6, 1, 4, 4, 2, 2), "AGEE-")
    ship = state.ships[BLACK]
    assert ship.masts == (0, 2, 0, 1)
    assert ship.hull[HullSection.E5] == 2
    assert ship.damage == 3
    assert is_immobilised(ship)
    assert not is_sunk(ship)
    assert state.gunfire is not None
    assert (state.gunfire.seat, state.gunfire.shots_left) == (BLACK, 5)


def test_s7_three_destroyed_sections_sink() -> None:
    """Vector S7, ruling R18."""
    state = bombard(in_action(6, 1, 2, 2, 2, 2, 2, 6, 1, 2), "BBCCD-")
    assert (state.step, state.ships[BLACK].hull[HullSection.D5]) == (2, 1)
    state = bombard(state, "D--")
    assert [state.ships[BLACK].hull[hull] for hull in (HullSection.B5, HullSection.C5, HullSection.D5)] == [2, 2, 2]
    assert outcome(state) == (WHITE_WINS, "SUNK")


def test_s8_the_mainmast_takes_two_hits() -> None:
    """Vector S8."""
    first = answer(in_action(6, 1, 4, 4), shot("C"))
    assert first.events[1:] == (MastHit(BLACK, Mast.C, 1),)
    assert first.state.ships[BLACK].damage == 0
    second = answer(first.state, shot("C"))
    assert second.events[1:] == (MastHit(BLACK, Mast.C, 0),)
    assert second.state.ships[BLACK].damage == 1


def test_v11_the_second_fires_with_the_cannons_it_has_just_lost() -> None:
    """Vector V11, ruling R10; the next exchange is 5 v 0."""
    state = bombard(in_action(6, 1, 5, 5, 5, 5, 5, 1, 1, 1, 1, 1), "BCDEF")
    assert names(state.ships[BLACK].cannons) == "B3 C3 D3 E3 F3"
    assert crew_count(state, BLACK) == 12
    state = bombard(state, "AAAA")
    step = answer(state, shot("A"))
    assert dice_left(step.state) == 0
    assert of_kind(step, GunsBear) == [GunsBear(FireMode.EXCHANGE, (5, 0))]
    assert list(decision(step.state).options) == [WHITE]


def test_v12_both_sunk_in_one_exchange_is_a_draw() -> None:
    """Vector V12, rulings R10 and R40."""
    state = in_action(6, 1, 2, 1, 1, 1, 1, 2, 6, 6, 6, 6)
    for seat, side in ((WHITE, "3"), (BLACK, "5")):
        for letter, markers in zip("BCD", (2, 2, 1), strict=True):
            mark_hull(state, seat, HullSection[letter + side], markers)
    state = bombard(state, "DAAAADAAAA")
    assert outcome(state) == (DRAW, "MUTUAL_LOSS")


def test_v13_no_hull_damage_to_a_ship_that_is_end_on() -> None:
    """Vector V13, ruling R15."""
    step = answer(in_action(2, ships=STERN_SHOT), shot("D"))
    assert step.events == (ShotFired(BLACK, Section.D, 2, ShotEffect.END_ON),)
    assert step.state.ships[WHITE].hull == (0,) * 16


@pytest.mark.parametrize("die", [3, 5])
def test_v14_section_a_has_no_station_at_the_sides(die: int) -> None:
    """Vector V14, ruling R12."""
    before = in_action(6, 1, die)
    step = answer(before, shot("A"))
    assert step.events == (ShotFired(WHITE, Section.A, die, ShotEffect.NO_STATION),)
    assert step.state.ships[BLACK] == before.ships[BLACK]
    assert step.state.crews[BLACK] == before.crews[BLACK]


def test_r14_section_a_has_a_hull_on_either_side() -> None:
    step = answer(in_action(6, 1, 2), shot("A"))
    assert step.events[1:] == (HullMarked(BLACK, HullSection.A5, 1),)


def test_r13_the_exposed_side_is_that_of_the_target() -> None:
    """Black's answer marks white's starboard hull: 3."""
    step = answer(in_action(1, 6, 2), shot("C"))
    assert step.events[1:] == (HullMarked(WHITE, HullSection.C3, 1),)


def test_v15_a_captain_alone_amidships() -> None:
    """Vector V15: section E has no mast, nothing else is lost."""
    step = answer(in_action(6, 1, 4, setup=("E4", "A4", "H3")), shot("E"))
    assert step.events == (ShotFired(WHITE, Section.E, 4, ShotEffect.STATION), CaptainHit(BLACK, Station.E4))
    assert step.state.crews[BLACK].captain is None
    assert crew_count(step.state, BLACK) == 22


def test_v17_the_last_figure_lost_eliminates() -> None:
    """Vector V17, ruling R21."""
    state = at_sea(chance=dice(3))
    last = Place(BLACK, Station.B3)
    change_ship(state, BLACK, cannons=(last.station,))
    change_crew(state, BLACK, hands=(NOBODY, NOBODY), captain=last)
    set_hands(state, BLACK, last, 1)
    state = sail(state, STAY, STAY).state
    step = answer(state, shot("B"))
    assert step.events[1:] == (
        CannonLost(BLACK, Station.B3),
        CrewLost(BLACK, Station.B3, 1),
        CaptainHit(BLACK, Station.B3),
    )
    step = answer(step.state, Cease())
    assert step.events[-1] == GameEnded(WHITE, Reason.ELIMINATED)
    assert outcome(step.state) == (WHITE_WINS, "ELIMINATED")


def test_v18_one_die_takes_the_mast_and_the_captain_under_it() -> None:
    """Vector V18."""
    step = answer(in_action(6, 1, 4), shot("H"))
    assert step.events[1:] == (CaptainHit(BLACK, Station.H4), MastHit(BLACK, Mast.H, 0))


def test_v21_cease_gives_up_the_exchange_and_the_round_counts_as_quiet() -> None:
    """Vector V21, ruling R9."""
    state = in_action(ships=STERN_SHOT)
    for number in (1, 2, 3):
        assert state.step == number
        step = answer(state, Cease())
        assert step.events[0] == FireCeased(BLACK, 2)
        state = step.state
    assert (state.round, state.quiet_rounds) == (2, 1)


def test_r9_a_shot_makes_the_round_loud_even_if_it_misses() -> None:
    state = bombard(in_action(1, ships=STERN_SHOT), "A-")
    state = hold_fire(state)
    assert (state.round, state.quiet_rounds) == (2, 0)


def test_fire_offers_the_sections_then_cease_which_is_the_default() -> None:
    """Spec 5.2."""
    state = in_action(6, 1)
    assert options(state, WHITE) == (*(Fire(section) for section in Section), Cease())
    assert options(state, WHITE)[decision(state).defaults[WHITE]] == Cease()


def test_r29_equal_dice_are_rolled_again() -> None:
    step = sail(at_sea(chance=dice(3, 3, 5, 5, 2, 4)), STAY, STAY)
    assert of_kind(step, DiceOpposed) == [
        DiceOpposed(RollPurpose.FIRST_FIRE, (3, 3), None),
        DiceOpposed(RollPurpose.FIRST_FIRE, (5, 5), None),
        DiceOpposed(RollPurpose.FIRST_FIRE, (2, 4), BLACK),
    ]
    assert list(decision(step.state).options) == [BLACK]
    assert step.state.dice == (3, 3, 5, 5, 2, 4)


def test_after_reroll_cap_ties_seat_0_wins_the_roll() -> None:
    """Spec 6, "Dice"."""
    step = sail(at_sea(chance=dice(3, 3, 5, 5), reroll_cap=2), STAY, STAY)
    assert of_kind(step, DiceOpposed)[-1] == DiceOpposed(RollPurpose.FIRST_FIRE, (5, 5), WHITE)
    assert dice_left(step.state) == 0


def test_no_dice_are_rolled_when_only_one_side_has_guns() -> None:
    """Spec 6.3, step 2."""
    step = sail(at_sea(STERN_SHOT), STAY, STAY)
    assert of_kind(step, GunsBear) == [GunsBear(FireMode.EXCHANGE, (0, 2))]
    assert step.state.dice == ()


@pytest.mark.parametrize("die", [1, 6])
def test_one_and_six_miss(die: int) -> None:
    step = answer(in_action(6, 1, die), shot("C"))
    assert step.events == (ShotFired(WHITE, Section.C, die, ShotEffect.MISS),)


def test_a_hit_on_an_empty_station_has_no_effect() -> None:
    """Spec 2.6: nothing stands on G5, and the mizzen falls only once."""
    state = in_action(6, 1, 5, 4, 4)
    assert answer(state, shot("G")).events == (ShotFired(WHITE, Section.G, 5, ShotEffect.EMPTY_STATION),)
    state = bombard(state, "GG")
    assert state.ships[BLACK].masts[Mast.G] == 0
    assert answer(state, shot("G")).events == (ShotFired(WHITE, Section.G, 4, ShotEffect.EMPTY_STATION),)


def test_the_far_side_of_the_target_can_be_hit() -> None:
    """Spec 2.6, last bullet: white's shot takes black's starboard cannon."""
    step = answer(in_action(6, 1, 3), shot("F"))
    assert step.events[1] == CannonLost(BLACK, Station.F3)


def test_r10_a_ship_already_sunk_still_fires() -> None:
    state = in_action(6, 1, 2, 2)
    for hull in (HullSection.B5, HullSection.C5):
        mark_hull(state, BLACK, hull, 2)
    state = bombard(state, "DD-")
    assert is_sunk(state.ships[BLACK])
    assert decision(state).kind == "FIRE"
    assert list(decision(state).options) == [BLACK]
    assert outcome(answer(state, Cease()).state) == (WHITE_WINS, "SUNK")


def test_r23_every_cannon_on_deck_has_two_figures_or_more() -> None:
    """Never a rule of its own: hits, setup and replacements keep it true while the ships sail."""
    for seed in range(10):
        course = start(GAME, 2, GAME.info.read_variant({}), str(seed))
        for _ in wander(course, random.Random(seed)):
            if course.state.boarding is None:
                for ship, crew, seat in zip(course.state.ships, course.state.crews, DUEL, strict=True):
                    assert all(crew.figures_on(seat, cannon) >= 2 for cannon in ship.cannons)


def test_black_wins_when_white_sinks() -> None:
    state = in_action(1, 6, 2)
    for hull, markers in ((HullSection.B3, 2), (HullSection.C3, 2), (HullSection.D3, 1)):
        mark_hull(state, WHITE, hull, markers)
    assert outcome(bombard(state, "D--")) == (BLACK_WINS, "SUNK")
