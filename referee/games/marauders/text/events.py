"""Every event as one line, and the name under which `simulate` counts it."""

from __future__ import annotations

from typing import TypeAlias, assert_never

from referee.games.marauders.data.captains import CAPTAINS
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.events import Event
from referee.games.marauders.events.combat import (
    Boarded,
    CaptainDied,
    CaptainRetired,
    CombatBegan,
    CombatEnded,
    CombatEvent,
    ContestDecided,
    Damaged,
    HitCancelled,
    HitRedirected,
    StanceDeclared,
    VolleyFired,
)
from referee.games.marauders.events.port import (
    CardKept,
    CrewJoined,
    HullRestored,
    ModificationBuilt,
    ModificationPlaced,
    ModificationRevealed,
    PortEvent,
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
    QuestEvent,
    RumorDiscarded,
    RumorProved,
    RumorTaken,
)
from referee.games.marauders.events.raid import (
    MerchantEngaged,
    MerchantFound,
    RaidCardDiscarded,
    RaidCardDrawn,
    RaidEnded,
    RaidEvent,
)
from referee.games.marauders.events.round import (
    CaptainArrived,
    DemandChanged,
    DiceRolled,
    GameEnded,
    MarqueIssued,
    MerchantsPlaced,
    NpcEntered,
    NpcLeft,
    NpcMoved,
    PeaceMade,
    PortsClosed,
    RoundBegan,
    RoundEvent,
    TurnBegan,
    TurnOrderDrawn,
    WarDeclared,
)
from referee.games.marauders.events.trade import (
    CargoDiscarded,
    CargoTaken,
    GoodsBought,
    GoodsOffered,
    GoodsSold,
    TradeEvent,
)
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
    WealthEvent,
)
from referee.games.marauders.text.words import (
    cargo_card,
    event_title,
    goods,
    names,
    npc_name,
    of_nation,
    place,
    who,
    word,
)
from referee.rules.infos import end_words
from referee.text import listed, plural, spaced


def tell_event(event: Event) -> str:
    """Tell one event as one line."""
    if isinstance(event, RoundEvent):
        return _tell_round(event)
    if isinstance(event, WealthEvent):
        return _tell_wealth(event)
    if isinstance(event, PortEvent):
        return _tell_port(event)
    if isinstance(event, TradeEvent):
        return _tell_trade(event)
    if isinstance(event, QuestEvent):
        return _tell_quest(event)
    if isinstance(event, RaidEvent):
        return _tell_raid(event)
    return _tell_combat(event)


def _tell_round(event: RoundEvent) -> str:
    """Rounds, turns and dice."""
    match event:
        case TurnOrderDrawn():
            return f"turn order: {', '.join(f'seat {seat}' for seat in event.seats)}"
        case CaptainArrived():
            name = CAPTAINS[event.captain].name
            return f"seat {event.seat}: {name} takes a {word(event.ship)} in {place(event.zone)} with {event.gold} gold"
        case RoundBegan():
            return f"round {event.round}: {event_title(event.card)}"
        case MerchantsPlaced():
            return f"merchants appear in {', '.join(map(place, event.zones))}"
        case NpcMoved():
            return f"the {npc_name(event.npc)} sails to {place(event.zone)}"
        case NpcEntered():
            row = EVENTS[event.card].npc if event.card else None
            captain = "a war admiral" if row is None else row.name
            return f"the {npc_name(event.npc)} enters at {place(event.zone)} under {captain}"
        case NpcLeft():
            return f"the {npc_name(event.npc)} leaves the board"
        case WarDeclared():
            return f"war between {listed(map(word, event.nations))}"
        case PeaceMade():
            return "peace"
        case PortsClosed():
            return f"plague closes {', '.join(map(place, event.zones))}"
        case MarqueIssued():
            return f"letter of marque: {word(event.nation)} against {word(event.target)}"
        case DemandChanged():
            return f"{place(event.zone)} now wants {event.good.id}"
        case TurnBegan():
            return f"seat {event.seat} begins its turn with {event.actions} actions and {event.free_moves} free moves"
        case GameEnded():
            return f"the game ends: {end_words(event.reason)}"
        case DiceRolled():
            return f"{who(event.side)} rolls {' '.join(map(str, event.dice))} for {word(event.roll)}"
        case _:
            assert_never(event)


