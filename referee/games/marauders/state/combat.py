"""The combat under way (6.9)."""

from __future__ import annotations

from typing import ClassVar

from referee.games.marauders.state.captain import Ship
from referee.games.marauders.terms import (
    Section,
    Side,
    Stance,
)
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class Volley(Part):
    """A volley while its hits are determined (6.9). `shooter` is 0 for the attacker, 1 for the defender."""

    TAG: ClassVar[str] = "Volley"

    shooter: int
    count: int
    dice: tuple[int, ...] = ()
    hits: tuple[Section, ...] = ()
    """Sections determined so far: numbered dice first, then skulls."""
    skulls: int = 0
    """Skulls still to be assigned."""
    lost_on: Section | None = None
    """With chain or grape: hits on this section, once destroyed, are lost and do not pass to the hull."""


@immutable(frozen=True, slots=True)
class Fighter(Part):
    """A side of the combat under way. `ship` is the seat's own, or the NPC's for this combat only."""

    TAG: ClassVar[str] = "Fighter"

    side: Side
    ship: Ship
    seamanship: int
    leadership: int
    stance: Stance | None = None
    """None: not yet declared in this round."""
    dice: tuple[int, ...] = ()
    crew_dice: int = 0
    """Card dice for the first round of the crew combat."""
    chasers_used: bool = False
    redirect_used: bool = False
    surgeon_used: bool = False


@immutable(frozen=True, slots=True)
class Combat(Part):
    """The combat under way (6.9)."""

    TAG: ClassVar[str] = "Combat"

    fighters: tuple[Fighter, Fighter]
    """Attacker, defender."""
    round: int = 0
    crew_round: int = 0
    at_sea: bool = True
    """False: the assault of a town."""
    boarding: bool = False
    """The crew combat has begun."""
    volley: Volley | None = None
    volleys: tuple[Volley, ...] = ()
    """Determined, not yet applied."""
    glory_played: bool = False
    """A glory card was played in the present `w_contest` or `w_crew`."""
