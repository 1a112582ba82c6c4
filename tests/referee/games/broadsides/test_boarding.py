"""Boarding turns and melees: spec sections 6.10, 6.11 and 8.3."""

from __future__ import annotations

import pytest

from referee.games.broadsides.actions import BoardMove
from referee.games.broadsides.events import BoardingTurnStarted, FigureMoved, GameEnded, MeleeFought, MovesLost
from referee.games.broadsides.state import State
from referee.games.broadsides.terms import Figure, Reason, Side
from referee.rules.parts import replace
from support.broadsides import (
    BLACK,
    BLACK_WINS,
    DRAW,
    WHITE,
    WHITE_WINS,
    alongside,
    board,
    captain_move,
    crew_move,
    decision,
    dice,
    dice_left,
    of_kind,
    options,
    outcome,
    place,
)

D5 = place("1D5")
CREW, CAPTAIN = Figure.CREW, Figure.CAPTAIN
FAR = ("0H4", "1H4")


def test_s9_numbers_win_a_melee() -> None:
    """Vector S9: 3 v 2, dice 3,3 then 3,3."""
    state = alongside([{"0D3": 1, "1D5": 2}, {"1D5": 2}], FAR, dice(3, 3, 3, 3), moves_left=1, contested=["1D5"])
    step = board(state, crew_move("0D3", "1D5"))
    assert of_kind(step, MeleeFought) == [
        MeleeFought(D5, (3, 3), (4, 3), ((BLACK, CREW),)),
        MeleeFought(D5, (3, 3), (5, 3), ((BLACK, CREW),)),
    ]
    assert step.state.crews[WHITE].figures_on(1, D5.station) == 3


def test_s10_a_melee_may_leave_nobody() -> None:
    """Vector S10 (A to F): 2 v 2, dice 5,6 · 4,2 · 1,1."""
    state = alongside([{"0D3": 1, "1D5": 1}, {"1D5": 2}], FAR, dice(5, 6, 4, 2, 1, 1), moves_left=1, contested=["1D5"])
    step = board(state, crew_move("0D3", "1D5"))
    assert of_kind(step, MeleeFought) == [
        MeleeFought(D5, (5, 6), (5, 6), ((WHITE, CREW),)),
        MeleeFought(D5, (4, 2), (4, 3), ((BLACK, CREW),)),
        MeleeFought(D5, (1, 1), (1, 1), ((WHITE, CREW), (BLACK, CREW))),
    ]
    assert [crew.figures for crew in step.state.crews] == [1, 1]
    assert decision(step.state).kind == "BOARD_MOVE"


def duel(*shown: int, reroll_cap: int = 20) -> State:
    return alongside([{}, {}], ("0D3", "1D5"), dice(*shown), moves_left=1, reroll_cap=reroll_cap)


def test_s11_captains_who_tie_roll_again() -> None:
    """Vector S11, ruling R38: dice 4,4 · 2,2 · 6,3."""
    step = board(duel(4, 4, 2, 2, 6, 3), captain_move("0D3", "1D5"))
    assert of_kind(step, MeleeFought) == [
        MeleeFought(D5, (4, 4), (5, 5), ()),
        MeleeFought(D5, (2, 2), (3, 3), ()),
        MeleeFought(D5, (6, 3), (7, 4), ((BLACK, CAPTAIN),)),
    ]
    assert outcome(step.state) == (WHITE_WINS, "CAPTAIN_SLAIN")


def test_r38_after_reroll_cap_ties_the_mover_wins_the_duel() -> None:
    """Spec 6.11."""
    step = board(duel(4, 4, 2, 2, reroll_cap=2), captain_move("0D3", "1D5"))
    assert of_kind(step, MeleeFought)[-1] == MeleeFought(D5, (2, 2), (3, 3), ((BLACK, CAPTAIN),))
    assert outcome(step.state) == (WHITE_WINS, "CAPTAIN_SLAIN")
    state = alongside([{}, {}], ("0D3", "1D5"), dice(1, 1), mover=BLACK, moves_left=1, reroll_cap=1)
    assert outcome(board(state, captain_move("1D5", "0D3")).state) == (BLACK_WINS, "CAPTAIN_SLAIN")


