"""The game told to people, with nothing hidden.

events      an event as one line
actions     an option, short enough for a list
table       the whole table
counts      the names under which `simulate` counts events
words       what the others have in common
"""

from __future__ import annotations

from referee.games.pavillon_noir.actions import Action
from referee.games.pavillon_noir.events import Event, TurnBegan
from referee.games.pavillon_noir.rules_text import RULES
from referee.games.pavillon_noir.state import State
from referee.games.pavillon_noir.text.actions import tell_action
from referee.games.pavillon_noir.text.counts import fired
from referee.games.pavillon_noir.text.events import tell_event
from referee.games.pavillon_noir.text.table import tell_table
from referee.rules.engine import Text

TEXT: Text[State, Action, Event] = Text(
    event=tell_event, action=tell_action, table=tell_table, scenes=frozenset({TurnBegan}), rules=RULES
)

__all__ = ["TEXT", "fired"]
