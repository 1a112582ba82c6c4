"""Patching up: cards for moves, moves for repairs (spec 6.7; ruling R32)."""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.pavillon_noir.actions import Give, MoveFigure, Stop, give, move_figure
from referee.games.pavillon_noir.data import DECKS, ROPES, ZONES
from referee.games.pavillon_noir.events import ZoneRepaired, done, figure_moved
from referee.games.pavillon_noir.rules.combos import subsets
from referee.games.pavillon_noir.rules.piles import cards_to_keep, discard_from_hand
from referee.games.pavillon_noir.rules.reputations import perks, use_reputation
from referee.games.pavillon_noir.state import Ship, State, one_at, set_duelist
from referee.games.pavillon_noir.terms import Deed, Figure, Marker, Zone, ZoneKind
from referee.rules.agenda import SeatQuestion, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, kept, replace

STOP = Stop()
MOST_MOVES = 3


@immutable(frozen=True, slots=True)
class PatchCards(SeatQuestion[State, Give]):
    """Decision D15: the cards to pay for moves."""

    TAG: ClassVar[str] = "PatchCards"
    kind: ClassVar[str] = "PATCH_CARDS"

    def options(self, state: State) -> tuple[Give, ...]:
        """Return one card per move."""
        hand = state.duelists[self.seat].hand
        sizes = range(1, min(MOST_MOVES, len(hand) - cards_to_keep(state)) + 1)
        return tuple(give(cards) for size in sizes for cards in subsets(hand, size))

    def choose(self, draft: State, action: Give) -> None:
        """Step 1 of 6.7."""
        discard_from_hand(draft, self.seat, action.cards)
        draft.events.append(done(self.seat, Deed.PATCH, action.cards))
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
        """Check that no move is left, or none possible."""
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


@kept
def moves(ship: Ship) -> tuple[MoveFigure, ...]:
    """Step 3 of 6.7: nobody leaves a deck empty; only sailors repair."""
    return tuple(
        move_figure(figure, deck, zone)
        for figure in Figure
        for deck in DECKS
        if figure in ship.figures(deck) and ship.markers(deck) >= 2
        for zone in ROPES[deck]
        if ship.room(zone) and (figure is Figure.SAILOR or ZONES[zone].kind is ZoneKind.DECK)
    )


def _move(draft: State, seat: Seat, move: MoveFigure) -> None:
    own = draft.duelists[seat]
    set_duelist(draft, seat, replace(own, ship=_moved(own.ship, move)))
    draft.events.append(figure_moved(seat, move.figure, move.deck, move.zone))


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
    own = draft.duelists[seat]
    ship = own.ship.changed(ZONES[zone].marker, one_at(zone))
    if not spared:
        ship = ship.changed(Marker.CREW, one_at(deck, -1))
    set_duelist(draft, seat, replace(own, ship=ship))
    draft.events.append(ZoneRepaired(seat, deck, zone, spared))
    if spared:
        use_reputation(draft, seat)
