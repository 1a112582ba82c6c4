"""Rumors and missions: taking, keeping, proving, storming (6.7, R35)."""

from __future__ import annotations

import pytest

from referee.games.marauders.actions.cards import KeepMission, KeepRumor
from referee.games.marauders.actions.port import BuyRumor, Claim, DoMission, Pardon, TryRumor
from referee.games.marauders.actions.turn import ScoutMission, ScoutRumor
from referee.games.marauders.cards.effects import Gold
from referee.games.marauders.cards.missions import (
    Assault,
    DefeatNavy,
    DefeatPirate,
    Deliver,
    DeliverGoods,
    Persuade,
    RaidNation,
    Search,
)
from referee.games.marauders.data.quests import MISSIONS, RUMORS
from referee.games.marauders.events.combat import CombatBegan
from referee.games.marauders.events.quests import MissionDone, RumorDiscarded, RumorProved
from referee.games.marauders.events.wealth import GloryPoint, GoldGained
from referee.games.marauders.rules.quests import CheckTask
from referee.games.marauders.state import Hired
from referee.games.marauders.terms import (
    Feat,
    Modification,
    Nation,
    ShipType,
    Side,
    Specialist,
    Zone,
)
from referee.rules.parts import replace
from support.marauders import (
    ONE,
    calm,
    change_player,
    choose,
    dice,
    events_of,
    happen,
    lay_on_deck,
    options,
    port_action,
    scripted,
    ship,
    take_from_deck,
    to_port,
    to_sea,
    turn,
)


def test_a_second_rumor_means_a_choice_and_the_other_goes_back() -> None:
    """6.6 Rumor: the held card first."""
    state = calm()
    change_player(state, ONE, gold=2, rumor="pearl_beds")
    take_from_deck(state, state.rumors, "pearl_beds")
    take_from_deck(state, state.rumors, "gunsmith")
    lay_on_deck(state, state.rumors, "gunsmith")
    state = choose(port_action(state, ONE, scripted(dice(5, 1))), (ONE, BuyRumor()))
    assert options(state, "keep_rumor", ONE) == [KeepRumor("pearl_beds"), KeepRumor("gunsmith")]
    state = choose(state, (ONE, KeepRumor("gunsmith")))
    assert (state.players[ONE].rumor, "pearl_beds" in state.rumors.deck) == ("gunsmith", True)


def test_a_failed_rumor_is_discarded() -> None:
    """6.7."""
    state = calm()
    to_sea(state, ONE, Zone.CURACAO)
    change_player(state, ONE, rumor="pearl_beds")
    state = choose(turn(state, ONE, chance=scripted(dice(1, 1, 1, 1))), (ONE, ScoutRumor()))
    assert events_of(state, RumorDiscarded) == [RumorDiscarded(ONE, "pearl_beds")]
    assert state.rumors.discard == ("pearl_beds",)


def test_dominique_gets_three_gold_more_for_a_quest() -> None:
    """`quest.gold: +3`, before the card's own rewards."""
    state = calm("dominique_de_richery")
    to_sea(state, ONE, Zone.CURACAO)
    change_player(state, ONE, rumor="pearl_beds")
    state = choose(turn(state, ONE, chance=scripted(dice(5, 1, 1))), (ONE, ScoutRumor()))
    assert events_of(state, GoldGained) == [GoldGained(ONE, 3), GoldGained(ONE, 9)]


def test_a_specialist_one_has_already_is_worth_five_gold() -> None:
    """`SPECIALIST k`."""
    state = calm()
    to_sea(state, ONE, Zone.BRIDGETOWN)
    change_player(state, ONE, rumor="castaway_surgeon", specialists=(Hired(Specialist.SURGEON, "surgeon_a"),))
    state = choose(turn(state, ONE, chance=scripted(dice(5, 1, 1, 1))), (ONE, ScoutRumor()))
    assert (state.players[ONE].gold, state.rumors.discard) == (8, ("castaway_surgeon",))


