"""Quick rules of thumb for playing a world on: what the trader does, from the table itself and in fewer words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import outlook
from outlook import CANNONS, CREW, HULL, MASTS

from marauders_tactics import harbour, voyage
from tortuga.v1.marauders_pb2 import Marauders

RAID_GLORY = 12
"""Loot that is worth a point."""
SPARED_FIRST = (outlook.CARGO, MASTS, CANNONS, CREW, HULL)
"""What a ship can best do without, first."""
BIG_SHIPS = (outlook.FRIGATE, outlook.GALLEON, outlook.MAN_O_WAR)

SHIP_GOLD = 36
"""Gold for a big ship, with a little left to go on trading."""
STASHING = 7
"""The activity of that number is under way."""
RESERVE, LEAST_STASH = 6, 8
"""Gold that stays aboard, and the least that is worth stashing."""
FEAR_AT_SEA, FEAR_IN_PORT, DETOUR = 0.3, 0.15, 0.7
"""What hostile ships cost where we look around, where we only call at the port, and on the way there."""
FAR, THREE, SPARING = 0.5, 3.0, 1.0
"""In gold per card: what each move to the buyer costs, what three of a kind are worth more, what a card has to gain."""
FAR_OFF = 3
"""Moves to a buyer; behind that, goods are sold for what they fetch."""


def _ids(cards: Iterable[Marauders.GloryCard.ValueType]) -> set[str]:
    return {Marauders.GloryCard.Name(card).removeprefix("GLORY_CARD_").lower() for card in cards}


FREE_CARDS, PORT_CARDS = _ids(voyage.FREE_CARDS), _ids(harbour.CARDS)


def quick_choice(world: Any) -> int:
    """Return the index of what is usually right here."""
    answer = ANSWERS.get(world.kind)
    return int(world.default) if answer is None else answer(world)


def kinds_of(world: Any) -> list[str]:
    """Return the class of each option."""
    return [type(action).__name__ for action in world.actions]


def _last(world: Any) -> int:
    return len(world.actions) - 1


# At sea


def choose_action(world: Any) -> int:
    """Settle what can be settled here, otherwise go where most is to be had for the way."""
    return first_steps(world, 1)[0]


def first_steps(world: Any, most: int) -> list[int]:
    """Return the first steps to the most promising places, the best first."""
    kinds = kinds_of(world)
    for kind in ("ScoutRumor", "ScoutMission"):
        if kind in kinds:
            return [kinds.index(kind)]
    for index, action in enumerate(world.actions):
        if kinds[index] == "PlayGlory" and action.card in FREE_CARDS:
            return [index]
    state, player = world.state, world.state.players[world.seat]
    threats = outlook.threats(state, player)
    steps: list[int] = []
    for zone, at_sea in promising_places(state, player, threats)[:most]:
        if zone != player.zone:
            index = sail_to(world, kinds, player, zone, threats)
        else:
            wanted = "Leave" if at_sea else "VisitPort" if player.in_port else "EnterPort"
            index = kinds.index(wanted) if wanted in kinds else 0
        if index not in steps:
            steps.append(index)
    if not steps:
        broke = player.gold < 2 and player.chest < 10 and not player.cargo and player.rumor is None
        steps.append(kinds.index("Retire") if broke and "Retire" in kinds else 0)
    return steps


def promising_places(state: Any, player: Any, threats: dict[int, float]) -> list[tuple[int, bool]]:
    """Return zones, and whether their sea is the aim, by what is to be had there for each action of the way."""
    port_used = state.turn.port_used
    places: dict[tuple[int, bool], dict[Any, float]] = {}
    for name, value, zone, at_sea in outlook.prospects(state, player, outlook.open_ports(state, player)):
        if port_used and not at_sea and zone == player.zone:
            continue
        there = places.setdefault((zone, at_sea), {})
        if value > there.get(name, 0.0):
            there[name] = value
    rates: dict[tuple[int, bool], float] = {}
    for place, values in places.items():
        rate = sum(values.values()) / outlook.way_to(player, *place)
        if threats and not (place[0] == player.zone and player.in_port and not place[1]):
            rate -= threats.get(place[0], 0.0) * (FEAR_AT_SEA if place[1] else FEAR_IN_PORT)
        if rate > 0.02:
            rates[place] = rate
    return sorted(rates, key=rates.__getitem__, reverse=True)


def sail_to(world: Any, kinds: list[str], player: Any, target: int, threats: dict[int, float]) -> int:
    """Go one step nearer, by the less dangerous of the shortest ways."""
    if player.in_port:
        return kinds.index("Leave") if "Leave" in kinds else 0
    row, best, nearest = outlook.DISTANCE[target], 99.0, 0
    for index, kind in enumerate(kinds):
        if kind == "Move":
            zone = world.actions[index].zone
            cost = row[zone] + DETOUR * threats.get(zone, 0.0)
            if cost < best:
                best, nearest = cost, index
    return nearest


# In port


def choose_port(world: Any) -> int:
    """Choose the first thing worth doing; if there is none, the action is done."""
    visit = Visit(world)
    for step in (_sell, _quests, _cards, _shipyard, _tavern, _buy, _stash):
        index = step(visit)
        if index:
            return index
    return 0


class Visit:
    """A Port action: what can be done, by kind."""

    def __init__(self, world: Any) -> None:
        self.state = world.state
        self.player = world.state.players[world.seat]
        self.actions = world.actions
        self.wanted = self.state.demand[self.player.zone - 1]
        self._indices: dict[str, list[int]] = {}
        for index, action in enumerate(world.actions):
            self._indices.setdefault(type(action).__name__, []).append(index)

    def all(self, kind: str) -> list[int]:
        """Return the options of a kind."""
        return self._indices.get(kind, [])

    def first(self, *kinds: str) -> int:
        """Return the first option of the first of these kinds that there is; 0 if there is none."""
        return next((self._indices[kind][0] for kind in kinds if kind in self._indices), 0)

    def card(self, *ids: str) -> int:
        """Return the first option that plays one of these cards; 0 if there is none."""
        return next((index for index in self.all("PlayGlory") if self.actions[index].card in ids), 0)


def _sell(visit: Visit) -> int:
    """Sell all that the port wants, and of other goods what nobody near wants."""
    player, sales = visit.player, visit.all("Sell")
    if not sales:
        return 0
    goods = outlook.goods_aboard(player.cargo)
    if goods.get(visit.wanted, 0) >= 2:
        index = visit.card("grateful_buyer")
        if index:
            return index
    mission = outlook.MISSIONS.get(player.mission) if player.mission is not None else None
    mission_good = mission.good if mission is not None else 0
    best = 0
    for index in sales:
        good, count = visit.actions[index].good, visit.actions[index].count
        if count != goods[good]:
            continue
        if good == visit.wanted:
            return index
        if good != mission_good and not best and _moves_to_buyer(visit, good) > FAR_OFF:
            best = index
    return best


def _moves_to_buyer(visit: Visit, good: int) -> int:
    """Return the moves to the nearest open port that wants it; 9 if there is none."""
    row = outlook.DISTANCE[visit.player.zone]
    ports = outlook.open_ports(visit.state, visit.player)
    return min([row[zone] for zone in ports if visit.state.demand[zone - 1] == good], default=9)


def _quests(visit: Visit) -> int:
    return visit.first("DoMission", "TryRumor")


def _cards(visit: Visit) -> int:
    return visit.card(*PORT_CARDS, *(["bulk_purchase"] if visit.all("BuyDraw") else []))


def _shipyard(visit: Visit) -> int:
    """Choose repairs and men first, then a big ship."""
    index = visit.first("RepairEverything", "Repair", "Recruit")
    if not index and visit.player.ship.type not in BIG_SHIPS and visit.player.gold >= SHIP_GOLD:
        ships = [index for index in visit.all("BuyShip") if visit.actions[index].ship in BIG_SHIPS]
        index = ships[-1] if ships else 0
    return index


def _tavern(visit: Visit) -> int:
    """Choose men, then a mission without a fight, then a rumor."""
    if visit.all("Hire"):
        return visit.all("Hire")[-1]
    if visit.player.mission is None:
        for index in visit.all("Claim"):
            errand = outlook.MISSIONS.get(visit.actions[index].mission)
            if errand is not None and not errand.garrison:
                return index
    return visit.first("BuyRumor") if visit.player.rumor is None else 0


def _buy(visit: Visit) -> int:
    """Buy what sells best for what it costs, most of all three of a kind for a near port."""
    player = visit.player
    room = player.ship.sections[outlook.CARGO] - len(player.cargo)
    purse = player.gold + (player.chest if player.zone == outlook.HOMES[player.captain] else 0)
    if room <= 0:
        return 0
    if visit.all("BuyDraw") and purse >= 3:
        return visit.first("BuyDraw")
    goods, prices = outlook.goods_aboard(player.cargo), dict(visit.state.visit.prices)
    best, best_index = 0.5, 0
    for index in visit.all("Buy"):
        good, count = visit.actions[index].good, visit.actions[index].count
        price = prices[good]
        if count > room or price * count > purse:
            continue
        moves = _moves_to_buyer(visit, good)
        card = 3.0 if moves > 4 else 6.0 - FAR * moves + (THREE if goods.get(good, 0) + count >= 3 else 0.0)
        worth = (card - price - SPARING) * count
        if worth > best:
            best, best_index = worth, index
    return best_index


def _stash(visit: Visit) -> int:
    """Stash what is not needed at sea."""
    spare = visit.player.gold - RESERVE
    fits = [index for index in visit.all("Stash") if visit.actions[index].gold <= spare]
    return fits[-1] if fits and (spare >= LEAST_STASH or visit.state.visit.open == STASHING) else 0


def choose_jettison(world: Any) -> int:
    """Throw away what is fewest."""
    goods = outlook.goods_aboard(world.state.players[world.seat].cargo)
    actions = world.actions
    return min(range(len(actions)), key=lambda index: sum(goods.get(good, 0) for good in actions[index].goods))


# Fights


def fighters(world: Any) -> tuple[Any, Any]:
    """Return the side of the seat that chooses, and the other one."""
    first, second = world.state.combat.fighters
    return (first, second) if first.side.seat == world.seat else (second, first)


def choose_stance(world: Any) -> int:
    """Board the weaker crew, run from the stronger ship, otherwise shoot."""
    us, them = fighters(world)
    stances = {int(action.stance): index for index, action in enumerate(world.actions) if hasattr(action, "stance")}
    ours, theirs = us.ship.sections[CREW] * us.leadership, them.ship.sections[CREW] * them.leadership
    if 2 in stances and 5 * ours > 7 * theirs:
        return stances[2]
    guns, enemy_guns = us.ship.sections[CANNONS], them.ship.sections[CANNONS]
    losing = theirs >= 2 * ours or us.ship.sections[HULL] <= 1 or enemy_guns > guns + 1 or (not guns and enemy_guns > 0)
    return stances[3] if losing and 3 in stances else stances.get(1, 0)


def choose_aim(world: Any) -> int:
    """Aim where it hurts most."""
    sections = [action.section - 1 for action in world.actions]
    return max(range(len(sections)), key=lambda place: SPARED_FIRST.index(sections[place]))


def choose_hit(world: Any) -> int:
    """Take the hit where it hurts least."""
    sections = [action.section - 1 for action in world.actions]
    if outlook.CARGO in sections:
        return sections.index(outlook.CARGO)
    ship = world.state.players[world.seat].ship
    values = ship.sections
    if world.state.combat is not None:
        values = fighters(world)[0].ship.sections

    def spare(place: int) -> float:
        section = sections[place]
        left = values[section] - 1
        return float((left / 2 if section == HULL else left) - SPARED_FIRST.index(section) / 10)

    return max(range(len(sections)), key=spare)


def choose_reroll(world: Any) -> int:
    """Play a card while we are not ahead."""
    us, them = fighters(world)
    if sum(die >= 5 for die in us.dice) > sum(die >= 5 for die in them.dice):
        return 0
    return len(world.actions) - 1


def choose_prize(world: Any) -> int:
    """Take a ship that is sound and better than ours."""
    us, them = fighters(world)
    mine, prize = us.ship, them.ship
    sound = prize.sections[HULL] >= 2 and prize.sections[MASTS] >= 1
    better = sum(prize.maxima) > sum(mine.maxima) and prize.sections[CANNONS] >= mine.sections[CANNONS]
    return int(sound and better)


# Raids


def choose_raid(world: Any) -> int:
    """Get rid of what would spoil the raid, then push for twelve gold with what is left."""
    kinds = kinds_of(world)
    raid, ship = world.state.raid, world.state.players[world.seat].ship
    cards = [outlook.CARDS[card] for card in raid.table]
    spoiler = _spoiler(ship, cards)
    if spoiler is not None:
        wanted = [place for place, kind in enumerate(kinds) if kind == "DiscardCard"]
        return wanted[spoiler] if spoiler < len(wanted) else 0
    if sum(card.loot for card in cards) >= RAID_GLORY or "DrawCard" not in kinds:
        return 0
    successes = sum(die >= 5 for die in raid.dice) + raid.free - raid.spent
    return kinds.index("DrawCard") if successes > 1 or not cards else 0


def _spoiler(ship: Any, cards: list[Any]) -> int | None:
    left = list(ship.sections)
    for place, card in enumerate(cards):
        if card.icon:
            left[card.icon - 1] -= 1
            if left[card.icon - 1] <= 0:
                return place
    escapes = [place for place, card in enumerate(cards) if not card.icon]
    if len(escapes) >= ship.manoeuvrability:
        return min(escapes, key=lambda place: cards[place].loot)
    return None


ANSWERS: dict[str, Callable[[Any], int]] = {
    "choose_ship": _last,
    "w_turn_start": _last,
    "self_repair": _last,
    "action": choose_action,
    "port": choose_port,
    "w_roll": _last,
    "w_scouted": _last,
    "merchant": _last,
    "raid": choose_raid,
    "jettison": choose_jettison,
    "declare": choose_stance,
    "w_contest": choose_reroll,
    "w_volley": _last,
    "ammo": _last,
    "aim_hit": choose_aim,
    "assign_hit": choose_hit,
    "w_crew_start": _last,
    "w_crew": choose_reroll,
    "capture": choose_prize,
}
"""Decisions that are missing here are answered with the default."""
