"""What a view is made of: parts that keep the bytes the wire made of them."""

from __future__ import annotations

from referee.games.marauders.state import Npc, Ship, Volley
from referee.games.marauders.terms import (
    Activity,
    Good,
    Modification,
    Nation,
    ShipType,
    Side,
    Specialist,
    Stance,
    Weapon,
    Zone,
)
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable


@immutable(frozen=True, kw_only=True, slots=True)
class SeatView(Part):
    """What everybody knows of a seat."""

    captain: str | None
    ship: Ship | None
    zone: Zone | None
    in_port: bool
    bounties: tuple[int, ...]
    cargo_count: int
    glory_count: int
    has_rumor: bool
    mission: str | None
    weapons: tuple[Weapon, ...]
    specialists: tuple[Specialist, ...]
    kept: tuple[str, ...]
    track: int
    stash_count: int
    retirements: int
    declared: bool
    chest: int | None
    """Only once declared."""
    last_gold: int
    had_big_ship_glory: bool
    """This captain has had its glory point for a frigate or galleon."""


@immutable(frozen=True, kw_only=True, slots=True)
class OwnView(Part):
    """What only the seat itself knows."""

    captain: str | None
    gold: int
    chest: int
    cargo: tuple[str, ...]
    glory: tuple[str, ...]
    rumor: str | None
    bought_zone: Zone | None
    bought_round: int


@immutable(frozen=True, slots=True)
class PileView(Part):
    """A pile: how many cards its deck has, and what was discarded."""

    name: str
    deck: int
    discard: tuple[str, ...]


@immutable(frozen=True, kw_only=True, slots=True)
class BoardView(Part):
    """What lies on the zones, in the order of their numbers."""

    demand: tuple[Good | None, ...]
    merchants: tuple[bool, ...]
    """Whether a merchant token lies there; its nation is hidden."""
    modifications: tuple[Modification | None, ...]
    """Only of tokens that lie face up."""
    face_down: tuple[bool, ...]
    """Whether a modification token lies there face down."""


@immutable(frozen=True, kw_only=True, slots=True)
class NpcView(Part):
    """An NPC in play."""

    npc: Npc
    ship: ShipType


@immutable(frozen=True, kw_only=True, slots=True)
class FighterView(Part):
    """A side of the combat under way."""

    side: Side
    ship: Ship
    seamanship: int
    leadership: int
    stance: Stance | None
    dice: tuple[int, ...]
    chasers_used: bool
    redirect_used: bool
    surgeon_used: bool
    crew_dice: int
    """Card dice for the first round of the crew combat."""


@immutable(frozen=True, kw_only=True, slots=True)
class CombatView(Part):
    """The combat under way."""

    attacker: FighterView
    defender: FighterView
    round: int
    crew_round: int
    boarding: bool
    volley: Volley | None


@immutable(frozen=True, kw_only=True, slots=True)
class RaidView(Part):
    """The raid under way."""

    nation: Nation
    table: tuple[str, ...]
    dice: tuple[int, ...]
    successes: int
    failures: int


@immutable(frozen=True, kw_only=True, slots=True)
class VisitView(Part):
    """The Port action under way, for the seat whose it is."""

    open: Activity | None
    used: tuple[Activity, ...]
    offer: tuple[str, ...]
    prices: tuple[tuple[Good, int], ...]


@immutable(frozen=True, kw_only=True, slots=True)
class View:
    """All that a seat may know."""

    round: int
    event: str | None
    turn_order: tuple[Seat, ...]
    turn: tuple[Seat, int, int] | None
    """The active seat, its actions and free moves."""
    seats: tuple[SeatView, ...]
    seat: Seat
    """Whose view it is."""
    own: OwnView
    board: BoardView
    npcs: tuple[NpcView, ...]
    returning: tuple[str, ...]
    war: tuple[Nation, ...]
    marque: tuple[Nation, ...]
    closed: tuple[Zone, ...]
    merchant_track: int
    found: Nation | None
    open_missions: tuple[str, ...]
    supply: tuple[Good, ...]
    event_deck: int
    captains: int
    """How many captains are left."""
    piles: tuple[PileView, PileView, PileView, PileView]
    """Cargo, glory, rumors, missions."""
    used_captains: tuple[str, ...]
    combat: CombatView | None
    raid: RaidView | None
    visit: VisitView | None
    dice: tuple[int, ...]
    target_glory: int
    event_discard: tuple[str, ...]
    """Event cards out of the game."""
    port_cards: tuple[str, ...]
    """Glory cards that hold until the Port action under way is over."""