@pytest.mark.parametrize(
    "moves",
    [
        [crew_move("0D3", "0C3"), crew_move("0C3", "0B3"), crew_move("0B3", "0A4")],
        [crew_move("0D3", "0C3"), crew_move("0E3", "0F3"), crew_move("0G3", "0H3")],
        [crew_move("0D3", "0C3"), crew_move("0G3", "0F3"), crew_move("0F3", "0E3")],
    ],
    ids=["one crew three stations", "three crew one station each", "one crew one and another two"],
)
def test_s12_three_moves_are_shared_out_freely(moves: list[BoardMove]) -> None:
    """Vector S12."""
    state = alongside([{"0D3": 1, "0E3": 1, "0G3": 1}, {"1D5": 1}], FAR)
    step = board(state, *moves)
    assert step.events[-1] == BoardingTurnStarted(BLACK, 2)
    assert step.state.boarding is not None
    assert (step.state.boarding.seat, step.state.boarding.moves_left) == (BLACK, 3)


def test_v31_the_legal_list_in_order() -> None:
    """Vector V31."""
    state = alongside([{"0D3": 2, "0C3": 1}, {"1D5": 2}], FAR)
    assert options(state, WHITE) == (
        *(crew_move("0C3", target) for target in ("0B3", "0B4", "0C4", "0D3", "0D4", "1C5")),
        *(crew_move("0D3", target) for target in ("0C3", "0C4", "0D4", "0E3", "1D5")),
        *(captain_move("0H4", target) for target in ("0H3", "0H5")),
    )
    assert decision(state).defaults == {}


def test_ship_0_comes_before_ship_1_in_the_list_of_either_seat() -> None:
    """Spec 5.2."""
    state = alongside([{}, {"0B3": 1, "1B5": 1}], ("0H4", "0C4"), mover=BLACK)
    assert options(state, BLACK) == (
        *(crew_move("0B3", target) for target in ("0A4", "0B4", "0C3", "0C4", "1B5")),
        *(crew_move("1B5", target) for target in ("1A4", "1B4", "1C4", "1C5", "0B3")),
        *(captain_move("0C4", f"0{name}") for name in ("B3", "B4", "B5", "C3", "C5", "D3", "D4", "D5")),
    )


def targets(state: State, origin: str) -> list[str]:
    return [
        f"{move.target.ship}{move.target.station.name}"
        for move in options(state, WHITE)
        if isinstance(move, BoardMove) and move.origin == place(origin)
    ]


def test_v32_no_step_between_levels_without_a_ladder() -> None:
    """Vector V32, ruling R12."""
    state = alongside([{"0D4": 1}, {}], FAR)
    assert targets(state, "0D4") == ["0C3", "0C4", "0C5", "0D3", "0D5"]


def test_v33_a_station_holds_three_figures_of_a_player() -> None:
    """Vector V33."""
    state = alongside([{"0C3": 3, "0B3": 1}, {}], FAR)
    assert targets(state, "0B3") == ["0A4", "0B4", "0C4", "1B5"]


def test_r33_the_captain_counts_against_the_limit() -> None:
    state = alongside([{"0C3": 2, "0B3": 1}, {}], ("0C3", "1H4"))
    assert targets(state, "0B3") == ["0A4", "0B4", "0C4", "1B5"]


def test_v34_three_may_meet_three() -> None:
    """Vector V34, ruling R33."""
    state = alongside([{"0D3": 3}, {"1D5": 3}], FAR, dice(6, 1, 6, 1, 6, 1))
    for _ in range(2):
        state = board(state, crew_move("0D3", "1D5")).state
    assert crew_move("0D3", "1D5") in options(state, WHITE)
    assert state.boarding is not None
    assert state.boarding.contested == (D5,)
    assert state.crews[WHITE].figures_on(1, D5.station) == 2
    step = board(state, crew_move("0D3", "1D5"))
    assert of_kind(step, MeleeFought)[0] == MeleeFought(D5, (6, 1), (6, 1), ((BLACK, CREW),))


