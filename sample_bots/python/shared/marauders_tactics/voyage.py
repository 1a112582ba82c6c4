"""`action`: every zone is worth what its port and its sea would give, divided by the way there."""

from __future__ import annotations

from marauders_tactics.chart import DISTANCE, MISSIONS, NEIGHBOURS, Errand
from marauders_tactics.situation import BIG_SHIPS, CARGO_SECTION, CREW, HULL, MASTS, Situation
from tortuga.v1.marauders_pb2 import Marauders

GLORY = 14.0
"""What a point is worth, in gold."""

FREE_CARDS = (Marauders.GLORY_CARD_INHERITANCE, Marauders.GLORY_CARD_FAIR_WIND)


def choose_action(table: Situation) -> int:
    """Return the next action of the turn."""
    for index in (table.card(*FREE_CARDS), _cheap_pardon(table), table.index("scout_rumor"), _mission_at_sea(table)):
        if index is not None:
            return index
    target, at_sea = _best_target(table)
    if target is None:
        return _stay(table)
    if target == table.zone:
        return _act_here(table, at_sea)
    return _sail_to(table, target)


def _cheap_pardon(table: Situation) -> int | None:
    """Buy bounties off when there is gold to spare; the dearest entry last in the list."""
    entries = table.indices("play_glory")
    pardons = [index for index in entries if table.options[index].play_glory.card == Marauders.GLORY_CARD_PARDON]
    affordable = [index for index in pardons if 3 * table.options[index].play_glory.count <= table.own.gold - 3]
    return affordable[-1] if affordable else None


def _mission_at_sea(table: Situation) -> int | None:
    """Try a search, which is free, or a town, but that only with a clearly stronger crew."""
    index, errand = table.index("scout_mission"), table.mission()
    if index is None or errand is None:
        return None
    return index if _strong_enough(table, errand) else None


def _strong_enough(table: Situation, errand: Errand) -> bool:
    """Check that there is one man more than the garrison, whose captains have Leadership 2."""
    return not errand.garrison or 2 * table.ship.sections[CREW] >= errand.garrison + 2


def _best_target(table: Situation) -> tuple[int | None, bool]:
    """Return the zone to make for, and whether its sea is the aim rather than its port."""
    best: tuple[float, int | None, bool] = (0.4, None, False)
    for zone in NEIGHBOURS:
        steps = DISTANCE[table.zone][zone]
        way = steps + (table.me.in_port and steps > 0) + 1
        risk = table.danger(zone)
        if not (zone == table.zone and table.me.in_port and table.index("visit_port") is None):
            entering = 0 if zone == table.zone and table.me.in_port else 1
            port = port_value(table, zone) / (way + entering) - 2 * risk * (entering > 0)
            best = max(best, (port, zone, False), key=lambda entry: entry[0])
        sea = sea_value(table, zone) / (way + (zone == table.zone and table.me.in_port)) - 4 * risk
        best = max(best, (sea, zone, True), key=lambda entry: entry[0])
    return best[1], best[2]


def port_value(table: Situation, zone: int) -> float:
    """Return what a Port action there would be worth, in gold."""
    if not table.may_enter(zone):
        return 0.0
    gold = table.own.gold + (table.own.chest if zone == table.home else 0)
    return (
        _sales(table, zone)
        + _errands(table, zone)
        + _care(table, gold)
        + _ambitions(table, zone, gold)
        + (_buying(table, zone) if table.plan.trades else 0.0)
    )


def _sales(table: Situation, zone: int) -> float:
    worth = 0.0
    for good, count in table.goods.items():
        if table.demand.get(zone) == good:
            worth += 6 * count + (GLORY if count >= 3 else 0)
        elif table.buyer_distance(good) > 3 or count < 2:
            worth += 1.5 * count
    return worth


def _errands(table: Situation, zone: int) -> float:
    worth = 0.0
    rumor, mission = table.rumor(), table.mission()
    if rumor is not None and rumor.in_port and rumor.zone == zone:
        worth += 0.6 * (GLORY + 6)
    if mission is not None and mission.in_port and mission.zone == zone and table.goods[mission.good] >= mission.count:
        worth += GLORY + 10
    if not table.me.mission and any(
        is_tempting(table, card) and claimed_at(card, zone) for card in table.view.open_missions
    ):
        worth += 4
    return worth


