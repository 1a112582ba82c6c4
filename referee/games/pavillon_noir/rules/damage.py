"""Removing markers, disasters, and the end of the game (spec 6.10 and 8.2; rulings R26 to R31)."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar, Generic, TypeVar

from referee.games.pavillon_noir.actions import RemoveCrew, RemovePlanks, RemoveSails
from referee.games.pavillon_noir.data import DISASTERS, HULLS, PLANKS_TO_SINK, ZONES_OF
from referee.games.pavillon_noir.events import DisasterFlipped, GameEnded, markers_removed
from referee.games.pavillon_noir.state import Ending, Ship, State, set_duelist
from referee.games.pavillon_noir.terms import EndReason, Marker, Zone
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import DUEL, Seat, other_seat
from referee.rules.parts import immutable, put, replace

R = TypeVar("R", RemovePlanks, RemoveSails, RemoveCrew)

# --- REMOVE_PLANKS, REMOVE_SAILS, REMOVE_CREW --------------------------------------------------------------


@immutable(frozen=True, slots=True)
class MarkerLoss(SeatQuestion[State, R], Generic[R]):
    """The seat removes markers of its own ship, from one zone or (None) from all of their kind."""

    marker: ClassVar[Marker]

    count: int
    zone: Zone | None = None

    def is_moot(self, state: State) -> bool:
        """Nothing to remove, or nothing left."""
        return not self.taken(state.duelists[self.seat].ship)

    def taken(self, ship: Ship) -> int:
        """Return how many markers a loss really takes: no more than are there."""
        there = ship.count(self.marker) if self.zone is None else ship.markers(self.zone)
        return min(self.count, there)


@immutable(frozen=True, slots=True)
class LosePlanks(MarkerLoss[RemovePlanks]):
    """Decision D11: which planks to remove."""

    TAG: ClassVar[str] = "LosePlanks"
    kind: ClassVar[str] = "REMOVE_PLANKS"
    marker: ClassVar[Marker] = Marker.PLANK

    def options(self, state: State) -> tuple[RemovePlanks, ...]:
        """Return every way to spread the loss over the hull zones."""
        ship = state.duelists[self.seat].ship
        return _plank_options(ship.planks, self.taken(ship), self.zone)

    def default(self, state: State, options: tuple[RemovePlanks, ...]) -> int:
        """Keep the weakest zone as strong as possible: an empty one means a disaster."""
        planks = state.duelists[self.seat].ship.planks
        weakest = [
            min(there - gone for there, gone in zip(planks, (o.bow, o.main, o.stern), strict=True)) for o in options
        ]
        return weakest.index(max(weakest))

    def choose(self, draft: State, action: RemovePlanks) -> None:
        """Take them off the ship."""
        remove(draft, self.seat, self.marker, (action.bow, action.main, action.stern))


@immutable(frozen=True, slots=True)
class LoseSails(MarkerLoss[RemoveSails]):
    """Decision D12: which sails to remove."""

    TAG: ClassVar[str] = "LoseSails"
    kind: ClassVar[str] = "REMOVE_SAILS"
    marker: ClassVar[Marker] = Marker.SAIL

    def options(self, state: State) -> tuple[RemoveSails, ...]:
        """Return every way to spread the loss over the sail zones."""
        ship = state.duelists[self.seat].ship
        return _sail_options(ship.sails, self.taken(ship), self.zone)

    def choose(self, draft: State, action: RemoveSails) -> None:
        """Take them off the ship."""
        remove(draft, self.seat, self.marker, (action.bow, action.stern))


@immutable(frozen=True, slots=True)
class LoseCrew(MarkerLoss[RemoveCrew]):
    """Decision D13: which sailors and officers to remove."""

    TAG: ClassVar[str] = "LoseCrew"
    kind: ClassVar[str] = "REMOVE_CREW"
    marker: ClassVar[Marker] = Marker.CREW

    def options(self, state: State) -> tuple[RemoveCrew, ...]:
        """Return every way to spread the loss over the sailors of the decks and the officers."""
        ship = state.duelists[self.seat].ship
        return _crew_options(ship, self.taken(ship), self.zone)

    def default(self, state: State, options: tuple[RemoveCrew, ...]) -> int:
        """Return the choice with as few officers as possible."""
        officers = [option.captain + option.mate for option in options]
        return officers.index(min(officers))

    def choose(self, draft: State, action: RemoveCrew) -> None:
        """Take them off the ship."""
        sailors = (action.bow, action.main, action.stern)
        remove(draft, self.seat, self.marker, sailors, action.captain, action.mate)


LOSSES: dict[Marker, type[LosePlanks | LoseSails | LoseCrew]] = {
    loss.marker: loss for loss in (LosePlanks, LoseSails, LoseCrew)
}


def remove(
    draft: State, seat: Seat, marker: Marker, counts: tuple[int, ...], captain: bool = False, mate: bool = False
) -> None:
    """Take markers off a ship; the win check comes before any disaster (R30)."""
    own = draft.duelists[seat]
    ship = own.ship.changed(marker, tuple(-count for count in counts)).without_officers(captain, mate)
    set_duelist(draft, seat, replace(own, ship=ship))
    draft.events.append(markers_removed(seat, marker, counts, captain, mate))
    if ship.planks_missing >= PLANKS_TO_SINK:
        end(draft, other_seat(seat), EndReason.SINK)
    elif not ship.officers:
        end(draft, other_seat(seat), EndReason.OFFICERS)
    elif marker is Marker.PLANK:
        push(draft, CheckDisasters(seat))


# --- Disasters ---------------------------------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class CheckDisasters(Task[State]):
    """Look for empty hull zones of the seat whose token is still face down."""

    TAG: ClassVar[str] = "CheckDisasters"

    seat: Seat

    def run(self, draft: State) -> None:
        """Flip the first such token, and look again after its consequences (R29)."""
        own = draft.duelists[self.seat]
        for place, zone in enumerate(HULLS):
            if not own.ship.planks[place] and not own.flipped[place]:
                set_duelist(draft, self.seat, replace(own, flipped=put(own.flipped, place, True)))
                disaster = own.tokens[place]
                marker, count = DISASTERS[disaster]
                draft.events.append(DisasterFlipped(self.seat, zone, disaster))
                push(draft, LOSSES[marker](self.seat, count), self)
                return


# --- The end -----------------------------------------------------------------------------------------------


def end_at_cap(draft: State) -> None:
    """Nobody won in time: compare planks, officers, crew and sails (spec 8.2)."""
    keys = []
    for duelist in draft.duelists:
        ship = duelist.ship
        keys.append((ship.count(Marker.PLANK), ship.officers, ship.count(Marker.CREW), ship.count(Marker.SAIL)))
    if keys[0] == keys[1]:
        end(draft, None, EndReason.CAP_DRAW)
    else:
        end(draft, DUEL[keys[0] < keys[1]], EndReason.CAP_WIN)


def end(draft: State, winner: Seat | None, reason: EndReason) -> None:
    """End the game at once: whatever was still to be done is not done."""
    draft.ending = Ending(winner, reason)
    draft.pending = ()
    draft.shot = None
    draft.events.append(GameEnded(winner, reason))


# --- Options -----------------------------------------------------------------------------------------------


def splits(count: int, limits: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return every way to spread a count over places with limits, in ascending order."""
    if len(limits) == 1:
        return [(count,)] if count <= limits[0] else []
    return [(here, *rest) for here in range(min(count, limits[0]) + 1) for rest in splits(count - here, limits[1:])]


