"""Pavillon Noir: two ships, two decks of cards, and the coordinates in between. The folder's table of contents.

terms       enums and ids, in the order that sorts options
cards       the verbs that reputation and trick cards are made of
data        boards, cannons, cards
state       what lies on the table
actions     what can be chosen; events: what can happen
rules/      new, ask, apply: one module per phase
view        who knows what
text/       how it is told to people
"""

from __future__ import annotations

from referee.engine import Game, GameInfo, NumberSetting, WordSetting
from referee.games.pavillon_noir.actions import Action
from referee.games.pavillon_noir.data import REPUTATIONS, TRICKS
from referee.games.pavillon_noir.events import Event
from referee.games.pavillon_noir.rules import apply, ask, new
from referee.games.pavillon_noir.state import State
from referee.games.pavillon_noir.terms import Decks
from referee.games.pavillon_noir.text import TEXT, fired
from referee.games.pavillon_noir.view import View, hide, seen, view

SETTINGS = (
    WordSetting(
        name="variant",
        values=tuple(decks.value for decks in Decks),
        default=Decks.BASE.value,
        meaning="the expert decks in play: none, reputations, dirty tricks, or both (full)",
    ),
    WordSetting(
        name="first_seat",
        values=("random", "0", "1"),
        default="random",
        meaning="who takes the first turn",
    ),
    NumberSetting(name="max_rounds", low=1, high=500, default=60, meaning="rounds after which the ships are compared"),
)

GAME: Game[State, Action, Event, View] = Game(
    info=GameInfo(
        id="pavillon_noir",
        title="Pavillon Noir",
        min_seats=2,
        max_seats=2,
        rules_version=1,
        settings=SETTINGS,
        # 1000 turns at the longest. A turn has at most two paid actions of seven questions (a broadside), a shot of
        # eight and a discard; what tricks and disasters add happens a handful of times per game.
        max_decisions=30_000,
        max_options=1000,
    ),
    new=new,
    ask=ask,
    apply=apply,
    view=view,
    seen=seen,
    fired=fired,
    cards=(
        *(f"reputation {row.name}" for row in REPUTATIONS.values()),
        *(f"trick {row.name}" for row in TRICKS.values()),
    ),
    text=TEXT,
    hide=hide,
)
