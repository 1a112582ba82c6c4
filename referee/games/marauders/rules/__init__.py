"""The rules: `new`, `ask` and `apply`.

What is still to happen is a stack of tasks and questions, see referee/rules/agenda.py. One module per phase of the
rulebook; each owns its tasks and questions and builds only on those above it:

    windows, telling                           the questions asked only of seats that hold something to play; facts
    modifiers, dice, purse, piles, ships       tools: what a captain is worth, luck, gold, cards, damage
    scoring, glory, skill_tests                6.1, 6.10, section 8
    modifications, hold, death                 tokens and cargo on the move, captains that come and go (6.11)
    rewards, quests                            the verbs of rumors and missions, 6.7
    fighting: fighters, npc_policy, npcs       the sides of a combat, 6.12, 6.3 and 6.13
    fighting: volley, roll_window, aftermath   6.9 in pieces
    fighting: crew_combat, combat, hunting     6.9 and 6.4
    raid, scouting                             6.8 and the Scout action
    ashore: market, …, glory_cards, port       5.2 and 6.6: the Port action
    turn_actions, turn                         5.1 and 6.5
    event_texts, rounds, setup                 cards file C, 6.2, section 4
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.games.marauders.actions import Action
from referee.games.marauders.data.board import MAX_CHOICES
from referee.games.marauders.events import Event
from referee.games.marauders.rules.scoring import end_game
from referee.games.marauders.rules.setup import new
from referee.games.marauders.state import State
from referee.rules import agenda
from referee.rules.agenda import ask
from referee.rules.engine import Seat, Step

__all__ = ["apply", "ask", "new"]


def apply(state: State, choices: Mapping[Seat, Action]) -> Step[State, Event]:
    """Answer the question on top and go on to the next one; a game that reaches the safety cap ends."""
    step = agenda.apply(state, choices)
    draft = step.state
    draft.choice_count += len(choices)
    if draft.choice_count < MAX_CHOICES or draft.ended is not None:
        return step
    end_game(draft, "cap")
    events = (*step.events, *draft.events)
    draft.events.clear()
    return Step(state=draft, events=events)