def test_v35_who_has_met_an_enemy_is_stuck() -> None:
    """Vector V35, ruling R34."""
    step = board(alongside([{"0D3": 2}, {"1D5": 2}], FAR), crew_move("0D3", "1D5"))
    assert of_kind(step, FigureMoved) == [FigureMoved(WHITE, CREW, place("0D3"), D5, True)]
    assert step.state.boarding is not None
    assert step.state.boarding.contested == (D5,)
    assert targets(step.state, "1D5") == []
    assert targets(step.state, "0D3") == ["0C3", "0C4", "0D4", "0E3", "1D5"]


def test_v36_a_tie_with_crew_kills_the_lone_captain() -> None:
    """Vector V36, rulings R37 and R39: 4 v 3+1."""
    state = alongside([{"0D3": 1}, {}], ("0H4", "1D5"), dice(4, 3), moves_left=1)
    step = board(state, crew_move("0D3", "1D5"))
    assert of_kind(step, MeleeFought) == [MeleeFought(D5, (4, 3), (4, 4), ((WHITE, CREW), (BLACK, CAPTAIN)))]
    assert step.events[-1] == GameEnded(WHITE, Reason.CAPTAIN_SLAIN)
    assert outcome(step.state) == (WHITE_WINS, "CAPTAIN_SLAIN")


def test_v37_a_captain_with_crew_against_a_lone_captain() -> None:
    """Vector V37, rulings R36 and R37: 2+1+1 v 3+1."""
    state = alongside([{"1D5": 1}, {}], ("0D3", "1D5"), dice(2, 3), moves_left=1, contested=["1D5"])
    step = board(state, captain_move("0D3", "1D5"))
    assert of_kind(step, MeleeFought) == [MeleeFought(D5, (2, 3), (4, 4), ((WHITE, CREW), (BLACK, CAPTAIN)))]
    assert outcome(step.state) == (WHITE_WINS, "CAPTAIN_SLAIN")


def test_v38_numbers_and_captain_add_up() -> None:
    """Vector V38, ruling R36: 1+2+1 v 3."""
    state = alongside([{"1D5": 2}, {"1D5": 1}], ("0D3", "1H4"), dice(1, 3), moves_left=1, contested=["1D5"])
    step = board(state, captain_move("0D3", "1D5"))
    assert of_kind(step, MeleeFought) == [MeleeFought(D5, (1, 3), (4, 3), ((BLACK, CREW),))]
    assert step.state.crews[WHITE].figures_on(1, D5.station) == 3


def test_the_mover_rolls_first() -> None:
    """Spec 6.11, step 2: with seat 1 to move the first die is its own."""
    state = alongside([{"0D3": 1}, {"1D5": 1}], FAR, dice(6, 2), mover=BLACK, moves_left=1)
    step = board(state, crew_move("1D5", "0D3"))
    assert of_kind(step, MeleeFought) == [MeleeFought(place("0D3"), (2, 6), (2, 6), ((WHITE, CREW),))]


def test_r35_melees_are_fought_in_the_order_the_stations_became_contested() -> None:
    state = alongside([{"0D3": 1, "0C3": 1}, {"1D5": 1, "1C5": 1}], FAR, dice(6, 1, 6, 1), moves_left=2)
    step = board(state, crew_move("0D3", "1D5"), crew_move("0C3", "1C5"))
    assert [event.place for event in of_kind(step, MeleeFought)] == [D5, place("1C5")]


def test_the_game_ends_at_once_when_a_captain_falls() -> None:
    """Spec 6.10, step 4: the second melee is not fought."""
    state = alongside([{"0D3": 1, "0C3": 1}, {"1C5": 1}], ("0H4", "1D5"), dice(6, 1, 6, 1), moves_left=2)
    step = board(state, crew_move("0D3", "1D5"), crew_move("0C3", "1C5"))
    assert len(of_kind(step, MeleeFought)) == 1
    assert dice_left(step.state) == 2
    assert outcome(step.state) == (WHITE_WINS, "CAPTAIN_SLAIN")


