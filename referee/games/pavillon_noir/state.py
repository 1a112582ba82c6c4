"""What lies on the table: spec 3, item by item. A ship also says what its empty slots cost (2.3). No rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple, assert_never

from referee.games.pavillon_noir.data import (
    DECK_OF,
    DECKS,
    DISCS_OF_EACH,
    HAND_LIMIT,
    HULLS,
    MOST_CANNON_PENALTY,
    PLANKS,
    SAIL_ZONES,
    SAILORS,
    ZONES,
)
from referee.games.pavillon_noir.events import Event
from referee.games.pavillon_noir.terms import (
    Cannon,
    Card,
    Cards,
    Decks,
    Disaster,
    Discs,
    EndReason,
    Figure,
    Gun,
    Marker,
    Phase,
    Projectile,
    Reputation,
    Side,
    TargetCard,
    Trick,
    Zone,
)
from referee.rules.agenda import AgendaState, Pending
from referee.rules.chance import Chance
from referee.rules.engine import Outcome, Seat, duel
from referee.rules.parts import Part, immutable, interned, replace


@immutable(frozen=True, kw_only=True, slots=True)
class Settings(Part):
    """The settings of the match."""

    TAG: ClassVar[str] = "Settings"

    decks: Decks = Decks.BASE
    first_seat: Seat | None = None
    """None: drawn by lot."""
    max_rounds: int = 60


class Posture(NamedTuple):
    """What a gun deck costs a broadside, by the slots its owner leaves open."""

    penalty: int
    silenced: bool


@immutable(frozen=True, slots=True)
class Ship(Part):
    """The markers on one ship, zone by zone from bow to stern: the count model of spec 2.3 (R7, R8, R31).

    Crew and sails move freely inside their zone, so the owner chooses at every moment which slots are empty. Counts
    per zone, and the decks of the two officers, are therefore all there is to know.
    """

    TAG: ClassVar[str] = "Ship"

    sails: tuple[int, ...] = tuple(ZONES[zone].slots for zone in SAIL_ZONES)
    sailors: tuple[int, ...] = (0, 0, 0)
    planks: tuple[int, ...] = tuple(ZONES[zone].slots for zone in HULLS)
    captain: Zone | None = None
    """The captain's deck; None when eliminated, and before the officers are placed."""
    mate: Zone | None = None
    """The mate's deck; None likewise."""

    @cached_property
    def _markers(self) -> tuple[int, ...]:
        officers = [(self.captain is deck) + (self.mate is deck) for deck in DECKS]
        return (*self.sails, *map(int.__add__, self.sailors, officers), *self.planks)

    @cached_property
    def _bare(self) -> tuple[int, ...]:
        return tuple(max(0, self.room(zone) - ZONES[zone].plain) for zone in Zone)

    def markers(self, zone: Zone) -> int:
        """Markers present in a zone; on a deck, sailors and officers."""
        return self._markers[zone]

    def room(self, zone: Zone) -> int:
        """Free slots of a zone: `open(z)` of the specification."""
        return ZONES[zone].slots - self._markers[zone]

    def bare(self, zone: Zone) -> int:
        """Slots with a symbol that are laid bare."""
        return self._bare[zone]

    @cached_property
    def sail_penalty(self) -> int:
        """Cards by which Sheer off and Evade are shortened."""
        return self.bare(Zone.SAIL_BOW) + self.bare(Zone.SAIL_STERN)

    @cached_property
    def hand_limit(self) -> int:
        """Cards the owner may keep at the end of a turn."""
        return HAND_LIMIT - self.bare(Zone.DECK_MAIN)

    @property
    def planks_missing(self) -> int:
        """Planks of the full hull that are not there now."""
        return PLANKS - sum(self.planks)

    @property
    def sailors_lost(self) -> int:
        """Sailors who are not on the ship."""
        return SAILORS - sum(self.sailors)

    @property
    def officers(self) -> int:
        """Officers alive."""
        return (self.captain is not None) + (self.mate is not None)

    def cannon_penalty(self, gun: Gun) -> int:
        """Return what a shot of that gun loses."""
        return min(MOST_CANNON_PENALTY, self.bare(DECK_OF[gun]))

    def is_silenced(self, gun: Gun) -> bool:
        """Check whether the no-fire slot cannot be covered any more."""
        return self.bare(DECK_OF[gun]) > MOST_CANNON_PENALTY

    def postures(self, gun: Gun) -> tuple[Posture, ...]:
        """Return what the owner can make of a gun deck for a broadside: the usual, and if possible no-fire against
        one -1."""
        bare = self.bare(DECK_OF[gun])
        normal = Posture(min(MOST_CANNON_PENALTY, bare), bare > MOST_CANNON_PENALTY)
        return (normal, Posture(bare - 1, True)) if 1 <= bare <= MOST_CANNON_PENALTY else (normal,)

    def figures(self, deck: Zone) -> tuple[Figure, ...]:
        """Return the kinds of figure present on a deck, in canonical order."""
        present = [Figure.SAILOR] if self.sailors[deck - Zone.DECK_BOW] else []
        present += [Figure.CAPTAIN] if self.captain is deck else []
        present += [Figure.MATE] if self.mate is deck else []
        return tuple(present)

    def count(self, marker: Marker) -> int:
        """Return all markers of one kind."""
        if marker is Marker.PLANK:
            return sum(self.planks)
        return sum(self.sails) if marker is Marker.SAIL else sum(self.sailors) + self.officers

    def with_officers(self, captain: Zone, mate: Zone) -> Ship:
        """Return the same with the officers placed, and every other slot of the decks filled with sailors."""
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
            case _:
                assert_never(marker)

    def without_officers(self, captain: bool, mate: bool) -> Ship:
        """Return the same with the named officers eliminated."""
        return replace(self, captain=None if captain else self.captain, mate=None if mate else self.mate)


