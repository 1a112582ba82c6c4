"""What lies on the board: piles, tokens, NPC ships."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from referee.games.marauders.data.events import ADMIRAL_SKILLS, EVENTS
from referee.games.marauders.terms import (
    Modification,
    NpcKind,
    Zone,
)
from referee.parts import immutable


@dataclass(slots=True)
class Pile:
    """A deck, its last card on top, and the discard that becomes the next deck."""

    TAG: ClassVar[str] = "Pile"

    name: str
    deck: list[str]
    discard: list[str] = field(default_factory=list)

    def copy(self) -> Pile:
        """A pile that can be changed apart from this one."""
        return Pile(self.name, self.deck.copy(), self.discard.copy())


@immutable(frozen=True, slots=True)
class PortToken:
    """A modification token on a port."""

    TAG: ClassVar[str] = "PortToken"

    kind: Modification
    face_up: bool = False


@immutable(frozen=True, slots=True)
class Npc:
    """An NPC in play. `cards` from the top; empty for a war admiral."""

    TAG: ClassVar[str] = "Npc"

    kind: NpcKind
    cards: tuple[str, ...]
    zone: Zone

    @property
    def skills(self) -> tuple[int, int, int]:
        """Seamanship, scouting and leadership of the top card, or of a war admiral."""
        row = EVENTS[self.cards[0]].npc if self.cards else None
        return ADMIRAL_SKILLS if row is None else row.skills
