"""Patching up: cards for moves, moves for repairs (spec 6.7; ruling R32)."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar, assert_never

from referee.agenda import SeatQuestion, push
from referee.engine import Seat
from referee.games.pavillon_noir.actions import Give, MoveFigure, Stop
from referee.games.pavillon_noir.data import DECKS, ROPES, ZONES
from referee.games.pavillon_noir.events import Done, FigureMoved, ZoneRepaired
from referee.games.pavillon_noir.rules.combos import subsets
from referee.games.pavillon_noir.rules.piles import cards_to_keep, discard_from_hand
from referee.games.pavillon_noir.rules.reputations import perks, use_reputation
from referee.games.pavillon_noir.state import Ship, State, one_at
from referee.games.pavillon_noir.terms import Deed, Figure, Marker, Zone, ZoneKind
from referee.parts import immutable, replace

STOP = Stop()
MOST_MOVES = 3


@immutable(frozen=True, slots=True)
class PatchCards(SeatQuestion[State, Give]):
    """Decision D15: the cards to pay for moves."""

    TAG: ClassVar[str] = "PatchCards"
    kind: ClassVar[str] = "PATCH_CARDS"

    def options(self, state: State) -> tuple[Give, ...]:
        """One card per move."""
        hand = state.duelists[self.seat].hand
        sizes = range(1, min(MOST_MOVES, len(hand) - cards_to_keep(state)) + 1)
        return tuple(Give(cards) for size in sizes for cards in subsets(hand, size))

    def choose(self, draft: State, action: Give) -> None:
        """Step 1 of 6.7."""
        discard_from_hand(draft, self.seat, action.cards)
        draft.events.append(Done(self.seat, Deed.PATCH, action.cards))
        spared = perks(draft.duelists[self.seat]).spared_sailors
        push(draft, PatchMove(self.seat, len(action.cards), spared, first=True))


@immutable(frozen=True, slots=True)
class PatchMove(SeatQuestion[State, Stop | MoveFigure]):
    """Decision D16: a move. Knows how many moves are left and how many sailors will still be spared."""

    TAG: ClassVar[str] = "PatchMove"
    kind: ClassVar[str] = "PATCH_MOVE"

    left: int
    spared: int
    first: bool

    def is_moot(self, state: State) -> bool:
        """No move left, or none possible."""
        return not self.left or not moves(state.duelists[self.seat].ship)

    def options(self, state: State) -> tuple[Stop | MoveFigure, ...]:
        """Stop (not at once), or one of the moves."""
        options = moves(state.duelists[self.seat].ship)
        return options if self.first else (STOP, *options)

    def choose(self, draft: State, action: Stop | MoveFigure) -> None:
        """Steps 2 to 4 of 6.7: one move, from the state that the one before left."""
        match action:
            case Stop():
                return
            case MoveFigure():
                repairs = ZONES[action.zone].kind is not ZoneKind.DECK
                spared = repairs and self.spared > 0
                if repairs:
                    _repair(draft, self.seat, action.deck, action.zone, spared)
                else:
                    _move(draft, self.seat, action)
                push(draft, PatchMove(self.seat, self.left - 1, self.spared - spared, first=False))
            case _:
                assert_never(action)


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


def _move(draft: State, seat: Seat, move: MoveFigure) -> None:
    duelist = draft.duelists[seat]
    duelist.ship = _moved(duelist.ship, move)
    draft.events.append(FigureMoved(seat, move.figure, move.deck, move.zone))


def _moved(ship: Ship, move: MoveFigure) -> Ship:
    match move.figure:
        case Figure.SAILOR:
            return ship.changed(Marker.CREW, one_at(move.deck, -1)).changed(Marker.CREW, one_at(move.zone))
        case Figure.CAPTAIN:
            return replace(ship, captain=move.zone)
        case Figure.MATE:
            return replace(ship, mate=move.zone)
        case _:
            assert_never(move.figure)


def _repair(draft: State, seat: Seat, deck: Zone, zone: Zone, spared: bool) -> None:
    duelist = draft.duelists[seat]
    ship = duelist.ship.changed(ZONES[zone].marker, one_at(zone))
    duelist.ship = ship if spared else ship.changed(Marker.CREW, one_at(deck, -1))
    draft.events.append(ZoneRepaired(seat, deck, zone, spared))
    if spared:
        use_reputation(draft, seat)
