"""The effects of glory cards, rumors and missions (cards file A.2)."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from referee.games.marauders.cards.modifiers import ModifierKey, Modifiers
from referee.games.marauders.terms import (
    Skill,
    Specialist,
)
from referee.rules.parts import immutable


@immutable(frozen=True, slots=True)
class Gold:
    """`GOLD n`: gold from the bank."""

    TAG: ClassVar[str] = "Gold"
    gold: int


@immutable(frozen=True, slots=True)
class Cargo:
    """`CARGO n`: cards from the cargo deck into the hold; at sea, down to the limit afterwards."""

    TAG: ClassVar[str] = "Cargo"
    count: int


@immutable(frozen=True, slots=True)
class Weapons:
    """`WEAPONS`: every special weapon that is missing."""

    TAG: ClassVar[str] = "Weapons"


@immutable(frozen=True, slots=True)
class RepairAll:
    """`REPAIR_ALL`: all sections but Crew, and the reinforced hull."""

    TAG: ClassVar[str] = "RepairAll"


@immutable(frozen=True, slots=True)
class CrewFull:
    """`CREW_FULL`: Crew to its maximum."""

    TAG: ClassVar[str] = "CrewFull"


@immutable(frozen=True, slots=True)
class GloryCards:
    """`GLORY_CARDS n`: glory cards without points."""

    TAG: ClassVar[str] = "GloryCards"
    count: int


@immutable(frozen=True, slots=True)
class PardonFree:
    """`PARDON_FREE n`: n times one bounty of a nation of one's choice."""

    TAG: ClassVar[str] = "PardonFree"
    count: int


@immutable(frozen=True, slots=True)
class PardonPrice:
    """`PARDON price p`: bounties of one nation at p gold each."""

    price: int


@immutable(frozen=True, slots=True)
class BecomeSpecialist:
    """`SPECIALIST k`: the card itself becomes the specialist; 5 gold for one who is already there."""

    TAG: ClassVar[str] = "BecomeSpecialist"
    specialist: Specialist


@immutable(frozen=True, slots=True)
class HireSpecialist:
    """`HIRE k`: against gold, or with a roll if `skill` is given."""

    TAG: ClassVar[str] = "HireSpecialist"
    specialist: Specialist
    price: int = 0
    skill: Skill | None = None


@immutable(frozen=True, slots=True)
class Keep:
    """`KEEP flag`: the card stays on the board and gives the flag."""

    TAG: ClassVar[str] = "Keep"
    flag: ModifierKey


@immutable(frozen=True, slots=True)
class Reroll:
    """`REROLL`: dice anew, in the mode chosen."""


@immutable(frozen=True, slots=True)
class CopyReroll:
    """`COPY`: as `REROLL`, once a glory card was played in the same window."""


@immutable(frozen=True, slots=True)
class CancelHit:
    """`CANCEL_HIT n`: hits just determined that do not happen."""

    count: int


@immutable(frozen=True, slots=True)
class ExtraHit:
    """`EXTRA_HIT n`: more hits in a volley of one's own."""

    count: int


@immutable(frozen=True, slots=True)
class CrewDice:
    """`CREW_DICE n`: more dice in the first round of a crew combat."""

    count: int


@immutable(frozen=True, slots=True)
class CrewHeal:
    """`CREW_HEAL n`: Crew up, to its maximum."""

    count: int


@immutable(frozen=True, slots=True)
class EndCombat:
    """`END_COMBAT`: over at once, without a winner."""


@immutable(frozen=True, slots=True)
class Evade:
    """`EVADE`: the scouting that just succeeded fails."""


@immutable(frozen=True, slots=True)
class Actions:
    """`ACTIONS n`: more actions this turn."""

    count: int


@immutable(frozen=True, slots=True)
class MoveNpc:
    """`MOVE_NPC`: one NPC to an adjacent zone."""


@immutable(frozen=True, slots=True)
class StashHere:
    """`STASH_HERE`: deposits are allowed in this port for this Port action."""


@immutable(frozen=True, slots=True)
class ShiftDemand:
    """`SHIFT_DEMAND n`: look at n tokens of the supply and lay one on this port."""

    count: int


@immutable(frozen=True)
class PortMod:
    """`PORT_MOD {..}`: modifiers until the end of this Port action."""

    modifiers: Modifiers


@immutable(frozen=True, slots=True)
class FreeMod:
    """`FREE_MOD`: this port's modification for nothing."""


@immutable(frozen=True, slots=True)
class DrawRumor:
    """`DRAW_RUMOR n`: keep one among the new rumors and the old."""

    count: int


@immutable(frozen=True, slots=True)
class LoseAction:
    """`LOSE_ACTION n`: the active player, if it is in a port, loses actions."""

    count: int


@immutable(frozen=True, slots=True)
class StealGold:
    """`STEAL_GOLD n`: from the active player, if both lie in one port or at sea in one zone."""

    gold: int


Reward: TypeAlias = Gold | Cargo | Weapons | RepairAll | CrewFull | GloryCards | PardonFree | BecomeSpecialist | Keep
"""What rumors and missions give."""

MenuEffect: TypeAlias = (
    Gold
    | Weapons
    | RepairAll
    | CrewFull
    | PardonPrice
    | HireSpecialist
    | Actions
    | MoveNpc
    | StashHere
    | ShiftDemand
    | PortMod
    | FreeMod
    | DrawRumor
)
"""What glory cards do that are played from the lists of `action` and `port`."""

StartEffect: TypeAlias = LoseAction | StealGold
"""What glory cards do to the active player at the start of its turn."""

CrewEffect: TypeAlias = CrewDice | CrewHeal
"""What glory cards do before a crew combat."""

WindowEffect: TypeAlias = Reroll | CopyReroll | CancelHit | ExtraHit | EndCombat | Evade
"""What glory cards do in the other windows."""

GloryEffect: TypeAlias = MenuEffect | StartEffect | CrewEffect | WindowEffect
"""What glory cards do."""
