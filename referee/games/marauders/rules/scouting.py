"""The Scout action: players, NPCs, the merchant, a rumor or a mission of the zone (5.1, 6.7, 6.8, 6.9)."""

from __future__ import annotations

from dataclasses import dataclass

from referee.engine import Seat
from referee.games.marauders.actions import Action
from referee.games.marauders.actions.turn import ScoutMerchant, ScoutMission, ScoutNpc, ScoutPlayer, ScoutRumor
from referee.games.marauders.cards.missions import Assault, Search
from referee.games.marauders.data.board import ZONES
from referee.games.marauders.data.quests import MISSIONS, RUMORS
from referee.games.marauders.events.combat import CombatBegan
from referee.games.marauders.rules.combat import AttackNpc, AttackPlayer
from referee.games.marauders.rules.crew_combat import begin_boarding
from referee.games.marauders.rules.fighters import seat_fighter
from referee.games.marauders.rules.hunting import Found
from referee.games.marauders.rules.modifiers import is_excused, mod, pool
from referee.games.marauders.rules.npcs import npcs_in
from referee.games.marauders.rules.purse import change_bounty
from referee.games.marauders.rules.quests import CompleteMission, test_rumor
from referee.games.marauders.rules.raid import FindMerchant
from referee.games.marauders.rules.rewards import ship_of
from referee.games.marauders.rules.ships import garrison
from referee.games.marauders.rules.skill_tests import SkillTest
from referee.games.marauders.state import Combat, Fighter, State, Step, Turn
from referee.games.marauders.terms import Nation, Section, Side, Skill


def scout_entries(state: State, turn: Turn) -> list[Action]:
    """What can be scouted for from here, each target once per turn."""
    seat, player = turn.seat, state.players[turn.seat]
    zone = player.zone
    found: list[Action] = [
        ScoutPlayer(Seat(other))
        for other, target in enumerate(state.players)
        if other != seat and target.captain is not None and target.zone == zone and not target.in_port
    ]
    found += [ScoutNpc(kind) for kind in npcs_in(state, zone)]
    if turn.tried:
        found = [entry for entry in found if entry not in turn.tried]
    if state.merchants[zone - 1] is not None and zone not in turn.tried_merchants and all(ship_of(player).sections):
        found.append(ScoutMerchant())
        if mod(state, seat, "scout.auto_merchant"):
            found.append(ScoutMerchant(auto=True))
    if player.rumor is not None and not RUMORS[player.rumor].in_port and RUMORS[player.rumor].zone == zone:
        found.append(ScoutRumor())
    if ScoutMission() not in turn.tried and can_do_mission(state, seat):
        found.append(ScoutMission())
    return found


def can_do_mission(state: State, seat: Seat) -> bool:
    """Whether the mission in hand is one to be done at sea in this zone."""
    player = state.players[seat]
    if player.mission is None:
        return False
    match MISSIONS[player.mission].task:
        case Search(zone):
            return zone == player.zone
        case Assault(zone):
            return zone == player.zone and ship_of(player).value(Section.CREW) > 0
        case _:
            return False


def scout(draft: State, seat: Seat, action: Action) -> None:
    """Carry a Scout action out; its cost is paid."""
    match action:
        case ScoutPlayer(target):
            _look_for_ship(draft, seat, Found(target, AttackPlayer(seat, target)))
        case ScoutNpc(npc):
            _look_for_ship(draft, seat, AttackNpc(seat, npc))
        case ScoutMerchant(auto=True):
            draft.push(FindMerchant(seat, Nation(mod(draft, seat, "scout.auto_merchant"))))
        case ScoutMerchant():
            dice = pool(draft, seat, Skill.SCOUTING, "dice.scout", "dice.scout.merchant")
            draft.push(SkillTest(seat=seat, skill=Skill.SCOUTING, pool=dice, success=(FindMerchant(seat),)))
        case ScoutRumor():
            test_rumor(draft, seat)
        case _:
            do_mission_at_sea(draft, seat)


def _look_for_ship(draft: State, seat: Seat, success: Step) -> None:
    dice = pool(draft, seat, Skill.SCOUTING, "dice.scout", "dice.scout.ship")
    draft.push(SkillTest(seat=seat, skill=Skill.SCOUTING, pool=dice, success=(success,)))


def do_mission_at_sea(draft: State, seat: Seat) -> None:
    """A search needs a roll; a town is simply stormed."""
    mission = draft.players[seat].mission
    assert mission is not None
    task = MISSIONS[mission].task
    if isinstance(task, Assault):
        draft.push(StormTown(seat, task))
        return
    dice = pool(draft, seat, Skill.SCOUTING, "dice.scout", "dice.test")
    draft.push(SkillTest(seat=seat, skill=Skill.SCOUTING, pool=dice, success=(CompleteMission(seat),)))


@dataclass(frozen=True, slots=True)
class StormTown(Step):
    """`ASSAULT`: a bounty, then a crew combat against the garrison."""

    seat: Seat
    task: Assault

    def run(self, draft: State) -> None:
        """No ships, no swivel guns."""
        nation = ZONES[self.task.zone].nation
        assert nation is not None
        if not is_excused(draft, draft.players[self.seat], nation):
            change_bounty(draft, self.seat, nation, 1)
        town = Fighter(Side(), garrison(self.task.crew), seamanship=0, leadership=self.task.leadership)
        draft.combat = Combat((seat_fighter(draft, self.seat), town), at_sea=False)
        draft.tell(CombatBegan(Side(self.seat), Side()))
        begin_boarding(draft, Side(self.seat))
