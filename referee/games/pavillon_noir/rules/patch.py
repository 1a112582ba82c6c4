"""Patching up: cards for moves, moves for repairs (spec 6.7; ruling R32)."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from referee.engine import Seat
from referee.games.pavillon_noir.actions import Action, Give, MoveFigure, Stop
from referee.games.pavillon_noir.data import DECKS, ROPES, ZONES
from referee.games.pavillon_noir.events import Done, FigureMoved, ZoneRepaired
from referee.games.pavillon_noir.pending import PatchCards, PatchMove
from referee.games.pavillon_noir.rules import effects
from referee.games.pavillon_noir.rules.asked import Asked, misplayed
from referee.games.pavillon_noir.rules.combos import subsets
from referee.games.pavillon_noir.rules.piles import discard_from_hand
from referee.games.pavillon_noir.state import Ship, State, one_at
from referee.games.pavillon_noir.terms import Deed, Figure, Marker, Zone, ZoneKind

STOP = Stop()
MOST_MOVES = 3


def ask_cards(state: State, question: PatchCards, keep: int) -> Asked:
    """D15: one card per move."""
    hand = state.duelists[question.seat].hand
    sizes = range(1, min(MOST_MOVES, len(hand) - keep) + 1)
    return Asked("PATCH_CARDS", tuple(Give(cards) for size in sizes for cards in subsets(hand, size)))


def play_cards(draft: State, question: PatchCards, action: Action) -> None:
    """Step 1 of 6.7."""
    if not isinstance(action, Give):
        raise misplayed(question, action)
    draft.pending.pop()
    discard_from_hand(draft, question.seat, action.cards)
    draft.tell(Done(question.seat, Deed.PATCH, action.cards))
    spared = effects.perks(draft.duelists[question.seat]).spared_sailors
    draft.push(PatchMove(question.seat, len(action.cards), spared, first=True))


def ask_move(state: State, question: PatchMove) -> Asked:
    """D16: stop (not at once), or one of the moves."""
    options = moves(state.duelists[question.seat].ship)
    return Asked("PATCH_MOVE", options if question.first else (STOP, *options))


def play_move(draft: State, question: PatchMove, action: Action) -> None:
    """Steps 2 to 4 of 6.7: one move, from the state that the one before left."""
    draft.pending.pop()
    match action:
        case Stop():
            return
        case MoveFigure(_, deck, zone) if ZONES[zone].kind is not ZoneKind.DECK:
            spared = question.spared > 0
            _repair(draft, question.seat, deck, zone, spared)
            draft.push(PatchMove(question.seat, question.left - 1, question.spared - spared, first=False))
        case MoveFigure():
            duelist = draft.duelists[question.seat]
            duelist.ship = _moved(duelist.ship, action)
            draft.tell(FigureMoved(question.seat, action.figure, action.deck, action.zone))
            draft.push(PatchMove(question.seat, question.left - 1, question.spared, first=False))
        case _:
            raise misplayed(question, action)


@lru_cache(4096)
def moves(ship: Ship) -> tuple[MoveFigure, ...]:
    """Step 3 of 6.7: nobody leaves a deck empty; only sailors repair."""
    return tuple(
        MoveFigure(figure, deck, zone)
        for figure in Figure
        for deck in DECKS
        if figure in ship.figures(deck) and ship.markers(deck) >= 2
        for zone in ROPES[deck]
        if ship.room(zone) and (figure is Figure.SAILOR or ZONES[zone].kind is ZoneKind.DECK)
    )


def _moved(ship: Ship, move: MoveFigure) -> Ship:
    match move.figure:
        case Figure.SAILOR:
            return ship.changed(Marker.CREW, one_at(move.deck, -1)).changed(Marker.CREW, one_at(move.zone))
        case Figure.CAPTAIN:
            return replace(ship, captain=move.zone)
        case Figure.MATE:
            return replace(ship, mate=move.zone)


def _repair(draft: State, seat: Seat, deck: Zone, zone: Zone, spared: bool) -> None:
    duelist = draft.duelists[seat]
    ship = duelist.ship.changed(ZONES[zone].marker, one_at(zone))
    duelist.ship = ship if spared else ship.changed(Marker.CREW, one_at(deck, -1))
    draft.tell(ZoneRepaired(seat, deck, zone, spared))
    if spared:
        effects.use_reputation(draft, seat)
