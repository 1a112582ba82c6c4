"""What is still to be done, as small values on the state's stack: the top comes first.

Questions wait for a choice; tasks are done by the engine as soon as they are on top. A procedure of the specification
puts its steps on the stack in reverse, so whatever a step leads to (a disaster, a reaction) comes before the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from referee.engine import Seat
from referee.games.pavillon_noir.terms import Cards, Marker, Suit, Zone

# --- Questions put to both seats at once -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetupOfficers:
    """Decision D1."""


@dataclass(frozen=True, slots=True)
class SetupCannons:
    """Decision D2."""


@dataclass(frozen=True, slots=True)
class SetupLoad:
    """Decision D3 at setup."""


@dataclass(frozen=True, slots=True)
class ChooseReputation:
    """Decision D5."""


@dataclass(frozen=True, slots=True)
class ChooseTrick:
    """Decision D6."""


# --- Questions put to one seat ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lay:
    """Decision D4; the barred zone is the one that is to be changed."""

    seat: Seat
    barred: Zone | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """Decision D7, as long as actions are left."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PayBroadside:
    """Decision D8 for a broadside of the suit."""

    seat: Seat
    suit: Suit


@dataclass(frozen=True, slots=True)
class PaySheerOff:
    """Decision D8 for a sheer-off."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PayReloadOne:
    """Decision D8 for a single reload."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PayReloadBattery:
    """Decision D8 for a reload of the battery."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ChooseShot:
    """Decision D9, for the flush already paid."""

    seat: Seat
    suit: Suit
    cards: Cards


@dataclass(frozen=True, slots=True)
class GiveUpAim:
    """Decision D10."""

    seat: Seat
    count: int


@dataclass(frozen=True, slots=True)
class Remove:
    """Decisions D11 to D13: the seat removes markers of its own ship, from one zone or from all of their kind."""

    seat: Seat
    marker: Marker
    count: int
    zone: Zone | None = None


@dataclass(frozen=True, slots=True)
class ChooseReturn:
    """Decision D14; then up to that many discs are drawn."""

    seat: Seat
    discs: int


@dataclass(frozen=True, slots=True)
class Load:
    """Decision D3 after a reload."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PatchCards:
    """Decision D15."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PatchMove:
    """Decision D16: moves left, and sailors who will still be spared."""

    seat: Seat
    left: int
    spared: int
    first: bool


@dataclass(frozen=True, slots=True)
class OpenFire:
    """Decision D17."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class HastyDiscard:
    """Decision D18."""

    seat: Seat
    count: int


@dataclass(frozen=True, slots=True)
class Boost:
    """Decision D19."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Dodge:
    """Decision D20 (EVADE)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class React:
    """Decision D21, against a task that waits further down."""

    seat: Seat
    threat: BroadsideHits | LoseCards


@dataclass(frozen=True, slots=True)
class DiscardDown:
    """Decision D22, until the hand is within its limit."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class QuartermasterDiscard:
    """Decision D23."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class TrickAim:
    """Decision D24 over cards looked at, or with none over the hand."""

    seat: Seat
    looked_at: Cards = ()


@dataclass(frozen=True, slots=True)
class ChooseRestore:
    """Decision D25."""

    seat: Seat
    marker: Marker
    count: int


@dataclass(frozen=True, slots=True)
class Spy:
    """Decision D26."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ChooseZone:
    """Decision D27, and how many planks it costs."""

    seat: Seat
    planks: int


@dataclass(frozen=True, slots=True)
class Sharpshoot:
    """Decision D28."""

    seat: Seat
    most_figures: int


@dataclass(frozen=True, slots=True)
class ChooseTrack:
    """Decision D29."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SwapOwnTarget:
    """Decision D30 over one's own target cards."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class StripOpposingTarget:
    """Decision D30 over the opponent's target cards with aim cards."""

    seat: Seat


# --- Tasks -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BeginLaying:
    """Setup steps 5 and 6."""


@dataclass(frozen=True, slots=True)
class DealReputations:
    """Setup step 7."""


@dataclass(frozen=True, slots=True)
class DealTricks:
    """One of the three rounds of setup step 8."""


@dataclass(frozen=True, slots=True)
class DealHands:
    """Setup step 9."""


@dataclass(frozen=True, slots=True)
class BeginTurn:
    """The next seat's turn, or the end at the cap."""


@dataclass(frozen=True, slots=True)
class BeginFire:
    """Phase 2 of a turn."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class BeginDraw:
    """Phase 3 of a turn."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class BroadsideHits:
    """The seat's ship takes a broadside's discs."""

    seat: Seat
    balls: int
    chains: int
    grape: int


@dataclass(frozen=True, slots=True)
class LoseCards:
    """The seat loses cards of its hand at random to a sheer-off."""

    seat: Seat
    count: int


@dataclass(frozen=True, slots=True)
class CheckDisasters:
    """Look for empty hull zones of the seat whose token is still face down."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ShotLands:
    """Step 7 of the seat's shot."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ShotEnds:
    """After the seat's shot and all its consequences: dread, and the gun is laid anew."""

    seat: Seat


BothQuestion: TypeAlias = SetupOfficers | SetupCannons | SetupLoad | ChooseReputation | ChooseTrick

TurnQuestion: TypeAlias = Act | DiscardDown | QuartermasterDiscard
AttackQuestion: TypeAlias = PayBroadside | ChooseShot | GiveUpAim | PaySheerOff | React
ReloadQuestion: TypeAlias = PayReloadOne | PayReloadBattery | ChooseReturn | Load
PatchQuestion: TypeAlias = PatchCards | PatchMove
ShotQuestion: TypeAlias = Lay | OpenFire | HastyDiscard | Boost | Dodge
TrickQuestion: TypeAlias = (
    TrickAim | ChooseRestore | Spy | ChooseZone | Sharpshoot | ChooseTrack | SwapOwnTarget | StripOpposingTarget
)
SeatQuestion: TypeAlias = (
    TurnQuestion | AttackQuestion | ReloadQuestion | PatchQuestion | ShotQuestion | TrickQuestion | Remove
)

SetupTask: TypeAlias = BeginLaying | DealReputations | DealTricks | DealHands
TurnTask: TypeAlias = BeginTurn | BeginFire | BeginDraw
Task: TypeAlias = SetupTask | TurnTask | BroadsideHits | LoseCards | CheckDisasters | ShotLands | ShotEnds

Pending: TypeAlias = BothQuestion | SeatQuestion | Task
