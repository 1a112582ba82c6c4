"""What is printed: mats, prices, cards, legends. Literals only, each with its source mark from the spec, section 2.

Marks: S the player-aid card, F1 the French rule booklet, F2 and F3 two digital versions, H a ruling of this house.
"""

from __future__ import annotations

from referee.games.pirates_cove.cards import (
    AttachArtisan,
    Becalm,
    Blast,
    DiceFrom,
    EndlessHold,
    FameAtEnd,
    HitFrom,
    Jettison,
    MarkTreasure,
    Mend,
    OpenNavigation,
    Perch,
    Prize,
    Raise,
    Recoil,
    RedirectNavy,
    Reload,
    SendNavy,
    ShakeOff,
    Shroud,
    SlipAway,
    Special,
    Speed,
    Spread,
    Strays,
    TakeHalf,
    ThrowDice,
    Verb,
)
from referee.games.pirates_cove.terms import (
    ALL_SECTIONS,
    CANNON_ISLAND,
    COVE,
    CREW_ISLAND,
    HULL_ISLAND,
    SAIL_ISLAND,
    TAVERN_ISLAND,
    TREASURE_ISLAND,
    Captain,
    Card,
    Offer,
    Place,
    Section,
    Window,
)
from referee.rules.parts import immutable

MONTHS = 12  # F1
GOLD = 124  # F1, one pool of units (H, R31)
CHESTS = 50  # F1
START_GOLD = 9  # F1
START_LEVEL = 1  # F1: the skull
TOP_LEVEL = 7  # F2, F3
DESTROYED = -1
"""The level of a section whose ring is off the mat."""
NORMAL_HIT = 5  # S: a die of 5 or 6
MAX_EXCHANGES = 50  # H, R34

PLACE_NAMES = ("at sea", "Tavern Island", "Hull Island", "Sail Island", "Cannon Island", "Crew Island",
               "Treasure Island", "Pirate's Cove")  # fmt: skip

# Spec 2.2 (F2, F3): value of each section at level -1, 0, ... 7. Read with `VALUES[section][level + 1]`.
_ROOM = (0, 4, 5, 6, 7, 8, 9, 10, 12)
_HANDS = (0, 2, 2, 3, 3, 4, 4, 5, 5)
VALUES = (_ROOM, _ROOM, _HANDS, _HANDS)

COST = (1, 1, 2, 2, 3, 3, 4)
"""Gold to raise a section from level L to L + 1, for L = 0 to 6 (F2, F3; examples in F1)."""

CARD_PRICE = 2  # S: gold for a Tavern card at Tavern Island
MAX_BUY = 3  # S
GOLD_PER_FAME = 3  # S: burying gold
TREASURE_ISLAND_RATE = 2  # S: upgrades there cost double
REPAIR_PRICE = 2  # F1: gold per destroyed section at the Cove
ARTISAN_REPAIR_PRICE = 1  # F1
COVE_CARDS, COVE_GOLD = 2, 2  # S: two cards, or one card and two gold
MUTINY_DIE = 1  # S
MUTINY_FAME = 2  # S (R44)
PARROT_DEATH_FAME = 2  # F1
PARROT_SWAP_FAME = 1  # F1
RETREAT_FAME = 1  # S: to each ship that stays, per touched ship that leaves

OFFERS: dict[Place, tuple[Offer, ...]] = {  # S, spec 6.11, in the order of the menu
    TAVERN_ISLAND: (Offer.BUY,),
    HULL_ISLAND: (Offer.UPGRADE,),
    SAIL_ISLAND: (Offer.UPGRADE,),
    CANNON_ISLAND: (Offer.UPGRADE,),
    CREW_ISLAND: (Offer.UPGRADE,),
    TREASURE_ISLAND: (Offer.BURY_CHESTS, Offer.BURY_GOLD, Offer.UPGRADE),
    COVE: (Offer.COVE,),
}
YARDS: dict[Place, Section] = {  # S: the section an outer island raises
    HULL_ISLAND: Section.HULL,
    SAIL_ISLAND: Section.SAILS,
    CANNON_ISLAND: Section.CANNONS,
    CREW_ISLAND: Section.CREW,
}


@immutable(frozen=True, kw_only=True, slots=True)
class Loot:
    """What a Treasure card gives to the ship that plunders its island."""

    fame: int
    gold: int
    chests: int
    cards: int


