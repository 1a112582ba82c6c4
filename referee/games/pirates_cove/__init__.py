"""Pirate's Cove (*La Crique des Pirates*) by Paul Randles and Daniel Stahl, for 2 to 5 seats.

Twelve months of secret navigation, dice combat, plunder and burying. The rules are in docs/games/pirates_cove.md.

    terms       places, sections, cards, captains, windows, phases: every closed set
    cards       the verbs that Tavern cards and legends are made of
    data        mats, prices, cards, legends, treasures
    state       what lies on the table
    actions     every option a bot can choose
    events      every fact that can happen
    rules/      how the game goes: its docstring lists the phases
    view        who knows what
    text        the game told in words
    luck        what the dice gave each seat
"""

from __future__ import annotations

from referee.games.pirates_cove.actions import Action
from referee.games.pirates_cove.data import WINDOW_CARDS
from referee.games.pirates_cove.events import Event
from referee.games.pirates_cove.luck import luck
from referee.games.pirates_cove.rules import apply, ask, new
from referee.games.pirates_cove.state import State
from referee.games.pirates_cove.terms import Window
from referee.games.pirates_cove.text import TEXT, fired
from referee.games.pirates_cove.view import View, hide, seen, view
from referee.rules.engine import Game
from referee.rules.infos import INFOS

GAME: Game[State, Action, Event, View] = Game(
    info=INFOS["pirates_cove"],
    new=new,
    ask=ask,
    apply=apply,
    view=view,
    seen=seen,
    fired=fired,
    cards=tuple(f"card {card}" for window in Window if window is not Window.NEVER for card in WINDOW_CARDS[window]),
    text=TEXT,
    hide=hide,
    luck=luck,
)
