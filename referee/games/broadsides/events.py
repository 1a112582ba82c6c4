"""Every fact that can happen, told as somebody who sees everything would tell it. view.py decides who hears what.

Facts recur all the time, so the rules make them with the functions at the end of this file: equal facts are one object,
and its bytes on the wire are made once.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from referee.games.broadsides.terms import (
    Card,
    Direction,
    Figure,
    FireMode,
    Ground,
    HullSection,
    Mast,
    Place,
    Point,
    Reason,
    RollPurpose,
    Section,
    ShotEffect,
    Side,
    Station,
)
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable, interned


@immutable(frozen=True, slots=True)
class FigurePlaced(Part):
    """A figure was placed in setup; its owner's secret until SetupRevealed."""

    seat: Seat
    figure: Figure
    station: Station


@immutable(frozen=True, slots=True)
class SetupRevealed(Part):
    """Setup is over: where a seat has placed its figures."""

    seat: Seat
    captain: Station
    crew: tuple[Station, ...]


@immutable(frozen=True, slots=True)
class RoundStarted(Part):
    """A round of Broadsides begins."""

    round: int


@immutable(frozen=True, slots=True)
class ProgramLaid(Part):
    """A seat has laid its cards; its secret."""

    seat: Seat
    cards: tuple[Card, ...]


@immutable(frozen=True, slots=True)
class ShipSailed(Part):
    """A card was turned over and obeyed; where the ship is then."""

    seat: Seat
    step: int
    card: Card
    point: Point
    facing: Direction
    aground: Ground | None


@immutable(frozen=True, slots=True)
class DiceOpposed(Part):
    """Two dice were rolled against each other; no winner means another roll."""

    purpose: RollPurpose
    dice: tuple[int, int]
    winner: Seat | None


@immutable(frozen=True, slots=True)
class GunsBear(Part):
    """An exchange or the last salvo begins, with that many shots per seat."""

    mode: FireMode
    shots: tuple[int, int]


@immutable(frozen=True, slots=True)
class ShotFired(Part):
    """One shot of a seat. What was lost follows in events of its own."""

    TAG: ClassVar[str] = "ShotFired"
    seat: Seat
    section: Section
    die: int
    effect: ShotEffect


@immutable(frozen=True, slots=True)
class HullMarked(Part):
    """A hull section of that seat's ship got a marker."""

    seat: Seat
    section: HullSection
    markers: int


@immutable(frozen=True, slots=True)
class MastHit(Part):
    """A mast of that seat's ship was hit."""

    seat: Seat
    mast: Mast
    hits_left: int


@immutable(frozen=True, slots=True)
class CannonLost(Part):
    """A cannon of that seat was lost."""

    seat: Seat
    station: Station


@immutable(frozen=True, slots=True)
class CrewLost(Part):
    """Crew members of that seat were lost to gunfire."""

    seat: Seat
    station: Station
    count: int


@immutable(frozen=True, slots=True)
class CaptainHit(Part):
    """The captain of that seat was lost to gunfire."""

    seat: Seat
    station: Station


@immutable(frozen=True, slots=True)
class FireCeased(Part):
    """A seat gave up its other shots of the exchange."""

    seat: Seat
    shots: int


@immutable(frozen=True, slots=True)
class CaptainReplaced(Part):
    """A crew member became captain."""

    seat: Seat
    station: Station


@immutable(frozen=True, slots=True)
class ShipDrifted(Part):
    """The current carried a ship one point."""

    seat: Seat
    point: Point


@immutable(frozen=True, slots=True)
class ShipsCollided(Part):
    """Both ships are on one point; how they lie alongside."""

    point: Point
    reference: Seat
    both_moved: bool
    blow: int
    sides: tuple[Side, Side]
    bows_opposite: bool


@immutable(frozen=True, slots=True)
class BoardingTurnStarted(Part):
    """A Boarding turn begins."""

    seat: Seat
    turn: int


@immutable(frozen=True, slots=True)
class FigureMoved(Part):
    """A figure moved in Boarding."""

    seat: Seat
    figure: Figure
    origin: Place
    target: Place
    contested: bool


@immutable(frozen=True, slots=True)
class MovesLost(Part):
    """A seat has no legal move; the others of its turn are lost."""

    seat: Seat
    moves: int


@immutable(frozen=True, slots=True)
class MeleeFought(Part):
    """One round of a melee: dice and totals by seat, and who fell."""

    place: Place
    dice: tuple[int, int]
    totals: tuple[int, int]
    losses: tuple[tuple[Seat, Figure], ...]


@immutable(frozen=True, slots=True)
class Surrendered(Part):
    """A seat gave its ship up."""

    seat: Seat


@immutable(frozen=True, slots=True)
class GameEnded(Part):
    """The game is over; no winner means a draw."""

    TAG: ClassVar[str] = "GameEnded"
    winner: Seat | None
    reason: Reason


CrewEvent: TypeAlias = FigurePlaced | SetupRevealed | CaptainReplaced
SailingEvent: TypeAlias = RoundStarted | ProgramLaid | ShipSailed | ShipDrifted | ShipsCollided
GunneryEvent: TypeAlias = GunsBear | ShotFired | HullMarked | MastHit | CannonLost | CrewLost | CaptainHit | FireCeased
BoardingEvent: TypeAlias = BoardingTurnStarted | FigureMoved | MovesLost | MeleeFought
Event: TypeAlias = CrewEvent | SailingEvent | GunneryEvent | BoardingEvent | DiceOpposed | Surrendered | GameEnded


# How the rules make facts.

figure_placed = interned(FigurePlaced)
setup_revealed = interned(SetupRevealed)
round_started = interned(RoundStarted)
program_laid = interned(ProgramLaid)
ship_sailed = interned(ShipSailed)
dice_opposed = interned(DiceOpposed)
guns_bear = interned(GunsBear)
shot_fired = interned(ShotFired)
hull_marked = interned(HullMarked)
mast_hit = interned(MastHit)
cannon_lost = interned(CannonLost)
crew_lost = interned(CrewLost)
captain_hit = interned(CaptainHit)
fire_ceased = interned(FireCeased)
captain_replaced = interned(CaptainReplaced)
ship_drifted = interned(ShipDrifted)
ships_collided = interned(ShipsCollided)
boarding_turn_started = interned(BoardingTurnStarted)
figure_moved = interned(FigureMoved)
moves_lost = interned(MovesLost)
melee_fought = interned(MeleeFought)
surrendered = interned(Surrendered)
game_ended = interned(GameEnded)