TREASURE_COPIES = 2
TREASURES = (  # F2; pictures preferred to code for t17 and t26 (R2). Read with `TREASURES[treasure - 1]`.
    Loot(fame=0, gold=2, chests=5, cards=1),
    Loot(fame=0, gold=3, chests=6, cards=0),
    Loot(fame=0, gold=5, chests=5, cards=0),
    Loot(fame=0, gold=6, chests=4, cards=0),
    Loot(fame=0, gold=7, chests=4, cards=0),
    Loot(fame=0, gold=8, chests=3, cards=0),
    Loot(fame=0, gold=9, chests=2, cards=0),
    Loot(fame=0, gold=9, chests=3, cards=0),
    Loot(fame=1, gold=1, chests=4, cards=1),
    Loot(fame=1, gold=2, chests=5, cards=0),
    Loot(fame=1, gold=4, chests=4, cards=0),
    Loot(fame=1, gold=5, chests=3, cards=0),
    Loot(fame=1, gold=6, chests=3, cards=0),
    Loot(fame=1, gold=7, chests=2, cards=0),
    Loot(fame=1, gold=8, chests=2, cards=0),
    Loot(fame=1, gold=9, chests=1, cards=0),
    Loot(fame=2, gold=2, chests=2, cards=1),
    Loot(fame=2, gold=2, chests=3, cards=0),
    Loot(fame=2, gold=4, chests=2, cards=0),
    Loot(fame=2, gold=5, chests=2, cards=0),
    Loot(fame=2, gold=6, chests=1, cards=0),
    Loot(fame=2, gold=7, chests=1, cards=0),
    Loot(fame=2, gold=8, chests=0, cards=0),
    Loot(fame=2, gold=9, chests=0, cards=0),
    Loot(fame=3, gold=1, chests=1, cards=1),
    Loot(fame=3, gold=2, chests=2, cards=0),
    Loot(fame=3, gold=3, chests=1, cards=0),
    Loot(fame=3, gold=5, chests=0, cards=0),
    Loot(fame=4, gold=0, chests=0, cards=1),
    Loot(fame=4, gold=2, chests=0, cards=0),
)


@immutable(frozen=True, kw_only=True, slots=True)
class TavernCard:
    """One Tavern card: how many there are, when it is played and what it does."""

    id: Card
    name: str
    copies: int
    window: Window
    effect: tuple[Verb, ...]
    """What it does, in this order. The first verb also says how the card may be aimed."""
    mark: str


# Rows of one window stand in the order in which that window lists them (spec 5.2 and 6.11).
_ROWS = (
    TavernCard(id=Card.FLINT, name="Captain Flint's parrot", copies=1, window=Window.NEVER, mark="F1, R4",
               effect=(Perch(section=Section.HULL, gift=EndlessHold()),)),
    TavernCard(id=Card.SILVER, name="Long John Silver's parrot", copies=1, window=Window.NEVER, mark="F1, R4",
               effect=(Perch(section=Section.CANNONS, gift=ThrowDice(count=6)),)),
    TavernCard(id=Card.BONES, name="Billy Bones' parrot", copies=1, window=Window.NEVER, mark="F1, section H R4",
               effect=(Perch(section=Section.CREW, gift=DiceFrom(section=Section.CANNONS)),)),
    TavernCard(id=Card.TRELAWNEY, name="Squire Trelawney's parrot", copies=1, window=Window.NEVER, mark="F1, R4",
               effect=(Perch(section=Section.SAILS, gift=Speed(bonus=20)),)),
    TavernCard(id=Card.FREEBOOTER, name="Freebooter", copies=1, window=Window.TREASURE_EVENT, mark="F1, copies H R3",
               effect=(TakeHalf(),)),
    TavernCard(id=Card.MAP, name="Treasure Map", copies=1, window=Window.TREASURE_EVENT, mark="F1, copies H R3",
               effect=(MarkTreasure(chest_factor=2),)),
    TavernCard(id=Card.LOOKOUT, name="Lookout", copies=1, window=Window.LOOKOUT, mark="F1, copies H R3",
               effect=(OpenNavigation(),)),
    TavernCard(id=Card.NAVY, name="Royal Navy", copies=2, window=Window.NAV_EVENT, mark="F1, copies H R3",
               effect=(SendNavy(),)),
    TavernCard(id=Card.LETTER, name="Letter of Marque", copies=1, window=Window.NAV_EVENT, mark="F1, copies H R3",
               effect=(RedirectNavy(),)),
    TavernCard(id=Card.SLIP, name="Slip Away", copies=1, window=Window.NAV_EVENT, mark="F1, copies H R3",
               effect=(SlipAway(), ShakeOff())),
    TavernCard(id=Card.BECALMED, name="Becalmed", copies=1, window=Window.BOARDING, mark="F1, copies H R3",
               effect=(Becalm(),)),
    TavernCard(id=Card.GRAPPLE, name="Grapple", copies=2, window=Window.BOARDING, mark="F1, copies H R3",
               effect=(DiceFrom(section=Section.CREW),)),
    TavernCard(id=Card.OVERBOARD, name="Overboard", copies=1, window=Window.BOARDING, mark="F1, copies H R3",
               effect=(Jettison(speed_per_chest=2),)),
    TavernCard(id=Card.SMOKE, name="Smoke", copies=2, window=Window.BOARDING, mark="F1, copies H R3",
               effect=(Shroud(face=6),)),
    TavernCard(id=Card.WIND, name="Favourable Wind", copies=2, window=Window.BOARDING, mark="F1, copies H R3",
               effect=(Speed(bonus=6),)),
    TavernCard(id=Card.GRAPESHOT, name="Grapeshot", copies=2, window=Window.VOLLEY, mark="F1, copies H R3",
               effect=(HitFrom(face=3), Recoil(section=Section.CANNONS, hits=2))),
    TavernCard(id=Card.MAGAZINE, name="Magazine", copies=2, window=Window.VOLLEY, mark="F1, copies H R3",
               effect=(Blast(section=Section.HULL),)),
    TavernCard(id=Card.CANNONADE, name="Cannonade", copies=2, window=Window.VOLLEY, mark="F1, copies H R3",
               effect=(Spread(sections=ALL_SECTIONS), Reload())),
    TavernCard(id=Card.ARTISAN, name="Artisan", copies=7, window=Window.PORT, mark="F1",
               effect=(AttachArtisan(),)),
    TavernCard(id=Card.SHIPWRIGHT, name="Shipwright", copies=1, window=Window.PORT, mark="F1, copies H R3",
               effect=(Raise(levels=1),)),
    TavernCard(id=Card.FAME1, name="Fame 1", copies=5, window=Window.NEVER, mark="F1", effect=(FameAtEnd(points=1),)),
    TavernCard(id=Card.FAME2, name="Fame 2", copies=3, window=Window.NEVER, mark="F1", effect=(FameAtEnd(points=2),)),
    TavernCard(id=Card.FAME3, name="Fame 3", copies=1, window=Window.NEVER, mark="F1", effect=(FameAtEnd(points=3),)),
)  # fmt: skip

