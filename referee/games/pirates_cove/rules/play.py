"""The three functions the referee calls, and the loop that works the agenda off. Spec section 5.1.

A task on the agenda is either a decision, where the loop stops, or a step that a phase module takes by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from referee.chance import Chance
from referee.engine import Decision, Outcome, Seat, Step, Variant
from referee.games.pirates_cove.actions import Action
from referee.games.pirates_cove.events import Event, Log
from referee.games.pirates_cove.ids import AT_SEA
from referee.games.pirates_cove.rules import (
    combat,
    final,
    legends,
    month,
    navigation,
    plunder,
    port,
    setup,
    tavern,
    volley,
    windows,
)
from referee.games.pirates_cove.state import (
    CHOOSING,
    BeginMonth,
    BeginNavigation,
    CallAt,
    CardWindow,
    Choosing,
    Draw,
    EndCombat,
    EndMonth,
    Exchange,
    FightAt,
    FinalScoring,
    FitOut,
    Moor,
    Navigate,
    NavyTurn,
    NextExchange,
    ParrotOffer,
    Passing,
    PlunderAt,
    SetSail,
    State,
    Turn,
    Visit,
)


def new(seats: int, variant: Variant, chance: Chance) -> State:
    """The table up to the first decision. The game has no variant."""
    state = setup.lay_out(seats, chance)
    work_off(state, [])
    return state


def ask(state: State) -> Decision[Action] | Outcome:
    """What the top of the agenda asks, and whom."""
    if not state.agenda:
        return final.outcome(state)
    task = state.agenda[-1]
    match task:
        case FitOut():
            seats = state.seats_from(Seat(0))
            return Decision(
                kind="OUTFIT",
                options=dict.fromkeys(seats, setup.OUTFITS),
                defaults=dict.fromkeys(seats, setup.DEFAULT_OUTFIT),
            )
        case CardWindow():
            return Decision(kind=task.window.value, options={task.left[0]: windows.window_options(state, task)})
        case Navigate():
            return navigation.ask_heading(state, task)
        case Turn():
            return Decision(kind="VOLLEY", options={task.seat: volley.turn_options(state, task)})
        case NavyTurn():
            return legends.ask_navy(state)
        case Visit():
            return port.ask_port(state, task)
        case ParrotOffer():
            return Decision(kind="PARROT_SWAP", options={task.seat: tavern.parrot_options(state, task)})
        case _:
            raise AssertionError(f"the loop stopped at {task!r}, which is no decision")


def apply(state: State, choices: Mapping[Seat, Action]) -> Step[State, Event]:
    """Do what was chosen, then everything up to the next decision."""
    draft = state.copy()
    log: Log = []
    task = draft.agenda.pop()
    assert isinstance(task, CHOOSING)
    answer(draft, task, choices, log)
    work_off(draft, log)
    return Step(state=draft, events=tuple(log))


def answer(draft: State, task: Choosing, choices: Mapping[Seat, Action], log: Log) -> None:
    """Hand the choices to the phase that asked."""
    choice = next(iter(choices.values()))
    match task:
        case FitOut():
            setup.fit_out(draft, choices, log)
        case CardWindow():
            windows.answer_window(draft, task, choice, log)
        case Navigate():
            navigation.sail(draft, task, choices, log)
        case Turn():
            volley.take_turn(draft, task, choice, log)
        case NavyTurn():
            legends.fire_navy(draft, choice, log)
        case Visit():
            port.use_port(draft, task, choice, log)
        case ParrotOffer():
            tavern.settle_parrot(draft, task, choice, log)
        case _:
            assert_never(task)


def work_off(draft: State, log: Log) -> None:
    """Take every step that needs no decision, until one does or the game is over."""
    agenda = draft.agenda
    while agenda:
        task = agenda[-1]
        if isinstance(task, CHOOSING):
            return
        agenda.pop()
        take_step(draft, task, log)


def take_step(draft: State, task: Passing, log: Log) -> None:
    """Hand the step to its phase, which may put more on the agenda."""
    match task:
        case Exchange():
            combat.go_on_with_exchange(draft, task, log)
        case FightAt(place=place):
            combat.fight_at(draft, place, log)
        case PlunderAt(island=island):
            plunder.plunder_at(draft, island, log)
        case CallAt(place=place):
            port.call_at(draft, place)
        case Moor():
            port.moor(draft, task, log)
        case Draw():
            tavern.draw_cards(draft, task, log)
        case NextExchange():
            combat.next_exchange(draft, log)
        case EndCombat():
            end_combat(draft, log)
        case BeginMonth():
            month.begin_month(draft, log)
        case BeginNavigation():
            navigation.begin_navigation(draft)
        case SetSail():
            navigation.set_sail(draft)
        case EndMonth():
            month.end_month(draft, log)
        case FinalScoring():
            final.score(draft, log)
        case _:
            assert_never(task)


def end_combat(draft: State, log: Log) -> None:
    """A combat on the board, or the final duel."""
    fought = draft.combat
    assert fought is not None
    if fought.place == AT_SEA:
        final.end_duel(draft, fought, log)
    else:
        combat.end_combat(draft, log)
