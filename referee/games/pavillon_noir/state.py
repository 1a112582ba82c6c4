"""What lies on the table, and what is still to be done with it. No rules: spec 3, item by item."""

from __future__ import annotations

from dataclasses import dataclass, field

from referee.chance import Chance
from referee.engine import Seat
from referee.games.pavillon_noir.actions import Discs
from referee.games.pavillon_noir.data import DISCS_OF_EACH
from referee.games.pavillon_noir.events import Event
from referee.games.pavillon_noir.pending import Pending
from referee.games.pavillon_noir.ship import Ship
from referee.games.pavillon_noir.terms import (
    Cannon,
    Card,
    Decks,
    Disaster,
    Gun,
    Phase,
    Projectile,
    Reputation,
    Side,
    TargetCard,
    Trick,
    Zone,
)

SEATS = (Seat(0), Seat(1))


def other_seat(seat: Seat) -> Seat:
    """The opponent."""
    return SEATS[1 - seat]


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """The options of the match."""

    variant: Decks = Decks.BASE
    first_seat: Seat | None = None
    """None: drawn by lot."""
    max_rounds: int = 60


@dataclass(frozen=True, slots=True)
class Placed:
    """An aim card beside a target card, with the value it stands for."""

    card: Card
    value: int


@dataclass(frozen=True, slots=True)
class Target:
    """A target card in front of a seat, and the aim cards on it."""

    card: TargetCard
    left: Placed | None = None
    below: Placed | None = None

    def on(self, side: Side) -> Placed | None:
        """The aim card on one side."""
        return self.left if side is Side.LEFT else self.below

    def having(self, side: Side, placed: Placed | None) -> Target:
        """The same target card with one side changed."""
        left, below = (placed, self.below) if side is Side.LEFT else (self.left, placed)
        return Target(self.card, left, below)

    @property
    def aim_cards(self) -> tuple[Card, ...]:
        """The aim cards on it."""
        return tuple(placed.card for placed in (self.left, self.below) if placed is not None)


@dataclass(frozen=True, slots=True)
class Shot:
    """A shot under way; public throughout."""

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


@dataclass(frozen=True, slots=True)
class Ending:
    """How the game ended; no winner means a draw."""

    winner: Seat | None
    reason: str


@dataclass(slots=True)
class Duelist:
    """Everything that belongs to one seat."""

    ship: Ship
    tokens: tuple[Disaster, ...]
    """Under hull bow, main, stern; nobody looks before they are flipped."""
    deck: list[Card]
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
    hand: list[Card] = field(default_factory=list)
    """In canonical order."""
    discard: list[Card] = field(default_factory=list)
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

    def copy(self) -> Duelist:
        """Lists copied, immutable values shared."""
        return Duelist(
            self.ship,
            self.tokens,
            self.deck.copy(),
            self.flipped,
            self.cannons,
            self.loads,
            self.drawn,
            self.gun,
            self.zone,
            self.targets,
            self.hand.copy(),
            self.discard.copy(),
            self.tracks,
            self.reputation,
            self.offered_reputations,
            self.rejected_reputations,
            self.tricks,
            self.played_tricks,
            self.offered_tricks,
            self.rejected_tricks,
        )


@dataclass(slots=True)
class State:
    """The whole table."""

    setting: Setting
    chance: Chance
    duelists: tuple[Duelist, Duelist]
    target_deck: list[TargetCard]
    """Seat 0 draws from its end, seat 1 from its beginning (see rules/piles.py)."""
    pending: list[Pending]
    target_discard: list[TargetCard] = field(default_factory=list)
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
    news: list[Event] = field(default_factory=list)
    """Facts of the step under way; empty between steps."""

    def copy(self) -> State:
        """Lists copied, immutable values shared."""
        one, two = self.duelists
        return State(
            self.setting,
            self.chance.copy(),
            (one.copy(), two.copy()),
            self.target_deck.copy(),
            self.pending.copy(),
            self.target_discard.copy(),
            self.bag,
            self.trick_deck,
            self.phase,
            self.turn,
            self.first,
            self.active,
            self.actions,
            self.aimed,
            self.untouched,
            self.shot,
            self.ending,
        )

    def tell(self, event: Event) -> None:
        """Note a fact of the step under way."""
        self.news.append(event)

    def push(self, *steps: Pending) -> None:
        """Put steps on the stack, the first of them on top."""
        self.pending.extend(reversed(steps))

    @property
    def round(self) -> int:
        """Two turns make a round; 0 during setup."""
        return (self.turn + 1) // 2
