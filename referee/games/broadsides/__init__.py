"""Broadsides and Boarding Parties (*Bordées et Abordages*): two ships, secret cards, gunfire, crews hand to hand.

The rules are in docs/games/broadsides.md.

    terms       directions, cards, stations, figures, reasons: every closed set
    data        charts, decks, gun and collision tables
    state       what lies on the table
    actions     every option a bot can choose
    events      every fact that can happen
    rules/      how the game goes: its docstring lists the phases
    view        who knows what
    text        the game told in words
    luck        what the guns' dice gave each seat
"""

from __future__ import annotations

from referee.games.broadsides.actions import Action
from referee.games.broadsides.events import Event
from referee.games.broadsides.luck import luck
from referee.games.broadsides.rules import apply, ask, new
from referee.games.broadsides.state import State
from referee.games.broadsides.terms import Card
from referee.games.broadsides.text import TEXT, fired
from referee.games.broadsides.view import View, hide, seen, view
from referee.rules.engine import Game
from referee.rules.infos import INFOS

GAME: Game[State, Action, Event, View] = Game(
    info=INFOS["broadsides"],
    new=new,
    ask=ask,
    apply=apply,
    view=view,
    seen=seen,
    fired=fired,
    cards=tuple(f"card {card.name}" for card in Card),
    text=TEXT,
    hide=hide,
    luck=luck,
)
