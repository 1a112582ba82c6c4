"""What lies on the table: ships, figures, cards, and what is still to happen. No rules here.

Spec section 3. What is still to happen lies on `State.pending`, see referee/agenda.py: the phase modules of rules/ own
its tasks and questions. `copy()` copies lists and shares immutable values. Every class has a `TAG`, by which
fingerprints know it whatever it is called.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from referee.agenda import AgendaState, Pending
from referee.chance import Chance
from referee.engine import DUEL, Outcome, Seat, duel
from referee.games.broadsides.data import MARKERS_PER_SECTION
from referee.games.broadsides.events import Event, GameEnded, ShotFired
from referee.games.broadsides.terms import Card, Direction, FireMode, Phase, Place, Point, Side, Station
from referee.parts import immutable


@immutable(frozen=True, kw_only=True, slots=True)
class Settings:
    """The constants of a match (spec 2.8), fixed before it starts."""

    TAG: ClassVar[str] = "Settings"
    map: str
    drift_after: int
    drift_points: int
    round_cap: int
    quiet_cap: int
    board_turn_cap: int
    board_quiet_cap: int
    reroll_cap: int


@dataclass(kw_only=True, slots=True)
class Ship:
    """A ship on the chart, with what is nailed to it, and the cards laid for it."""

    TAG: ClassVar[str] = "Ship"
    point: Point
    facing: Direction
    cannons: tuple[Station, ...]
    """Stations with a cannon, in canonical order."""
    masts: list[int]
    """Hits each mast can still take, by Mast."""
    hull: list[int]
    """Markers, by HullSection."""
    aground: bool = False
    no_cards: bool = False
    """Its captain was lost, so it is not programmed in the round to come."""
    cards: tuple[Card, ...] = ()
    """The program of this round; between rounds what was turned over in the last one."""
    turned: int = 0
    """How many of the cards lie face up: always the first ones."""

    def copy(self) -> Ship:
        """The same ship, to be changed separately."""
        return Ship(
            point=self.point,
            facing=self.facing,
            cannons=self.cannons,
            masts=self.masts.copy(),
            hull=self.hull.copy(),
            aground=self.aground,
            no_cards=self.no_cards,
            cards=self.cards,
            turned=self.turned,
        )

    @property
    def damage(self) -> int:
        """D: masts gone plus hull sections destroyed."""
        return self.masts.count(0) + self.hull.count(MARKERS_PER_SECTION)


@dataclass(kw_only=True, slots=True)
class Crew:
    """All figures of one seat, on whichever ship they stand."""

    TAG: ClassVar[str] = "Crew"
    hands: list[list[int]]
    """Crew members, by ship and station."""
    captain: Place | None = None

    def copy(self) -> Crew:
        """The same figures, to be changed separately."""
        return Crew(hands=[self.hands[0].copy(), self.hands[1].copy()], captain=self.captain)

    def has_captain_on(self, ship: int, station: Station) -> bool:
        """Whether the captain stands there."""
        captain = self.captain
        return captain is not None and captain.station == station and captain.ship == ship

    def figures_on(self, ship: int, station: Station) -> int:
        """Crew members and captain on that station."""
        return self.hands[ship][station] + self.has_captain_on(ship, station)

    def figures_by_station(self) -> list[list[int]]:
        """Crew members and captain, by ship and station."""
        counts = [self.hands[0].copy(), self.hands[1].copy()]
        if self.captain is not None:
            counts[self.captain.ship][self.captain.station] += 1
        return counts

    def figures(self) -> int:
        """All crew members and the captain."""
        return sum(self.hands[0]) + sum(self.hands[1]) + (self.captain is not None)


@immutable(frozen=True, kw_only=True, slots=True)
class Gunfire:
    """An exchange under way: who fires now, what is left, what was fired."""

    TAG: ClassVar[str] = "Gunfire"
    mode: FireMode
    seat: Seat
    shots_left: int
    reply_shots: int
    """Shots of the other seat, still to come."""
    shots: tuple[ShotFired, ...] = ()


@dataclass(kw_only=True, slots=True)
class Boarding:
    """How the ships lie alongside, and the Boarding turn under way."""

    TAG: ClassVar[str] = "Boarding"
    sides: tuple[Side, Side]
    """The side in contact, by seat."""
    bows_opposite: bool
    seat: Seat = DUEL[0]
    """Whose turn it is, once `turn` is not 0."""
    turn: int = 0
    moves_left: int = 0
    quiet_turns: int = 0
    contested: list[Place] = field(default_factory=list)
    """Stations with figures of both seats, in the order in which they became so."""

    def copy(self) -> Boarding:
        """The same boarding, to be changed separately."""
        return Boarding(
            sides=self.sides,
            bows_opposite=self.bows_opposite,
            seat=self.seat,
            turn=self.turn,
            moves_left=self.moves_left,
            quiet_turns=self.quiet_turns,
            contested=self.contested.copy(),
        )


@dataclass(kw_only=True, slots=True)
class State(AgendaState):
    """The whole table."""

    TAG: ClassVar[str] = "State"
    settings: Settings
    chance: Chance
    pending: tuple[Pending, ...]
    """The last one is next. Empty when the game is over."""
    ships: list[Ship]
    crews: list[Crew]
    placements: list[tuple[Station, ...]]
    """Per seat, during setup: the captain's station, then those of the extra crew. Secret; empty once revealed."""
    round: int = 0
    step: int = 0
    quiet_rounds: int = 0
    shot_fired: bool = False
    """Whether a shot was fired in this round."""
    gunfire: Gunfire | None = None
    boarding: Boarding | None = None
    dice: tuple[int, ...] = ()
    """The dice lying on the table: all that were rolled since the last decision, in order."""
    events: list[Event] = field(default_factory=list)
    """The events of the step under way; empty between two steps."""
    ending: GameEnded | None = None

    def copy(self) -> State:
        """The same table, to be changed separately."""
        return State(
            settings=self.settings,
            chance=self.chance.copy(),
            pending=self.pending,
            ships=[self.ships[0].copy(), self.ships[1].copy()],
            crews=[self.crews[0].copy(), self.crews[1].copy()],
            placements=self.placements.copy(),
            round=self.round,
            step=self.step,
            quiet_rounds=self.quiet_rounds,
            shot_fired=self.shot_fired,
            gunfire=self.gunfire,
            boarding=None if self.boarding is None else self.boarding.copy(),
            dice=self.dice,
            events=[],  # states are copied between two steps
            ending=self.ending,
        )

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""
        return None if self.ending is None else duel(self.ending.winner, self.ending.reason.value)

    @property
    def phase(self) -> Phase:
        """Which part of the game is being played."""
        if self.boarding is not None:
            return Phase.BOARDING
        return Phase.BROADSIDES if self.round else Phase.SETUP
