"""The texts of the general event cards (cards file C.2)."""

from __future__ import annotations

from typing import TypeVar, assert_never

from referee.games.marauders.cards.event_texts import Convoy, EventText, Markets, Marque, Peace, Plague, Storm, War
from referee.games.marauders.data.board import PORTS
from referee.games.marauders.events.round import MarqueIssued, MerchantsPlaced, PeaceMade, PortsClosed, WarDeclared
from referee.games.marauders.rules.ashore.market import replace_demand
from referee.games.marauders.rules.fighting.npcs import dismiss_admirals
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import State
from referee.games.marauders.terms import NATIONS, ZONES_IN_ORDER
from referee.rules.chance import TABLE

T = TypeVar("T")


def resolve(draft: State, text: EventText) -> None:
    """Do what the card says, once the icons are done."""
    match text:
        case War():
            first, second = draw_some(draft, "war", NATIONS, 2)
            draft.war = (first, second)
            tell(draft, WarDeclared, draft.war)
            dismiss_admirals(draft)
        case Peace():
            draft.war = None
            tell(draft, PeaceMade)
            dismiss_admirals(draft)
        case Plague(count):
            draft.closed = tuple(sorted(draw_some(draft, "plague", PORTS, count)))
            tell(draft, PortsClosed, draft.closed)
        case Storm():
            pass  # each captain weathers it at the start of its turn
        case Convoy():
            place_merchants(draft)
        case Markets(count):
            for zone in draw_some(draft, "markets", PORTS, count):
                replace_demand(draft, zone, TABLE)
        case Marque():
            first, second = draw_some(draft, "marque", NATIONS, 2)
            draft.marque = (first, second)
            tell(draft, MarqueIssued, first, second)
        case _:
            assert_never(text)


def draw_some(draft: State, purpose: str, things: tuple[T, ...], count: int) -> list[T]:
    """Different things at random, one after the other."""
    left = list(things)
    return [left.pop(draft.chance.draw(purpose, TABLE, len(left))) for _ in range(count)]


def place_merchants(draft: State) -> None:
    """Put a random merchant from the track on every zone without one, while tokens last."""
    track = draft.chance.shuffle("merchants", TABLE, draft.merchant_track)
    merchants = list(draft.merchants)
    placed = []
    for zone in ZONES_IN_ORDER:
        if merchants[zone - 1] is None and track:
            merchants[zone - 1] = track.pop()
            placed.append(zone)
    draft.merchants, draft.merchant_track = tuple(merchants), tuple(track)
    if placed:
        tell(draft, MerchantsPlaced, tuple(placed))