def test_r30_moves_are_lost_only_when_none_is_legal() -> None:
    """White's one figure but the captain meets an enemy, and the captain is hemmed in by nobody: he has to move."""
    state = alongside([{"0D3": 1}, {"1D5": 1}], FAR, dice(6, 1))
    state = board(state, crew_move("0D3", "1D5")).state
    assert options(state, WHITE) == (captain_move("0H4", "0H3"), captain_move("0H4", "0H5"))


def test_r30_without_a_legal_move_the_rest_is_lost() -> None:
    state = alongside([{}, {"1D5": 1}], ("0D3", "1H4"), dice(6, 1))
    step = board(state, captain_move("0D3", "1D5"))
    assert step.events[1] == MovesLost(WHITE, 2)
    assert of_kind(step, MeleeFought) == [MeleeFought(D5, (6, 1), (7, 1), ((BLACK, CREW),))]
    assert step.events[-1] == BoardingTurnStarted(BLACK, 2)


def test_r32_figures_cross_between_decks_of_different_height() -> None:
    """Bows opposite: waist D5 against quarterdeck E5, forecastle A4 against poop H5."""
    state = alongside([{"0D5": 1, "0A4": 1}, {}], FAR, sides=(Side.PORT, Side.PORT), bows_opposite=True)
    assert targets(state, "0D5") == ["0C4", "0C5", "0D4", "0E5", "1E5"]
    assert targets(state, "0A4") == ["0B3", "0B5", "1H5"]


def test_figures_cross_back_from_the_enemys_ship() -> None:
    """Spec 6.10, step 2."""
    state = alongside([{"1D5": 1}, {}], FAR)
    assert targets(state, "1D5") == ["1C4", "1C5", "1D4", "1E5", "0D3"]


def idle(white: dict[str, int], black: dict[str, int], captains: tuple[str, str] = FAR) -> State:
    """The last move of the last turn, in which nobody meets."""
    state = alongside([white, black], captains, moves_left=1, board_turn_cap=1)
    return board(state, crew_move("0G3", "0F3")).state


def test_r42_board_turns_are_capped_and_figures_compared() -> None:
    """Spec 6.10, step 5 and 8.3, item 1."""
    assert outcome(idle({"0G3": 1, "0B3": 1}, {"1D5": 1})) == (WHITE_WINS, "BOARD_CAP")
    assert outcome(idle({"0G3": 1}, {"1D5": 1})) == (DRAW, "BOARD_CAP")


def test_r42_at_the_cap_figures_on_the_enemys_ship_break_a_tie() -> None:
    """Spec 8.3, item 2; the captain counts too."""
    assert outcome(idle({"0G3": 1}, {"0D3": 1})) == (BLACK_WINS, "BOARD_CAP")
    assert outcome(idle({"0G3": 1}, {"1D5": 1}, ("1B3", "1H4"))) == (WHITE_WINS, "BOARD_CAP")


def test_r42_quiet_turns_are_counted_and_end_the_game() -> None:
    state = alongside([{"0G3": 1}, {"1D5": 1}], FAR, moves_left=1, board_quiet_cap=2)
    state = board(state, crew_move("0G3", "0F3")).state
    assert state.boarding is not None
    assert state.boarding.quiet_turns == 1
    moves = [crew_move("1D5", "1D4"), crew_move("1D4", "1C4"), crew_move("1C4", "1B4")]
    assert outcome(board(state, *moves).state) == (DRAW, "BOARD_QUIET")


def test_r42_a_melee_resets_the_quiet_turns() -> None:
    state = alongside([{"0D3": 1}, {"1D5": 1}], FAR, dice(6, 1), moves_left=1)
    assert state.boarding is not None
    state.boarding = replace(state.boarding, quiet_turns=7)
    after = board(state, crew_move("0D3", "1D5")).state
    assert after.boarding is not None
    assert after.boarding.quiet_turns == 0
    assert decision(after).kind == "BOARD_MOVE"
