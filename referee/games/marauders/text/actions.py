"""One option, short enough for a list."""

from __future__ import annotations

from dataclasses import fields

from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import PlayGlory
from referee.games.marauders.actions.port import Sell
from referee.games.marauders.actions.turn import ScoutMerchant, ScoutPlayer
from referee.games.marauders.text.words import word
from referee.text import spaced


def tell_action(action: Action) -> str:
    """Its name and what it needs."""
    if isinstance(action, ScoutMerchant):
        return "scout merchant without a roll" if action.auto else "scout merchant"
    if isinstance(action, Sell):
        return f"sell {action.count} {word(action.good)} for {action.gold} gold"
    if isinstance(action, ScoutPlayer):
        return f"scout seat {action.seat}"
    values = [getattr(action, field.name) for field in fields(action)]
    if isinstance(action, PlayGlory):
        values = [value for value in values if value]
    return " ".join([spaced(type(action).__name__), *map(word, values)])
