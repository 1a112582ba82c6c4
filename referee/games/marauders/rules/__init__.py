"""The rules: `new`, `ask` and `apply`.

A state holds a stack of pending steps and questions. `apply` answers the question on top and then lets steps happen
until the next question or the end; each step pushes what follows from it. One module per phase of the rulebook, each
building only on those above it:

    modifiers, dice, purse, piles, ships       tools: what a captain is worth, luck, gold, cards, damage
    scoring, glory, skill_tests                6.1, 6.10, section 8
    modifications, hold, death                 tokens and cargo on the move, captains that come and go (6.11)
    rewards, quests                            the verbs of rumors and missions, 6.7
    fighters, npc_policy, npcs                 the sides of a combat, 6.12, 6.3 and 6.13
    volley, roll_window, aftermath             6.9 in pieces
    crew_combat, combat, hunting               6.9 and 6.4
    raid, scouting                             6.8 and the Scout action
    market, shipyard, tavern, glory_cards, port    5.2 and 6.6: the Port action
    turn, event_texts, rounds, setup           5.1 and 6.5, cards file C, 6.2, section 4
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.engine import Decision, Outcome, Seat, Step
from referee.errors import RulesError
from referee.games.marauders.actions import Action
from referee.games.marauders.events import Event
from referee.games.marauders.rules.scoring import end_game, outcome
from referee.games.marauders.rules.setup import new
from referee.games.marauders.state import Question, State

MAX_CHOICES = 5000
"""The safety cap of 8.4."""

__all__ = ["MAX_CHOICES", "apply", "ask", "new", "settle"]


def ask(state: State) -> Decision[Action] | Outcome:
    """Who chooses among what, or how it ended."""
    if state.ended is not None:
        return outcome(state, state.ended)
    return top_question(state).decision(state)


def apply(state: State, choices: Mapping[Seat, Action]) -> Step[State, Event]:
    """Answer the pending question, then go on to the next one."""
    draft = state.copy()
    draft.dice.clear()
    question = top_question(draft)
    draft.pending.pop()
    draft.choice_count += len(choices)
    question.answer(draft, choices)
    settle(draft)
    if draft.choice_count >= MAX_CHOICES and draft.ended is None:
        end_game(draft, "cap")
    events = tuple(draft.log)
    draft.log.clear()
    return Step(state=draft, events=events)


def settle(draft: State) -> None:
    """Let everything happen that needs no choice."""
    while draft.ended is None:
        frame = draft.pending[-1]
        if isinstance(frame, Question):
            return
        draft.pending.pop()
        frame.run(draft)


def top_question(state: State) -> Question:
    """The question that waits."""
    frame = state.pending[-1] if state.pending else None
    if not isinstance(frame, Question):
        raise RulesError(f"nothing is to be chosen: {frame!r}")
    return frame
