"""Who knows what: `view` and `seen`, and `hide`. The one file that decides it; spec section 3.

A view is built from nothing, field by field and by name: what we forget to add stays hidden. Parts of the state in
which all is public (a combat, a black ship, what cards did for this month) are shown as they are. A ship is seen
without its hand; that piece is kept with the ship.
"""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from referee.games.pirates_cove.data import FAME_CARDS, PARROTS
from referee.games.pirates_cove.events import CardDrawn, Event, card_drawn
from referee.games.pirates_cove.rules.legends import NavyTurn
from referee.games.pirates_cove.rules.navigation import Navigate
from referee.games.pirates_cove.rules.port import Moor, Visit
from referee.games.pirates_cove.rules.setup import FitOut
from referee.games.pirates_cove.rules.ships import speed
from referee.games.pirates_cove.rules.tavern import ParrotOffer
from referee.games.pirates_cove.rules.windows import CardWindow
from referee.games.pirates_cove.state import BlackShip, Combat, Freebooter, Navy, Ship, State, TreasureMap
from referee.games.pirates_cove.terms import Captain, Card, Offer, Phase, Place, Section, Treasure
from referee.rules.agenda import SeatQuestion
from referee.rules.chance import TABLE, Chance
from referee.rules.engine import SPECTATOR, Seat
from referee.rules.parts import Part, immutable, kept, put, replace


@immutable(frozen=True, kw_only=True, slots=True)
class ShipView(Part):
    """A ship as everybody sees it: all but what is in the hand."""

    place: Place
    fame: int
    gold: int
    chests: int
    levels: tuple[int, ...]
    parrot: Card | None
    parrot_wounded: bool
    artisan: Section | None
    artisan_damaged: bool
    hand_count: int


class VisitView(NamedTuple):
    """The ship in port now."""

    seat: Seat
    place: Place
    offers: tuple[Offer, ...]
    fame: int


@immutable(frozen=True, kw_only=True, slots=True)
class View:
    """Everything one seat may know."""

    seat: Seat
    month: int
    phase: Phase
    start_seat: Seat
    deciding: tuple[Seat, ...]
    gold: int
    chests: int
    ships: tuple[ShipView, ...]
    hand: tuple[Card, ...]
    face_up: tuple[Treasure, ...]
    pile_count: int
    treasure_discard: tuple[Treasure, ...]
    tavern_count: int
    tavern_discard: tuple[Card, ...]
    black_ships: tuple[BlackShip, ...]
    legend_count: int
    legend_discard: tuple[Captain, ...]
    navy: Navy | None
    freebooter: Freebooter | None
    treasure_map: TreasureMap | None
    lookout: Seat | None
    combat: Combat | None
    visit: VisitView | None
    parrot_offer: tuple[Seat, Card] | None
    scores: tuple[int, ...]


def view(state: State, seat: Seat) -> View:
    """Return everything that seat may know: the public table and its own hand."""
    top = state.pending[-1] if state.pending else None
    watching = seat == SPECTATOR
    return View(
        seat=Seat(len(state.ships)) if watching else seat,
        month=state.month,
        phase=state.phase,
        start_seat=state.start_seat,
        deciding=deciding(state),
        gold=state.gold,
        chests=state.chests,
        ships=tuple(map(view_ship, state.ships)),
        hand=() if watching else state.ships[seat].hand,
        face_up=state.face_up,
        pile_count=len(state.piles[0]),
        treasure_discard=state.treasure_discard,
        tavern_count=len(state.tavern),
        tavern_discard=state.tavern_discard,
        black_ships=state.black_ships,
        legend_count=len(state.legends),
        legend_discard=state.legend_discard,
        navy=state.navy,
        freebooter=state.freebooter,
        treasure_map=state.treasure_map,
        lookout=state.lookout,
        combat=state.combat,
        visit=view_visit(top) if isinstance(top, Visit) else None,
        parrot_offer=(top.seat, top.parrot) if isinstance(top, ParrotOffer) else None,
        scores=state.scores,
    )


