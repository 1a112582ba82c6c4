"""Who knows what: `view` and `seen`, and `hide` for the leak test. The one file that decides it; spec section 3.

A view is built from nothing, field by field and by name: what we forget to add stays hidden. Its pieces, which hold
nothing secret, are named tuples, because the wire finds their bytes by hash at every question and tuples hash fast.
"""

from __future__ import annotations

from typing import NamedTuple

from referee.agenda import SeatQuestion
from referee.chance import TABLE, Chance
from referee.engine import SPECTATOR, Seat
from referee.games.pirates_cove.data import FAME_CARDS, PARROTS
from referee.games.pirates_cove.events import CardDrawn, Event
from referee.games.pirates_cove.rules.legends import NavyTurn
from referee.games.pirates_cove.rules.navigation import Navigate
from referee.games.pirates_cove.rules.port import Visit
from referee.games.pirates_cove.rules.setup import FitOut
from referee.games.pirates_cove.rules.tavern import ParrotOffer
from referee.games.pirates_cove.rules.windows import CardWindow
from referee.games.pirates_cove.state import Combat, Ship, State
from referee.games.pirates_cove.terms import Captain, Card, Fighter, Offer, Phase, Place, Section, Treasure
from referee.parts import immutable


class ShipView(NamedTuple):
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


class CombatantView(NamedTuple):
    """A player ship still in the combat."""

    seat: Seat
    speed_bonus: int
    smoke: bool
    touched: bool
    reloading: bool


class CombatView(NamedTuple):
    """The combat under way."""

    place: Place
    exchange: int
    order: tuple[Fighter, ...]
    combatants: tuple[CombatantView, ...]
    hulls: tuple[tuple[Captain, int], ...]
    grapple: bool
    becalmed: bool
    laid: tuple[Card, ...]
    salvo: tuple[Card, ...]


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
    black_ships: tuple[tuple[Place, Captain | None], ...]
    legend_count: int
    legend_discard: tuple[Captain, ...]
    navy: tuple[Place, Seat] | None
    freebooter: tuple[Seat, Seat] | None
    treasure_map: tuple[Seat, Place] | None
    lookout: Seat | None
    combat: CombatView | None
    visit: VisitView | None
    parrot_offer: tuple[Seat, Card] | None
    scores: tuple[int, ...]


def view(state: State, seat: Seat) -> View:
    """Everything that seat may know: the public table and its own hand."""
    top = state.pending[-1] if state.pending else None
    navy, freebooter, treasure_map = state.navy, state.freebooter, state.treasure_map
    watching = seat == SPECTATOR
    return View(
        seat=Seat(len(state.ships)) if watching else seat,
        month=state.month,
        phase=state.phase,
        start_seat=state.start_seat,
        deciding=deciding(state),
        gold=state.gold,
        chests=state.chests,
        ships=tuple([view_ship(ship) for ship in state.ships]),
        hand=() if watching else tuple(state.ships[seat].hand),
        face_up=state.face_up,
        pile_count=len(state.piles[0]),
        treasure_discard=state.treasure_discard,
        tavern_count=len(state.tavern),
        tavern_discard=tuple(state.tavern_discard),
        black_ships=tuple([(ship.place, ship.captain) for ship in state.black_ships]),
        legend_count=len(state.legends),
        legend_discard=state.legend_discard,
        navy=None if navy is None else (navy.place, navy.controller),
        freebooter=None if freebooter is None else (freebooter.seat, freebooter.victim),
        treasure_map=None if treasure_map is None else (treasure_map.seat, treasure_map.island),
        lookout=state.lookout,
        combat=None if state.combat is None else view_combat(state.combat),
        visit=view_visit(top) if isinstance(top, Visit) else None,
        parrot_offer=(top.seat, top.parrot) if isinstance(top, ParrotOffer) else None,
        scores=state.scores,
    )


def deciding(state: State) -> tuple[Seat, ...]:
    """Whose decision it is; in a card window also that of a seat that can only pass."""
    match state.pending[-1] if state.pending else None:
        case FitOut():
            return state.seats_from(Seat(0))
        case Navigate(left=left):
            return tuple(sorted(left)) if state.lookout is None else left[:1]
        case CardWindow(left=left):
            return left[:1]
        case NavyTurn():
            return () if state.navy is None else (state.navy.controller,)
        case SeatQuestion(seat=seat):
            return (seat,)
        case _:
            return ()


def view_visit(visit: Visit) -> VisitView:
    """All of a visit is public."""
    return VisitView(seat=visit.seat, place=visit.place, offers=visit.offers, fame=visit.fame)


def view_ship(ship: Ship) -> ShipView:
    """A ship without what is in its hand."""
    return ShipView(
        place=ship.place,
        fame=ship.fame,
        gold=ship.gold,
        chests=ship.chests,
        levels=tuple(ship.levels),
        parrot=ship.parrot,
        parrot_wounded=ship.parrot_wounded,
        artisan=ship.artisan,
        artisan_damaged=ship.artisan_damaged,
        hand_count=len(ship.hand),
    )


def view_combat(combat: Combat) -> CombatView:
    """All of a combat is public."""
    return CombatView(
        place=combat.place,
        exchange=combat.exchange,
        order=combat.order,
        combatants=tuple(
            [
                CombatantView(
                    seat=seat,
                    speed_bonus=combat.speed.get(seat, 0),
                    smoke=seat in combat.shrouds,
                    touched=seat in combat.touched,
                    reloading=seat in combat.reloading,
                )
                for seat in combat.seats
            ]
        ),
        hulls=tuple(combat.hulls.items()),
        grapple=combat.dice_from is not None,
        becalmed=combat.becalmed,
        laid=combat.laid,
        salvo=combat.salvo.cards,
    )


def seen(event: Event, seat: Seat) -> Event | None:
    """All events are public, but a drawn card is seen by its owner only."""
    if isinstance(event, CardDrawn) and event.seat != seat:
        return CardDrawn(event.seat, None)
    return event


def hide(state: State, seat: Seat, chance: Chance) -> State:
    """The same state with everything the seat cannot know drawn anew: other hands, all piles, the luck to come."""
    twin = state.copy()
    twin.chance = chance.copy()
    treasures = iter(chance.shuffle("hide treasures", TABLE, [card for pile in state.piles for card in pile]))
    twin.piles = tuple(tuple(next(treasures) for _ in pile) for pile in state.piles)
    twin.legends = tuple(chance.shuffle("hide legends", TABLE, state.legends))
    deal_anew(twin, seat, chance)
    return twin


def deal_anew(twin: State, seat: Seat, chance: Chance) -> None:
    """Redeal the draw pile and the other hands. No hand holds a parrot, and scored Fame cards are known."""
    unknown = twin.tavern
    counts: dict[int, int] = {}
    for other, ship in enumerate(twin.ships):
        if other != seat:
            known = [card for card in ship.hand if twin.scores and card in FAME_CARDS]
            unknown += [card for card in ship.hand if card not in known]
            counts[other] = len(ship.hand) - len(known)
            ship.hand = known
    pile = chance.shuffle("hide cards", TABLE, unknown)
    held_back = set(PARROTS) | (set(FAME_CARDS) if twin.scores else set())
    for other, count in counts.items():
        for _ in range(count):
            card = next(card for card in pile if card not in held_back)
            pile.remove(card)
            twin.ships[other].hand.append(card)
    twin.tavern = pile
