"""The end of a round: captains, caps, comparisons and the current. Spec sections 6.6, 6.8 and 8.2."""

from __future__ import annotations

import pytest

from referee.games.broadsides import GAME
from referee.games.broadsides.actions import Cease, ReplaceCaptain
from referee.games.broadsides.events import CaptainReplaced, DiceOpposed, GunsBear, ShipDrifted
from referee.games.broadsides.rules.round_end import water_distances
from referee.games.broadsides.state import State
from referee.games.broadsides.terms import HullSection, Mast, Place, Station
from referee.rules.engine import DUEL
from support.broadsides import (
    BLACK,
    BLACK_WINS,
    DRAW,
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
    fell_mast,
    hold_fire,
    mark_hull,
    of_kind,
    options,
    outcome,
    program,
    replace_captain,
    sail,
    set_hands,
    where,
)

STAY = "RE RE RE"
STARTS = [((1, 10), 0), ((7, 0), 4)]


def test_v7_the_current_carries_the_ship_with_the_lower_die() -> None:
    """Vector V7, ruling R41."""
    state = at_sea(STARTS, dice(2, 5), quiet=3, map="cays")
    assert water_distances("cays", (1, 10))[7, 0] == 10
    step = sail(state, STAY, STAY)
    assert of_kind(step, ShipDrifted) == [ShipDrifted(WHITE, (1, 9)), ShipDrifted(WHITE, (2, 8))]
    assert [where(step.state, seat) for seat in DUEL] == [((2, 8), 0), ((7, 0), 4)]
    assert water_distances("cays", (2, 8))[7, 0] == 8
    assert step.state.quiet_rounds == 4


def test_v8_the_current_stops_beside_the_other_ship() -> None:
    """Vector V8, rulings R29 and R41."""
    step = sail(at_sea([((3, 5), 0), ((5, 5), 4)], dice(3, 3, 4, 2), quiet=3, map="cays"), STAY, STAY)
    assert of_kind(step, ShipDrifted) == [ShipDrifted(BLACK, (4, 6))]
    assert where(step.state, BLACK) == ((4, 6), 4)
    assert dice_left(step.state) == 0


def test_r41_of_several_ways_the_current_takes_starboard_before_port() -> None:
    """Land ahead on (4,8): both bows lead closer; on open water a ship with its stern to the enemy drifts to +3."""
    step = sail(at_sea([((4, 9), 0), ((4, 0), 4)], dice(1, 6), quiet=3, map="cays", drift_points=1), STAY, STAY)
    assert of_kind(step, ShipDrifted) == [ShipDrifted(WHITE, (5, 8))]
    assert water_distances("cays", (4, 0))[5, 8] == water_distances("cays", (4, 0))[3, 8] == 8
    step = sail(at_sea([((4, 9), 4), ((4, 0), 4)], dice(1, 6), quiet=3, drift_points=1), STAY, STAY)
    assert of_kind(step, ShipDrifted) == [ShipDrifted(WHITE, (3, 8))]


def test_r41_the_current_does_not_act_before_the_fourth_quiet_round() -> None:
    step = sail(at_sea(STARTS, quiet=2), STAY, STAY)
    assert of_kind(step, ShipDrifted) == []
    assert step.state.quiet_rounds == 3


def test_r41_the_current_leaves_adjacent_ships_alone() -> None:
    """Bow to stern nobody can fire; no dice are rolled."""
    step = sail(at_sea([((4, 5), 0), ((4, 4), 0)], quiet=7), STAY, STAY)
    assert of_kind(step, DiceOpposed) == []
    assert step.state.quiet_rounds == 8


def test_the_current_can_be_switched_off() -> None:
    """Spec 2.8: drift_after = 0."""
    step = sail(at_sea(STARTS, quiet=10, drift_after=0), STAY, STAY)
    assert of_kind(step, ShipDrifted) == []


def test_drift_points_is_how_far_the_current_carries() -> None:
    step = sail(at_sea(STARTS, dice(6, 1), quiet=3, drift_points=5), STAY, STAY)
    assert len(of_kind(step, ShipDrifted)) == 5
    assert {event.seat for event in of_kind(step, ShipDrifted)} == {BLACK}


def test_v16_a_lost_captain_costs_a_crew_member_and_the_cards_of_a_round() -> None:
    """Vector V16, ruling R22."""
    state = sail(at_sea(chance=dice(6, 1, 4, *(6, 1) * 5), setups=(STD, ("E4", "A4", "H3"))), STAY, STAY).state
    state = hold_fire(bombard(state, "E"))
    assert decision(state).kind == "REPLACE_CAPTAIN"
    assert list(decision(state).options) == [BLACK]
    step = answer(state, ReplaceCaptain(Station.E3))
    assert step.events[0] == CaptainReplaced(BLACK, Station.E3)
    state, crew = step.state, step.state.crews[BLACK]
    assert (crew.hands[BLACK][Station.E3], crew.captain) == (1, Place(BLACK, Station.E3))
    assert crew_count(state, BLACK) == 21
    assert state.ships[BLACK].no_cards
    assert list(decision(state).options) == [WHITE]
    step = sail(state, STAY, "")
    assert not step.state.ships[BLACK].no_cards
    assert of_kind(step, GunsBear)[0].shots == (5, 5)
    state = hold_fire(step.state)
    assert list(decision(state).options) == [WHITE, BLACK]