def _limits(there: tuple[int, ...], marker: Marker, zone: Zone | None) -> tuple[int, ...]:
    """Return what may be taken from each zone, if only `zone` is concerned or (None) all of the kind are."""
    zones = ZONES_OF[marker]
    return tuple(count if zone in (None, zones[place]) else 0 for place, count in enumerate(there))


@lru_cache(4096)
def _plank_options(planks: tuple[int, ...], count: int, zone: Zone | None) -> tuple[RemovePlanks, ...]:
    return tuple(RemovePlanks(*split) for split in splits(count, _limits(planks, Marker.PLANK, zone)))


@lru_cache(4096)
def _sail_options(sails: tuple[int, ...], count: int, zone: Zone | None) -> tuple[RemoveSails, ...]:
    return tuple(RemoveSails(*split) for split in splits(count, _limits(sails, Marker.SAIL, zone)))


@lru_cache(4096)
def _crew_options(ship: Ship, count: int, zone: Zone | None) -> tuple[RemoveCrew, ...]:
    sailors = _limits(ship.sailors, Marker.CREW, zone)
    captain = ship.captain is not None and zone in (None, ship.captain)
    mate = ship.mate is not None and zone in (None, ship.mate)
    return tuple(
        RemoveCrew(bow, main, stern, bool(with_captain), bool(with_mate))
        for bow, main, stern, with_captain, with_mate in splits(count, (*sailors, int(captain), int(mate)))
    )
