"""The board: zones, ports and links (2.2), ships and modifications (2.3), tokens and prices (2.1). Literals only."""

from __future__ import annotations

from referee.games.marauders.cards.modifiers import Modifiers
from referee.games.marauders.terms import Good, Modification, Nation, Section, ShipType, Weapon, Wind, Zone
from referee.rules.parts import immutable


@immutable(frozen=True, kw_only=True)
class ZoneRow:
    """A sea zone; `nation` is that of its port, None where there is no port."""

    zone: Zone
    title: str
    nation: Nation | None
    modifiers: Modifiers
    mark: str


ZONE_ROWS = (
    ZoneRow(zone=Zone.HAVANA, title="Havana", nation=Nation.ES, modifiers={"raid.extra_hit": 1}, mark="F FAQ"),
    ZoneRow(
        zone=Zone.PORT_ROYAL, title="Port Royal", nation=Nation.EN, modifiers={"port.outlaw": 3}, mark="S p11, 3 is H"
    ),
    ZoneRow(zone=Zone.OLD_PROVIDENCE, title="Old Providence", nation=Nation.EN, modifiers={"raid.escape": 1}, mark="H"),
    ZoneRow(
        zone=Zone.NASSAU,
        title="Nassau",
        nation=Nation.EN,
        modifiers={"price.buy": -1, "price.sell": -1},
        mark="F FAQ, H",
    ),
    ZoneRow(zone=Zone.TORTUGA, title="Tortuga", nation=Nation.FR, modifiers={"dice.recruit": 2}, mark="H"),
    ZoneRow(zone=Zone.PETIT_GOAVE, title="Petit-Goâve", nation=Nation.FR, modifiers={"cost.rumor": -1}, mark="H"),
    ZoneRow(
        zone=Zone.CARTAGENA,
        title="Cartagena",
        nation=Nation.ES,
        modifiers={"scout.auto_merchant": Nation.ES},
        mark="F FAQ",
    ),
    ZoneRow(zone=Zone.SANTO_DOMINGO, title="Santo Domingo", nation=Nation.ES, modifiers={"cost.weapon": -1}, mark="H"),
    ZoneRow(
        zone=Zone.CARIBBEAN_SEA,
        title="Caribbean Sea",
        nation=None,
        modifiers={"dice.scout": -1, "dice.npc_scout": -1},
        mark="H",
    ),
    ZoneRow(zone=Zone.CURACAO, title="Curaçao", nation=Nation.NL, modifiers={"cost.repair": -1}, mark="H"),
    ZoneRow(zone=Zone.SAN_JUAN, title="San Juan", nation=Nation.ES, modifiers={"dice.npc_scout.navy": 1}, mark="H"),
    ZoneRow(zone=Zone.CARACAS, title="Caracas", nation=Nation.ES, modifiers={"price.sell": 1}, mark="H"),
    ZoneRow(zone=Zone.ST_MAARTEN, title="St. Maarten", nation=Nation.NL, modifiers={"cards.buy": 2}, mark="F FAQ, H"),
    ZoneRow(zone=Zone.BASSE_TERRE, title="Basse-Terre", nation=Nation.FR, modifiers={"cost.bigship": -5}, mark="H"),
    ZoneRow(zone=Zone.ST_JOHN, title="St. John", nation=Nation.EN, modifiers={"shipyard.keep_mods": 1}, mark="S p9"),
    ZoneRow(zone=Zone.BRIDGETOWN, title="Bridgetown", nation=Nation.EN, modifiers={"price.demand": 1}, mark="H"),
    ZoneRow(zone=Zone.TRINIDAD, title="Trinidad", nation=Nation.ES, modifiers={}, mark="H"),
)

ZONES = {row.zone: row for row in ZONE_ROWS}
PORTS = tuple(row.zone for row in ZONE_ROWS if row.nation is not None)

