"""One option, short enough for a list."""

from __future__ import annotations

from dataclasses import fields
from typing import TypeAlias, assert_never

from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import DiscardGlory, KeepMission, KeepRumor, PlayGlory
from referee.games.marauders.actions.combat import Redirect
from referee.games.marauders.actions.port import Buy, Claim, Hire, Sell, Stash, Withdraw
from referee.games.marauders.actions.turn import EnterPort, Move, ScoutMerchant, ScoutNpc, ScoutPlayer
from referee.games.marauders.terms import Entry
from referee.games.marauders.text.words import card_title, glory_details, word
from referee.text import plural, spaced

ENTRIES = {Entry.FREE: "for free", Entry.PAY: "by paying", Entry.ROLL: "by a roll"}
"""Ways into a port."""


Phrased: TypeAlias = (
    ScoutMerchant
    | Sell
    | Buy
    | Stash
    | Withdraw
    | Hire
    | ScoutPlayer
    | ScoutNpc
    | Move
    | EnterPort
    | Redirect
    | PlayGlory
    | DiscardGlory
    | KeepRumor
    | KeepMission
    | Claim
)
"""Options that are told in a phrase of their own."""


def tell_action(action: Action) -> str:
    """Its name and what it needs."""
    if isinstance(action, Phrased):
        return _tell_phrase(action)
    values = (getattr(action, field.name) for field in fields(action))
    return " ".join([spaced(type(action).__name__), *map(word, values)])


def _tell_phrase(action: Phrased) -> str:
    match action:
        case ScoutMerchant(auto=auto):
            return "scout merchant without a roll" if auto else "scout merchant"
        case Sell(good=good, count=count, gold=gold):
            return f"sell {count} {word(good)} for {gold} gold"
        case Buy(good=good, count=count):
            return f"buy {count} {word(good)}"
        case Stash(gold=gold):
            return f"stash {gold} gold"
        case Withdraw(gold=gold):
            return f"withdraw {gold} gold"
        case Hire(count=count):
            return f"hire {plural(count, 'man', 'men')}"
        case ScoutPlayer(seat=seat):
            return f"scout seat {seat}"
        case ScoutNpc(npc=npc):
            return f"scout the {word(npc)}"
        case Move(zone=zone):
            return f"move to {word(zone)}"
        case EnterPort(way=way):
            return f"enter the port {ENTRIES[way]}"
        case Redirect(section=section, target=target):
            return f"move the hit from {word(section)} to {word(target)}"
        case PlayGlory(card=card):
            return f"play {_copy(card)}{glory_details(action)}"
        case DiscardGlory(card=card):
            return f"discard {_copy(card)}"
        case KeepRumor(rumor=card):
            return f"keep the rumor {card_title(card)}"
        case KeepMission(mission=card):
            return f"keep the mission {card_title(card)}"
        case Claim(mission=card):
            return f"claim {card_title(card)}"
        case _:
            assert_never(action)


def _copy(card: str) -> str:
    """Name a glory card, with its letter where there are two of it: both may be in a hand."""
    letter = card[-2:] in ("_a", "_b")
    return f"{card_title(card)} ({card[-1]})" if letter else card_title(card)
