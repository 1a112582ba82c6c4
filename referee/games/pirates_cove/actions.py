"""Every option a bot can choose, spec section 5.2. Frozen values; the lists are built by the modules of rules/."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.pirates_cove.terms import Card, Fighter, Place, Section
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable, interned


@immutable(frozen=True, slots=True)
class Outfit(Part):
    """`OUTFIT`: levels to add to each section before the first month."""

    hull: int
    sails: int
    cannons: int
    crew: int


@immutable(frozen=True, slots=True)
class Keep(Part):
    """`PARROT_SWAP`: keep the parrot aboard; the new one goes back."""


@immutable(frozen=True, slots=True)
class SwapParrot(Part):
    """`PARROT_SWAP`: pay 1 fame for the new parrot; the old one goes back."""


@immutable(frozen=True, slots=True)
class Pass(Part):
    """Play no card in this window now."""


@immutable(frozen=True, slots=True)
class PlayCard(Part):
    """Play a Tavern card from the hand, in its window. The fields a card does not need are None or 0."""

    card: Card
    seat: Seat | None = None
    """Freebooter: the victim. Lookout: who navigates first."""
    place: Place | None = None
    """Royal Navy, Letter of Marque, Slip Away: where to."""
    section: Section | None = None
    """Artisan, Shipwright: which section."""
    chests: int = 0
    """Overboard: how many."""


@immutable(frozen=True, slots=True)
class Sail(Part):
    """`NAVIGATE`: choose an island, 1 to 6."""

    island: Place


@immutable(frozen=True, slots=True)
class Fire(Part):
    """`VOLLEY` and `NAVY_FIRE`: fire at a ship. A ship that is nobody's is always fired at in the hull."""

    target: Fighter
    section: Section


@immutable(frozen=True, slots=True)
class Flee(Part):
    """`VOLLEY`: leave the combat for the Cove, at the risk of a mutiny."""


@immutable(frozen=True, slots=True)
class Wait(Part):
    """`VOLLEY`: reload."""


@immutable(frozen=True, slots=True)
class Done(Part):
    """`PORT`: end the visit."""


@immutable(frozen=True, slots=True)
class Buy(Part):
    """`PORT`: buy Tavern cards at Tavern Island."""

    count: int


@immutable(frozen=True, slots=True)
class Upgrade(Part):
    """`PORT`: raise a section; at Treasure Island (`upgrade6`) by one level at double price."""

    section: Section
    levels: int
    price: int


@immutable(frozen=True, slots=True)
class BuryChests(Part):
    """`PORT`: bury chests, 1 fame each."""

    count: int


@immutable(frozen=True, slots=True)
class BuryGold(Part):
    """`PORT`: bury gold, 3 for each of these points of fame."""

    fame: int


@immutable(frozen=True, slots=True)
class CoveCards(Part):
    """`PORT`: at the Cove, draw two cards."""


@immutable(frozen=True, slots=True)
class CoveGold(Part):
    """`PORT`: at the Cove, draw one card and take two gold."""


@immutable(frozen=True, slots=True)
class RepairArtisan(Part):
    """`PORT`: pay 1 gold for a damaged Artisan."""


play_card = interned(PlayCard)
"""The same way to play a card is the same object, which has its bytes already."""

ParrotAction: TypeAlias = Keep | SwapParrot
WindowAction: TypeAlias = Pass | PlayCard
TurnAction: TypeAlias = Fire | Flee | Wait | PlayCard
PortAction: TypeAlias = Done | Buy | Upgrade | BuryChests | BuryGold | CoveCards | CoveGold | RepairArtisan | PlayCard
Action: TypeAlias = Outfit | ParrotAction | WindowAction | Sail | TurnAction | PortAction