LINKS: dict[Zone, dict[Wind, Zone]] = {  # F Cionco, every row
    Zone.HAVANA: {Wind.NE: Zone.NASSAU, Wind.E: Zone.TORTUGA, Wind.S: Zone.PORT_ROYAL},
    Zone.PORT_ROYAL: {
        Wind.N: Zone.HAVANA,
        Wind.NE: Zone.TORTUGA,
        Wind.E: Zone.PETIT_GOAVE,
        Wind.SE: Zone.CARTAGENA,
        Wind.S: Zone.OLD_PROVIDENCE,
    },
    Zone.OLD_PROVIDENCE: {Wind.N: Zone.PORT_ROYAL, Wind.E: Zone.CARTAGENA},
    Zone.NASSAU: {Wind.SE: Zone.TORTUGA, Wind.SW: Zone.HAVANA},
    Zone.TORTUGA: {
        Wind.SE: Zone.SANTO_DOMINGO,
        Wind.S: Zone.PETIT_GOAVE,
        Wind.SW: Zone.PORT_ROYAL,
        Wind.W: Zone.HAVANA,
        Wind.NW: Zone.NASSAU,
    },
    Zone.PETIT_GOAVE: {
        Wind.N: Zone.TORTUGA,
        Wind.E: Zone.SANTO_DOMINGO,
        Wind.SE: Zone.CARIBBEAN_SEA,
        Wind.S: Zone.CARTAGENA,
        Wind.W: Zone.PORT_ROYAL,
    },
    Zone.CARTAGENA: {
        Wind.N: Zone.PETIT_GOAVE,
        Wind.NE: Zone.CARIBBEAN_SEA,
        Wind.E: Zone.CURACAO,
        Wind.W: Zone.OLD_PROVIDENCE,
        Wind.NW: Zone.PORT_ROYAL,
    },
    Zone.SANTO_DOMINGO: {
        Wind.E: Zone.SAN_JUAN,
        Wind.S: Zone.CARIBBEAN_SEA,
        Wind.W: Zone.PETIT_GOAVE,
        Wind.NW: Zone.TORTUGA,
    },
    Zone.CARIBBEAN_SEA: {
        Wind.N: Zone.SANTO_DOMINGO,
        Wind.NE: Zone.SAN_JUAN,
        Wind.E: Zone.BASSE_TERRE,
        Wind.SE: Zone.CARACAS,
        Wind.S: Zone.CURACAO,
        Wind.SW: Zone.CARTAGENA,
        Wind.NW: Zone.PETIT_GOAVE,
    },
    Zone.CURACAO: {Wind.N: Zone.CARIBBEAN_SEA, Wind.E: Zone.CARACAS, Wind.W: Zone.CARTAGENA},
    Zone.SAN_JUAN: {
        Wind.E: Zone.ST_MAARTEN,
        Wind.SE: Zone.BASSE_TERRE,
        Wind.SW: Zone.CARIBBEAN_SEA,
        Wind.W: Zone.SANTO_DOMINGO,
    },
    Zone.CARACAS: {Wind.NE: Zone.BASSE_TERRE, Wind.E: Zone.TRINIDAD, Wind.W: Zone.CURACAO, Wind.NW: Zone.CARIBBEAN_SEA},
    Zone.ST_MAARTEN: {Wind.E: Zone.ST_JOHN, Wind.S: Zone.BASSE_TERRE, Wind.W: Zone.SAN_JUAN},
    Zone.BASSE_TERRE: {
        Wind.N: Zone.ST_MAARTEN,
        Wind.NE: Zone.ST_JOHN,
        Wind.E: Zone.BRIDGETOWN,
        Wind.S: Zone.TRINIDAD,
        Wind.SW: Zone.CARACAS,
        Wind.W: Zone.CARIBBEAN_SEA,
        Wind.NW: Zone.SAN_JUAN,
    },
    Zone.ST_JOHN: {Wind.S: Zone.BRIDGETOWN, Wind.SW: Zone.BASSE_TERRE, Wind.W: Zone.ST_MAARTEN},
    Zone.BRIDGETOWN: {Wind.N: Zone.ST_JOHN, Wind.SW: Zone.TRINIDAD, Wind.W: Zone.BASSE_TERRE},
    Zone.TRINIDAD: {Wind.N: Zone.BASSE_TERRE, Wind.NE: Zone.BRIDGETOWN, Wind.W: Zone.CARACAS},
}

ADJACENT = {zone: tuple(sorted(winds.values())) for zone, winds in LINKS.items()}


@immutable(frozen=True, kw_only=True, slots=True)
class ShipRow:
    """A ship as built. `sections` in the order cargo, masts, crew, cannons, hull; masts and hull are the Toughness."""

    type: ShipType
    sections: tuple[int, int, int, int, int]
    manoeuvrability: int
    price: int | None
    """What a shipyard asks; None: never sold."""
    sale: int
    big: bool = False
    """A frigate or galleon: `cost.bigship`, and a glory point for the first one bought."""
    mark: str