CARDS: dict[Card, TavernCard] = {row.id: row for row in _ROWS}
WINDOW_CARDS: dict[Window, tuple[Card, ...]] = {
    window: tuple(row.id for row in _ROWS if row.window is window) for window in Window
}
PARROTS: dict[Card, Perch] = {row.id: verb for row in _ROWS for verb in row.effect if isinstance(verb, Perch)}
FAME_CARDS: dict[Card, int] = {
    row.id: verb.points for row in _ROWS for verb in row.effect if isinstance(verb, FameAtEnd)
}


@immutable(frozen=True, kw_only=True, slots=True)
class Legend:
    """A ship that is nobody's. Dice, hull points and speed never change."""

    id: Captain
    name: str
    dice: int
    sections: tuple[Section, ...]
    """What each hit strikes. Empty: as its controller says."""
    aim: Section | None
    """It fires at the player ship with the highest value of this (sails: speed). None: as its controller says."""
    hull: int
    speed: int
    fame: int
    """Divided among the player ships that see it sink."""
    special: Special | None
    mark: str


_LEGEND_ROWS = (
    Legend(id=Captain.BLACKBEARD, name="Blackbeard", dice=6, sections=(Section.HULL,), aim=Section.CANNONS,
           hull=8, speed=24, fame=6, special=None, mark="F1"),
    Legend(id=Captain.DUTCHMAN, name="the Flying Dutchman", dice=4, sections=(Section.CREW,), aim=Section.CREW,
           hull=5, speed=16, fame=6, special=Mend(points=2), mark="F1"),
    Legend(id=Captain.HOOK, name="Captain Hook", dice=3, sections=(Section.HULL,), aim=Section.HULL,
           hull=5, speed=18, fame=3, special=Strays(section=Section.HULL), mark="F1"),
    Legend(id=Captain.BONNYREAD, name="Anne Bonny & Mary Read", dice=3, sections=ALL_SECTIONS, aim=Section.SAILS,
           hull=5, speed=22, fame=6, special=None, mark="F1"),
    Legend(id=Captain.CACAFUEGO, name="the Cacafuego", dice=0, sections=(), aim=None,
           hull=0, speed=0, fame=0, special=Prize(), mark="F1"),
    Legend(id=Captain.NAVY, name="the Royal Navy", dice=4, sections=(), aim=None,
           hull=4, speed=20, fame=4, special=None, mark="F1"),
)  # fmt: skip

LEGENDS: dict[Captain, Legend] = {row.id: row for row in _LEGEND_ROWS}
LEGEND_DECK = tuple(captain for captain in LEGENDS if captain is not Captain.NAVY)

BLACK_SHIP_STARTS: dict[int, tuple[Place, ...]] = {
    2: (TAVERN_ISLAND, CANNON_ISLAND),  # H, R36
    3: (TAVERN_ISLAND, CANNON_ISLAND),  # F1
    4: (TAVERN_ISLAND,),  # F1
    5: (TAVERN_ISLAND,),  # F1
}
