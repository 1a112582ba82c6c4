"""The shipyard: repairs, modifications, weapons, ships (5.2, 6.6, prices of 2.1)."""

from __future__ import annotations

from typing import assert_never

from referee.agenda import push
from referee.engine import Seat
from referee.games.marauders.actions.port import (
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
from referee.games.marauders.rules.glory import ScorePoint
from referee.games.marauders.rules.market import may_use, visit_of
from referee.games.marauders.rules.modifications import offered_modification, place_modifications, take_modification
from referee.games.marauders.rules.modifiers import mod
from referee.games.marauders.rules.purse import available, gain, pay
from referee.games.marauders.rules.rewards import ship_of
from referee.games.marauders.rules.ships import (
    REPAIRABLE,
    damaged_sections,
    missing,
    new_ship,
    sale_value,
    with_value,
)
from referee.games.marauders.state import State
from referee.games.marauders.terms import WEAPONS, Activity, Feat, Section, ShipType, Weapon
from referee.parts import replace


def shipyard_entries(state: State, seat: Seat) -> list[ShipyardAction]:
    """Everything affordable, in the specification's order."""
    visit = visit_of(state)
    if not may_use(visit, Activity.SHIPYARD):
        return []
    player, gold = state.players[seat], available(state, seat)
    ship = ship_of(player)
    found = repair_entries(state, seat, gold)
    if ship.flipped and gold >= HULL_PRICE:
        found.append(FixHull())
    if gold >= MODIFICATION_PRICE and offered_modification(state, seat) is not None:
        found.append(BuyModification())
    traded = visit.weapons
    if gold >= weapon_price(state, seat):
        found += [BuyWeapon(weapon) for weapon in WEAPONS if weapon not in player.weapons and weapon not in traded]
    found += [SellWeapon(weapon) for weapon in player.weapons if weapon not in traded]
    if not visit.ship_bought:
        found += [BuyShip(kind) for kind in SHIPS_FOR_SALE if net_price(state, seat, kind) <= gold]
    return found


def repair_entries(state: State, seat: Seat, gold: int) -> list[ShipyardAction]:
    """One point of a section, or everything at once."""
    ship, price = ship_of(state.players[seat]), repair_price(state, seat)
    damaged = damaged_sections(ship)
    if not damaged or gold < price:
        return []
    found: list[ShipyardAction] = [Repair(section) for section in damaged]
    points = sum(missing(ship, section) for section in damaged)
    if points > 1 and points * price <= gold:
        found.append(RepairEverything())
    return found


def repair_price(state: State, seat: Seat) -> int:
    """Per point."""
    return max(1, REPAIR_PRICE + mod(state, seat, "cost.repair"))


def weapon_price(state: State, seat: Seat) -> int:
    """Per special weapon."""
    return max(1, WEAPON_PRICE + mod(state, seat, "cost.weapon"))


def net_price(state: State, seat: Seat, kind: ShipType) -> int:
    """A ship's price less the sale value of the old one; negative: the yard pays."""
    row = SHIPS[kind]
    assert row.price is not None
    price = max(1, row.price + mod(state, seat, "cost.bigship")) if row.big else row.price
    return price - sale_value(ship_of(state.players[seat]))


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
            player = draft.players[seat]
            player.ship = replace(ship_of(player), flipped=False)
            draft.events.append(HullRestored(seat))
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
        player = draft.players[seat]
        ship = ship_of(player)
        pay(draft, seat, points * repair_price(draft, seat))
        player.ship = with_value(ship, section, ship.value(section) + points)
        draft.events.append(SectionRepaired(seat, section, points))


def trade_weapon(draft: State, seat: Seat, weapon: Weapon, *, buying: bool) -> None:
    """Each kind bought or sold once per Port action."""
    player = draft.players[seat]
    visit_of(draft).weapons += (weapon,)
    if buying:
        pay(draft, seat, weapon_price(draft, seat))
        player.weapons = tuple(sorted((*player.weapons, weapon)))
        draft.events.append(WeaponTaken(seat, weapon))
    else:
        player.weapons = tuple(kind for kind in player.weapons if kind != weapon)
        draft.events.append(WeaponGone(seat, weapon, False))
        gain(draft, seat, WEAPON_SALE)


def buy_ship(draft: State, seat: Seat, kind: ShipType) -> None:
    """A new ship; the crew comes along, modifications only in St. John; the first big one gives a glory point."""
    player = draft.players[seat]
    old, price = ship_of(player), net_price(draft, seat, kind)
    keep = bool(mod(draft, seat, "shipyard.keep_mods"))
    pay(draft, seat, price)
    gain(draft, seat, -price)
    ship = new_ship(kind, old.mods, old.flipped) if keep else new_ship(kind)
    crew = min(old.value(Section.CREW), ship.maximum(Section.CREW))
    player.ship = with_value(ship, Section.CREW, crew)
    visit_of(draft).ship_bought = True
    draft.events.append(ShipTaken(seat, kind, False))
    if SHIPS[kind].big and not player.bought_big_ship:
        player.bought_big_ship = True
        push(draft, ScorePoint(seat, Feat.SHIP))
    if not keep:
        place_modifications(draft, seat, old.mods)
