"""What lies on the table, as somebody who sees everything would describe it. No rules.

Spec section 3. What is still to be done lies on `State.pending`, see referee/rules/agenda.py: the phase modules of
rules/ own its tasks and questions. Every class has a `TAG`, by which fingerprints know it whatever it is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, TypeVar

from referee.games.pirates_cove.data import CHESTS, GOLD, NORMAL_HIT, START_LEVEL
from referee.games.pirates_cove.events import Event
from referee.games.pirates_cove.terms import AT_SEA, Captain, Card, Fighter, Phase, Place, Section, Treasure
from referee.rules.agenda import AgendaState, Pending
from referee.rules.chance import Chance
from referee.rules.engine import Outcome, Seat
from referee.rules.parts import Part, immutable, put

K = TypeVar("K", Seat, Captain)


@immutable(frozen=True, kw_only=True, slots=True)
class Ship(Part):
    """A seat's ship with its mat, its purse and its hand."""

    TAG: ClassVar[str] = "Ship"
    place: Place = AT_SEA
    fame: int = 0
    gold: int = 0
    chests: int = 0
    levels: tuple[int, ...] = (START_LEVEL,) * len(Section)
    parrot: Card | None = None
    parrot_wounded: bool = False
    artisan: Section | None = None
    artisan_damaged: bool = False
    hand: tuple[Card, ...] = ()


@immutable(frozen=True, slots=True)
class BlackShip(Part):
    """A black ship (*navire noir*); without captain from its sinking to the end of the month."""

    TAG: ClassVar[str] = "BlackShip"
    place: Place
    captain: Captain | None


@immutable(frozen=True, slots=True)
class Navy(Part):
    """The Royal Navy, deployed this month."""

    TAG: ClassVar[str] = "Navy"
    place: Place
    controller: Seat


@immutable(frozen=True, slots=True)
class Freebooter(Part):
    """Who takes half of whose gains this month."""

    TAG: ClassVar[str] = "Freebooter"
    seat: Seat
    victim: Seat


@immutable(frozen=True, slots=True)
class TreasureMap(Part):
    """Who plunders more chests where this month."""

    TAG: ClassVar[str] = "TreasureMap"
    seat: Seat
    island: Place
    chest_factor: int


@immutable(frozen=True, kw_only=True, slots=True)
class Salvo(Part):
    """What the Volley cards announced in this turn make of the volley, spec 6.5."""

    TAG: ClassVar[str] = "Salvo"
    cards: tuple[Card, ...] = ()
    hit_from: int | None = None
    sections: tuple[Section, ...] = ()
    """Struck instead of the announced section, unless empty."""
    blast: Section | None = None
    recoil: tuple[Section, ...] = ()
    reload: bool = False


PLAIN_SALVO = Salvo()


@immutable(frozen=True, kw_only=True, slots=True)
class Combat(Part):
    """One combat, from boarding to its end, spec 6.2 to 6.8. At sea: the final duel.

    What counts per ship is held as `pairs`, without the ships that have none.
    """

    TAG: ClassVar[str] = "Combat"
    place: Place
    seats: tuple[Seat, ...]
    """Player ships still there, ascending."""
    hulls: tuple[tuple[Captain, int], ...]
    """Hull points of the non-player ships still afloat, black ship first."""
    hulls_before: tuple[tuple[Captain, int], ...] = ()
    """The same at the start of this exchange."""
    order: tuple[Fighter, ...] = ()
    """Of boarding, then of the present exchange; ships that have left keep their place in it."""
    exchange: int = 0
    speed: tuple[tuple[Seat, int], ...] = ()
    """Bonus of Favourable Wind and Overboard."""
    shrouds: tuple[tuple[Seat, int], ...] = ()
    """Ships under Smoke, and the only face that hits them."""
    dice_from: Section | None = None
    """Set by Grapple."""
    becalmed: bool = False
    touched: frozenset[Seat] = frozenset()
    reloading: frozenset[Seat] = frozenset()
    laid: tuple[Card, ...] = ()
    """Battle cards in force, discarded at the end."""
    salvo: Salvo = PLAIN_SALVO
    gone: tuple[tuple[Seat, ...], ...] = ()
    """Ships that left, in order, those that left together in one group: the final duel ranks by it."""

    @property
    def captains(self) -> tuple[Captain, ...]:
        """Return the non-player ships still afloat, black ship first."""
        return tuple([captain for captain, _ in self.hulls])

    def threshold(self, target: Fighter) -> int:
        """Return the lowest die that hits that ship, without Volley cards."""
        return NORMAL_HIT if isinstance(target, Captain) else dict(self.shrouds).get(target, NORMAL_HIT)