def test_a_quest_card_becomes_the_specialist_itself() -> None:
    """`SPECIALIST k`: the card lies on the board, not in the discard."""
    state = calm()
    to_sea(state, ONE, Zone.BRIDGETOWN)
    change_player(state, ONE, rumor="castaway_surgeon")
    state = choose(turn(state, ONE, chance=scripted(dice(5, 1, 1, 1))), (ONE, ScoutRumor()))
    assert state.players[ONE].specialists == (Hired(Specialist.SURGEON, "castaway_surgeon"),)
    assert (state.players[ONE].gold, state.rumors.discard) == (3, ())


def test_free_pardons_stop_when_no_bounty_is_left() -> None:
    """`PARDON_FREE 3` with two bounties."""
    state = calm()
    to_port(state, ONE, Zone.HAVANA)
    change_player(state, ONE, rumor="corrupt_official", bounties=(1, 0, 1, 0))
    state = choose(port_action(state, ONE, scripted(dice(5, 1))), (ONE, TryRumor()))
    assert options(state, "pardon", ONE) == [Pardon(Nation.EN), Pardon(Nation.FR)]
    state = choose(state, (ONE, Pardon(Nation.FR)))
    assert state.players[ONE].bounties == (0, 0, 0, 0)


def test_a_mission_is_claimed_kept_and_done() -> None:
    """6.6 Mission, F: `PAY`, `DELIVER`, `keep_mission` with the held card first; a new one is opened."""
    state = calm()
    to_port(state, ONE, Zone.CARACAS)
    state.open_missions = ("medicine_for_trinidad",)
    state.missions = replace(state.missions, deck=("chart_the_cays",))
    change_player(state, ONE, gold=2, mission="sink_the_admiral")
    state = choose(port_action(state, ONE), (ONE, Claim("medicine_for_trinidad")))
    cards = [KeepMission("sink_the_admiral"), KeepMission("medicine_for_trinidad")]
    assert options(state, "keep_mission", ONE) == cards
    state = choose(state, (ONE, cards[1]))
    assert (state.open_missions, state.missions.discard) == (("chart_the_cays",), ("sink_the_admiral",))
    to_port(state, ONE, Zone.TRINIDAD)
    state = choose(port_action(state, ONE), (ONE, DoMission()))
    assert events_of(state, MissionDone) == [MissionDone(ONE, "medicine_for_trinidad")]
    assert (state.players[ONE].gold, state.players[ONE].track) == (8, 1)


@pytest.mark.parametrize(
    ("mission", "zone", "bounties", "listed"),
    [
        ("royal_dispatch", Zone.HAVANA, (0, 0, 0, 0), True),
        ("royal_dispatch", Zone.HAVANA, (0, 1, 0, 0), False),
        ("pirate_hunter", Zone.SANTO_DOMINGO, (1, 0, 0, 0), False),
        ("sack_the_town", Zone.OLD_PROVIDENCE, (0, 0, 0, 0), False),
        ("sack_the_town", Zone.OLD_PROVIDENCE, (0, 0, 1, 0), True),
        ("silver_transport", Zone.CARTAGENA, (0, 0, 0, 0), False),
    ],
)
def test_conditions_of_missions(mission: str, zone: Zone, bounties: tuple[int, ...], listed: bool) -> None:
    """F: a condition that does not hold makes the claim illegal; `PAY 5` without gold too."""
    state = calm()
    to_port(state, ONE, zone)
    state.open_missions = (mission,)
    change_player(state, ONE, bounties=bounties, gold=1)
    assert (Claim(mission) in options(port_action(state, ONE), "port", ONE)) == listed


def test_r35_goods_of_a_mission_are_those_aboard_longest() -> None:
    """`GOODS g n Z`, ruling R35."""
    state = calm()
    to_port(state, ONE, Zone.CURACAO)
    change_player(state, ONE, mission="sugar_contract", cargo=("sugar_4", "rum_1", "sugar_1", "sugar_2"))
    state = choose(port_action(state, ONE), (ONE, DoMission()))
    assert (state.players[ONE].cargo, state.cargo.discard) == (("rum_1", "sugar_2"), ("sugar_4", "sugar_1"))


