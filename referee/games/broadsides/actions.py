"""Every option a bot can choose (spec 5.2). Frozen values, made once and shared where lists recur.

Programs and boarding moves come in lists of dozens, and the wire looks each up by its hash at every question: theirs
is worked out once.
"""

from __future__ import annotations

from dataclasses import field
from typing import TypeAlias

from referee.games.broadsides.terms import Card, Figure, Place, Section, Station
from referee.parts import immutable


@immutable(frozen=True, slots=True)
class PlaceCaptain:
    """Setup: the captain stands here."""

    station: Station


@immutable(frozen=True, slots=True)
class PlaceCrew:
    """Setup: an extra crew member stands here."""

    station: Station


@immutable(frozen=True, slots=True)
class Program:
    """The cards of one round, in the order in which they will be turned over."""

    cards: tuple[Card, Card, Card]
    hashed: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hashed", hash(self.cards))

    def __hash__(self) -> int:
        return self.hashed


@immutable(frozen=True, slots=True)
class Surrender:
    """Give up an immobilised ship."""


@immutable(frozen=True, slots=True)
class Fire:
    """One shot, aimed at a section."""

    section: Section


@immutable(frozen=True, slots=True)
class Cease:
    """Give up the other shots of this exchange."""


@immutable(frozen=True, slots=True)
class ReplaceCaptain:
    """A crew member of this station becomes captain."""

    station: Station


@immutable(frozen=True, slots=True)
class BoardMove:
    """One figure moves one station."""

    figure: Figure
    origin: Place
    target: Place
    hashed: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hashed", hash((self.figure, self.origin, self.target)))

    def __hash__(self) -> int:
        return self.hashed


ProgramAction: TypeAlias = Program | Surrender
FireAction: TypeAlias = Fire | Cease
Action: TypeAlias = PlaceCaptain | PlaceCrew | ProgramAction | FireAction | ReplaceCaptain | BoardMove
