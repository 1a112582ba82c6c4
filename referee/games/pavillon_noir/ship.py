"""A ship's markers and what their absence costs: the count model of spec 2.3 (rulings R7, R8, R31).

Crew and sails move freely inside their zone, so the owner chooses at every moment which slots are empty. Counts
per zone, and the decks of the two officers, are therefore all there is to know.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from referee.games.pavillon_noir.data import (
    DECK_OF,
    DECKS,
    HAND_LIMIT,
    HULLS,
    MOST_CANNON_PENALTY,
    PLANKS,
    SAIL_ZONES,
    SAILORS,
    ZONES,
)
from referee.games.pavillon_noir.terms import Figure, Gun, Marker, Zone


class Posture(NamedTuple):
    """What a gun deck costs a broadside, by the slots its owner leaves open."""

    penalty: int
    silenced: bool


@dataclass(frozen=True, slots=True)
class Ship:
    """The markers on one ship, zone by zone from bow to stern."""

    sails: tuple[int, ...] = tuple(ZONES[zone].slots for zone in SAIL_ZONES)
    sailors: tuple[int, ...] = (0, 0, 0)
    planks: tuple[int, ...] = tuple(ZONES[zone].slots for zone in HULLS)
    captain: Zone | None = None
    """The captain's deck; None when eliminated, and before the officers are placed."""
    mate: Zone | None = None
    """The mate's deck; None likewise."""

    def markers(self, zone: Zone) -> int:
        """Markers present in a zone; on a deck, sailors and officers."""
        if zone <= Zone.SAIL_STERN:
            return self.sails[zone]
        if zone >= Zone.HULL_BOW:
            return self.planks[zone - Zone.HULL_BOW]
        return self.sailors[zone - Zone.DECK_BOW] + (self.captain is zone) + (self.mate is zone)

    def room(self, zone: Zone) -> int:
        """Free slots of a zone: `open(z)` of the specification."""
        return ZONES[zone].slots - self.markers(zone)

    def bare(self, zone: Zone) -> int:
        """Slots with a symbol that are laid bare."""
        return max(0, self.room(zone) - ZONES[zone].plain)

    @property
    def sail_penalty(self) -> int:
        """Cards by which Sheer off and Evade are shortened."""
        return self.bare(Zone.SAIL_BOW) + self.bare(Zone.SAIL_STERN)

    @property
    def hand_limit(self) -> int:
        """Cards the owner may keep at the end of a turn."""
        return HAND_LIMIT - self.bare(Zone.DECK_MAIN)

    @property
    def planks_missing(self) -> int:
        """Planks of the full hull that are not there now."""
        return PLANKS - sum(self.planks)

    @property
    def sailors_lost(self) -> int:
        """Sailors out of the game or waiting for the surgeon."""
        return SAILORS - sum(self.sailors)

    @property
    def officers(self) -> int:
        """Officers alive."""
        return (self.captain is not None) + (self.mate is not None)

    def cannon_penalty(self, gun: Gun) -> int:
        """What a shot of that gun loses."""
        return min(MOST_CANNON_PENALTY, self.bare(DECK_OF[gun]))

    def is_silenced(self, gun: Gun) -> bool:
        """Whether the no-fire slot cannot be covered any more."""
        return self.bare(DECK_OF[gun]) > MOST_CANNON_PENALTY

    def postures(self, gun: Gun) -> tuple[Posture, ...]:
        """What the owner can make of a gun deck for a broadside: the usual, and if possible no-fire against one -1."""
        bare = self.bare(DECK_OF[gun])
        normal = Posture(min(MOST_CANNON_PENALTY, bare), bare > MOST_CANNON_PENALTY)
        return (normal, Posture(bare - 1, True)) if 1 <= bare <= MOST_CANNON_PENALTY else (normal,)

    def figures(self, deck: Zone) -> tuple[Figure, ...]:
        """The kinds of figure present on a deck, in canonical order."""
        present = [Figure.SAILOR] if self.sailors[deck - Zone.DECK_BOW] else []
        present += [Figure.CAPTAIN] if self.captain is deck else []
        present += [Figure.MATE] if self.mate is deck else []
        return tuple(present)

    def count(self, marker: Marker) -> int:
        """All markers of one kind."""
        if marker is Marker.PLANK:
            return sum(self.planks)
        return sum(self.sails) if marker is Marker.SAIL else sum(self.sailors) + self.officers

    def with_officers(self, captain: Zone, mate: Zone) -> Ship:
        """The officers placed, and every other slot of the decks filled with sailors."""
        sailors = tuple(ZONES[deck].slots - (captain is deck) - (mate is deck) for deck in DECKS)
        return replace(self, captain=captain, mate=mate, sailors=sailors)

    def changed(self, marker: Marker, counts: tuple[int, ...]) -> Ship:
        """Planks, sails or sailors added (or, negative, taken away), zone by zone."""
        match marker:
            case Marker.PLANK:
                return replace(self, planks=_sum(self.planks, counts))
            case Marker.SAIL:
                return replace(self, sails=_sum(self.sails, counts))
            case Marker.CREW:
                return replace(self, sailors=_sum(self.sailors, counts))

    def without_officers(self, captain: bool, mate: bool) -> Ship:
        """The named officers eliminated."""
        return replace(self, captain=None if captain else self.captain, mate=None if mate else self.mate)


def one_at(zone: Zone, count: int = 1) -> tuple[int, ...]:
    """Counts for all zones of one kind, all of them 0 but one."""
    row = SAIL_ZONES if zone <= Zone.SAIL_STERN else HULLS if zone >= Zone.HULL_BOW else DECKS
    return tuple(count if other is zone else 0 for other in row)


def _sum(present: tuple[int, ...], change: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(int.__add__, present, change))
