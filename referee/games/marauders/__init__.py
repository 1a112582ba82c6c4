"""Marauders: pirates and traders in the Caribbean, 2 to 4 seats. The folder's table of contents.

terms      enums and ids                    state/     what lies on the table
cards/     the verbs of card rows           rules/     `new`, `ask`, `apply`
data/      board and cards                  view/      who knows what
actions/   every option                     text/      the game told in words
events/    every fact                       luck       what the dice gave each seat
"""

from __future__ import annotations

from referee.games.marauders.actions import Action
from referee.games.marauders.data.captains import CAPTAINS
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.data.glory import GLORY
from referee.games.marauders.data.quests import MISSIONS, RUMORS
from referee.games.marauders.events import Event
from referee.games.marauders.luck import luck
from referee.games.marauders.rules import apply, ask, new
from referee.games.marauders.state import State
from referee.games.marauders.text import TEXT, fired
from referee.games.marauders.view import View, hide, seen, settled, view
from referee.rules.engine import Game
from referee.rules.infos import INFOS

GAME: Game[State, Action, Event, View] = Game(
    info=INFOS["marauders"],
    new=new,
    ask=ask,
    apply=apply,
    view=view,
    seen=seen,
    fired=fired,
    cards=(
        *(f"captain {captain}" for captain in CAPTAINS),
        *(f"cargo {card}" for card in CARGO),
        *(f"event {card}" for card in EVENTS),
        *(f"glory {card}" for card in GLORY),
        *(f"mission {card}" for card in MISSIONS),
        *(f"rumor {card}" for card in RUMORS),
    ),
    text=TEXT,
    hide=hide,
    luck=luck,
    settled=settled,
)
