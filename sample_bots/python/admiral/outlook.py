"""What a table is worth to a seat, in glory points: what it has, and what it can have soon, the sooner the better.

Tables are looked at as the rules hold them (`world.state`): building messages would cost more than playing on.
`prospects` is for choosing where to go, `seat_worth` for counting a table at the end of a try.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tortuga.v1.marauders_pb2 import Marauders

# `build` copies marauders_tactics into this folder; before that, it is found in the kit.
sys.path.append(str(Path(__file__).parents[1] / "shared"))
from marauders_tactics import chart

CARGO, MASTS, CREW, CANNONS, HULL = range(5)
"""Places of the sections in `Ship.sections`."""
FRIGATE, GALLEON, MAN_O_WAR = 3, 4, 5
PIRATE_SLOOP = 5
"""The first of the NPCs that are pirates; the others are numbered as their nations."""

FULL_CHEST = 50
"""More gold in the chest gives no points."""
GOLD = 0.1
"""Gold in the chest: ten are a point."""
ABOARD = 0.75
"""What of that gold aboard is worth: it can be lost, and has to be brought home."""
EXCESS = 0.25
"""What of that gold is worth that the chest will not take."""
PATIENCE = 0.9
"""What is left of a value for each action it is away."""
DISCOUNT = [PATIENCE**way for way in range(20)]

# What can be had in a place, beside the gold.
TRIPLE, PAIR = 1.0, 0.15
"""Three or two cards of the good that is wanted there: a point, and a fair chance of one."""
RUMOR, MISSION, HOPE = 1.0, 1.8, 0.5
"""A rumor to prove, a mission to do, and one for which goods are still missing."""
HOME = 0.025
"""A gold brought home."""
FINISH, RELIEF = 3.0, 1.0
"""Home with all the gold that makes the last point, or without any, where the chest pays."""
CARE, REFIT = 0.15, 0.5
"""A point of damage that can be repaired, and a ship that must be."""
TRADE, ASK, AGAIN = 0.14, 0.25, 0.25
"""A place in the hold to fill, a rumor to ask for; and the share of it in the port where we were last round."""


def _by_id(enum: Any, table: dict[int, Any]) -> dict[str, Any]:
    """Return a table of the chart by the rules' own ids instead of the wire's numbers."""
    prefix = len(enum.keys()[0].removesuffix("UNSPECIFIED"))
    return {enum.Name(number)[prefix:].lower(): row for number, row in table.items()}


HOMES: dict[str, int] = _by_id(Marauders.Captain, chart.HOMES)
RUMORS: dict[str, chart.Errand] = _by_id(Marauders.Rumor, chart.RUMORS)
MISSIONS: dict[str, chart.Errand] = _by_id(Marauders.Mission, chart.MISSIONS)
CARDS: dict[str, chart.CargoCard] = _by_id(Marauders.CargoCard, chart.CARGO)
DISTANCE = [[chart.DISTANCE.get(one, {}).get(other, 0) for other in range(18)] for one in range(18)]
NATION_OF = [chart.NATION_OF.get(zone, 0) for zone in range(18)]
PORTS = [zone for zone in range(1, 18) if NATION_OF[zone]]


# What everybody can see


def open_ports(state: Any, player: Any) -> list[int]:
    """Return where the captain may enter."""
    home = HOMES[player.captain]
    shut = {nation + 1 for nation, count in enumerate(player.bounties) if count}
    at_war_with = {nation for nation in range(1, 5) if at_war(state, nation, NATION_OF[home])}
    return [
        zone
        for zone in PORTS
        if zone not in state.closed
        and NATION_OF[zone] not in at_war_with
        and (zone == home or NATION_OF[zone] not in shut)
    ]


def at_war(state: Any, nation: int, other: int) -> bool:
    """Check whether two nations are at war with each other."""
    return state.war is not None and nation != other and nation in state.war and other in state.war


def threats(state: Any, player: Any) -> dict[int, float]:
    """Return the zones with hostile ships, and how unpleasant it is to meet them there."""
    danger: dict[int, float] = {}
    wanted, nation = any(player.bounties), NATION_OF[HOMES[player.captain]]
    mine = 2 * (player.ship.sections[CREW] + player.ship.sections[CANNONS] + 1)
    for npc in state.npcs:
        if npc is None:
            continue
        kind = npc.kind
        if not wanted if kind >= PIRATE_SLOOP else wanted or at_war(state, kind, nation):
            strength = 5 if kind == PIRATE_SLOOP else 15 if state.war is not None and kind in state.war else 9
            danger[npc.zone] = danger.get(npc.zone, 0.0) + min(2.0, strength / mine)
    return danger


def way_to(player: Any, zone: int, at_sea: bool) -> int:
    """Return how many actions until something is done there."""
    if zone == player.zone:
        return 2 if player.in_port == at_sea else 1
    return int(DISTANCE[player.zone][zone] + player.in_port) + (1 if at_sea else 2)


def goods_aboard(cargo: tuple[str, ...]) -> dict[int, int]:
    """Return how many cards of each good."""
    counts: dict[int, int] = {}
    for card in cargo:
        good = CARDS[card].good
        counts[good] = counts.get(good, 0) + 1
    return counts


# Where to go


class Prospect(NamedTuple):
    """Something to be had at a place. Of prospects with the same name only one comes true."""

    name: Any
    value: float
    zone: int
    at_sea: bool = False


def prospects(state: Any, player: Any, ports: list[int]) -> Iterator[Prospect]:
    """Yield all that can be had, and where."""
    goods = goods_aboard(player.cargo)
    for good, count in goods.items():
        yield from _sales(state, player, ports, good, count)
    yield from _quests(player, ports, goods)
    yield from _homecoming(state, player, ports)
    sections, maxima = player.ship.sections, player.ship.maxima
    care = CARE * (sum(maxima) - sum(sections)) + (REFIT if sections[HULL] == 1 or 0 in sections else 0.0)
    room = max(0, sections[CARGO] - len(player.cargo))
    trade = TRADE * min(room, 4) if player.gold >= 3 else 0.0
    if player.rumor is None and player.gold >= 2:
        trade += ASK
    for zone in ports:
        if care:
            yield Prospect("care", care, zone)
        if trade:
            again = player.bought_zone == zone and player.bought_round >= state.round - 1
            yield Prospect("trade", AGAIN * trade if again else trade, zone)


def _sales(state: Any, player: Any, ports: list[int], good: int, count: int) -> Iterator[Prospect]:
    """Yield where the good is wanted; everywhere, if that is far or there is little of it."""
    value = gold_worth(player, 6 * count) + (TRIPLE if count >= 3 else PAIR if count == 2 else 0.0)
    nearest = 9
    for zone in ports:
        if state.demand[zone - 1] == good:
            yield Prospect(good, value, zone)
            nearest = min(nearest, DISTANCE[player.zone][zone])
    if nearest > 3 or count < 2:
        plain = gold_worth(player, 1.5 * count)
        for zone in ports:
            yield Prospect(good, plain, zone)


def gold_worth(player: Any, gold: float) -> float:
    """Return the worth of that much more gold aboard: beside the chest's fifty, a few are good to have."""
    room = max(0, FULL_CHEST + 6 - player.chest - player.gold)
    return float(ABOARD * GOLD * (min(gold, room) + EXCESS * max(0.0, gold - room)))


