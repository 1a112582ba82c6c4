"""What lies on the table, as somebody who sees everything would describe it. No rules.

Spec section 3. What is still to be done lies on `State.pending`, see referee/agenda.py: the phase modules of rules/ own
its tasks and questions. Every class has a `TAG`, by which fingerprints know it whatever it is called.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from referee.agenda import AgendaState, Pending
from referee.chance import Chance
from referee.engine import Outcome, Seat
from referee.games.pirates_cove.data import CHESTS, GOLD, NORMAL_HIT, START_LEVEL
from referee.games.pirates_cove.events import Event
from referee.games.pirates_cove.terms import AT_SEA, Captain, Card, Fighter, Phase, Place, Section, Treasure
from referee.parts import immutable


@dataclass(kw_only=True, slots=True)
class Ship:
    """A seat's ship with its mat, its purse and its hand."""

    TAG: ClassVar[str] = "Ship"
    place: Place = AT_SEA
    fame: int = 0
    gold: int = 0
    chests: int = 0
    levels: list[int] = field(default_factory=lambda: [START_LEVEL] * len(Section))
    parrot: Card | None = None
    parrot_wounded: bool = False
    artisan: Section | None = None
    artisan_damaged: bool = False
    hand: list[Card] = field(default_factory=list)

    def copy(self) -> Ship:
        """A ship to change freely."""
        return Ship(
            place=self.place,
            fame=self.fame,
            gold=self.gold,
            chests=self.chests,
            levels=self.levels.copy(),
            parrot=self.parrot,
            parrot_wounded=self.parrot_wounded,
            artisan=self.artisan,
            artisan_damaged=self.artisan_damaged,
            hand=self.hand.copy(),
        )


@immutable(frozen=True, slots=True)
class BlackShip:
    """A black ship (*navire noir*); without captain from its sinking to the end of the month."""

    TAG: ClassVar[str] = "BlackShip"
    place: Place
    captain: Captain | None


@immutable(frozen=True, slots=True)
class Navy:
    """The Royal Navy, deployed this month."""

    TAG: ClassVar[str] = "Navy"
    place: Place
    controller: Seat


@immutable(frozen=True, slots=True)
class Freebooter:
    """Who takes half of whose gains this month."""

    TAG: ClassVar[str] = "Freebooter"
    seat: Seat
    victim: Seat


@immutable(frozen=True, slots=True)
class TreasureMap:
    """Who plunders more chests where this month."""

    TAG: ClassVar[str] = "TreasureMap"
    seat: Seat
    island: Place
    chest_factor: int


@immutable(frozen=True, kw_only=True, slots=True)
class Salvo:
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


@dataclass(kw_only=True, slots=True)
class Combat:
    """One combat, from boarding to its end, spec 6.2 to 6.8. At sea: the final duel."""

    TAG: ClassVar[str] = "Combat"
    place: Place
    seats: tuple[Seat, ...]
    """Player ships still there, ascending."""
    hulls: dict[Captain, int]
    """Hull points of the non-player ships still afloat, black ship first."""
    hulls_before: dict[Captain, int] = field(default_factory=dict)
    """The same at the start of this exchange."""
    order: tuple[Fighter, ...] = ()
    """Of boarding, then of the present exchange; ships that have left keep their place in it."""
    exchange: int = 0
    speed: dict[Seat, int] = field(default_factory=dict)
    """Bonus of Favourable Wind and Overboard."""
    shrouds: dict[Seat, int] = field(default_factory=dict)
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

    def copy(self) -> Combat:
        """A combat to change freely."""
        return Combat(
            place=self.place,
            seats=self.seats,
            hulls=self.hulls.copy(),
            hulls_before=self.hulls_before.copy(),
            order=self.order,
            exchange=self.exchange,
            speed=self.speed.copy(),
            shrouds=self.shrouds.copy(),
            dice_from=self.dice_from,
            becalmed=self.becalmed,
            touched=self.touched,
            reloading=self.reloading,
            laid=self.laid,
            salvo=self.salvo,
            gone=self.gone,
        )

    def threshold(self, target: Fighter) -> int:
        """The lowest die that hits that ship, without Volley cards."""
        return NORMAL_HIT if isinstance(target, Captain) else self.shrouds.get(target, NORMAL_HIT)


@dataclass(kw_only=True, slots=True)
class State(AgendaState):
    """A whole game of Pirate's Cove."""

    TAG: ClassVar[str] = "State"
    chance: Chance
    ships: list[Ship]
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
    tavern: list[Card]
    """The draw pile, the next one last."""
    tavern_discard: list[Card] = field(default_factory=list)
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

    def copy(self) -> State:
        """A state to change freely; what cannot change is shared."""
        return State(
            chance=self.chance.copy(),
            ships=[ship.copy() for ship in self.ships],
            pending=self.pending,
            month=self.month,
            phase=self.phase,
            gold=self.gold,
            chests=self.chests,
            piles=self.piles,
            face_up=self.face_up,
            treasure_discard=self.treasure_discard,
            tavern=self.tavern.copy(),
            tavern_discard=self.tavern_discard.copy(),
            black_ships=self.black_ships,
            legends=self.legends,
            legend_discard=self.legend_discard,
            navy=self.navy,
            freebooter=self.freebooter,
            treasure_map=self.treasure_map,
            lookout=self.lookout,
            combat=None if self.combat is None else self.combat.copy(),
            scores=self.scores,
            ranks=self.ranks,
            dice=self.dice,
            events=[],  # states are copied between two steps
        )

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""
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
        """Who comes first in the event windows of this month (R26)."""
        return Seat((self.month - 1) % len(self.ships)) if self.month else Seat(0)

    def seats_at(self, place: Place) -> tuple[Seat, ...]:
        """The player ships at a place, ascending."""
        return tuple(Seat(seat) for seat, ship in enumerate(self.ships) if ship.place == place)

    def seats_from(self, first: Seat) -> tuple[Seat, ...]:
        """All seats clockwise from one."""
        count = len(self.ships)
        return tuple(Seat((first + step) % count) for step in range(count))
