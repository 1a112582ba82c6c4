"""The entries of a Port action (5.2), and the choices that follow from them."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.terms import (
    Good,
    Nation,
    Section,
    ShipType,
    Weapon,
    Zone,
)
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class Done(Part):
    """`done`: the Port action is over."""


@immutable(frozen=True, slots=True)
class Sell(Part):
    """`sell g n`, for that much gold."""

    good: Good
    count: int
    gold: int


@immutable(frozen=True, slots=True)
class BuyDraw(Part):
    """`buy_draw`: see what the port has to sell."""


@immutable(frozen=True, slots=True)
class Buy(Part):
    """`buy g n`."""

    good: Good
    count: int


@immutable(frozen=True, slots=True)
class Repair(Part):
    """`repair s`: one point."""

    section: Section


@immutable(frozen=True, slots=True)
class RepairEverything(Part):
    """`repair_all`."""


@immutable(frozen=True, slots=True)
class FixHull(Part):
    """`fix_hull`: restore a flipped reinforced hull."""


@immutable(frozen=True, slots=True)
class BuyModification(Part):
    """`mod`: the port's modification token."""


@immutable(frozen=True, slots=True)
class BuyWeapon(Part):
    """`weapon w` of the shipyard."""

    weapon: Weapon


@immutable(frozen=True, slots=True)
class SellWeapon(Part):
    """`sell_weapon w`."""

    weapon: Weapon


@immutable(frozen=True, slots=True)
class BuyShip(Part):
    """`ship t`."""

    ship: ShipType


@immutable(frozen=True, slots=True)
class Recruit(Part):
    """`recruit`: a Leadership roll for a full crew."""


@immutable(frozen=True, slots=True)
class Hire(Part):
    """`hire n`: sailors for gold, after a failed roll."""

    count: int


@immutable(frozen=True, slots=True)
class BuyRumor(Part):
    """`rumor`: pay and roll for a rumor."""


@immutable(frozen=True, slots=True)
class Claim(Part):
    """`claim m`."""

    mission: str


@immutable(frozen=True, slots=True)
class Stash(Part):
    """`stash n`: from the ship to the chest."""

    gold: int


@immutable(frozen=True, slots=True)
class Withdraw(Part):
    """`withdraw n`: from the chest to the ship."""

    gold: int


@immutable(frozen=True, slots=True)
class TryRumor(Part):
    """`test_rumor`: prove the rumor in this port."""


@immutable(frozen=True, slots=True)
class DoMission(Part):
    """`mission`: do the mission in this port."""


@immutable(frozen=True, slots=True)
class Pardon(Part):
    """`pardon X`: for gold in a port, or the nation of a free pardon."""

    nation: Nation


@immutable(frozen=True, slots=True)
class PlaceModification(Part):
    """A port of `place_mod`."""

    zone: Zone


@immutable(frozen=True, slots=True)
class PickDemand(Part):
    """A good of `pick_demand`."""

    good: Good


DONE = Done()
BUY_DRAW = BuyDraw()
REPAIR_EVERYTHING = RepairEverything()
FIX_HULL = FixHull()
BUY_MODIFICATION = BuyModification()
RECRUIT = Recruit()
BUY_RUMOR = BuyRumor()
TRY_RUMOR = TryRumor()
DO_MISSION = DoMission()

ShipyardAction: TypeAlias = Repair | RepairEverything | FixHull | BuyModification | BuyWeapon | SellWeapon | BuyShip
"""The entries of the shipyard."""


PortAction: TypeAlias = (
    Sell
    | BuyDraw
    | Buy
    | ShipyardAction
    | Recruit
    | Hire
    | BuyRumor
    | Claim
    | Stash
    | Withdraw
    | TryRumor
    | DoMission
    | Pardon
)
"""All entries of `port` but `done` and the cards."""