def _quests(player: Any, ports: list[int], goods: dict[int, int]) -> Iterator[Prospect]:
    if player.rumor is not None:
        errand = RUMORS[player.rumor]
        if not errand.in_port or errand.zone in ports:
            yield Prospect("rumor", RUMOR, errand.zone, not errand.in_port)
    mission = MISSIONS.get(player.mission) if player.mission is not None else None
    if mission is not None and (not mission.in_port or mission.zone in ports):
        if mission.good and goods.get(mission.good, 0) < mission.count:
            yield Prospect("mission", HOPE, mission.zone, not mission.in_port)
        elif not mission.garrison or 2 * player.ship.sections[CREW] >= mission.garrison + 2:
            yield Prospect("mission", MISSION, mission.zone, not mission.in_port)


def _homecoming(state: Any, player: Any, ports: list[int]) -> Iterator[Prospect]:
    home = HOMES[player.captain]
    if home not in ports:
        return
    together = min(FULL_CHEST, player.chest + player.gold)
    gain = (together - player.chest) * HOME
    if player.track + together // 10 >= state.target_glory:
        gain += FINISH
    if player.gold < 3 and player.chest >= 3 and not player.cargo:
        gain += RELIEF
    if gain > 0:
        yield Prospect("home", gain, home)


# What it is worth

