"""Recruiting, rumors, missions, the chest and pardons in port (5.2, 6.6, R7, R8)."""

from __future__ import annotations

from functools import cache
from typing import ClassVar, assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.port import (
    BUY_RUMOR,
    DO_MISSION,
    RECRUIT,
    TRY_RUMOR,
    BuyRumor,
    Claim,
    DoMission,
    Hire,
    Pardon,
    Recruit,
    Stash,
    TryRumor,
    Withdraw,
)
from referee.games.marauders.cards.missions import (
    Condition,
    Deliver,
    DeliverGoods,
    InfluenceRoll,
    NoCondition,
    NonPirate,
    NotWanted,
    Pay,
    Persuade,
    Pirate,
    PortTask,
)
from referee.games.marauders.data.board import RUMOR_PRICE, SAILOR_PRICE, STASH_STEPS
from referee.games.marauders.data.quests import MISSIONS, RUMORS
from referee.games.marauders.events.wealth import GoldStashed, GoldWithdrawn
from referee.games.marauders.rules.ashore.market import may_use, visit_of
from referee.games.marauders.rules.modifiers import bounty, home_of, mod, pool
from referee.games.marauders.rules.piles import discard_cargo, held_goods, remove_goods
from referee.games.marauders.rules.purse import available, change_bounty, pay
from referee.games.marauders.rules.quests import CompleteMission, DrawRumors, TakeMission
from referee.games.marauders.rules.rewards import fill_crew, set_crew, ship_of
from referee.games.marauders.rules.scoring import declare_if_due
from referee.games.marauders.rules.ships import missing
from referee.games.marauders.rules.skill_tests import SkillTest
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import Player, State
from referee.games.marauders.terms import NATIONS, Activity, Section, Skill
from referee.rules.agenda import Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


def close_activity(draft: State) -> None:
    """End what was open for this Port action."""
    draft.visit = replace(visit_of(draft), open=None)


# --- Recruit ----------------------------------------------------------------------------------------------------------


