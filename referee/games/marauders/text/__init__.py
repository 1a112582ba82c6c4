"""The game told to people, by a spectator who sees all.

events     `tell_event`: every event as one line; `fired`: the name under which `simulate` counts it
actions    `tell_action`: an option, short enough for a list
table      `tell_table`: the whole table as several lines
words      places, terms and sides
"""

from __future__ import annotations

from referee.games.marauders.actions import Action
from referee.games.marauders.events import Event
from referee.games.marauders.events.round import RoundBegan
from referee.games.marauders.rules_text import RULES
from referee.games.marauders.state import State
from referee.games.marauders.text.actions import tell_action
from referee.games.marauders.text.events import fired, tell_event
from referee.games.marauders.text.table import tell_table
from referee.rules.engine import Text

__all__ = ["TEXT", "fired", "tell_action", "tell_event", "tell_table"]

TEXT: Text[State, Action, Event] = Text(
    event=tell_event, action=tell_action, table=tell_table, scenes=frozenset({RoundBegan}), rules=RULES
)