def _tell_wealth(event: WealthEvent) -> str:
    """Gold, bounties and glory."""
    match event:
        case GoldGained():
            return f"seat {event.seat} gains {event.gold} gold"
        case GoldPaid():
            return f"seat {event.seat} pays {event.gold} gold"
        case GoldStashed():
            return f"seat {event.seat} stashes {event.gold or 'some'} gold"
        case GoldWithdrawn():
            return f"seat {event.seat} takes {event.gold} gold out of its chest"
        case BountyChanged():
            return f"{word(event.nation)} now asks {event.bounty} for the head of seat {event.seat}"
        case GloryPoint():
            return f"seat {event.seat} gains glory for a {word(event.feat)}: track {event.track}"
        case GloryDrawn():
            return f"seat {event.seat} draws {word(event.card or 'a glory card')}"
        case GloryPlayed():
            extras = (event.mode, event.section, event.nation, event.count or None, event.npc, event.zone)
            return " ".join([f"seat {event.seat} plays {word(event.card)}", *(word(part) for part in extras if part)])
        case GloryDiscarded():
            return f"seat {event.seat} discards {word(event.card)}"
        case PointsDeclared():
            return f"seat {event.seat} declares {event.points} points, {event.chest} gold in its chest"
        case _:
            assert_never(event)


def _tell_port(event: PortEvent) -> str:
    """Sailing, ports, ships and crews."""
    match event:
        case Sailed():
            return f"seat {event.seat} {'enters the port of' if event.in_port else 'is at sea off'} {place(event.zone)}"
        case PortVisited():
            return f"seat {event.seat} goes ashore in {place(event.zone)}"
        case ModificationRevealed():
            return f"{place(event.zone)} offers {word(event.kind)}"
        case ModificationBuilt():
            return f"seat {event.seat} builds {word(event.kind)}"
        case ModificationPlaced():
            return f"a modification goes to {place(event.zone)}" + (
                "" if event.kind is None else f": {word(event.kind)}"
            )
        case SectionRepaired():
            return f"seat {event.seat} repairs {event.section.id} by {event.points}"
        case HullRestored():
            return f"seat {event.seat} restores its reinforced hull"
        case CrewJoined():
            return f"seat {event.seat} takes {event.count} men aboard"
        case WeaponTaken():
            return f"seat {event.seat} takes {word(event.weapon)} aboard"
        case WeaponGone():
            return f"seat {event.seat} {'uses' if event.used else 'sells'} {word(event.weapon)}"
        case ShipTaken():
            return f"seat {event.seat} {'captures' if event.captured else 'buys'} a {word(event.ship)}"
        case SpecialistJoined():
            return f"seat {event.seat} has a {word(event.specialist)}"
        case CardKept():
            return f"seat {event.seat} keeps {word(event.rumor or event.mission)} on its board"
        case _:
            assert_never(event)


def _tell_trade(event: TradeEvent) -> str:
    """Goods and cargo."""
    match event:
        case GoodsSold():
            return f"seat {event.seat} sells {event.count} {event.good.id} for {event.gold}"
        case GoodsOffered():
            return f"seat {event.seat} is offered {goods(event.cards) or plural(event.count, 'card')}"
        case GoodsBought():
            return f"seat {event.seat} buys {event.count} {event.good.id if event.good else 'cards'} for {event.gold}"
        case CargoTaken():
            return f"seat {event.seat} takes {goods(event.cards) or plural(event.count, 'card')} aboard"
        case CargoDiscarded():
            return f"seat {event.seat} discards {goods(event.cards)}"
        case _:
            assert_never(event)


def _tell_quest(event: QuestEvent) -> str:
    """Rumors and missions."""
    match event:
        case RumorTaken():
            return f"seat {event.seat} holds {word(event.rumor or 'a rumor')}"
        case RumorProved():
            return f"seat {event.seat} proves {word(event.rumor)}"
        case RumorDiscarded():
            return f"seat {event.seat} loses {word(event.rumor)}"
        case MissionOpened():
            return f"new mission: {word(event.mission)}"
        case MissionTaken():
            return f"seat {event.seat} takes on {word(event.mission)}"
        case MissionDone():
            return f"seat {event.seat} completes {word(event.mission)}"
        case MissionDiscarded():
            return f"seat {event.seat} gives up {word(event.mission)}"
        case _:
            assert_never(event)


