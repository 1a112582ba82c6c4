"""Every fact that can happen, told as somebody who sees everything would. view.py decides who hears what of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from referee.engine import Seat
from referee.games.marauders.terms import (
    CombatEnd,
    Feat,
    Good,
    Mode,
    Modification,
    Nation,
    NpcKind,
    RaidEnd,
    Roll,
    Section,
    ShipType,
    Specialist,
    Stance,
    Weapon,
    Zone,
)


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a combat: a seat, an NPC, or neither: the garrison of a town."""

    seat: Seat | None = None
    npc: NpcKind | None = None


# --- The round --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TurnOrderDrawn:
    """The order of turns for the whole game."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class CaptainArrived:
    """A seat has a captain and a ship in its home port."""

    seat: Seat
    captain: str
    ship: ShipType
    zone: Zone
    gold: int


@dataclass(frozen=True, slots=True)
class RoundBegan:
    """An event card is in force."""

    round: int
    card: str


@dataclass(frozen=True, slots=True)
class MerchantsPlaced:
    """Merchant tokens came from the track to these zones."""

    zones: tuple[Zone, ...]


@dataclass(frozen=True, slots=True)
class NpcMoved:
    """An NPC sailed; `zone` is where it is now."""

    npc: NpcKind
    zone: Zone


@dataclass(frozen=True, slots=True)
class NpcEntered:
    """An NPC appeared, or its captain was replaced. No card: a war admiral."""

    npc: NpcKind
    card: str | None
    zone: Zone


@dataclass(frozen=True, slots=True)
class NpcLeft:
    """An NPC left the board, beaten or because its war ended."""

    npc: NpcKind


@dataclass(frozen=True, slots=True)
class WarDeclared:
    """Two nations are at war."""

    nations: tuple[Nation, Nation]


@dataclass(frozen=True, slots=True)
class PeaceMade:
    """The war is over."""


@dataclass(frozen=True, slots=True)
class PortsClosed:
    """The plague closed ports for the round."""

    zones: tuple[Zone, ...]


@dataclass(frozen=True, slots=True)
class MarqueIssued:
    """Captains of `nation` may engage those of `target` without bounty."""

    nation: Nation
    target: Nation


@dataclass(frozen=True, slots=True)
class DemandChanged:
    """A port wants something else."""

    zone: Zone
    good: Good


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A seat is active."""

    seat: Seat
    actions: int
    free_moves: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """`ten`, `events`, `captains` or `cap`."""

    reason: str


# --- Dice, gold, bounties, glory --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DiceRolled:
    """Dice on the table; after a re-roll the whole pool as it lies now. 5 and 6 are skulls."""

    side: Side
    roll: Roll
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GoldGained:
    """Gold from the bank or from another seat."""

    seat: Seat
    gold: int


@dataclass(frozen=True, slots=True)
class GoldPaid:
    """Gold to the bank or to another seat."""

    seat: Seat
    gold: int


@dataclass(frozen=True, slots=True)
class GoldStashed:
    """Gold into the chest; only the first deposit of a Port action is announced, and never the amount."""

    seat: Seat
    gold: int
    first: bool


@dataclass(frozen=True, slots=True)
class GoldWithdrawn:
    """Gold out of the chest, which nobody else sees."""

    seat: Seat
    gold: int


@dataclass(frozen=True, slots=True)
class BountyChanged:
    """What a nation now asks for a captain's head."""

    seat: Seat
    nation: Nation
    bounty: int


@dataclass(frozen=True, slots=True)
class GloryPoint:
    """A step on the glory track."""

    seat: Seat
    feat: Feat
    track: int


@dataclass(frozen=True, slots=True)
class GloryDrawn:
    """A glory card came to a hand; None for those who do not see it."""

    seat: Seat
    card: str | None


@dataclass(frozen=True, slots=True)
class GloryPlayed:
    """A glory card was played."""

    seat: Seat
    card: str
    mode: Mode | None = None
    section: Section | None = None
    nation: Nation | None = None
    count: int = 0
    npc: NpcKind | None = None
    zone: Zone | None = None


