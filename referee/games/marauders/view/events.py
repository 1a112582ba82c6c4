"""What a seat hears of an event (section 3).

Most events are public. The others are named one by one, and so are the public ones of each group that has secrets:
the type checker refuses an event that is neither.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never, get_args

from referee.games.marauders.events import Event
from referee.games.marauders.events.combat import CombatEvent
from referee.games.marauders.events.port import (
    CardKept,
    CrewJoined,
    HullRestored,
    ModificationBuilt,
    ModificationPlaced,
    ModificationRevealed,
    PortVisited,
    Sailed,
    SectionRepaired,
    ShipTaken,
    SpecialistJoined,
    WeaponGone,
    WeaponTaken,
)
from referee.games.marauders.events.quests import (
    MissionDiscarded,
    MissionDone,
    MissionOpened,
    MissionTaken,
    RumorDiscarded,
    RumorProved,
    RumorTaken,
)
from referee.games.marauders.events.raid import RaidEvent
from referee.games.marauders.events.round import RoundEvent
from referee.games.marauders.events.trade import CargoDiscarded, CargoTaken, GoodsBought, GoodsOffered, GoodsSold
from referee.games.marauders.events.wealth import (
    BountyChanged,
    GloryDiscarded,
    GloryDrawn,
    GloryPlayed,
    GloryPoint,
    GoldGained,
    GoldPaid,
    GoldStashed,
    GoldWithdrawn,
    PointsDeclared,
)
from referee.rules.engine import Seat
from referee.rules.parts import kept, replace

PrivateEvent: TypeAlias = (
    GoldStashed | GoldWithdrawn | GloryDrawn | RumorTaken | GoodsOffered | GoodsBought | CargoTaken
)
"""Events that only the seat they concern hears whole."""

PublicEvent: TypeAlias = (
    RoundEvent
    | RaidEvent
    | CombatEvent
    | GoldGained
    | GoldPaid
    | BountyChanged
    | GloryPoint
    | GloryPlayed
    | GloryDiscarded
    | PointsDeclared
    | Sailed
    | PortVisited
    | ModificationRevealed
    | ModificationBuilt
    | SectionRepaired
    | HullRestored
    | CrewJoined
    | WeaponTaken
    | WeaponGone
    | ShipTaken
    | SpecialistJoined
    | CardKept
    | GoodsSold
    | CargoDiscarded
    | RumorProved
    | RumorDiscarded
    | MissionOpened
    | MissionTaken
    | MissionDone
    | MissionDiscarded
)
"""Events that everybody hears whole."""

PUBLIC = frozenset(get_args(PublicEvent))


def seen(event: Event, seat: Seat) -> Event | None:
    """Return an event as that seat perceived it."""
    if type(event) in PUBLIC:
        return event
    if isinstance(event, ModificationPlaced):
        return replace(event, kind=None)  # hidden from all, its owner included (R34)
    if isinstance(event, PrivateEvent):
        return event if event.seat == seat else _as_others_see(event)
    public: PublicEvent = event
    return public


@kept
def _as_others_see(event: PrivateEvent) -> Event | None:
    """Return the part of a private event that the other seats see."""
    match event:
        case GoldWithdrawn():
            return None
        case GoldStashed():
            return replace(event, gold=0) if event.first else None
        case GloryDrawn():
            return replace(event, card=None)
        case RumorTaken():
            return replace(event, rumor=None)
        case GoodsOffered():
            return replace(event, cards=())
        case GoodsBought():
            return replace(event, good=None)
        case CargoTaken():
            return replace(event, cards=()) if event.hidden else event
        case _:
            assert_never(event)
