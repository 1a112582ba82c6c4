"""The rules, one module per phase, and the machine that leads from one to the next (spec 5.1).

A phase that waits for an answer has a row in ASK and ANSWER, any other one in PROCEED. Each function works on a draft
state, adds to the events and names the phase that follows.

    setup       placing captain and extra crew        spec 4
    sailing     programs and the three steps          spec 6.1, 6.2
    gunnery     exchanges, shots, losing conditions   spec 6.3 to 6.5
    round_end   captains, caps, the current           spec 6.6, 6.8
    collision   the ships alongside, the last salvo   spec 2.7, 6.9
    boarding    moves and melees                      spec 6.10, 6.11
    condition   damage, comparisons, the end          spec 6.5, 6.7, 8
    dice        all rolls                             spec 6
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.engine import Decision, Outcome, Seat, Step, duel
from referee.games.broadsides.actions import Action
from referee.games.broadsides.events import Event
from referee.games.broadsides.rules import boarding, gunnery, round_end, sailing, setup
from referee.games.broadsides.state import Phase, State

__all__ = ["apply", "ask", "new"]

new = setup.new

ASK: Mapping[Phase, Callable[[State], Decision[Action]]] = {
    Phase.SETUP_CAPTAIN: setup.ask_captain,
    Phase.SETUP_CREW: setup.ask_crew,
    Phase.PROGRAM: sailing.ask_program,
    Phase.FIRE: gunnery.ask_fire,
    Phase.REPLACE_CAPTAIN: round_end.ask_replacement,
    Phase.BOARD_MOVE: boarding.ask_move,
}

ANSWER: Mapping[Phase, Callable[[State, Mapping[Seat, Action], list[Event]], Phase]] = {
    Phase.SETUP_CAPTAIN: setup.place,
    Phase.SETUP_CREW: setup.place,
    Phase.PROGRAM: sailing.lay_programs,
    Phase.FIRE: gunnery.fire,
    Phase.REPLACE_CAPTAIN: round_end.replace_captains,
    Phase.BOARD_MOVE: boarding.move,
}

PROCEED: Mapping[Phase, Callable[[State, list[Event]], Phase]] = {
    Phase.ROUND_START: sailing.start_round,
    Phase.STEP: sailing.play_step,
    Phase.EXCHANGE_END: gunnery.close_exchange,
    Phase.ROUND_END: round_end.end_round,
    Phase.CAPS: round_end.check_caps,
    Phase.BOARD_START: boarding.start_boarding,
    Phase.BOARD_TURN: boarding.start_turn,
    Phase.MELEE: boarding.fight_melees,
}


def ask(state: State) -> Decision[Action] | Outcome:
    """Who chooses among what, or how it ended."""
    if state.ending is not None:
        return duel(state.ending.winner, state.ending.reason.value)
    return ASK[state.phase](state)


def apply(state: State, choices: Mapping[Seat, Action]) -> Step[State, Event]:
    """One answer per deciding seat, then everything that follows of itself, up to the next decision."""
    draft = state.copy()
    draft.dice.clear()
    told: list[Event] = []
    draft.phase = ANSWER[draft.phase](draft, choices, told)
    while draft.phase in PROCEED:
        draft.phase = PROCEED[draft.phase](draft, told)
    return Step(state=draft, events=tuple(told))
