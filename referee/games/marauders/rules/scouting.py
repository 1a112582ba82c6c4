"""The Scout action: players, NPCs, the merchant, a rumor or a mission of the zone (5.1, 6.7, 6.8, 6.9)."""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.turn import (
    AUTO_SCOUT_MERCHANT,
    SCOUT_MERCHANT,
    SCOUT_MISSION,
    SCOUT_RUMOR,
    ScoutAction,
    ScoutMerchant,
    ScoutMission,
    ScoutNpc,
    ScoutPlayer,
    ScoutRumor,
)
from referee.games.marauders.cards.missions import Assault, Search, SeaTask
from referee.games.marauders.data.board import ZONES
from referee.games.marauders.data.quests import MISSIONS, RUMORS
from referee.games.marauders.events.combat import CombatBegan
from referee.games.marauders.rules.fighting.combat import AttackNpc, AttackPlayer
from referee.games.marauders.rules.fighting.crew_combat import begin_boarding
from referee.games.marauders.rules.fighting.fighters import seat_fighter
from referee.games.marauders.rules.fighting.hunting import Found
from referee.games.marauders.rules.fighting.npcs import npcs_in
from referee.games.marauders.rules.modifiers import is_excused, mod, pool
from referee.games.marauders.rules.purse import change_bounty
from referee.games.marauders.rules.quests import CompleteMission, test_rumor
from referee.games.marauders.rules.raid import FindMerchant
from referee.games.marauders.rules.rewards import ship_of
from referee.games.marauders.rules.ships import garrison
from referee.games.marauders.rules.skill_tests import SkillTest
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import Combat, Fighter, State, Turn
from referee.games.marauders.terms import Nation, Section, Side, Skill
from referee.rules.agenda import Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable


def scout_entries(state: State, turn: Turn) -> list[ScoutAction]:
    """Return what can be scouted for from here, each target once per turn."""
    seat, player = turn.seat, state.players[turn.seat]
    zone = player.zone
    targets = [
        Seat(other)
        for other, target in enumerate(state.players)
        if target.zone == zone and not target.in_port and target.captain is not None and other != seat
    ]
    entries: list[ScoutAction] = [*each(ScoutPlayer, tuple(targets)), *each(ScoutNpc, npcs_in(state, zone))]
    if turn.tried:
        entries = [entry for entry in entries if entry not in turn.tried]
    if state.merchants[zone - 1] is not None and zone not in turn.tried_merchants and all(ship_of(player).sections):
        entries.append(SCOUT_MERCHANT)
        if mod(state, seat, "scout.auto_merchant"):
            entries.append(AUTO_SCOUT_MERCHANT)
    if player.rumor is not None and not RUMORS[player.rumor].in_port and RUMORS[player.rumor].zone == zone:
        entries.append(SCOUT_RUMOR)
    if can_do_mission(state, seat) and SCOUT_MISSION not in turn.tried:
        entries.append(SCOUT_MISSION)
    return entries


def can_do_mission(state: State, seat: Seat) -> bool:
    """Check whether the mission in hand is one to be done at sea in this zone."""
    player = state.players[seat]
    if player.mission is None:
        return False
    task = MISSIONS[player.mission].task
    if not isinstance(task, SeaTask) or task.zone != player.zone:
        return False
    match task:
        case Search():
            return True
        case Assault():
            return ship_of(player).value(Section.CREW) > 0
        case _:
            assert_never(task)


def scout(draft: State, seat: Seat, action: ScoutAction) -> None:
    """Carry a Scout action out; its cost is paid."""
    match action:
        case ScoutPlayer(target):
            _look_for_ship(draft, seat, Found(target, AttackPlayer(seat, target)))
        case ScoutNpc(npc):
            _look_for_ship(draft, seat, AttackNpc(seat, npc))
        case ScoutMerchant(auto):
            if auto:
                push(draft, FindMerchant(seat, Nation(mod(draft, seat, "scout.auto_merchant"))))
            else:
                dice = pool(draft, seat, Skill.SCOUTING, "dice.scout", "dice.scout.merchant")
                push(draft, SkillTest(seat=seat, skill=Skill.SCOUTING, pool=dice, success=(FindMerchant(seat),)))
        case ScoutRumor():
            test_rumor(draft, seat)
        case ScoutMission():
            do_mission_at_sea(draft, seat)
        case _:
            assert_never(action)


def _look_for_ship(draft: State, seat: Seat, success: Task[State]) -> None:
    dice = pool(draft, seat, Skill.SCOUTING, "dice.scout", "dice.scout.ship")
    push(draft, SkillTest(seat=seat, skill=Skill.SCOUTING, pool=dice, success=(success,)))


def do_mission_at_sea(draft: State, seat: Seat) -> None:
    """Do the mission: a search needs a roll; a town is simply stormed."""
    mission = draft.players[seat].mission
    assert mission is not None
    task = MISSIONS[mission].task
    assert isinstance(task, SeaTask)
    match task:
        case Assault():
            push(draft, StormTown(seat, task))
        case Search():
            dice = pool(draft, seat, Skill.SCOUTING, "dice.scout", "dice.test")
            push(draft, SkillTest(seat=seat, skill=Skill.SCOUTING, pool=dice, success=(CompleteMission(seat),)))
        case _:
            assert_never(task)


@immutable(frozen=True, slots=True)
class StormTown(Task[State]):
    """`ASSAULT`: a bounty, then a crew combat against the garrison."""

    TAG: ClassVar[str] = "StormTown"
    seat: Seat
    task: Assault

    def run(self, draft: State) -> None:
        """Storm the town: no ships, no swivel guns."""
        nation = ZONES[self.task.zone].nation
        assert nation is not None
        if not is_excused(draft, draft.players[self.seat], nation):
            change_bounty(draft, self.seat, nation, 1)
        town = Fighter(Side(), garrison(self.task.crew), seamanship=0, leadership=self.task.leadership)
        draft.combat = Combat((seat_fighter(draft, self.seat), town), at_sea=False)
        tell(draft, CombatBegan, Side(self.seat), Side())
        begin_boarding(draft, Side(self.seat))
