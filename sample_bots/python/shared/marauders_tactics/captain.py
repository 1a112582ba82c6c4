"""`choose`: every decision of the game to whoever answers it."""

from __future__ import annotations

from collections.abc import Callable

from marauders_tactics.battle import (
    choose_defence,
    choose_merchant,
    choose_prize,
    choose_raid,
    choose_reroll,
    choose_section,
    choose_stance,
)
from marauders_tactics.chart import DISTANCE, MISSIONS, RUMORS
from marauders_tactics.harbour import choose_jettison, choose_port
from marauders_tactics.situation import Plan, Situation
from marauders_tactics.voyage import choose_action
from tortuga.v1.marauders_pb2 import Marauders
from tortuga_bot import Question

LEAST_USEFUL = (
    Marauders.GLORY_CARD_FALSE_ORDERS,
    Marauders.GLORY_CARD_QUICK_WITS,
    Marauders.GLORY_CARD_MARKET_TIP,
    Marauders.GLORY_CARD_TIP_OFF,
    Marauders.GLORY_CARD_PICKPOCKET,
    Marauders.GLORY_CARD_SABOTAGE,
    Marauders.GLORY_CARD_BULK_PURCHASE,
    Marauders.GLORY_CARD_RALLY,
)


def choose(question: Question, plan: Plan) -> int:
    """Return the index of the answer. Depends on the question and on nothing else."""
    table = Situation(question, plan)
    answer = ANSWERS.get(table.decision)
    return 0 if answer is None else answer(table)


def _ship(table: Situation) -> int:
    ships: list[int] = [option.choose_ship.ship for option in table.options]
    return ships.index(table.plan.first_ship)


def _last(table: Situation) -> int:
    """Play a card in windows in which that is better than to keep it."""
    return len(table.options) - 1


def _rumor(table: Situation) -> int:
    zones = [RUMORS[option.keep_rumor.rumor] for option in table.options]
    usable = [errand if table.may_enter(errand.zone) or not errand.in_port else None for errand in zones]
    ways = [9 if errand is None else DISTANCE[table.zone][errand.zone] for errand in usable]
    return ways.index(min(ways))


def _mission(table: Situation) -> int:
    errands = [MISSIONS.get(option.keep_mission.mission) for option in table.options]
    ways = [9 if errand is None or errand.garrison else DISTANCE[table.zone][errand.zone] for errand in errands]
    return ways.index(min(ways))


def _discard(table: Situation) -> int:
    cards = [option.discard_glory.card for option in table.options]
    for card in LEAST_USEFUL:
        if card in cards:
            return cards.index(card)
    return 0


def _demand(table: Situation) -> int:
    goods = [option.pick_demand.good for option in table.options]
    return max(range(len(goods)), key=lambda place: table.goods[goods[place]])


def _pardon(table: Situation) -> int:
    """Return the nation closest to forgetting me."""
    bounties = [table.me.bounties[option.pardon.nation - 1] for option in table.options]
    return bounties.index(min(bounties))


ANSWERS: dict[int, Callable[[Situation], int]] = {
    Marauders.DECISION_CHOOSE_SHIP: _ship,
    Marauders.DECISION_W_TURN_START: _last,
    Marauders.DECISION_SELF_REPAIR: _last,
    Marauders.DECISION_ACTION: choose_action,
    Marauders.DECISION_PORT: choose_port,
    Marauders.DECISION_W_ROLL: _last,
    Marauders.DECISION_W_SCOUTED: _last,
    Marauders.DECISION_MERCHANT: choose_merchant,
    Marauders.DECISION_RAID: choose_raid,
    Marauders.DECISION_JETTISON: choose_jettison,
    Marauders.DECISION_DECLARE: lambda table: choose_stance(table, mine=True),
    Marauders.DECISION_NPC_DECLARE: lambda table: choose_stance(table, mine=False),
    Marauders.DECISION_W_CONTEST: choose_reroll,
    Marauders.DECISION_W_VOLLEY: _last,
    Marauders.DECISION_AMMO: _last,
    Marauders.DECISION_AIM_HIT: lambda table: choose_section(table, own_ship=False),
    Marauders.DECISION_ASSIGN_HIT: lambda table: choose_section(table, own_ship=True),
    Marauders.DECISION_NPC_ASSIGN_HIT: lambda table: choose_section(table, own_ship=True),
    Marauders.DECISION_W_HITS: choose_defence,
    Marauders.DECISION_W_CREW_START: _last,
    Marauders.DECISION_W_CREW: choose_reroll,
    Marauders.DECISION_CAPTURE: choose_prize,
    Marauders.DECISION_KEEP_RUMOR: _rumor,
    Marauders.DECISION_KEEP_MISSION: _mission,
    Marauders.DECISION_DISCARD_GLORY: _discard,
    Marauders.DECISION_PICK_DEMAND: _demand,
    Marauders.DECISION_PARDON: _pardon,
}
"""Decisions that are missing here are answered with the first option."""