CLAIM_PORTS: dict[int, str] = {
    Marauders.MISSION_ROYAL_DISPATCH: "havana",
    Marauders.MISSION_GOVERNORS_ESCORT: "port_royal",
    Marauders.MISSION_MEDICINE_FOR_TRINIDAD: "caracas",
    Marauders.MISSION_SILVER_TRANSPORT: "cartagena",
    Marauders.MISSION_HIRE_THE_PURSER: "curacao",
    Marauders.MISSION_CHART_THE_CAYS: "nassau",
    Marauders.MISSION_MISSING_SHIP: "basse_terre",
    Marauders.MISSION_SPY_MISSION: "port_royal",
}
"""Missions worth a detour, and where they are claimed."""


def claimed_at(card: int, zone: int) -> bool:
    """Check whether a tempting mission is claimed there."""
    name = CLAIM_PORTS.get(card)
    return name is not None and Marauders.Zone.Value(f"ZONE_{name.upper()}") == zone


def is_tempting(table: Situation, card: int) -> bool:
    """Check whether a mission can be done by sailing somewhere I may go."""
    errand = MISSIONS.get(card)
    if errand is None or errand.garrison:
        return False
    return table.may_enter(errand.zone) or not errand.in_port


def _care(table: Situation, gold: int) -> float:
    """Value repairs, and men for the guns."""
    crew = table.ship.maxima[CREW] - table.ship.sections[CREW]
    worth = 2.5 * min(table.damage(), gold // 2) + 2.0 * crew
    weak = 0 in table.ship.sections or table.ship.sections[HULL] == 1
    return worth + (6.0 if weak and (gold >= 2 or crew) else 0.0)


def _ambitions(table: Situation, zone: int, gold: int) -> float:
    """Value a big ship, a rumor, the chest."""
    worth = 0.0
    if table.ship.type not in BIG_SHIPS and gold >= 31:
        worth += GLORY + 6
    if not table.own.rumor and gold >= 2:
        worth += 4.0
    spare = table.own.gold - table.plan.reserve
    if zone == table.home and spare >= 8 and not table.me.declared:
        needed = 10 - (table.own.chest % 10)
        worth += 0.8 * spare + (GLORY if spare >= needed else 0)
    return worth


def _buying(table: Situation, zone: int) -> float:
    """Value goods to trade with, but not twice in a row in one port."""
    again = table.own.bought_zone == zone and table.own.bought_round + 1 >= table.view.round
    return 0.0 if again or table.own.gold < 3 else min(3.0 * table.room(), 8.0)


def sea_value(table: Situation, zone: int) -> float:
    """Return what a Scout action there would be worth, in gold."""
    worth = 0.0
    rumor, mission = table.rumor(), table.mission()
    if rumor is not None and not rumor.in_port and rumor.zone == zone:
        worth += 0.6 * (GLORY + 6)
    if mission is not None and not mission.in_port and mission.zone == zone and _strong_enough(table, mission):
        worth += 0.6 * (GLORY + 8)
    if table.plan.raids and _fit_to_raid(table) and _merchant(table, zone):
        worth += 13.0
    return worth


def _fit_to_raid(table: Situation) -> bool:
    """Check that no section is down, and that there are two points of what raids hit most."""
    sections = table.ship.sections
    return all(sections) and min(sections[MASTS], sections[HULL]) >= 2 and sections[CARGO_SECTION] >= 2


def _merchant(table: Situation, zone: int) -> bool:
    """Check whether a merchant can still be looked for this turn."""
    if not any(info.zone == zone and info.merchant for info in table.view.zones):
        return False
    return zone != table.zone or table.me.in_port or table.index("scout_merchant") is not None


def _act_here(table: Situation, at_sea: bool) -> int:
    """Look around or go ashore, where I am where I want to be."""
    if at_sea:
        index = table.index("leave") if table.me.in_port else table.index("scout_merchant")
    else:
        index = table.index("visit_port") if table.me.in_port else _way_in(table)
    return index if index is not None else _stay(table)


def _way_in(table: Situation) -> int | None:
    return table.index("enter_port")


def _sail_to(table: Situation, target: int) -> int:
    """Go one step nearer, by the less dangerous of the shortest ways."""
    if table.me.in_port:
        index = table.index("leave")
        return _stay(table) if index is None else index
    moves = table.indices("move")
    if not moves:
        return _stay(table)

    def cost(index: int) -> float:
        zone = table.options[index].move.zone
        return DISTANCE[zone][target] + 0.7 * table.danger(zone)

    return min(moves, key=cost)


def _stay(table: Situation) -> int:
    """Spend the night in port if there is one to enter: there is nothing else to do."""
    if not table.me.in_port:
        index = _way_in(table)
        if index is not None:
            return index
    return 0
