"""The vocabulary of the cards (cards file, part A): modifiers, effects, conditions and tasks, as plain values.

A card, a captain, a zone or an event is a row made of these words; the rules carry them out. A card that needs
something new earns a new word here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from referee.games.marauders.terms import Good, Nation, Skill, Specialist, Zone

ModifierKey = Literal[
    # Dice pools, never below 1 die.
    "dice.scout",
    "dice.scout.merchant",
    "dice.scout.ship",
    "dice.contest",
    "dice.contest.board",
    "dice.raid",
    "dice.crew",
    "dice.recruit",
    "dice.influence.rumor",
    "dice.influence.mission",
    "dice.test",
    "dice.npc_scout",
    "dice.npc_scout.navy",
    # Goods, prices and costs, never below 1 (the rumor: never below 0).
    "cards.buy",
    "price.buy",
    "price.sell",
    "price.demand",
    "cost.rumor",
    "cost.repair",
    "cost.weapon",
    "cost.bigship",
    # Raids and quests.
    "raid.gold",
    "raid.gold.EN",
    "raid.gold.ES",
    "raid.gold.FR",
    "raid.gold.NL",
    "raid.free",
    "raid.escape",
    "quest.gold",
    # The ship and the turn.
    "cargo.extra",
    "turn.actions",
    "turn.free_moves",
    "turn.self_repair",
    "move.sea_cost",
    # Flags: on when not 0. `port.outlaw` and `port.pardon` hold a price, `scout.auto_merchant` a nation.
    "port.enter_any",
    "port.outlaw",
    "port.pardon",
    "raid.talk_out",
    "raid.extra_hit",
    "scout.auto_merchant",
    "recruit.auto",
    "combat.redirect",
    "combat.tie_win",
    "combat.loser_hit",
    "combat.aim_skull",
    "combat.surgeon",
    "shipyard.keep_mods",
]
"""Every key of part A.1. The type checker refuses any other, in rows and in rules alike."""

Modifiers: TypeAlias = Mapping[ModifierKey, int]

RAID_GOLD: dict[Nation, ModifierKey] = {
    Nation.EN: "raid.gold.EN",
    Nation.ES: "raid.gold.ES",
    Nation.FR: "raid.gold.FR",
    Nation.NL: "raid.gold.NL",
}


# --- Effects of part A.2 ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gold:
    """`GOLD n`: gold from the bank."""

    gold: int


@dataclass(frozen=True, slots=True)
class Cargo:
    """`CARGO n`: cards from the cargo deck into the hold; at sea, down to the limit afterwards."""

    count: int


@dataclass(frozen=True, slots=True)
class Weapons:
    """`WEAPONS`: every special weapon that is missing."""


@dataclass(frozen=True, slots=True)
class RepairAll:
    """`REPAIR_ALL`: all sections but Crew, and the reinforced hull."""


@dataclass(frozen=True, slots=True)
class CrewFull:
    """`CREW_FULL`: Crew to its maximum."""


@dataclass(frozen=True, slots=True)
class GloryCards:
    """`GLORY_CARDS n`: glory cards without points."""

    count: int


@dataclass(frozen=True, slots=True)
class PardonFree:
    """`PARDON_FREE n`: n times one bounty of a nation of one's choice."""

    count: int


@dataclass(frozen=True, slots=True)
class PardonPrice:
    """`PARDON price p`: bounties of one nation at p gold each."""

    price: int


@dataclass(frozen=True, slots=True)
class BecomeSpecialist:
    """`SPECIALIST k`: the card itself becomes the specialist; 5 gold for one who is already there."""

    specialist: Specialist


@dataclass(frozen=True, slots=True)
class HireSpecialist:
    """`HIRE k`: against gold, or with a roll if `skill` is given."""

    specialist: Specialist
    price: int = 0
    skill: Skill | None = None


@dataclass(frozen=True, slots=True)
class Keep:
    """`KEEP flag`: the card stays on the board and gives the flag."""

    flag: ModifierKey


@dataclass(frozen=True, slots=True)
class Reroll:
    """`REROLL`: dice anew, in the mode chosen."""


@dataclass(frozen=True, slots=True)
class CopyReroll:
    """`COPY`: as `REROLL`, once a glory card was played in the same window."""


@dataclass(frozen=True, slots=True)
class CancelHit:
    """`CANCEL_HIT n`: hits just determined that do not happen."""

    count: int


@dataclass(frozen=True, slots=True)
class ExtraHit:
    """`EXTRA_HIT n`: more hits in a volley of one's own."""

    count: int


@dataclass(frozen=True, slots=True)
class CrewDice:
    """`CREW_DICE n`: more dice in the first round of a crew combat."""

    count: int


@dataclass(frozen=True, slots=True)
class CrewHeal:
    """`CREW_HEAL n`: Crew up, to its maximum."""

    count: int


@dataclass(frozen=True, slots=True)
class EndCombat:
    """`END_COMBAT`: over at once, without a winner."""


@dataclass(frozen=True, slots=True)
class Evade:
    """`EVADE`: the scouting that just succeeded fails."""