def test_an_assault_is_a_crew_combat_against_the_garrison() -> None:
    """`ASSAULT Z c l`: no roll, a bounty of the town's nation, no swivel guns; victory completes the mission."""
    state = calm()
    to_sea(state, ONE, Zone.TRINIDAD)
    change_player(state, ONE, mission="raid_the_fort", ship=ship(ShipType.FRIGATE, mods=[Modification.SWIVEL_GUNS]))
    state = choose(turn(state, ONE, chance=scripted(dice(5, 6, 1, 1))), (ONE, ScoutMission()))
    assert events_of(state, CombatBegan) == [CombatBegan(Side(ONE), Side())]
    assert events_of(state, MissionDone) == [MissionDone(ONE, "raid_the_fort")]
    assert (state.players[ONE].bounties, state.players[ONE].gold) == ((0, 1, 0, 0), 18)


def test_a_lost_assault_kills_the_captain() -> None:
    """`ASSAULT`: defeat."""
    state = calm()
    to_sea(state, ONE, Zone.TRINIDAD)
    change_player(state, ONE, mission="raid_the_fort")
    state = choose(turn(state, ONE, chance=scripted(dice(1, 1, 5, 5))), (ONE, ScoutMission()))
    assert (state.players[ONE].captain, state.missions.discard) == (None, ("raid_the_fort",))


@pytest.mark.parametrize("rumor", RUMORS)
def test_every_rumor_can_be_proved(rumor: str) -> None:
    """All 25 rows of part E: where they say, with the roll they say, for rewards and a glory point."""
    state = calm()
    row = RUMORS[rumor]
    change_player(state, ONE, rumor=rumor)
    take_from_deck(state, state.rumors, rumor)
    luck = scripted(dice(*[6] * 9))
    if row.in_port:
        to_port(state, ONE, row.zone)
        state = choose(port_action(state, ONE, luck), (ONE, TryRumor()))
    else:
        to_sea(state, ONE, row.zone)
        state = choose(turn(state, ONE, chance=luck), (ONE, ScoutRumor()))
    assert events_of(state, RumorProved) == [RumorProved(ONE, rumor)]
    assert state.players[ONE].rumor is None
    gold = sum(reward.gold for reward in row.rewards if isinstance(reward, Gold))
    assert sum(event.gold for event in events_of(state, GoldGained)) == gold


@pytest.mark.parametrize("mission", MISSIONS)
def test_every_mission_can_be_done(mission: str) -> None:
    """All 25 rows of part F: their task completes them, for rewards and a glory point."""
    state = calm()
    task = MISSIONS[mission].task
    change_player(state, ONE, mission=mission, ship=ship(ShipType.GALLEON))
    match task:
        case Deliver(zone) | Persuade(zone) | DeliverGoods(zone=zone):
            if isinstance(task, DeliverGoods):
                cargo = tuple(f"{task.good.id}_{number}" for number in range(1, task.count + 1))
                change_player(state, ONE, cargo=cargo)
            to_port(state, ONE, zone)
            state = choose(port_action(state, ONE, scripted(dice(*[6] * 4))), (ONE, DoMission()))
        case Search(zone) | Assault(zone):
            to_sea(state, ONE, zone)
            luck = dice(*[6] * 4) if isinstance(task, Search) else dice(6, 6, 1, 1) * 2
            state = choose(turn(state, ONE, chance=scripted(luck)), (ONE, ScoutMission()))
        case DefeatPirate() | DefeatNavy() | RaidNation():
            state = happen(state, CheckTask(ONE, task))
    assert events_of(state, MissionDone) == [MissionDone(ONE, mission)]
    assert events_of(state, GloryPoint) == [GloryPoint(ONE, Feat.MISSION, 1)]