WEIGHTS = {
    "gold": 0.045,
    "gold the chest will not take": 0.02,
    "gold, by the way home": 0.025,
    "card, by the way to who wants it": 0.17,
    "pair, by that way": 0.17,
    "triple, by that way": 1.45,
    "rumor to ask for, by the way to a port": 0.1,
    "rumor, by the way there": 0.55,
    "mission": 0.05,
    "mission, by the way there": 1.0,
    "damage": -0.07,
    "hull 1": -0.3,
    "section destroyed": -0.1,
    "frigate": 0.6,
    "galleon": 0.7,
    "man-o'-war": 1.2,
    "pirate": -0.4,
    "nation that wants us": -0.2,
    "bounty": -0.08,
    "danger": -0.3,
}
"""What `features` are worth, in points. Fitted: in 300 games of the pilot against itself, in which every eighth choice
was made at random, a linear regression of the points gained within four rounds on the features after a turn. Rounded
freely; gold and bounties are by hand, as pirates do worse than the fit says."""
ALIVE, DEAD = 0.5, 0.8
"""Likewise: a captain without anything, and none."""


def seat_worth(state: Any, seat: int) -> float:
    """Return a seat's points, and what it will likely gain in the next rounds."""
    player = state.players[seat]
    points = player.track + GOLD * min(FULL_CHEST, player.chest)
    if player.captain is None or player.ship is None:
        return float(points + DEAD)
    hoped = sum(weight * value for weight, value in zip(WEIGHTS.values(), features(state, player), strict=True))
    if player.track + min(FULL_CHEST, player.chest + player.gold) // 10 >= state.target_glory:
        hoped += FINISH / 2 * DISCOUNT[way_to(player, HOMES[player.captain], at_sea=False)]
    return float(points + ALIVE + hoped)


def features(state: Any, player: Any) -> tuple[float, ...]:
    """Return the features in the order of the weights."""
    near = [0.0] * 18
    for zone in open_ports(state, player):
        near[zone] = DISCOUNT[way_to(player, zone, at_sea=False)]
    goods = goods_aboard(player.cargo)
    buyers = dict.fromkeys(goods, 0.0)
    for zone in PORTS:
        good = state.demand[zone - 1]
        if good in buyers and near[zone] > buyers[good]:
            buyers[good] = near[zone]
    rumor = RUMORS[player.rumor] if player.rumor is not None else None
    mission = MISSIONS.get(player.mission) if player.mission is not None else None
    if mission is not None and (goods.get(mission.good, 0) < mission.count or mission.garrison):
        mission = None
    bought = player.bought_zone if player.bought_round >= state.round - 1 else 0
    sections = player.ship.sections
    banked = min(player.gold, max(0, FULL_CHEST - player.chest))
    return (
        banked,
        player.gold - banked,
        banked * near[HOMES[player.captain]],
        sum(count * buyers[good] for good, count in goods.items()),
        sum(buyers[good] for good, count in goods.items() if count == 2),
        sum(buyers[good] for good, count in goods.items() if count >= 3),
        max(near[:bought] + near[bought + 1 :]) if rumor is None and player.gold >= 2 else 0.0,
        _nearness(player, rumor, near),
        player.mission is not None,
        _nearness(player, mission, near),
        sum(player.ship.maxima) - sum(sections),
        sections[HULL] == 1,
        sections.count(0),
        player.ship.type == FRIGATE,
        player.ship.type == GALLEON,
        player.ship.type == MAN_O_WAR,
        any(player.bounties),
        4 - player.bounties.count(0),
        sum(player.bounties),
        0.0 if player.in_port else threats(state, player).get(player.zone, 0.0),
    )


def _nearness(player: Any, errand: chart.Errand | None, near: list[float]) -> float:
    if errand is None:
        return 0.0
    return near[errand.zone] if errand.in_port else DISCOUNT[way_to(player, errand.zone, at_sea=True)]


def rival_worth(player: Any) -> float:
    """Return a rival's points and gold; what it could have hardly changes while we choose."""
    points = player.track + GOLD * min(FULL_CHEST, player.chest)
    if player.captain is None or player.ship is None:
        return float(points - 1.0)
    damage = sum(player.ship.maxima) - sum(player.ship.sections)
    return float(points + ABOARD * GOLD * min(player.gold, FULL_CHEST) + 0.2 * len(player.cargo) - 0.1 * damage)


def standing(state: Any, me: int) -> float:
    """Return how far ahead of the best rival a seat is."""
    outcome = state.outcome
    if outcome is not None:
        return 8.0 if outcome.ranks[me] == 1 and outcome.ranks.count(1) == 1 else -8.0
    return seat_worth(state, me) - max(rival_worth(player) for seat, player in enumerate(state.players) if seat != me)
