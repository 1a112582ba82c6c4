"""What lies on the table: ships, figures, cards, and what is still to happen. No rules here.

Spec section 3. Everything but the State itself is an immutable part (referee/rules/parts.py): a rule makes a changed
ship or crew with `replace` and puts it into its draft. What is still to happen lies on `State.pending`, see
referee/rules/agenda.py: the phase modules of rules/ own its tasks and questions. Every class has a `TAG`, by which
fingerprints know it whatever it is called.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from referee.games.broadsides.data import MARKERS_PER_SECTION
from referee.games.broadsides.events import Event, GameEnded, ShotFired
from referee.games.broadsides.terms import Card, Direction, FireMode, Phase, Place, Point, Side, Station
from referee.rules.agenda import AgendaState, Pending
from referee.rules.chance import Chance
from referee.rules.engine import DUEL, Outcome, Seat, duel
from referee.rules.parts import Part, immutable, kept, put, replace


@immutable(frozen=True, kw_only=True, slots=True)
class Settings(Part):
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


@immutable(frozen=True, kw_only=True, slots=True)
class Ship(Part):
    """A ship on the chart, with what is nailed to it, and the cards laid for it."""

    TAG: ClassVar[str] = "Ship"
    point: Point
    facing: Direction
    cannons: tuple[Station, ...]
    """Stations with a cannon, in canonical order."""
    masts: tuple[int, ...]
    """Hits each mast can still take, by Mast."""
    hull: tuple[int, ...]
    """Markers, by HullSection."""
    aground: bool = False
    no_cards: bool = False
    """Its captain was lost, so it is not programmed in the round to come."""
    cards: tuple[Card, ...] = ()
    """The program of this round; between rounds what was turned over in the last one."""
    turned: int = 0
    """How many of the cards lie face up: always the first ones."""

    @property
    def damage(self) -> int:
        """D: masts gone plus hull sections destroyed."""
        return self.masts.count(0) + self.hull.count(MARKERS_PER_SECTION)


@immutable(frozen=True, kw_only=True, slots=True)
class Crew(Part):
    """All figures of one seat, on whichever ship they stand."""

    TAG: ClassVar[str] = "Crew"
    hands: tuple[tuple[int, ...], ...]
    """Crew members, by ship and station."""
    captain: Place | None = None

    def has_captain_on(self, ship: int, station: Station) -> bool:
        """Check whether the captain stands there."""
        captain = self.captain
        return captain is not None and captain.station == station and captain.ship == ship

    def figures_on(self, ship: int, station: Station) -> int:
        """Crew members and captain on that station."""
        return self.hands[ship][station] + self.has_captain_on(ship, station)

    @kept
    def figures_by_station(self) -> tuple[tuple[int, ...], ...]:
        """Crew members and captain, by ship and station."""
        captain = self.captain
        return self.hands if captain is None else self.with_more(captain.ship, captain.station, 1).hands

    @property
    def figures(self) -> int:
        """Return all crew members and the captain."""
        return sum(self.hands[0]) + sum(self.hands[1]) + (self.captain is not None)

    def with_more(self, ship: int, station: Station, count: int) -> Crew:
        """Return the same figures, with that many crew members more (fewer, if below 0) on one station."""
        hands = self.hands[ship]
        return replace(self, hands=put(self.hands, ship, put(hands, station, hands[station] + count)))


@immutable(frozen=True, kw_only=True, slots=True)
class Gunfire(Part):
    """An exchange under way: who fires now, what is left, what was fired."""

    TAG: ClassVar[str] = "Gunfire"
    mode: FireMode
    seat: Seat
    shots_left: int
    reply_shots: int
    """Shots of the other seat, still to come."""
    shots: tuple[ShotFired, ...] = ()


@immutable(frozen=True, kw_only=True, slots=True)
class Boarding(Part):
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
    contested: tuple[Place, ...] = ()
    """Stations with figures of both seats, in the order in which they became so."""


@dataclass(kw_only=True, slots=True)
class State(AgendaState):
    """The whole table."""

    TAG: ClassVar[str] = "State"
    settings: Settings
    chance: Chance
    pending: tuple[Pending, ...]
    """The last one is next. Empty when the game is over."""
    ships: tuple[Ship, ...]
    crews: tuple[Crew, ...]
    placements: tuple[tuple[Station, ...], ...]
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

    def set_ship(self, seat: Seat, ship: Ship) -> None:
        """Put a changed ship in the place of the one that was there."""
        self.ships = put(self.ships, seat, ship)

    def set_crew(self, seat: Seat, crew: Crew) -> None:
        """Put changed figures in the place of those that were there."""
        self.crews = put(self.crews, seat, crew)

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it is being played."""
        return None if self.ending is None else duel(self.ending.winner, self.ending.reason.value)

    @property
    def phase(self) -> Phase:
        """Return which part of the game is being played."""
        if self.boarding is not None:
            return Phase.BOARDING
        return Phase.BROADSIDES if self.round else Phase.SETUP