SHIPS = {
    row.type: row
    for row in (
        ShipRow(type=ShipType.SLOOP, sections=(2, 2, 2, 1, 2), manoeuvrability=4, price=10, sale=5, mark="S, F Cionco"),
        ShipRow(type=ShipType.FLUTE, sections=(4, 3, 1, 1, 3), manoeuvrability=2, price=10, sale=5, mark="F Cionco"),
        ShipRow(
            type=ShipType.FRIGATE, sections=(3, 3, 3, 3, 3), manoeuvrability=3, price=35, sale=10, big=True, mark="S"
        ),
        ShipRow(
            type=ShipType.GALLEON, sections=(5, 4, 4, 4, 4), manoeuvrability=1, price=35, sale=10, big=True, mark="F"
        ),
        ShipRow(type=ShipType.MAN_O_WAR, sections=(3, 5, 5, 5, 5), manoeuvrability=2, price=None, sale=0, mark="F"),
        ShipRow(type=ShipType.GARRISON, sections=(0, 0, 0, 0, 0), manoeuvrability=0, price=None, sale=0, mark="H"),
    )
}

STARTING_SHIPS = (ShipType.SLOOP, ShipType.FLUTE)
SHIPS_FOR_SALE = tuple(row.type for row in SHIPS.values() if row.price is not None)

LOCATIONS = {1: Section.CARGO, 2: Section.MASTS, 3: Section.CREW, 4: Section.CANNONS}
"""The section a location die names (ruling R1); a skull leaves the choice."""


@immutable(frozen=True, kw_only=True, slots=True)
class ModificationRow:
    """A modification: the section whose maximum it raises, whether the new point comes filled, Manoeuvrability."""

    kind: Modification
    raises: Section | None = None
    filled: bool = False
    manoeuvrability: int = 0
    mark: str


MODIFICATIONS = {
    row.kind: row
    for row in (
        ModificationRow(kind=Modification.HAMMOCKS, raises=Section.CREW, mark="S p9"),  # R25: to be recruited
        ModificationRow(kind=Modification.RIGGING, manoeuvrability=1, mark="S p9"),
        ModificationRow(kind=Modification.REINFORCED_HULL, mark="S p9"),
        ModificationRow(kind=Modification.EXTENDED_HOLD, raises=Section.CARGO, filled=True, mark="S p9"),
        ModificationRow(kind=Modification.CHASERS, mark="S p9"),
        ModificationRow(kind=Modification.GUNPORT, raises=Section.CANNONS, filled=True, mark="S p9"),
        ModificationRow(kind=Modification.SWIVEL_GUNS, mark="S p9"),
        ModificationRow(kind=Modification.LONG_GUNS, mark="S p9"),
    )
}

AMMUNITION = {Weapon.CHAIN: Section.MASTS, Weapon.GRAPE: Section.CREW}
"""Where every skull of a volley goes with that ammunition."""

MERCHANT_TOKENS = (Nation.ES,) * 5 + (Nation.NL,) * 4 + (Nation.FR,) * 4 + (Nation.EN,) * 4  # S
DEMAND_TOKENS = tuple(good for good in Good for _ in range(3))  # S 24, H 8 x 3
MODIFICATION_TOKENS = tuple(kind for kind in Modification for _ in range(2))  # S
WAR_BASES = {  # H
    Nation.ES: Zone.HAVANA,
    Nation.EN: Zone.PORT_ROYAL,
    Nation.FR: Zone.BASSE_TERRE,
    Nation.NL: Zone.CURACAO,
}

# Prices in gold, S p8-9.
REPAIR_PRICE = 2
MODIFICATION_PRICE = 3
WEAPON_PRICE = 3
WEAPON_SALE = 1
HULL_PRICE = 3
SAILOR_PRICE = 2
RUMOR_PRICE = 2
GOODS_PRICE = 3
"""One card of a good among those drawn; 1 less for each further card, down to 1."""
PLAIN_SALE = 3
DEMAND_SALE = 6

# Numbers of the rules.
MAX_VALUE = 5
MAX_BOUNTY = 5
START_GOLD = 10
ACTIONS = 3
BUY_CARDS = 6
BUY_CARDS_AGAIN = 3
RAID_CARDS = 3
GLORY_HAND = 4
GLORY_SALE = 3
GLORY_RAID = 12
RESTOCK = 8
MAX_RETIREMENTS = 2
COMBAT_ROUNDS = 20
MAX_CHOICES = 5000
"""The safety cap of 8.4."""
DOUBLE_SPECIALIST_GOLD = 5
PIRATE_REWARDS = {ShipType.SLOOP: 5, ShipType.FRIGATE: 15}
BOUNTY_REWARD = 5
STASH_STEPS = (1, 5, 10)
CHEST_GOLD_PER_POINT = 10
JETTISON_LISTED = 200