@dataclass(frozen=True, slots=True)
class GloryDiscarded:
    """A glory card over the limit of the hand."""

    seat: Seat
    card: str


@dataclass(frozen=True, slots=True)
class PointsDeclared:
    """A seat has the points to win; its chest lies open."""

    seat: Seat
    points: int
    chest: int


# --- Sailing and ports ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sailed:
    """A captain is now there, in port or at sea."""

    seat: Seat
    zone: Zone
    in_port: bool


@dataclass(frozen=True, slots=True)
class PortVisited:
    """A Port action began."""

    seat: Seat
    zone: Zone


@dataclass(frozen=True, slots=True)
class ModificationRevealed:
    """A port's modification token was turned face up."""

    zone: Zone
    kind: Modification


@dataclass(frozen=True, slots=True)
class ModificationBuilt:
    """A modification went from the port to a ship."""

    seat: Seat
    kind: Modification


@dataclass(frozen=True, slots=True)
class ModificationPlaced:
    """A modification token came back to a port, face down: which one, no seat sees (R34)."""

    zone: Zone
    kind: Modification | None


@dataclass(frozen=True, slots=True)
class GoodsSold:
    """Cards of a good sold for gold."""

    seat: Seat
    good: Good
    count: int
    gold: int


@dataclass(frozen=True, slots=True)
class GoodsOffered:
    """A buyer looked at cards; others see how many."""

    seat: Seat
    cards: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class GoodsBought:
    """Cards bought; others see how many and for how much."""

    seat: Seat
    good: Good | None
    count: int
    gold: int


@dataclass(frozen=True, slots=True)
class CargoTaken:
    """Cards came aboard; others see how many, or which if they lay open before."""

    seat: Seat
    cards: tuple[str, ...]
    count: int
    hidden: bool


@dataclass(frozen=True, slots=True)
class CargoDiscarded:
    """Cargo cards went face up to the discard: thrown overboard, lost, delivered or not bought."""

    seat: Seat
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SectionRepaired:
    """Points of a section came back."""

    seat: Seat
    section: Section
    points: int