def pairs(counts: Mapping[K, int]) -> tuple[tuple[K, int], ...]:
    """Counts as a combat holds them: in the order of seats, or of captains' names, of which the Navy's is the last."""
    return tuple(sorted(counts.items()))


@dataclass(kw_only=True, slots=True)
class State(AgendaState):
    """A whole game of Pirate's Cove."""

    TAG: ClassVar[str] = "State"
    chance: Chance
    ships: tuple[Ship, ...]
    pending: tuple[Pending, ...]
    """The last one is next. Empty when the game is over."""
    month: int = 0
    phase: Phase = Phase.SETUP
    gold: int = GOLD
    """In the supply."""
    chests: int = CHESTS
    """In the supply."""
    piles: tuple[tuple[Treasure, ...], ...]
    """Face-down Treasure cards of islands 1 to 5, the next one last."""
    face_up: tuple[Treasure, ...] = ()
    """Of islands 1 to 5; empty between months."""
    treasure_discard: tuple[Treasure, ...] = ()
    tavern: tuple[Card, ...]
    """The draw pile, the next one last."""
    tavern_discard: tuple[Card, ...] = ()
    black_ships: tuple[BlackShip, ...]
    legends: tuple[Captain, ...]
    """The legend deck, the next one last."""
    legend_discard: tuple[Captain, ...] = ()
    navy: Navy | None = None
    freebooter: Freebooter | None = None
    treasure_map: TreasureMap | None = None
    lookout: Seat | None = None
    """Who navigates first this month, if a Lookout was played."""
    combat: Combat | None = None
    scores: tuple[int, ...] = ()
    """Per seat, from final scoring on."""
    ranks: tuple[int, ...] = ()
    """Per seat, once the game is over."""
    dice: tuple[int, ...] = ()
    """The dice lying on the table: all that were rolled since the last decision, in order."""
    events: list[Event] = field(default_factory=list)
    """The events of the step under way; empty between two steps."""

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it is being played."""
        if not self.ranks:
            return None
        tied = self.scores.count(max(self.scores)) > 1
        return Outcome(
            ranks=self.ranks,
            reason="final_duel" if tied else "most_fame",
            scores=tuple(float(points) for points in self.scores),
        )

    @property
    def start_seat(self) -> Seat:
        """Return who comes first in the event windows of this month (R26)."""
        return Seat((self.month - 1) % len(self.ships)) if self.month else Seat(0)

    def seats_at(self, place: Place) -> tuple[Seat, ...]:
        """Return the player ships at a place, ascending."""
        return tuple([Seat(seat) for seat, ship in enumerate(self.ships) if ship.place == place])

    def occupied(self, first: Place, last: Place) -> list[Place]:
        """Return the places of a stretch where player ships lie, in order."""
        return sorted({ship.place for ship in self.ships if first <= ship.place <= last})

    def seats_from(self, first: Seat) -> tuple[Seat, ...]:
        """Return all seats clockwise from one."""
        return clockwise(first, len(self.ships))

    def set_ship(self, seat: Seat, ship: Ship) -> None:
        """Put a changed ship in the place of a seat's old one."""
        self.ships = put(self.ships, seat, ship)


def combat_of(state: State) -> Combat:
    """Return the combat under way, where there must be one."""
    assert state.combat is not None
    return state.combat


@cache
def clockwise(first: Seat, count: int) -> tuple[Seat, ...]:
    """Return all of so many seats, from one on."""
    return tuple(Seat((first + step) % count) for step in range(count))
