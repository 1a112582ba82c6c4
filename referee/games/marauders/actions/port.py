"""The entries of a Port action (5.2), and the choices that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from referee.games.marauders.terms import (
    Good,
    Nation,
    Section,
    ShipType,
    Weapon,
    Zone,
)


@dataclass(frozen=True, slots=True)
class Done:
    """`done`: the Port action is over."""


@dataclass(frozen=True, slots=True)
class Sell:
    """`sell g n`."""

    good: Good
    count: int


@dataclass(frozen=True, slots=True)
class BuyDraw:
    """`buy_draw`: see what the port has to sell."""


@dataclass(frozen=True, slots=True)
class Buy:
    """`buy g n`."""

    good: Good
    count: int


@dataclass(frozen=True, slots=True)
class Repair:
    """`repair s`: one point."""

    section: Section


@dataclass(frozen=True, slots=True)
class RepairEverything:
    """`repair_all`."""


@dataclass(frozen=True, slots=True)
class FixHull:
    """`fix_hull`: restore a flipped reinforced hull."""


@dataclass(frozen=True, slots=True)
class BuyModification:
    """`mod`: the port's modification token."""


@dataclass(frozen=True, slots=True)
class BuyWeapon:
    """`weapon w` of the shipyard."""

    weapon: Weapon


@dataclass(frozen=True, slots=True)
class SellWeapon:
    """`sell_weapon w`."""

    weapon: Weapon


@dataclass(frozen=True, slots=True)
class BuyShip:
    """`ship t`."""

    ship: ShipType


@dataclass(frozen=True, slots=True)
class Recruit:
    """`recruit`: a Leadership roll for a full crew."""


@dataclass(frozen=True, slots=True)
class Hire:
    """`hire n`: sailors for gold, after a failed roll."""

    count: int


@dataclass(frozen=True, slots=True)
class BuyRumor:
    """`rumor`: pay and roll for a rumor."""


@dataclass(frozen=True, slots=True)
class Claim:
    """`claim m`."""

    mission: str


@dataclass(frozen=True, slots=True)
class Stash:
    """`stash n`: from the ship to the chest."""

    gold: int


@dataclass(frozen=True, slots=True)
class Withdraw:
    """`withdraw n`: from the chest to the ship."""

    gold: int


@dataclass(frozen=True, slots=True)
class TryRumor:
    """`test_rumor`: prove the rumor in this port."""


@dataclass(frozen=True, slots=True)
class DoMission:
    """`mission`: do the mission in this port."""


@dataclass(frozen=True, slots=True)
class Pardon:
    """`pardon X`: for gold in a port, or the nation of a free pardon."""

    nation: Nation


@dataclass(frozen=True, slots=True)
class PlaceModification:
    """A port of `place_mod`."""

    zone: Zone


@dataclass(frozen=True, slots=True)
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