def recruit_entries(state: State, seat: Seat) -> list[Recruit | Hire]:
    """List a roll for sailors; after a failure, sailors for gold."""
    visit = visit_of(state)
    room = missing(ship_of(state.players[seat]), Section.CREW)
    if Activity.RECRUIT not in visit.used:
        return [RECRUIT] if room else []
    if visit.open != Activity.RECRUIT or not visit.recruit_failed:
        return []
    return [*each(Hire, tuple(range(1, min(room, available(state, seat) // SAILOR_PRICE) + 1)))]


def recruit(draft: State, seat: Seat) -> None:
    """Roll Leadership for a full crew, free."""
    if mod(draft, seat, "recruit.auto"):
        push(draft, CrewFilled(seat))
        return
    dice = pool(draft, seat, Skill.LEADERSHIP, "dice.recruit")
    filled, failed = CrewFilled(seat), RecruitFailed(seat)
    push(draft, SkillTest(seat=seat, skill=Skill.LEADERSHIP, pool=dice, success=(filled,), failure=(failed,)))


@immutable(frozen=True, slots=True)
class CrewFilled(Task[State]):
    """The whole crew signed on; the activity closes."""

    TAG: ClassVar[str] = "CrewFilled"
    seat: Seat

    def run(self, draft: State) -> None:
        """Fill the crew and close the activity."""
        fill_crew(draft, self.seat)
        close_activity(draft)


@immutable(frozen=True, slots=True)
class RecruitFailed(Task[State]):
    """Nobody came for nothing; sailors can be hired as long as the activity is open."""

    TAG: ClassVar[str] = "RecruitFailed"
    seat: Seat

    def run(self, draft: State) -> None:
        """Remember that the roll failed."""
        draft.visit = replace(visit_of(draft), recruit_failed=True)


def hire(draft: State, seat: Seat, count: int) -> None:
    """Sailors for gold; the activity closes."""
    pay(draft, seat, count * SAILOR_PRICE)
    set_crew(draft, seat, ship_of(draft.players[seat]).value(Section.CREW) + count)
    close_activity(draft)


# --- Rumors and missions ----------------------------------------------------------------------------------------------


def rumor_price(state: State, seat: Seat) -> int:
    """Return the price of a rumor, the one price that can fall to 0."""
    return max(0, RUMOR_PRICE + mod(state, seat, "cost.rumor"))


def rumor_entries(state: State, seat: Seat) -> list[BuyRumor]:
    """List the attempts to get a rumor: one per Port action."""
    left = state.rumors.deck or state.rumors.discard
    if left and Activity.RUMOR not in visit_of(state).used and rumor_price(state, seat) <= available(state, seat):
        return [BUY_RUMOR]
    return []


def buy_rumor(draft: State, seat: Seat) -> None:
    """Pay, then an Influence roll; the activity closes."""
    close_activity(draft)
    pay(draft, seat, rumor_price(draft, seat))
    dice = pool(draft, seat, Skill.INFLUENCE, "dice.influence.rumor")
    push(draft, SkillTest(seat=seat, skill=Skill.INFLUENCE, pool=dice, success=(DrawRumors(seat, 1),)))


def mission_entries(state: State, seat: Seat) -> tuple[Claim, ...]:
    """Missions open at this port whose condition holds, one attempt per Port action."""
    if Activity.MISSION in visit_of(state).used:
        return ()
    zone = state.players[seat].zone
    missions = [
        mission
        for mission in state.open_missions
        if MISSIONS[mission].port == zone and meets(state, seat, MISSIONS[mission].condition)
    ]
    return each(Claim, tuple(missions))


def meets(state: State, seat: Seat, condition: Condition) -> bool:
    """Check whether the claim is legal."""
    player = state.players[seat]
    match condition:
        case NotWanted(nation):
            return not bounty(player, nation)
        case NonPirate():
            return not any(player.bounties)
        case Pirate():
            return any(player.bounties)
        case Pay(gold):
            return gold <= available(state, seat)
        case NoCondition() | InfluenceRoll():
            return True
        case _:
            assert_never(condition)


def claim(draft: State, seat: Seat, mission: str) -> None:
    """Pay or roll as the condition says; the activity closes."""
    close_activity(draft)
    take = TakeMission(seat, mission)
    condition = MISSIONS[mission].condition
    match condition:
        case InfluenceRoll():
            dice = pool(draft, seat, Skill.INFLUENCE, "dice.influence.mission")
            push(draft, SkillTest(seat=seat, skill=Skill.INFLUENCE, pool=dice, success=(take,)))
        case Pay(gold):
            pay(draft, seat, gold)
            push(draft, take)
        case NoCondition() | NotWanted() | NonPirate() | Pirate():
            push(draft, take)
        case _:
            assert_never(condition)


def quest_entries(state: State, seat: Seat) -> list[TryRumor | DoMission]:
    """Prove the rumor or do the mission in this port, once each."""
    player, visit = state.players[seat], visit_of(state)
    entries: list[TryRumor | DoMission] = []
    if player.rumor is not None and not visit.tested_rumor:
        rumor = RUMORS[player.rumor]
        if rumor.in_port and rumor.zone == player.zone:
            entries.append(TRY_RUMOR)
    if not visit.did_mission and can_do_in_port(player):
        entries.append(DO_MISSION)
    return entries


def can_do_in_port(player: Player) -> bool:
    """Check whether the mission in hand can be done in this port now."""
    if player.mission is None:
        return False
    task = MISSIONS[player.mission].task
    if not isinstance(task, PortTask) or task.zone != player.zone:
        return False
    match task:
        case Deliver() | Persuade():
            return True
        case DeliverGoods(good, count):
            return dict(held_goods(player.cargo)).get(good, 0) >= count
        case _:
            assert_never(task)


def do_mission(draft: State, seat: Seat) -> None:
    """Deliver, hand goods over, or persuade with an Influence roll."""
    draft.visit = replace(visit_of(draft), did_mission=True)
    mission = draft.players[seat].mission
    assert mission is not None
    task = MISSIONS[mission].task
    assert isinstance(task, PortTask)
    complete = CompleteMission(seat)
    match task:
        case Deliver():
            push(draft, complete)
        case DeliverGoods(good, count):
            discard_cargo(draft, seat, remove_goods(draft, seat, good, count))
            push(draft, complete)
        case Persuade():
            dice = pool(draft, seat, Skill.INFLUENCE, "dice.test")
            push(draft, SkillTest(seat=seat, skill=Skill.INFLUENCE, pool=dice, success=(complete,)))
        case _:
            assert_never(task)


# --- The chest and pardons --------------------------------------------------------------------------------------------


def stash_entries(state: State, seat: Seat) -> list[Stash | Withdraw]:
    """List the amounts in steps of 1, 5, 10 and all (R7), in one direction per Port action."""
    player, visit = state.players[seat], visit_of(state)
    home = player.zone == home_of(player)
    if not may_use(visit, Activity.STASH) or not (home or visit.vault):
        return []
    entries: list[Stash | Withdraw] = []
    if not visit.withdrew:
        entries += each(Stash, steps(player.gold))
    if home and not visit.stashed and not player.declared:
        entries += each(Withdraw, steps(player.chest))
    return entries


@cache
def steps(gold: int) -> tuple[int, ...]:
    """1, 5, 10 and all, as far as the gold goes."""
    return (*[step for step in STASH_STEPS if step < gold], gold) if gold else ()


def stash(draft: State, seat: Seat, gold: int) -> None:
    """Into the chest; only the first deposit of a Port action is announced."""
    player, visit = draft.players[seat], visit_of(draft)
    first = not visit.stashed
    player = replace(
        player, gold=player.gold - gold, chest=player.chest + gold, stash_count=player.stash_count + int(first)
    )
    draft.set_player(seat, player)
    draft.visit = replace(visit, stashed=True)
    tell(draft, GoldStashed, seat, gold, first)
    declare_if_due(draft, seat)


def withdraw(draft: State, seat: Seat, gold: int) -> None:
    """Out of the chest, unseen."""
    player = draft.players[seat]
    draft.set_player(seat, replace(player, gold=player.gold + gold, chest=player.chest - gold))
    draft.visit = replace(visit_of(draft), withdrew=True)
    tell(draft, GoldWithdrawn, seat, gold)


def pardon_entries(state: State, seat: Seat) -> tuple[Pardon, ...]:
    """`port.pardon`: bounties bought off, any number of times."""
    price = mod(state, seat, "port.pardon")
    if not price or price > available(state, seat):
        return ()
    return each(Pardon, tuple([nation for nation in NATIONS if bounty(state.players[seat], nation)]))


def buy_pardon(draft: State, seat: Seat, action: Pardon) -> None:
    """Take one bounty off."""
    pay(draft, seat, mod(draft, seat, "port.pardon"))
    change_bounty(draft, seat, action.nation, -1)