def one_at(zone: Zone, count: int = 1) -> tuple[int, ...]:
    """Counts for all zones of one kind, all of them 0 but one."""
    row = SAIL_ZONES if zone <= Zone.SAIL_STERN else HULLS if zone >= Zone.HULL_BOW else DECKS
    return tuple(count if other is zone else 0 for other in row)


def _sum(present: tuple[int, ...], change: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(int.__add__, present, change))


@immutable(frozen=True, slots=True)
class Placed(Part):
    """An aim card beside a target card, with the value it stands for."""

    TAG: ClassVar[str] = "Placed"

    card: Card
    value: int


placed = interned(Placed)


@immutable(frozen=True, slots=True)
class Target(Part):
    """A target card in front of a seat, and the aim cards on it."""

    TAG: ClassVar[str] = "Target"

    card: TargetCard
    left: Placed | None = None
    below: Placed | None = None

    def on(self, side: Side) -> Placed | None:
        """Return the aim card on one side."""
        return self.left if side is Side.LEFT else self.below

    def having(self, side: Side, aim: Placed | None) -> Target:
        """Return the same target card with one side changed."""
        return Target(self.card, aim, self.below) if side is Side.LEFT else Target(self.card, self.left, aim)

    @property
    def aim_cards(self) -> tuple[Card, ...]:
        """Return the aim cards on it."""
        return tuple([aim.card for aim in (self.left, self.below) if aim is not None])


@immutable(frozen=True, slots=True)
class Shot(Part):
    """A shot under way; public throughout."""

    TAG: ClassVar[str] = "Shot"

    attacker: Seat
    gun: Gun
    zone: Zone
    projectile: Projectile
    initial: int
    damage: int
    """Running: it may be negative, and never rises above `initial`."""
    reductions: tuple[int, ...]
    """By target index."""
    doubled: bool = False
    unevadable: bool = False
    evaded: bool = False
    """A run was played against it."""
    tricks: tuple[Trick, ...] = ()
    """Tricks of both seats played on it."""


@immutable(frozen=True, slots=True)
class Ending(Part):
    """How the game ended; no winner means a draw."""

    TAG: ClassVar[str] = "Ending"

    winner: Seat | None
    reason: EndReason


@immutable(frozen=True, slots=True)
class Duelist(Part):
    """Everything that belongs to one seat."""

    TAG: ClassVar[str] = "Duelist"

    ship: Ship
    tokens: tuple[Disaster, ...]
    """Under hull bow, main, stern; nobody looks before they are flipped."""
    deck: Cards
    """Its last card is drawn first."""
    flipped: tuple[bool, ...] = (False, False, False)
    cannons: tuple[Cannon, ...] = ()
    """At bow and stern; empty before SETUP_CANNONS."""
    loads: tuple[Discs, Discs] = ((), ())
    """In the bow and in the stern cannon, each in canonical order."""
    drawn: Discs = ()
    """Discs drawn and not yet loaded."""
    gun: Gun | None = None
    zone: Zone | None = None
    targets: tuple[Target, ...] = ()
    hand: Cards = ()
    """In canonical order."""
    discard: Cards = ()
    tracks: tuple[tuple[int, ...], ...] = ((), (), ())
    """By track: the covered suits or values, ascending."""
    reputation: Reputation | None = None
    offered_reputations: tuple[Reputation, ...] = ()
    rejected_reputations: tuple[Reputation, ...] = ()
    tricks: tuple[Trick, ...] = ()
    """Held, ascending."""
    played_tricks: tuple[Trick, ...] = ()
    offered_tricks: tuple[Trick, ...] = ()
    rejected_tricks: tuple[Trick, ...] = ()


@dataclass(slots=True)
class State(AgendaState):
    """The whole table."""

    TAG: ClassVar[str] = "State"

    settings: Settings
    chance: Chance
    duelists: tuple[Duelist, Duelist]
    target_deck: tuple[TargetCard, ...]
    """Seat 0 draws from its end, seat 1 from its beginning (see rules/piles.py)."""
    pending: tuple[Pending, ...]
    target_discard: tuple[TargetCard, ...] = ()
    bag: tuple[int, int, int] = (DISCS_OF_EACH, DISCS_OF_EACH, DISCS_OF_EACH)
    """Balls, chains and grape."""
    trick_deck: tuple[Trick, ...] = ()
    """Tricks not dealt yet, the next ones first."""
    phase: Phase = Phase.SETUP
    turn: int = 0
    first: Seat | None = None
    active: Seat | None = None
    actions: int = 0
    """Actions left, the one under way not counted."""
    aimed: bool = False
    untouched: bool = False
    """Nothing was done yet this turn: the target may still be changed."""
    shot: Shot | None = None
    ending: Ending | None = None
    events: list[Event] = field(default_factory=list)
    """The facts of the step under way; empty between two steps."""
    dice: tuple[int, ...] = ()
    """Always empty: this game has no dice."""

    @property
    def round(self) -> int:
        """Two turns make a round; 0 during setup."""
        return (self.turn + 1) // 2

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it is being played."""
        return None if self.ending is None else duel(self.ending.winner, self.ending.reason.value)


def set_duelist(draft: State, seat: Seat, duelist: Duelist) -> None:
    """Give a seat its changed things in the place of the old ones."""
    first, second = draft.duelists
    draft.duelists = (first, duelist) if seat else (duelist, second)
