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
from referee.parts import immutable


@immutable(frozen=True, slots=True)
class Done:
    """`done`: the Port action is over."""


@immutable(frozen=True, slots=True)
class Sell:
    """`sell g n`."""

    good: Good
    count: int


@immutable(frozen=True, slots=True)
class BuyDraw:
    """`buy_draw`: see what the port has to sell."""


@immutable(frozen=True, slots=True)
class Buy:
    """`buy g n`."""

    good: Good
    count: int


@immutable(frozen=True, slots=True)
class Repair:
    """`repair s`: one point."""

    section: Section


@immutable(frozen=True, slots=True)
class RepairEverything:
    """`repair_all`."""


@immutable(frozen=True, slots=True)
class FixHull:
    """`fix_hull`: restore a flipped reinforced hull."""


@immutable(frozen=True, slots=True)
class BuyModification:
    """`mod`: the port's modification token."""


@immutable(frozen=True, slots=True)
class BuyWeapon:
    """`weapon w` of the shipyard."""

    weapon: Weapon


@immutable(frozen=True, slots=True)
class SellWeapon:
    """`sell_weapon w`."""

    weapon: Weapon


@immutable(frozen=True, slots=True)
class BuyShip:
    """`ship t`."""

    ship: ShipType


@immutable(frozen=True, slots=True)
class Recruit:
    """`recruit`: a Leadership roll for a full crew."""


@immutable(frozen=True, slots=True)
class Hire:
    """`hire n`: sailors for gold, after a failed roll."""

    count: int


@immutable(frozen=True, slots=True)
class BuyRumor:
    """`rumor`: pay and roll for a rumor."""


@immutable(frozen=True, slots=True)
class Claim:
    """`claim m`."""

    mission: str


@immutable(frozen=True, slots=True)
class Stash:
    """`stash n`: from the ship to the chest."""

    gold: int


@immutable(frozen=True, slots=True)
class Withdraw:
    """`withdraw n`: from the chest to the ship."""

    gold: int


@immutable(frozen=True, slots=True)
class TryRumor:
    """`test_rumor`: prove the rumor in this port."""


@immutable(frozen=True, slots=True)
class DoMission:
    """`mission`: do the mission in this port."""


@immutable(frozen=True, slots=True)
class Pardon:
    """`pardon X`: for gold in a port, or the nation of a free pardon."""

    nation: Nation


@immutable(frozen=True, slots=True)
class PlaceModification:
    """A port of `place_mod`."""

    zone: Zone


@immutable(frozen=True, slots=True)
class PickDemand:
    """A good of `pick_demand`."""

    good: Good


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
