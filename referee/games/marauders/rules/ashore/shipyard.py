"""The shipyard: repairs, modifications, weapons, ships (5.2, 6.6, prices of 2.1)."""

from __future__ import annotations

from functools import cache
from typing import assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.port import (
    BUY_MODIFICATION,
    FIX_HULL,
    REPAIR_EVERYTHING,
    BuyModification,
    BuyShip,
    BuyWeapon,
    FixHull,
    Repair,
    RepairEverything,
    SellWeapon,
    ShipyardAction,
)
from referee.games.marauders.data.board import (
    HULL_PRICE,
    MODIFICATION_PRICE,
    REPAIR_PRICE,
    SHIPS,
    SHIPS_FOR_SALE,
    WEAPON_PRICE,
    WEAPON_SALE,
)
from referee.games.marauders.events.port import HullRestored, SectionRepaired, ShipTaken, WeaponGone, WeaponTaken
from referee.games.marauders.rules.ashore.market import may_use, visit_of
from referee.games.marauders.rules.glory import ScorePoint
from referee.games.marauders.rules.modifications import offered_modification, place_modifications, take_modification
from referee.games.marauders.rules.modifiers import mod
from referee.games.marauders.rules.purse import available, gain, pay
from referee.games.marauders.rules.rewards import ship_of
from referee.games.marauders.rules.ships import (
    REPAIRABLE,
    damage_points,
    damaged_sections,
    missing,
    new_ship,
    sale_value,
    set_ship,
    with_value,
)
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import State
from referee.games.marauders.terms import WEAPONS, Activity, Feat, Section, ShipType, Weapon
from referee.rules.agenda import push
from referee.rules.engine import Seat
from referee.rules.parts import replace


def shipyard_entries(state: State, seat: Seat) -> list[ShipyardAction]:
    """Return everything affordable, in the specification's order."""
    visit = visit_of(state)
    if not may_use(visit, Activity.SHIPYARD):
        return []
    player, gold = state.players[seat], available(state, seat)
    ship = ship_of(player)
    entries = repair_entries(state, seat, gold)
    if ship.flipped and gold >= HULL_PRICE:
        entries.append(FIX_HULL)
    if gold >= MODIFICATION_PRICE and offered_modification(state, seat) is not None:
        entries.append(BUY_MODIFICATION)
    held, traded = player.weapons, visit.weapons
    if gold >= weapon_price(state, seat):
        entries += each(BuyWeapon, tuple([weapon for weapon in WEAPONS if weapon not in held and weapon not in traded]))
    if held:
        entries += each(SellWeapon, tuple([weapon for weapon in held if weapon not in traded]))
    if not visit.ship_bought:
        entries += each(BuyShip, affordable_ships(gold + sale_value(ship), mod(state, seat, "cost.bigship")))
    return entries


def repair_entries(state: State, seat: Seat, gold: int) -> list[ShipyardAction]:
    """Return one point of a section, or everything at once."""
    ship = ship_of(state.players[seat])
    damaged = damaged_sections(ship)
    if not damaged:
        return []
    price = repair_price(state, seat)
    if gold < price:
        return []
    entries: list[ShipyardAction] = [*each(Repair, damaged)]
    points = damage_points(ship)
    if points > 1 and points * price <= gold:
        entries.append(REPAIR_EVERYTHING)
    return entries


def repair_price(state: State, seat: Seat) -> int:
    """Per point."""
    return max(1, REPAIR_PRICE + mod(state, seat, "cost.repair"))


def weapon_price(state: State, seat: Seat) -> int:
    """Per special weapon."""
    return max(1, WEAPON_PRICE + mod(state, seat, "cost.weapon"))


def ship_price(kind: ShipType, big_ships: int) -> int:
    """Return a ship's price, with the modifier for big ones."""
    row = SHIPS[kind]
    assert row.price is not None
    return max(1, row.price + big_ships) if row.big else row.price


@cache
def affordable_ships(gold: int, big_ships: int) -> tuple[ShipType, ...]:
    """Return what can be had for the old ship and the gold."""
    return tuple([kind for kind in SHIPS_FOR_SALE if ship_price(kind, big_ships) <= gold])


def net_price(state: State, seat: Seat, kind: ShipType) -> int:
    """Return a ship's price less the sale value of the old one; negative: the yard pays."""
    return ship_price(kind, mod(state, seat, "cost.bigship")) - sale_value(ship_of(state.players[seat]))


def use_shipyard(draft: State, seat: Seat, action: ShipyardAction) -> None:
    """Carry an entry out."""
    match action:
        case Repair(section):
            repair(draft, seat, section, 1)
        case RepairEverything():
            for part in REPAIRABLE:
                repair(draft, seat, part, missing(ship_of(draft.players[seat]), part))
        case FixHull():
            pay(draft, seat, HULL_PRICE)
            set_ship(draft, seat, replace(ship_of(draft.players[seat]), flipped=False))
            tell(draft, HullRestored, seat)
        case BuyModification():
            pay(draft, seat, MODIFICATION_PRICE)
            take_modification(draft, seat)
        case BuyWeapon(weapon):
            trade_weapon(draft, seat, weapon, buying=True)
        case SellWeapon(weapon):
            trade_weapon(draft, seat, weapon, buying=False)
        case BuyShip(ship):
            buy_ship(draft, seat, ship)
        case _:
            assert_never(action)


def repair(draft: State, seat: Seat, section: Section, points: int) -> None:
    """Points of one section for gold."""
    if points:
        ship = ship_of(draft.players[seat])
        pay(draft, seat, points * repair_price(draft, seat))
        set_ship(draft, seat, with_value(ship, section, ship.value(section) + points))
        tell(draft, SectionRepaired, seat, section, points)


def trade_weapon(draft: State, seat: Seat, weapon: Weapon, *, buying: bool) -> None:
    """Buy or sell a special weapon; each kind once per Port action."""
    visit = visit_of(draft)
    draft.visit = replace(visit, weapons=(*visit.weapons, weapon))
    if buying:
        pay(draft, seat, weapon_price(draft, seat))
        player = draft.players[seat]
        draft.set_player(seat, replace(player, weapons=tuple(sorted((*player.weapons, weapon)))))
        tell(draft, WeaponTaken, seat, weapon)
    else:
        player = draft.players[seat]
        draft.set_player(seat, replace(player, weapons=tuple([kind for kind in player.weapons if kind != weapon])))
        tell(draft, WeaponGone, seat, weapon, False)
        gain(draft, seat, WEAPON_SALE)


def buy_ship(draft: State, seat: Seat, kind: ShipType) -> None:
    """Buy a ship; the crew comes along, modifications only in St. John; the first big one gives a glory point."""
    old, price = ship_of(draft.players[seat]), net_price(draft, seat, kind)
    keep = bool(mod(draft, seat, "shipyard.keep_mods"))
    pay(draft, seat, price)
    gain(draft, seat, -price)
    ship = new_ship(kind, old.mods, old.flipped) if keep else new_ship(kind)
    crew = min(old.value(Section.CREW), ship.maximum(Section.CREW))
    set_ship(draft, seat, with_value(ship, Section.CREW, crew))
    draft.visit = replace(visit_of(draft), ship_bought=True)
    tell(draft, ShipTaken, seat, kind, False)
    player = draft.players[seat]
    if SHIPS[kind].big and not player.bought_big_ship:
        draft.set_player(seat, replace(player, bought_big_ship=True))
        push(draft, ScorePoint(seat, Feat.SHIP))
    if not keep:
        place_modifications(draft, seat, old.mods)
