"""Every event as one line, and the name under which `simulate` counts it."""

from __future__ import annotations

from referee.errors import RulesError
from referee.games.marauders import events as ev
from referee.games.marauders.data_captains import CAPTAINS
from referee.games.marauders.text import names, place, who, word


def event(fact: ev.Event) -> str:
    """One fact as one line."""
    match fact:
        case ev.TurnOrderDrawn():
            return f"turn order: {', '.join(f'seat {seat}' for seat in fact.seats)}"
        case ev.CaptainArrived():
            name = CAPTAINS[fact.captain].name
            return f"seat {fact.seat}: {name} takes a {fact.ship.id} in {place(fact.zone)} with {fact.gold} gold"
        case ev.RoundBegan():
            return f"round {fact.round}: {fact.card}"
        case ev.MerchantsPlaced():
            return f"merchants appear in {', '.join(map(place, fact.zones))}"
        case ev.NpcMoved():
            return f"{fact.npc.id} sails to {place(fact.zone)}"
        case ev.NpcEntered():
            return f"{fact.npc.id} enters at {place(fact.zone)} under {fact.card or 'a war admiral'}"
        case ev.NpcLeft():
            return f"{fact.npc.id} leaves the board"
        case ev.WarDeclared():
            return f"war between {names(fact.nations)}"
        case ev.PeaceMade():
            return "peace"
        case ev.PortsClosed():
            return f"plague closes {', '.join(map(place, fact.zones))}"
        case ev.MarqueIssued():
            return f"letter of marque: {fact.nation.id} against {fact.target.id}"
        case ev.DemandChanged():
            return f"{place(fact.zone)} now wants {fact.good.id}"
        case ev.TurnBegan():
            return f"seat {fact.seat} begins its turn with {fact.actions} actions and {fact.free_moves} free moves"
        case ev.GameEnded():
            return f"the game ends: {fact.reason}"
        case ev.DiceRolled():
            return f"{who(fact.side)} rolls {' '.join(map(str, fact.dice))} for {fact.roll.id}"
        case _:
            return _wealth(fact)


def _wealth(fact: ev.Event) -> str:
    """Gold, bounties, glory."""
    match fact:
        case ev.GoldGained():
            return f"seat {fact.seat} gains {fact.gold} gold"
        case ev.GoldPaid():
            return f"seat {fact.seat} pays {fact.gold} gold"
        case ev.GoldStashed():
            return f"seat {fact.seat} stashes {fact.gold or 'some'} gold"
        case ev.GoldWithdrawn():
            return f"seat {fact.seat} takes {fact.gold} gold out of its chest"
        case ev.BountyChanged():
            return f"{fact.nation.id} now asks {fact.bounty} for the head of seat {fact.seat}"
        case ev.GloryPoint():
            return f"seat {fact.seat} gains glory for a {fact.feat.id}: track {fact.track}"
        case ev.GloryDrawn():
            return f"seat {fact.seat} draws {fact.card or 'a glory card'}"
        case ev.GloryPlayed():
            extras = (fact.mode, fact.section, fact.nation, fact.count or None, fact.npc, fact.zone)
            return " ".join([f"seat {fact.seat} plays {fact.card}", *(word(part) for part in extras if part)])
        case ev.GloryDiscarded():
            return f"seat {fact.seat} discards {fact.card}"
        case ev.PointsDeclared():
            return f"seat {fact.seat} declares {fact.points} points, {fact.chest} gold in its chest"
        case _:
            return _harbour(fact)


def _harbour(fact: ev.Event) -> str:
    """Sailing, ports, ships and men."""
    match fact:
        case ev.Sailed():
            return f"seat {fact.seat} {'enters the port of' if fact.in_port else 'is at sea off'} {place(fact.zone)}"
        case ev.PortVisited():
            return f"seat {fact.seat} goes ashore in {place(fact.zone)}"
        case ev.ModificationRevealed():
            return f"{place(fact.zone)} offers {fact.kind.id}"
        case ev.ModificationBuilt():
            return f"seat {fact.seat} builds {fact.kind.id}"
        case ev.ModificationPlaced():
            return f"a modification goes to {place(fact.zone)}" + ("" if fact.kind is None else f": {fact.kind.id}")
        case ev.SectionRepaired():
            return f"seat {fact.seat} repairs {fact.section.id} by {fact.points}"
        case ev.HullRestored():
            return f"seat {fact.seat} restores its reinforced hull"
        case ev.CrewJoined():
            return f"seat {fact.seat} takes {fact.count} men aboard"
        case ev.WeaponTaken():
            return f"seat {fact.seat} takes {fact.weapon.id} aboard"
        case ev.WeaponGone():
            return f"seat {fact.seat} {'uses' if fact.used else 'sells'} {fact.weapon.id}"
        case ev.ShipTaken():
            return f"seat {fact.seat} {'captures' if fact.captured else 'buys'} a {fact.ship.id}"
        case ev.SpecialistJoined():
            return f"seat {fact.seat} has a {fact.specialist.id}"
        case ev.CardKept():
            return f"seat {fact.seat} keeps {fact.rumor or fact.mission} on its board"
        case _:
            return _trade(fact)


