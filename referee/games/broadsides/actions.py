"""Every option a bot can choose (spec 5.2). All come from tables: an option is made once, and keeps its bytes."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.broadsides.terms import Card, Figure, Place, Section, Station
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class PlaceCaptain(Part):
    """Setup: the captain stands here."""

    station: Station


@immutable(frozen=True, slots=True)
class PlaceCrew(Part):
    """Setup: an extra crew member stands here."""

    station: Station


@immutable(frozen=True, slots=True)
class Program(Part):
    """The cards of one round, in the order in which they will be turned over."""

    cards: tuple[Card, Card, Card]


@immutable(frozen=True, slots=True)
class Surrender(Part):
    """Give up an immobilised ship."""


@immutable(frozen=True, slots=True)
class Fire(Part):
    """One shot, aimed at a section."""

    section: Section


@immutable(frozen=True, slots=True)
class Cease(Part):
    """Give up the other shots of this exchange."""


@immutable(frozen=True, slots=True)
class ReplaceCaptain(Part):
    """A crew member of this station becomes captain."""

    station: Station


@immutable(frozen=True, slots=True)
class BoardMove(Part):
    """One figure moves one station."""

    figure: Figure
    origin: Place
    target: Place


ProgramAction: TypeAlias = Program | Surrender
FireAction: TypeAlias = Fire | Cease
Action: TypeAlias = PlaceCaptain | PlaceCrew | ProgramAction | FireAction | ReplaceCaptain | BoardMove
