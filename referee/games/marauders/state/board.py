"""What lies on the board: piles, tokens, NPC ships."""

from __future__ import annotations

from typing import ClassVar

from referee.games.marauders.data.events import ADMIRAL_SKILLS, EVENTS
from referee.games.marauders.terms import (
    Modification,
    NpcKind,
    Zone,
)
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class Pile(Part):
    """A deck, its last card on top, and the discard that becomes the next deck."""

    TAG: ClassVar[str] = "Pile"

    name: str
    deck: tuple[str, ...]
    discard: tuple[str, ...] = ()


@immutable(frozen=True, slots=True)
class PortToken(Part):
    """A modification token on a port."""

    TAG: ClassVar[str] = "PortToken"

    kind: Modification
    face_up: bool = False


@immutable(frozen=True, slots=True)
class Npc(Part):
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