def deciding(state: State) -> tuple[Seat, ...]:
    """Return whose decision it is; in a card window also that of a seat that can only pass."""
    match state.pending[-1] if state.pending else None:
        case SeatQuestion(seat=seat):
            return (seat,)
        case FitOut():
            return state.seats_from(Seat(0))
        case Navigate(left=left):
            return tuple(sorted(left)) if state.lookout is None else left[:1]
        case CardWindow(left=left):
            return left[:1]
        case NavyTurn():
            return () if state.navy is None else (state.navy.controller,)
        case _:
            return ()


def view_visit(visit: Visit) -> VisitView:
    """Return a visit as everybody sees it: all of it is public."""
    return VisitView(seat=visit.seat, place=visit.place, offers=visit.offers, fame=visit.fame)


@kept
def view_ship(ship: Ship) -> ShipView:
    """Return a ship without what is in its hand."""
    return ShipView(
        place=ship.place,
        fame=ship.fame,
        gold=ship.gold,
        chests=ship.chests,
        levels=ship.levels,
        parrot=ship.parrot,
        parrot_wounded=ship.parrot_wounded,
        artisan=ship.artisan,
        artisan_damaged=ship.artisan_damaged,
        hand_count=len(ship.hand),
    )


def seen(event: Event, seat: Seat) -> Event | None:
    """Return an event as that seat perceived it. All events are public, but a drawn card is seen by its owner only."""
    if isinstance(event, CardDrawn) and event.seat != seat:
        return card_drawn(event.seat, None)
    return event


def hide(state: State, seat: Seat, chance: Chance) -> State:
    """Return the same state with everything the seat cannot know drawn anew: other hands, all piles, the luck to
    come."""
    twin = state.copy()
    twin.chance = chance.copy()
    treasures = iter(chance.shuffle("hide treasures", TABLE, [card for pile in state.piles for card in pile]))
    twin.piles = tuple(tuple(next(treasures) for _ in pile) for pile in state.piles)
    twin.legends = tuple(chance.shuffle("hide legends", TABLE, state.legends))
    deal_anew(twin, seat, chance)
    moor_anew(twin, chance)
    return twin


def moor_anew(twin: State, chance: Chance) -> None:
    """Ships of one speed come into port in an order that was drawn, and that nobody is told beforehand."""
    places = [place for place, frame in enumerate(twin.pending) if isinstance(frame, Moor)]
    if len(places) < 2:
        return
    waiting = [frame for frame in twin.pending if isinstance(frame, Moor)]  # the next one last
    speeds = {frame: speed(twin, frame.seat) for frame in waiting}
    mixed = [
        Moor(seat, waiting[0].place)
        for _, tied in groupby(sorted(waiting, key=speeds.__getitem__), key=speeds.__getitem__)
        for seat in chance.shuffle("hide order", TABLE, [frame.seat for frame in tied])
    ]
    for place, frame in zip(places, mixed, strict=True):
        twin.pending = put(twin.pending, place, frame)


def deal_anew(twin: State, seat: Seat, chance: Chance) -> None:
    """Redeal the draw pile and the other hands. No hand holds a parrot, and scored Fame cards are known."""
    unknown = list(twin.tavern)
    counts: dict[int, int] = {}
    for other, ship in enumerate(twin.ships):
        if other != seat:
            known = [card for card in ship.hand if twin.scores and card in FAME_CARDS]
            unknown += [card for card in ship.hand if card not in known]
            counts[other] = len(ship.hand) - len(known)
            twin.set_ship(Seat(other), replace(ship, hand=tuple(known)))
    pile = chance.shuffle("hide cards", TABLE, unknown)
    held_back = set(PARROTS) | (set(FAME_CARDS) if twin.scores else set())
    for other, count in counts.items():
        dealt = [card for card in pile if card not in held_back][:count]
        for card in dealt:
            pile.remove(card)
        ship = twin.ships[other]
        twin.set_ship(Seat(other), replace(ship, hand=(*ship.hand, *dealt)))
    twin.tavern = tuple(pile)
