"""The words of the game: the enumerations of spec 2.1 in their canonical order, and what a card is.

Every list of options is sorted by these orders. French terms of the rulebook stand in the docstrings.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum, StrEnum
from typing import NewType, TypeAlias


class Term(IntEnum):
    """A word that is also its place in the canonical order."""

    # Enum hashes a member by its name, in Python code. Terms are in the keys of every hot cache: hash them as ints.
    __hash__ = int.__hash__


class Zone(Term):
    """A part of a ship that can be aimed at (*zone*)."""

    SAIL_BOW = 0
    SAIL_STERN = 1
    DECK_BOW = 2
    DECK_MAIN = 3
    DECK_STERN = 4
    HULL_BOW = 5
    HULL_MAIN = 6
    HULL_STERN = 7


class ZoneKind(Term):
    """What a zone is made of: *voilure*, *pont*, *coque*."""

    SAIL = 0
    DECK = 1
    HULL = 2


class Marker(Term):
    """What lies on a zone and can be shot away: planks (*planches*), sails (*voiles*), crew figures (*équipage*)."""

    PLANK = 0
    SAIL = 1
    CREW = 2


class Gun(Term):
    """A place for a cannon: *proue*, *poupe*."""

    BOW = 0
    STERN = 1


class Cannon(Term):
    """A kind of cannon: *18-livres*, *Long Nine*, *Caronade*."""

    POUNDER18 = 0
    LONG_NINE = 1
    CARRONADE = 2


class Projectile(Term):
    """A disc of the bag: *Boulet*, *Chaîne*, *Mitraille*."""

    BALL = 0
    CHAIN = 1
    GRAPE = 2


class Suit(Term):
    """*Pique*, *cœur*, *trèfle*, *carreau*."""

    SPADE = 0
    HEART = 1
    CLUB = 2
    DIAMOND = 3


class Side(Term):
    """Where an aim card lies at its target card: *à gauche*, *en dessous*."""

    LEFT = 0
    BELOW = 1


class Figure(Term):
    """A member of the crew: *Matelot*, *Capitaine*, *Second*."""

    SAILOR = 0
    CAPTAIN = 1
    MATE = 2


class Track(Term):
    """What a suit or value can be used up for: *piste de bordées*, *d'embardées*, *d'Esquive*."""

    BROADSIDE = 0
    SHEER = 1
    EVADE = 2


class Disaster(Term):
    """A token under a hull zone (*jeton Désastre*)."""

    LOSE_SAILS = 0
    LOSE_CREW = 1
    LOSE_PLANKS = 2


class RunKind(Term):
    """How a run evades: in one suit (*Suite à la Couleur*) or in several (*Suite*)."""

    FLUSH = 0
    MIXED = 1


class Phase(Term):
    """Where the game stands."""

    SETUP = 0
    ACTIONS = 1
    FIRE = 2
    DRAW = 3


class Timing(Term):
    """When a dirty trick may be played (spec 2.11)."""

    FREE = 0
    ACT = 1
    AIM = 2
    BOOST = 3
    DEF = 4
    REACT = 5


class Reputation(Term):
    """The reputation cards, by id."""

    Q1 = 1
    Q2 = 2
    Q3 = 3
    Q4 = 4
    Q5 = 5
    Q6 = 6
    Q7 = 7
    Q8 = 8
    Q9 = 9


class Trick(Term):
    """The dirty-trick cards (*Mauvais coups*), by id."""

    K01 = 1
    K02 = 2
    K03 = 3
    K04 = 4
    K05 = 5
    K06 = 6
    K07 = 7
    K08 = 8
    K09 = 9
    K10 = 10
    K11 = 11
    K12 = 12
    K13 = 13
    K14 = 14
    K15 = 15
    K16 = 16
    K17 = 17
    K18 = 18
    K19 = 19
    K20 = 20
    K21 = 21
    K22 = 22
    K23 = 23
    K24 = 24


class Deed(Term):
    """An action that is told by its name and the cards paid for it."""

    PREPARE = 0
    RELOAD_ONE = 1
    RELOAD_BATTERY = 2
    PATCH = 3
    CHANGE_TARGET = 4


class Cause(Term):
    """Why aim cards went to the discard pile without being paid."""

    REPLACED = 0
    LAID_ANEW = 1
    BROADSIDE = 2
    SHEERED_OFF = 3
    HASTY_SHOT = 4
    DREAD = 5
    HAND_LIMIT = 6
    QUARTERMASTER = 7
    SPYGLASS = 8
    CROWS_NEST = 9
    GRAPNELS = 10


class EndReason(StrEnum):
    """How the game ended (spec 8)."""

    SINK = "sink"
    OFFICERS = "officers"
    CAP_WIN = "cap_win"
    CAP_DRAW = "cap_draw"


class Pattern(StrEnum):
    """The drawing on a target card (spec 2.7)."""

    ROUND = "round"
    BROAD = "broad"
    TALL = "tall"
    SALTIRE = "saltire"
    CROSS = "cross"


class Decks(StrEnum):
    """Which of the two expert decks are in play."""

    BASE = "base"
    REPUTATION = "reputation"
    TRICKS = "tricks"
    FULL = "full"


Card = NewType("Card", int)
"""An aim card, numbered in canonical order: S1…S10 are 1…10, then hearts, clubs, diamonds; 41 is a joker."""

TargetCard = NewType("TargetCard", int)
"""A target card (*carte Cible*): T01…T30 are 1…30."""

Discs: TypeAlias = tuple[Projectile, ...]
"""A multiset of discs, in canonical order."""
Cards: TypeAlias = tuple[Card, ...]
"""A multiset of aim cards, in canonical order; the cards of a run in the order of the run."""

JOKER = Card(41)

VALUES = range(1, 11)

SUIT_LETTERS = "SHCD"


def card_of(suit: Suit, value: int) -> Card:
    """Return the card of that suit and value."""
    return Card(suit * 10 + value)


suit_of: Callable[[Card], Suit] = tuple(Suit(max(0, number - 1) // 10 % 4) for number in range(42)).__getitem__
"""The suit of a natural card."""

value_of: Callable[[Card], int] = (0, *(value for _ in Suit for value in VALUES), 0).__getitem__
"""The value of a natural card; 0 for a joker, which has none before it is played."""


def card_name(card: Card) -> str:
    """Name the card as the specification writes it: S1, H10, JK."""
    return "JK" if card == JOKER else f"{SUIT_LETTERS[suit_of(card)]}{value_of(card)}"


def target_name(card: TargetCard) -> str:
    """Return the target card's id: T07."""
    return f"T{card:02}"
