"""Removing markers, disasters, and the end of the game (spec 6.10 and 8.2; rulings R26 to R31)."""

from __future__ import annotations

from functools import lru_cache

from referee.engine import DUEL, Seat, other_seat
from referee.games.pavillon_noir.actions import Action, RemoveCrew, RemovePlanks, RemoveSails
from referee.games.pavillon_noir.data import DISASTERS, HULLS, PLANKS_TO_SINK, ZONES_OF
from referee.games.pavillon_noir.events import DisasterFlipped, GameEnded, MarkersRemoved
from referee.games.pavillon_noir.pending import CheckDisasters, Remove
from referee.games.pavillon_noir.rules.asked import Asked, misplayed
from referee.games.pavillon_noir.state import Ending, Ship, State
from referee.games.pavillon_noir.terms import Marker, Zone


def losses(ship: Ship, loss: Remove) -> int:
    """How many markers a loss really takes: no more than are there."""
    there = ship.count(loss.marker) if loss.zone is None else ship.markers(loss.zone)
    return min(loss.count, there)


def ask(state: State, loss: Remove) -> Asked:
    """D11 to D13: what the owner of the ship may remove."""
    ship = state.duelists[loss.seat].ship
    count = losses(ship, loss)
    match loss.marker:
        case Marker.PLANK:
            planks = _plank_options(ship.planks, count, loss.zone)
            # The default keeps the weakest zone as strong as possible: an empty one means a disaster.
            weakest = [
                min(there - gone for there, gone in zip(ship.planks, (o.bow, o.main, o.stern), strict=True))
                for o in planks
            ]
            return Asked("REMOVE_PLANKS", planks, weakest.index(max(weakest)))
        case Marker.SAIL:
            return Asked("REMOVE_SAILS", _sail_options(ship.sails, count, loss.zone))
        case Marker.CREW:
            crew = _crew_options(ship, count, loss.zone)
            officers = [option.captain + option.mate for option in crew]
            return Asked("REMOVE_CREW", crew, officers.index(min(officers)))


def play(draft: State, loss: Remove, action: Action) -> None:
    """Remove what the owner chose, with all consequences."""
    draft.pending.pop()
    match action:
        case RemovePlanks(bow, main, stern):
            remove(draft, loss.seat, Marker.PLANK, (bow, main, stern))
        case RemoveSails(bow, stern):
            remove(draft, loss.seat, Marker.SAIL, (bow, stern))
        case RemoveCrew(bow, main, stern, captain, mate):
            remove(draft, loss.seat, Marker.CREW, (bow, main, stern), captain, mate)
        case _:
            raise misplayed(loss, action)


def remove(
    draft: State, seat: Seat, marker: Marker, counts: tuple[int, ...], captain: bool = False, mate: bool = False
) -> None:
    """Take markers off a ship; the win check comes before any disaster (R30)."""
    duelist = draft.duelists[seat]
    ship = duelist.ship.changed(marker, tuple(-count for count in counts))
    duelist.ship = ship.without_officers(captain, mate)
    draft.tell(MarkersRemoved(seat, marker, counts, captain, mate))
    if duelist.ship.planks_missing >= PLANKS_TO_SINK:
        end(draft, other_seat(seat), "sink")
    elif not duelist.ship.officers:
        end(draft, other_seat(seat), "officers")
    elif marker is Marker.PLANK:
        draft.push(CheckDisasters(seat))


def check_disasters(draft: State, check: CheckDisasters) -> None:
    """Flip the first face-down token under an empty hull zone, and look again after its consequences (R29)."""
    duelist = draft.duelists[check.seat]
    for place, zone in enumerate(HULLS):
        if not duelist.ship.planks[place] and not duelist.flipped[place]:
            duelist.flipped = tuple(flipped or other == place for other, flipped in enumerate(duelist.flipped))
            disaster = duelist.tokens[place]
            marker, count = DISASTERS[disaster]
            draft.tell(DisasterFlipped(check.seat, zone, disaster))
            draft.push(Remove(check.seat, marker, count), check)
            return


def end_at_cap(draft: State) -> None:
    """Nobody won in time: compare planks, officers, crew and sails (spec 8.2)."""
    keys = []
    for duelist in draft.duelists:
        ship = duelist.ship
        keys.append((ship.count(Marker.PLANK), ship.officers, ship.count(Marker.CREW), ship.count(Marker.SAIL)))
    if keys[0] == keys[1]:
        end(draft, None, "cap_draw")
    else:
        end(draft, DUEL[keys[0] < keys[1]], "cap_win")


def end(draft: State, winner: Seat | None, reason: str) -> None:
    """The game is over at once: whatever was still to be done is not done."""
    draft.ending = Ending(winner, reason)
    draft.pending.clear()
    draft.shot = None
    draft.tell(GameEnded(winner, reason))


def splits(count: int, limits: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every way to spread a count over places with limits, in ascending order."""
    if len(limits) == 1:
        return [(count,)] if count <= limits[0] else []
    return [(here, *rest) for here in range(min(count, limits[0]) + 1) for rest in splits(count - here, limits[1:])]


def _limits(there: tuple[int, ...], marker: Marker, zone: Zone | None) -> tuple[int, ...]:
    """What may be taken from each zone, if only `zone` is concerned or (None) all of the kind are."""
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
        RemoveCrew(bow, main, stern, bool(one), bool(two))
        for bow, main, stern, one, two in splits(count, (*sailors, int(captain), int(mate)))
    )
