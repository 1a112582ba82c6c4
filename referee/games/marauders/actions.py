"""Every option a bot can choose (section 5), as frozen values. Each docstring names its entry there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from referee.engine import Seat
from referee.games.marauders.terms import Entry, Good, Mode, Nation, NpcKind, Section, ShipType, Stance, Weapon, Zone


@dataclass(frozen=True, slots=True)
class ChooseShip:
    """`sloop`, `flute`: the ship of a new captain."""

    ship: ShipType


@dataclass(frozen=True, slots=True)
class Decline:
    """`pass` of every window, and `none` of `ammo`."""


@dataclass(frozen=True, slots=True)
class PlayGlory:
    """A glory card with whatever it needs: `glory c ...`, `lucky_star`, `weather_gage own`, `brace s`, `slip_away`."""

    card: str
    mode: Mode | None = None
    section: Section | None = None
    nation: Nation | None = None
    count: int = 0
    npc: NpcKind | None = None
    zone: Zone | None = None


@dataclass(frozen=True, slots=True)
class PickSection:
    """A section: to repair in `self_repair`, to be hit in `aim_hit`, `assign_hit`, `npc_assign_hit`."""

    section: Section


# --- `action` ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class End:
    """`end`: the turn is over."""


@dataclass(frozen=True, slots=True)
class Retire:
    """`retire`: the captain leaves the game."""


@dataclass(frozen=True, slots=True)
class Leave:
    """`leave`: out of the port, to sea."""


@dataclass(frozen=True, slots=True)
class VisitPort:
    """`port`: the Port action."""


@dataclass(frozen=True, slots=True)
class Move:
    """`move z`: from sea to sea."""

    zone: Zone


@dataclass(frozen=True, slots=True)
class EnterPort:
    """`enter free|pay|roll`."""

    way: Entry


@dataclass(frozen=True, slots=True)
class ScoutPlayer:
    """`scout player i`."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ScoutNpc:
    """`scout npc k`."""

    npc: NpcKind


@dataclass(frozen=True, slots=True)
class ScoutMerchant:
    """`scout merchant`, and `scout merchant_auto` without a roll."""

    auto: bool = False


@dataclass(frozen=True, slots=True)
class ScoutRumor:
    """`scout rumor`."""


@dataclass(frozen=True, slots=True)
class ScoutMission:
    """`scout mission`."""


# --- `port` -----------------------------------------------------------------------------------------------------------


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


# --- Merchants --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LetGo:
    """`let_go`: leave the merchant alone."""


@dataclass(frozen=True, slots=True)
class Engage:
    """A nation of `merchant`: raid the merchant under that flag."""

    nation: Nation


@dataclass(frozen=True, slots=True)
class Stop:
    """`stop`: the raid is settled with the cards on the table."""


@dataclass(frozen=True, slots=True)
class DrawCard:
    """`draw`: one more card on the table."""


@dataclass(frozen=True, slots=True)
class DiscardCard:
    """`discard i`: the i-th card of the table, from 1."""

    place: int


@dataclass(frozen=True, slots=True)
class ExchangeCard:
    """`exchange i`: the i-th card of the table against a new one."""

    place: int


@dataclass(frozen=True, slots=True)
class UseWeapon:
    """`weapon w` of a raid, `grapple` of `w_contest`, `chain` and `grape` of `ammo`."""

    weapon: Weapon


@dataclass(frozen=True, slots=True)
class Jettison:
    """Goods to throw overboard, in the order of the cargo table."""

    goods: tuple[Good, ...]


# --- Combat and its spoils --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Declare:
    """`shoot`, `board`, `flee`, for oneself or for an NPC."""

    stance: Stance


@dataclass(frozen=True, slots=True)
class FlipHull:
    """`hullplate s`: the reinforced hull takes a hit."""

    section: Section


@dataclass(frozen=True, slots=True)
class Redirect:
    """`redirect s t`: the captain moves a hit to another section."""

    section: Section
    target: Section


@dataclass(frozen=True, slots=True)
class KeepShip:
    """`keep_own` of `capture`."""


@dataclass(frozen=True, slots=True)
class TakeShip:
    """`take_<ship>` of `capture`."""

    ship: ShipType


@dataclass(frozen=True, slots=True)
class KeepRumor:
    """A card of `keep_rumor`."""

    rumor: str


@dataclass(frozen=True, slots=True)
class KeepMission:
    """A card of `keep_mission`."""

    mission: str


@dataclass(frozen=True, slots=True)
class DiscardGlory:
    """A card of `discard_glory`."""

    card: str


@dataclass(frozen=True, slots=True)
class PlaceModification:
    """A port of `place_mod`."""

    zone: Zone


@dataclass(frozen=True, slots=True)
class PickDemand:
    """A good of `pick_demand`."""

    good: Good


Action: TypeAlias = (
    ChooseShip
    | Decline
    | PlayGlory
    | PickSection
    | End
    | Retire
    | Leave
    | VisitPort
    | Move
    | EnterPort
    | ScoutPlayer
    | ScoutNpc
    | ScoutMerchant
    | ScoutRumor
    | ScoutMission
    | Done
    | Sell
    | BuyDraw
    | Buy
    | Repair
    | RepairEverything
    | FixHull
    | BuyModification
    | BuyWeapon
    | SellWeapon
    | BuyShip
    | Recruit
    | Hire
    | BuyRumor
    | Claim
    | Stash
    | Withdraw
    | TryRumor
    | DoMission
    | Pardon
    | LetGo
    | Engage
    | Stop
    | DrawCard
    | DiscardCard
    | ExchangeCard
    | UseWeapon
    | Jettison
    | Declare
    | FlipHull
    | Redirect
    | KeepShip
    | TakeShip
    | KeepRumor
    | KeepMission
    | DiscardGlory
    | PlaceModification
    | PickDemand
)