def _tell_raid(event: RaidEvent) -> str:
    """Merchants and raids."""
    match event:
        case MerchantFound():
            return f"seat {event.seat} finds {of_nation(event.nation, 'merchant')} off {place(event.zone)}"
        case MerchantEngaged():
            return f"seat {event.seat} raids it as {of_nation(event.nation, 'merchant')}"
        case RaidCardDrawn():
            return f"on the table: {cargo_card(event.card)}"
        case RaidCardDiscarded():
            return f"off the table: {cargo_card(event.card)}"
        case RaidEnded():
            return f"seat {event.seat} ends its raid: {event.end.id}, {event.gold} gold"
        case _:
            assert_never(event)


def _tell_combat(event: CombatEvent) -> str:
    """Combats, and captains who leave the game."""
    match event:
        case CombatBegan():
            return f"{who(event.attacker)} attacks {who(event.defender)}"
        case StanceDeclared():
            return f"{who(event.side)} declares {event.stance.id}"
        case ContestDecided():
            return "nobody wins the contest" if event.winner is None else f"{who(event.winner)} wins the contest"
        case VolleyFired():
            return f"{who(event.shooter)} hits {who(event.target)}: {names(event.hits)}"
        case HitCancelled():
            return f"the reinforced hull of seat {event.seat} takes a hit on {event.section.id}"
        case HitRedirected():
            return f"seat {event.seat} moves a hit from {event.section.id} to {event.target.id}"
        case Damaged():
            cargo, masts, crew, cannons, hull = event.sections
            return f"{who(event.side)} is at hull {hull}, cargo {cargo}, masts {masts}, crew {crew}, cannons {cannons}"
        case Boarded():
            return f"{who(event.side)} boards"
        case CombatEnded():
            winner = "nobody" if event.winner is None else who(event.winner)
            return f"the combat ends ({event.end.id}), {winner} wins"
        case CaptainDied():
            return f"seat {event.seat}: {CAPTAINS[event.captain].name} dies"
        case CaptainRetired():
            return f"seat {event.seat}: {CAPTAINS[event.captain].name} retires"
        case _:
            assert_never(event)


NamedEvent: TypeAlias = (
    RoundBegan
    | GloryPlayed
    | CaptainArrived
    | RumorProved
    | MissionDone
    | ModificationBuilt
    | SpecialistJoined
    | WeaponGone
    | GloryPoint
    | RaidCardDrawn
    | NpcEntered
    | RaidEnded
    | CombatEnded
    | DiceRolled
    | ShipTaken
)
"""Events counted under the card, rule or thing behind them."""


def fired(event: Event) -> str:
    """Return the card or the rule behind an event."""
    return _name(event) if isinstance(event, NamedEvent) else spaced(type(event).__name__)


def _name(event: NamedEvent) -> str:
    match event:
        case RoundBegan():
            return f"event {event.card}"
        case GloryPlayed():
            return f"glory {event.card}"
        case CaptainArrived():
            return f"captain {event.captain}"
        case RumorProved():
            return f"rumor {event.rumor}"
        case MissionDone():
            return f"mission {event.mission}"
        case ModificationBuilt():
            return f"modification {event.kind.id}"
        case SpecialistJoined():
            return f"specialist {event.specialist.id}"
        case WeaponGone():
            return f"weapon {event.weapon.id}" if event.used else spaced(type(event).__name__)
        case GloryPoint():
            return f"point for {event.feat.id}"
        case RaidCardDrawn():
            return f"cargo {event.card}"
        case NpcEntered():
            return f"npc {event.card or 'war admiral'}"
        case RaidEnded():
            return f"raid {event.end.id}"
        case CombatEnded():
            return f"combat {event.end.id}" + (" without winner" if event.winner is None else "")
        case DiceRolled():
            return f"roll {event.roll.id}"
        case ShipTaken():
            return f"{'captured' if event.captured else 'bought'} {event.ship.id}"
        case _:
            assert_never(event)
