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
from referee.games.marauders.terms import Feat, Roll
from referee.games.marauders.text.words import (
    SKULL,
    card_title,
    cargo_card,
    event_title,
    faces,
    glory_details,
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

ROLLED_FOR = {
    Roll.SCOUTING: "scouting",
    Roll.INFLUENCE: "influence",
    Roll.LEADERSHIP: "leadership",
    Roll.SEAMANSHIP: "seamanship",
    Roll.RAID: "the raid",
    Roll.CONTEST: "the contest",
    Roll.CREW: "the fight of the crews",
    Roll.LOCATION: "where the hits land",
    Roll.LONG_GUNS: "the long guns",
    Roll.SWIVEL_GUNS: "the swivel guns",
}
TESTS = {Roll.SCOUTING, Roll.INFLUENCE, Roll.LEADERSHIP, Roll.SEAMANSHIP}
"""Rolls that succeed or fail as a whole; in others each skull counts."""
DEFEATED = {Feat.NAVY, Feat.PIRATE, Feat.PLAYER}
"""Feats that are named after the loser."""


def _result(event: DiceRolled) -> str:
    """Return what a roll came to."""
    skulls = len([die for die in event.dice if die >= SKULL])
    if event.roll in TESTS:
        return ": success" if skulls else ": failure"
    return "" if event.roll is Roll.LOCATION else f": {plural(skulls, 'skull')}"


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
            return f"merchants appear in {listed(map(place, event.zones), 'no zone')}"
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
            return "there is peace"
        case PortsClosed():
            return f"plague closes {listed(map(place, event.zones), 'no port')}"
        case MarqueIssued():
            return f"letter of marque: {word(event.nation)} against {word(event.target)}"
        case DemandChanged():
            return f"{place(event.zone)} now wants {event.good.id}"
        case TurnBegan():
            free = f" and {plural(event.free_moves, 'free move')}" if event.free_moves else ""
            return f"seat {event.seat} begins its turn with {plural(event.actions, 'action')}{free}"
        case GameEnded():
            return f"the game ends: {end_words(event.reason)}"
        case DiceRolled():
            return f"{who(event.side)} rolls {faces(event.dice)} for {ROLLED_FOR[event.roll]}{_result(event)}"
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
            return f"the bounty of {word(event.nation)} on seat {event.seat} is now {event.bounty}"
        case GloryPoint():
            feat = f"a defeated {word(event.feat)}" if event.feat in DEFEATED else f"a {word(event.feat)}"
            return f"seat {event.seat} gains a glory point for {feat} and has {event.track} on the track"
        case GloryDrawn():
            return f"seat {event.seat} draws {card_title(event.card) if event.card else 'a glory card'}"
        case GloryPlayed():
            return f"seat {event.seat} plays {card_title(event.card)}{glory_details(event)}"
        case GloryDiscarded():
            return f"seat {event.seat} discards {card_title(event.card)}"
        case PointsDeclared():
            return f"seat {event.seat} declares {plural(event.points, 'point')}, {event.chest} gold in its chest"
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
            return f"seat {event.seat} takes {plural(event.count, 'man', 'men')} aboard"
        case WeaponTaken():
            return f"seat {event.seat} takes {word(event.weapon)} aboard"
        case WeaponGone():
            return f"seat {event.seat} {'uses' if event.used else 'sells'} {word(event.weapon)}"
        case ShipTaken():
            return f"seat {event.seat} {'captures' if event.captured else 'buys'} a {word(event.ship)}"
        case SpecialistJoined():
            return f"seat {event.seat} has a {word(event.specialist)}"
        case CardKept():
            return f"seat {event.seat} keeps {card_title(event.rumor or event.mission or 'a card')} on its board"
        case _:
            assert_never(event)


def _tell_trade(event: TradeEvent) -> str:
    """Goods and cargo."""
    match event:
        case GoodsSold():
            return f"seat {event.seat} sells {event.count} {event.good.id} for {event.gold} gold"
        case GoodsOffered():
            return f"seat {event.seat} is offered {goods(event.cards) or plural(event.count, 'card')}"
        case GoodsBought():
            bought = f"{event.count} {event.good.id}" if event.good else plural(event.count, "card")
            return f"seat {event.seat} buys {bought} for {event.gold} gold"
        case CargoTaken():
            return f"seat {event.seat} takes {goods(event.cards) or plural(event.count, 'card')} aboard"
        case CargoDiscarded():
            return f"seat {event.seat} discards {goods(event.cards) or 'nothing'}"
        case _:
            assert_never(event)


def _tell_quest(event: QuestEvent) -> str:
    """Rumors and missions."""
    match event:
        case RumorTaken():
            return f"seat {event.seat} holds {card_title(event.rumor) if event.rumor else 'a rumor'}"
        case RumorProved():
            return f"seat {event.seat} proves {card_title(event.rumor)}"
        case RumorDiscarded():
            return f"seat {event.seat} loses {card_title(event.rumor)}"
        case MissionOpened():
            return f"new mission: {card_title(event.mission)}"
        case MissionTaken():
            return f"seat {event.seat} takes on {card_title(event.mission)}"
        case MissionDone():
            return f"seat {event.seat} completes {card_title(event.mission)}"
        case MissionDiscarded():
            return f"seat {event.seat} gives up {card_title(event.mission)}"
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
            return f"seat {event.seat} ends its raid ({event.end.id}) with {event.gold or 'no'} gold"
        case _:
            assert_never(event)


def _tell_combat(event: CombatEvent) -> str:
    """Combats, and captains who leave the game."""
    match event:
        case CombatBegan():
            return f"{who(event.attacker)} attacks {who(event.defender)}"
        case StanceDeclared():
            return f"{who(event.side)} chooses to {event.stance.id}"
        case ContestDecided():
            return "nobody wins the contest" if event.winner is None else f"{who(event.winner)} wins the contest"
        case VolleyFired():
            if not event.hits:
                return f"{who(event.shooter)} misses {who(event.target)}"
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