@dataclass(frozen=True, slots=True)
class Actions:
    """`ACTIONS n`: more actions this turn."""

    count: int


@dataclass(frozen=True, slots=True)
class MoveNpc:
    """`MOVE_NPC`: one NPC to an adjacent zone."""


@dataclass(frozen=True, slots=True)
class StashHere:
    """`STASH_HERE`: deposits are allowed in this port for this Port action."""


@dataclass(frozen=True, slots=True)
class ShiftDemand:
    """`SHIFT_DEMAND n`: look at n tokens of the supply and lay one on this port."""

    count: int


@dataclass(frozen=True)
class PortMod:
    """`PORT_MOD {..}`: modifiers until the end of this Port action."""

    modifiers: Modifiers


@dataclass(frozen=True, slots=True)
class FreeMod:
    """`FREE_MOD`: this port's modification for nothing."""


@dataclass(frozen=True, slots=True)
class DrawRumor:
    """`DRAW_RUMOR n`: keep one among the new rumors and the old."""

    count: int


@dataclass(frozen=True, slots=True)
class LoseAction:
    """`LOSE_ACTION n`: the active player, if it is in a port, loses actions."""

    count: int


@dataclass(frozen=True, slots=True)
class StealGold:
    """`STEAL_GOLD n`: from the active player, if both lie in one port or at sea in one zone."""

    gold: int


Reward: TypeAlias = Gold | Cargo | Weapons | RepairAll | CrewFull | GloryCards | PardonFree | BecomeSpecialist | Keep
"""What rumors and missions give."""

GloryEffect: TypeAlias = (
    Gold
    | Weapons
    | RepairAll
    | CrewFull
    | PardonPrice
    | HireSpecialist
    | Reroll
    | CopyReroll
    | CancelHit
    | ExtraHit
    | CrewDice
    | CrewHeal
    | EndCombat
    | Evade
    | Actions
    | MoveNpc
    | StashHere
    | ShiftDemand
    | PortMod
    | FreeMod
    | DrawRumor
    | LoseAction
    | StealGold
)
"""What glory cards do."""


# --- Event texts of part C --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class War:
    """`WAR`: two nations at random are at war from now on."""


@dataclass(frozen=True, slots=True)
class Peace:
    """`PEACE`: the war ends."""


@dataclass(frozen=True, slots=True)
class Plague:
    """`PLAGUE n`: n ports at random are closed for the round."""

    count: int


@dataclass(frozen=True, slots=True)
class Storm:
    """`STORM`: captains at sea make a Seamanship test at the start of their turn."""


@dataclass(frozen=True, slots=True)
class Convoy:
    """`CONVOY`: zones without a merchant get one from the track."""


@dataclass(frozen=True, slots=True)
class Markets:
    """`MARKETS n`: the demand of n ports changes."""

    count: int


@dataclass(frozen=True, slots=True)
class Marque:
    """`MARQUE`: captains of one nation may engage another's ships without bounty."""


EventText: TypeAlias = War | Peace | Plague | Storm | Convoy | Markets | Marque


# --- Conditions and tasks of missions, part F -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NoCondition:
    """`NONE`."""


@dataclass(frozen=True, slots=True)
class NotWanted:
    """`NOT_WANTED X`: no bounty of X."""

    nation: Nation


@dataclass(frozen=True, slots=True)
class NonPirate:
    """`NON_PIRATE`: no bounty at all."""


@dataclass(frozen=True, slots=True)
class Pirate:
    """`PIRATE`: at least one bounty."""


@dataclass(frozen=True, slots=True)
class Pay:
    """`PAY n`."""

    gold: int


@dataclass(frozen=True, slots=True)
class InfluenceRoll:
    """`ROLL infl`."""


Condition: TypeAlias = NoCondition | NotWanted | NonPirate | Pirate | Pay | InfluenceRoll


@dataclass(frozen=True, slots=True)
class Deliver:
    """`DELIVER Z`: be in that port."""

    zone: Zone


@dataclass(frozen=True, slots=True)
class DeliverGoods:
    """`GOODS g n Z`: bring goods to that port."""

    good: Good
    count: int
    zone: Zone


@dataclass(frozen=True, slots=True)
class Persuade:
    """`PERSUADE Z`: an Influence roll in that port."""

    zone: Zone


@dataclass(frozen=True, slots=True)
class Search:
    """`SEARCH Z`: a Scouting roll at sea there."""

    zone: Zone


@dataclass(frozen=True, slots=True)
class DefeatPirate:
    """`DEFEAT pirate`: win a combat against a pirate NPC."""


@dataclass(frozen=True, slots=True)
class DefeatNavy:
    """`DEFEAT navy`: win a combat against a naval ship."""


@dataclass(frozen=True, slots=True)
class RaidNation:
    """`RAID X`: a successful raid on a merchant engaged as that nation's."""

    nation: Nation


@dataclass(frozen=True, slots=True)
class Assault:
    """`ASSAULT Z c l`: a crew combat against the garrison of a town."""

    zone: Zone
    crew: int
    leadership: int


Task: TypeAlias = Deliver | DeliverGoods | Persuade | Search | DefeatPirate | DefeatNavy | RaidNation | Assault
