"""Marauders: pirates and traders in the Caribbean, 2 to 4 seats. The folder's table of contents."""

from __future__ import annotations

from referee.engine import Game, GameInfo, NumberSetting, Text, WordSetting
from referee.games.marauders.actions import Action
from referee.games.marauders.data_captains import CAPTAINS
from referee.games.marauders.data_cargo import CARGO
from referee.games.marauders.data_events import EVENTS
from referee.games.marauders.data_glory import GLORY
from referee.games.marauders.data_quests import MISSIONS, RUMORS
from referee.games.marauders.events import Event, RoundBegan
from referee.games.marauders.hide import hide
from referee.games.marauders.rules import MAX_CHOICES, apply, ask, new
from referee.games.marauders.state import State
from referee.games.marauders.stories import event, fired
from referee.games.marauders.text import action, table
from referee.games.marauders.view import View, seen, settled, view

GAME: Game[State, Action, Event, View] = Game(
    info=GameInfo(
        id="marauders",
        title="Marauders",
        min_seats=2,
        max_seats=4,
        rules_version=1,
        settings=(
            NumberSetting(
                name="target_glory",
                low=2,
                high=20,
                default=10,
                meaning="points that win; chest points count up to half of them",
            ),
            WordSetting(
                name="npc_control",
                values=("left", "policy"),
                default="left",
                meaning="who plays NPC ships: the next seat after the engaged one, or a fixed policy",
            ),
        ),
        max_decisions=MAX_CHOICES,
        max_options=250,
    ),
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
    text=Text(event=event, action=action, table=table, scenes=frozenset({RoundBegan})),
    hide=hide,
    settled=settled,
)
