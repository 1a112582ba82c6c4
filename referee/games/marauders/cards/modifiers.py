"""The keys of modifiers (cards file A.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from referee.games.marauders.terms import (
    Nation,
)

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