def test_r22_a_captain_lost_in_the_round_without_cards_costs_another() -> None:
    state = at_sea(chance=dice(6, 1, 4, *(6, 1) * 2), setups=(STD, ("E4", "A4", "H3")))
    change_ship(state, BLACK, no_cards=True)
    state = hold_fire(bombard(sail(state, STAY, "").state, "E"))
    state = replace_captain(state, "A4")
    assert state.ships[BLACK].no_cards
    assert list(decision(state).options) == [WHITE]


def test_replacements_are_listed_where_crew_stands_and_chosen_by_both_at_once() -> None:
    """Spec 5.2: the default is the first."""
    state = at_sea([((0, 10), 0), ((8, 0), 4)])
    for seat in DUEL:
        change_crew(state, seat, captain=None)
    set_hands(state, BLACK, Place(BLACK, Station.C3), 0)
    state = sail(state, STAY, STAY).state
    standing = [Station[name] for name in ("A4", "B3", "B5", "C3", "C5", "D3", "D5", "E3", "E5", "F3", "F5", "H3")]
    assert decision(state).options == {
        WHITE: tuple(ReplaceCaptain(station) for station in standing),
        BLACK: tuple(ReplaceCaptain(station) for station in standing if station is not Station.C3),
    }
    assert decision(state).defaults == {}
    step = GAME.apply(state, {WHITE: ReplaceCaptain(Station.A4), BLACK: ReplaceCaptain(Station.H3)})
    assert of_kind(step, CaptainReplaced) == [CaptainReplaced(WHITE, Station.A4), CaptainReplaced(BLACK, Station.H3)]


def test_nobody_programs_when_both_captains_were_lost() -> None:
    """Spec 6.1: the round runs without a question, and the next one is programmed again."""
    state = at_sea([((0, 10), 0), ((8, 0), 4)])
    for seat in DUEL:
        change_crew(state, seat, captain=None)
    state = sail(state, STAY, STAY).state
    state = GAME.apply(state, dict.fromkeys(DUEL, ReplaceCaptain(Station.B3))).state
    assert (state.round, state.quiet_rounds) == (3, 2)
    assert list(decision(state).options) == [WHITE, BLACK]


def end_of_last_round(state: State) -> tuple[tuple[int, ...], str]:
    return outcome(sail(state, STAY, STAY).state)


def last_round() -> State:
    return at_sea([((0, 10), 0), ((8, 0), 4)], round_cap=1)


def test_v20_the_condition_is_compared_figure_by_figure() -> None:
    """Vector V20: equal damage, 22 v 23 figures."""
    state = last_round()
    for seat in DUEL:
        fell_mast(state, seat, Mast.A)
    set_hands(state, WHITE, Place(WHITE, Station.A4), 0)
    state = sail(state, "RE RE DA", "RE RE DA").state
    assert [crew.figures for crew in state.crews] == [22, 23]
    assert outcome(state) == (BLACK_WINS, "ROUND_CAP")


def test_condition_lower_damage_comes_before_everything_and_is_not_capped() -> None:
    """Spec 8.2, item 1."""
    state = last_round()
    change_ship(state, WHITE, masts=(0, 0, 0, 0))
    change_ship(state, BLACK, masts=(0, 2, 0, 0))
    set_hands(state, BLACK, Place(BLACK, Station.A4), 0)
    state = GAME.apply(state, dict.fromkeys(DUEL, program("DA DA DA"))).state
    assert outcome(state) == (BLACK_WINS, "ROUND_CAP")


def test_condition_cannons_and_hull_markers_break_ties() -> None:
    """Spec 8.2, items 3 and 4, then a draw."""
    state = last_round()
    change_ship(state, BLACK, cannons=state.ships[BLACK].cannons[1:])
    mark_hull(state, WHITE, HullSection.C3, 1)
    assert end_of_last_round(state) == (WHITE_WINS, "ROUND_CAP")
    state = last_round()
    mark_hull(state, WHITE, HullSection.C3, 1)
    assert end_of_last_round(state) == (BLACK_WINS, "ROUND_CAP")
    assert end_of_last_round(last_round()) == (DRAW, "ROUND_CAP")


@pytest.mark.parametrize(("quiet", "over"), [(18, False), (19, True)])
def test_r42_twenty_quiet_rounds_end_the_game(quiet: int, over: bool) -> None:
    state = sail(at_sea([((4, 5), 0), ((4, 4), 0)], quiet=quiet), STAY, STAY).state
    assert (state.outcome is not None) is over
    if over:
        assert outcome(state) == (DRAW, "QUIET_CAP")


def test_r42_the_round_cap_is_checked_before_the_quiet_cap() -> None:
    """Spec 6.6, step 3."""
    state = sail(at_sea([((4, 5), 0), ((4, 4), 0)], quiet=19, round_cap=1), STAY, STAY).state
    assert outcome(state) == (DRAW, "ROUND_CAP")


def test_a_captain_is_replaced_before_the_caps_are_checked() -> None:
    """Spec 6.6: the replacement costs a figure, which decides."""
    state = last_round()
    change_crew(state, WHITE, captain=None)
    set_hands(state, BLACK, Place(BLACK, Station.A4), 0)
    state = replace_captain(sail(state, STAY, STAY).state, "B3")
    assert [crew.figures for crew in state.crews] == [22, 22]
    assert outcome(state) == (DRAW, "ROUND_CAP")


def test_cards_are_free_again_after_a_round_that_was_ceased() -> None:
    state = answer(sail(at_sea([((4, 5), 2), ((5, 5), 1)]), STAY, STAY).state, Cease()).state
    assert [ship.turned for ship in state.ships] == [2, 2]
    state = hold_fire(state)
    assert [len(options(state, seat)) for seat in DUEL] == [64, 64]
