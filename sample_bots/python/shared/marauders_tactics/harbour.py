"""`port`: what to do ashore, in an order that closes nothing too early."""

from __future__ import annotations

from marauders_tactics.situation import BIG_SHIPS, Situation
from marauders_tactics.voyage import is_tempting
from tortuga.v1.marauders_pb2 import Marauders

CARDS = (
    Marauders.GLORY_CARD_INHERITANCE,
    Marauders.GLORY_CARD_DRY_DOCK,
    Marauders.GLORY_CARD_FRESH_HANDS,
    Marauders.GLORY_CARD_ARMS_DEALER,
    Marauders.GLORY_CARD_MASTER_SHIPWRIGHT,
    Marauders.GLORY_CARD_SAILING_MASTER_A,
    Marauders.GLORY_CARD_SAILING_MASTER_B,
    Marauders.GLORY_CARD_MASTER_AT_ARMS_B,
    Marauders.GLORY_CARD_CARPENTER_B,
    Marauders.GLORY_CARD_SURGEON_B,
    Marauders.GLORY_CARD_LOOKOUT_B,
    Marauders.GLORY_CARD_PURSER_B,
    Marauders.GLORY_CARD_GUN_CAPTAIN_B,
    Marauders.GLORY_CARD_MASTER_GUNNER_B,
)
"""Cards worth playing whenever they are legal in port."""


def choose_port(table: Situation) -> int:
    """Choose the first thing worth doing; if there is none, the action is done."""
    steps = (_sell, _quests, _cards, _shipyard, _crew, _claim, _rumor, _buy, _stash, _pardon)
    for step in steps:
        index = step(table)
        if index is not None:
            return index
    return 0


def _sell(table: Situation) -> int | None:
    """Sell all that the port wants, and other goods if nobody near wants them."""
    wanted = table.demand.get(table.zone)
    mission = table.mission()
    mission_good = mission.good if mission is not None else 0
    if table.goods[wanted or 0] >= 2:
        buyer = table.card(Marauders.GLORY_CARD_GRATEFUL_BUYER)
        if buyer is not None:
            return buyer
    best: int | None = None
    for index in table.indices("sell"):
        sale = table.options[index].sell
        if sale.count != table.goods[sale.good] or (sale.good == mission_good and sale.good != wanted):
            continue
        if sale.good == wanted:
            return index
        hopeless = table.buyer_distance(sale.good) > 3 or (sale.count < 2 and not table.plan.trades)
        if best is None and hopeless:
            best = index
    return best


def _quests(table: Situation) -> int | None:
    for kind in ("do_mission", "try_rumor"):
        index = table.index(kind)
        if index is not None:
            return index
    return None


def _cards(table: Situation) -> int | None:
    if table.index("buy_draw") is not None and table.room() >= 2 and table.plan.trades:
        bulk = table.card(Marauders.GLORY_CARD_BULK_PURCHASE)
        if bulk is not None:
            return bulk
    return table.card(*CARDS)


def _shipyard(table: Situation) -> int | None:
    """Buy the big ship first, then repair."""
    if table.ship.type not in BIG_SHIPS:
        ships: dict[int, int] = {table.options[index].buy_ship.ship: index for index in table.indices("buy_ship")}
        for kind in (table.plan.big_ship, Marauders.SHIP_TYPE_GALLEON, Marauders.SHIP_TYPE_FRIGATE):
            if kind in ships:
                return ships[kind]
    index = table.index("repair_everything")
    if index is None:
        index = table.index("repair")
    if index is None and table.own.gold >= 25:
        index = table.index("buy_modification")
    return index


def _crew(table: Situation) -> int | None:
    index = table.index("recruit")
    if index is not None:
        return index
    hires = table.indices("hire")
    return hires[-1] if hires else None


def _claim(table: Situation) -> int | None:
    if table.me.mission:
        return None
    for index in table.indices("claim"):
        if table.plan.raids or is_tempting(table, table.options[index].claim.mission):
            return index
    return None


def _rumor(table: Situation) -> int | None:
    return None if table.own.rumor else table.index("buy_rumor")


def _buy(table: Situation) -> int | None:
    """Draw if there is room, then the goods that sell best for what they cost."""
    if not table.plan.trades or not table.room():
        return None
    draw = table.index("buy_draw")
    if draw is not None:
        return draw if table.own.gold >= 3 else None
    prices = {price.good: price.gold for price in table.view.visit.prices}
    best: tuple[float, int | None] = (0.5, None)
    for index in table.indices("buy"):
        entry = table.options[index].buy
        if entry.count <= table.room() and prices[entry.good] * entry.count <= table.own.gold:
            worth = table.card_worth(entry.good, table.goods[entry.good] + entry.count) - prices[entry.good] - 1
            best = max(best, (worth * entry.count, index), key=lambda candidate: candidate[0])
    return best[1]


def _stash(table: Situation) -> int | None:
    """Stash what is not needed at sea."""
    spare = table.own.gold - table.plan.reserve
    if spare >= 10 and table.zone != table.home:
        vault = table.card(Marauders.GLORY_CARD_SECRET_VAULT)
        if vault is not None:
            return vault
    saving = table.ship.type not in BIG_SHIPS and table.me.track < 7
    fits = [index for index in table.indices("stash") if table.options[index].stash.gold <= spare]
    if saving and table.zone != table.home:
        return None  # gold in the chest buys no ship abroad
    return fits[-1] if fits and (spare >= 8 or table.view.visit.open == Marauders.ACTIVITY_STASH) else None


def _pardon(table: Situation) -> int | None:
    return table.index("pardon") if table.own.gold >= 8 else None


def choose_jettison(table: Situation) -> int:
    """Throw away what is worth least."""

    def loss(index: int) -> float:
        left = table.goods.copy()
        total = 0.0
        for good in table.options[index].jettison.goods:
            total += table.card_worth(good, left[good])
            left[good] -= 1
        return total

    return min(range(len(table.options)), key=loss)