@dataclass(frozen=True, slots=True)
class HullRestored:
    """A flipped reinforced hull is whole again."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class CrewJoined:
    """Sailors came aboard."""

    seat: Seat
    count: int


@dataclass(frozen=True, slots=True)
class WeaponTaken:
    """A special weapon came aboard."""

    seat: Seat
    weapon: Weapon


@dataclass(frozen=True, slots=True)
class WeaponGone:
    """A special weapon was sold, used or lost."""

    seat: Seat
    weapon: Weapon
    used: bool


@dataclass(frozen=True, slots=True)
class ShipTaken:
    """A captain changed to another ship, bought or captured."""

    seat: Seat
    ship: ShipType
    captured: bool


@dataclass(frozen=True, slots=True)
class SpecialistJoined:
    """A card became a specialist on a board."""

    seat: Seat
    specialist: Specialist


@dataclass(frozen=True, slots=True)
class CardKept:
    """A rumor or mission card stays on a board and gives its flag."""

    seat: Seat
    rumor: str | None
    mission: str | None


# --- Rumors and missions ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RumorTaken:
    """A seat holds this rumor now; None for those who do not see it."""

    seat: Seat
    rumor: str | None


@dataclass(frozen=True, slots=True)
class RumorProved:
    """A rumor was true."""

    seat: Seat
    rumor: str


@dataclass(frozen=True, slots=True)
class RumorDiscarded:
    """A rumor was not proved, or its holder is gone."""

    seat: Seat
    rumor: str


@dataclass(frozen=True, slots=True)
class MissionOpened:
    """A mission lies open at its port."""

    mission: str


@dataclass(frozen=True, slots=True)
class MissionTaken:
    """A seat holds this mission now."""

    seat: Seat
    mission: str


@dataclass(frozen=True, slots=True)
class MissionDone:
    """A mission was completed."""

    seat: Seat
    mission: str


@dataclass(frozen=True, slots=True)
class MissionDiscarded:
    """A mission was given up, or its holder is gone."""

    seat: Seat
    mission: str


# --- Merchants --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MerchantFound:
    """A merchant token was found and shown."""

    seat: Seat
    zone: Zone
    nation: Nation


@dataclass(frozen=True, slots=True)
class MerchantEngaged:
    """A raid began under that flag."""

    seat: Seat
    nation: Nation


@dataclass(frozen=True, slots=True)
class RaidCardDrawn:
    """A cargo card on the table of the raid."""

    seat: Seat
    card: str


@dataclass(frozen=True, slots=True)
class RaidCardDiscarded:
    """A cargo card left the table of the raid."""

    seat: Seat
    card: str


@dataclass(frozen=True, slots=True)
class RaidEnded:
    """How the raid ended, and the gold it brought."""

    seat: Seat
    end: RaidEnd
    gold: int


# --- Combat -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CombatBegan:
    """Two sides fight."""

    attacker: Side
    defender: Side


@dataclass(frozen=True, slots=True)
class StanceDeclared:
    """What a side does in this naval round."""

    side: Side
    stance: Stance


@dataclass(frozen=True, slots=True)
class ContestDecided:
    """Who won the naval contest; None: nobody."""

    winner: Side | None


@dataclass(frozen=True, slots=True)
class VolleyFired:
    """Hits on a side, section by section, before they are applied."""

    shooter: Side
    target: Side
    hits: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class HitCancelled:
    """A reinforced hull took a hit."""

    seat: Seat
    section: Section


@dataclass(frozen=True, slots=True)
class HitRedirected:
    """A captain moved a hit to another section."""

    seat: Seat
    section: Section
    target: Section


@dataclass(frozen=True, slots=True)
class Damaged:
    """The values of a side's ship after damage: cargo, masts, crew, cannons, hull."""

    side: Side
    sections: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Boarded:
    """A crew combat began."""

    side: Side


@dataclass(frozen=True, slots=True)
class CombatEnded:
    """How it ended; None: without a winner."""

    winner: Side | None
    end: CombatEnd


@dataclass(frozen=True, slots=True)
class CaptainDied:
    """A captain is dead."""

    seat: Seat
    captain: str


@dataclass(frozen=True, slots=True)
class CaptainRetired:
    """A captain left the sea."""

    seat: Seat
    captain: str


Event: TypeAlias = (
    TurnOrderDrawn
    | CaptainArrived
    | RoundBegan
    | MerchantsPlaced
    | NpcMoved
    | NpcEntered
    | NpcLeft
    | WarDeclared
    | PeaceMade
    | PortsClosed
    | MarqueIssued
    | DemandChanged
    | TurnBegan
    | GameEnded
    | DiceRolled
    | GoldGained
    | GoldPaid
    | GoldStashed
    | GoldWithdrawn
    | BountyChanged
    | GloryPoint
    | GloryDrawn
    | GloryPlayed
    | GloryDiscarded
    | PointsDeclared
    | Sailed
    | PortVisited
    | ModificationRevealed
    | ModificationBuilt
    | ModificationPlaced
    | GoodsSold
    | GoodsOffered
    | GoodsBought
    | CargoTaken
    | CargoDiscarded
    | SectionRepaired
    | HullRestored
    | CrewJoined
    | WeaponTaken
    | WeaponGone
    | ShipTaken
    | SpecialistJoined
    | CardKept
    | RumorTaken
    | RumorProved
    | RumorDiscarded
    | MissionOpened
    | MissionTaken
    | MissionDone
    | MissionDiscarded
    | MerchantFound
    | MerchantEngaged
    | RaidCardDrawn
    | RaidCardDiscarded
    | RaidEnded
    | CombatBegan
    | StanceDeclared
    | ContestDecided
    | VolleyFired
    | HitCancelled
    | HitRedirected
    | Damaged
    | Boarded
    | CombatEnded
    | CaptainDied
    | CaptainRetired
)
