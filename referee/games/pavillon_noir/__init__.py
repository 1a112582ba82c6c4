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

from referee.games.pavillon_noir.actions import Action
from referee.games.pavillon_noir.data import REPUTATIONS, TRICKS
from referee.games.pavillon_noir.events import Event
from referee.games.pavillon_noir.rules import apply, ask, new
from referee.games.pavillon_noir.state import State
from referee.games.pavillon_noir.text import TEXT, fired
from referee.games.pavillon_noir.view import View, hide, seen, view
from referee.rules.engine import Game, Variant
from referee.rules.infos import INFOS


def in_play(variant: Variant, card: str) -> bool:
    """Check whether the expert deck of a card is in play."""
    return str(variant["variant"]) in ("full", "reputation" if card.startswith("reputation ") else "tricks")


GAME: Game[State, Action, Event, View] = Game(
    info=INFOS["pavillon_noir"],
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
    in_play=in_play,
    text=TEXT,
    hide=hide,
)