def _trade(fact: ev.Event) -> str:
    """Goods, rumors, missions, merchants."""
    match fact:
        case ev.GoodsSold():
            return f"seat {fact.seat} sells {fact.count} {fact.good.id} for {fact.gold}"
        case ev.GoodsOffered():
            return f"seat {fact.seat} is offered {', '.join(fact.cards) or f'{fact.count} cards'}"
        case ev.GoodsBought():
            return f"seat {fact.seat} buys {fact.count} {fact.good.id if fact.good else 'cards'} for {fact.gold}"
        case ev.CargoTaken():
            return f"seat {fact.seat} takes {', '.join(fact.cards) or f'{fact.count} cards'} aboard"
        case ev.CargoDiscarded():
            return f"{', '.join(fact.cards)} of seat {fact.seat} discarded"
        case ev.RumorTaken():
            return f"seat {fact.seat} holds {fact.rumor or 'a rumor'}"
        case ev.RumorProved():
            return f"seat {fact.seat} proves {fact.rumor}"
        case ev.RumorDiscarded():
            return f"seat {fact.seat} loses {fact.rumor}"
        case ev.MissionOpened():
            return f"new mission: {fact.mission}"
        case ev.MissionTaken():
            return f"seat {fact.seat} takes on {fact.mission}"
        case ev.MissionDone():
            return f"seat {fact.seat} completes {fact.mission}"
        case ev.MissionDiscarded():
            return f"seat {fact.seat} gives up {fact.mission}"
        case ev.MerchantFound():
            return f"seat {fact.seat} finds a merchant of {fact.nation.id} off {place(fact.zone)}"
        case ev.MerchantEngaged():
            return f"seat {fact.seat} raids it as one of {fact.nation.id}"
        case ev.RaidCardDrawn():
            return f"{fact.card} on the table"
        case ev.RaidCardDiscarded():
            return f"{fact.card} off the table"
        case ev.RaidEnded():
            return f"seat {fact.seat} ends its raid: {fact.end.id}, {fact.gold} gold"
        case _:
            return _battle(fact)


def _battle(fact: ev.Event) -> str:
    """Combat and death."""
    match fact:
        case ev.CombatBegan():
            return f"{who(fact.attacker)} attacks {who(fact.defender)}"
        case ev.StanceDeclared():
            return f"{who(fact.side)} declares {fact.stance.id}"
        case ev.ContestDecided():
            return "nobody wins the contest" if fact.winner is None else f"{who(fact.winner)} wins the contest"
        case ev.VolleyFired():
            return f"{who(fact.shooter)} hits {who(fact.target)}: {names(fact.hits)}"
        case ev.HitCancelled():
            return f"the reinforced hull of seat {fact.seat} takes a hit on {fact.section.id}"
        case ev.HitRedirected():
            return f"seat {fact.seat} moves a hit from {fact.section.id} to {fact.target.id}"
        case ev.Damaged():
            cargo, masts, crew, cannons, hull = fact.sections
            return f"{who(fact.side)} is at hull {hull}, cargo {cargo}, masts {masts}, crew {crew}, cannons {cannons}"
        case ev.Boarded():
            return f"{who(fact.side)} boards"
        case ev.CombatEnded():
            winner = "nobody" if fact.winner is None else who(fact.winner)
            return f"the combat ends ({fact.end.id}), {winner} wins"
        case ev.CaptainDied():
            return f"seat {fact.seat}: {CAPTAINS[fact.captain].name} dies"
        case ev.CaptainRetired():
            return f"seat {fact.seat}: {CAPTAINS[fact.captain].name} retires"
        case _:
            raise RulesError(f"no words for {fact!r}")


def fired(fact: ev.Event) -> str:
    """The card or the rule behind an event."""
    match fact:
        case ev.RoundBegan():
            return f"event {fact.card}"
        case ev.GloryPlayed():
            return f"glory {fact.card}"
        case ev.CaptainArrived():
            return f"captain {fact.captain}"
        case ev.RumorProved():
            return f"rumor {fact.rumor}"
        case ev.MissionDone():
            return f"mission {fact.mission}"
        case ev.ModificationBuilt():
            return f"modification {fact.kind.id}"
        case ev.SpecialistJoined():
            return f"specialist {fact.specialist.id}"
        case ev.WeaponGone(used=True):
            return f"weapon {fact.weapon.id}"
        case ev.GloryPoint():
            return f"point for {fact.feat.id}"
        case ev.RaidCardDrawn():
            return f"cargo {fact.card}"
        case ev.NpcEntered():
            return f"npc {fact.card or 'war admiral'}"
        case ev.RaidEnded():
            return f"raid {fact.end.id}"
        case ev.CombatEnded():
            return f"combat {fact.end.id}" + (" without winner" if fact.winner is None else "")
        case ev.DiceRolled():
            return f"roll {fact.roll.id}"
        case ev.ShipTaken():
            return f"{'captured' if fact.captured else 'bought'} {fact.ship.id}"
        case _:
            name = type(fact).__name__
            return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()
