"""Rulings and card verbs that no vector covers: turns, ports, quests, NPCs, captains, the texts of events."""

from __future__ import annotations

import pytest

from referee.engine import Seat
from referee.games.marauders.actions import (
    Action,
    BuyModification,
    BuyRumor,
    BuyShip,
    BuyWeapon,
    ChooseShip,
    Claim,
    Decline,
    DoMission,
    Done,
    End,
    Engage,
    EnterPort,
    Hire,
    KeepMission,
    KeepRumor,
    KeepShip,
    Leave,
    LetGo,
    Move,
    Pardon,
    PickDemand,
    PickSection,
    PlaceModification,
    PlayGlory,
    Recruit,
    Repair,
    RepairEverything,
    Retire,
    ScoutMerchant,
    ScoutMission,
    ScoutNpc,
    ScoutPlayer,
    ScoutRumor,
    Sell,
    Stash,
    TakeShip,
    TryRumor,
    UseWeapon,
    VisitPort,
)
from referee.games.marauders.events import (
    CaptainRetired,
    CombatBegan,
    CombatEnded,
    GloryPoint,
    GoldGained,
    MissionDone,
    NpcEntered,
    RaidEnded,
    RumorDiscarded,
    RumorProved,
    Side,
)
from referee.games.marauders.rules.aftermath import finish
from referee.games.marauders.rules.combat import AttackNpc, AttackPlayer, begin
from referee.games.marauders.rules.death import Die, NewCaptain
from referee.games.marauders.rules.event_texts import resolve
from referee.games.marauders.rules.fighters import npc_ship_type, seat_fighter
from referee.games.marauders.rules.hunting import ArriveAtSea, hunters
from referee.games.marauders.rules.npcs import RemoveNpc, bring_back, enter_admirals, enter_card
from referee.games.marauders.rules.port import ways_in
from referee.games.marauders.rules.raid import FindMerchant
from referee.games.marauders.rules.turn import PlayTurn
from referee.games.marauders.state import Hired, Npc, PortToken, State
from referee.games.marauders.terms import (
    CombatEnd,
    Entry,
    Feat,
    Good,
    Modification,
    Nation,
    NpcKind,
    RaidEnd,
    Section,
    ShipType,
    Specialist,
    Weapon,
    Zone,
)
from referee.games.marauders.vocabulary import Convoy, Markets, Marque, Peace, Plague, War
from support.marauders import (
    ONE,
    TWO,
    asked,
    choose,
    dice,
    happen,
    left,
    options,
    port_action,
    scripted,
    ship,
    table,
    to_port,
    to_sea,
    told,
    turn,
    values,
)


def calm(captain: str = "mary_hollis", other: str = "felipe_montoya") -> State:
    """Two captains in their home ports, and no merchants or missions to distract."""
    state = table(captain, other)
    state.merchants = [None] * 17
    state.merchant_track = []
    state.open_missions = []
    return state


def with_npc(state: State, kind: NpcKind, zone: Zone, *cards: str) -> State:
    state.npcs[kind - 1] = Npc(kind, cards, zone)
    return state


# --- The turn ---------------------------------------------------------------------------------------------------------


def test_the_action_list_in_port_and_at_sea() -> None:
    """5.1: end, retire, leave, port; at sea moves by zone number, enter, scouts."""
    state = calm()
    assert options(turn(state, ONE), "action", ONE) == [End(), Retire(), Leave(), VisitPort()]
    to_sea(state, ONE, Zone.OLD_PROVIDENCE)
    to_sea(state, TWO, Zone.OLD_PROVIDENCE)
    with_npc(state, NpcKind.PIRATE_SLOOP, Zone.OLD_PROVIDENCE, "pirate_sloop_1")
    state.merchants[Zone.OLD_PROVIDENCE - 1] = Nation.NL
    state.players[ONE].rumor, state.players[ONE].mission = "sunken_galleon", "buy_back_honour"
    expected: list[Action] = [End(), Move(Zone.PORT_ROYAL), Move(Zone.CARTAGENA), EnterPort(Entry.FREE)]
    expected += [ScoutPlayer(TWO), ScoutNpc(NpcKind.PIRATE_SLOOP), ScoutMerchant(), ScoutRumor(), ScoutMission()]
    assert options(turn(state, ONE), "action", ONE) == expected


def test_r16_retiring_twice_at_most_and_not_with_the_last_captains() -> None:
    """Ruling R16."""
    state = calm()
    state.players[ONE].retirements = 2
    assert Retire() not in options(turn(state, ONE), "action", ONE)
    state.players[ONE].retirements = 0
    state.captains = []
    assert Retire() not in options(turn(state, ONE), "action", ONE)


def test_a_retirement_discards_everything_but_track_and_chest() -> None:
    """6.11."""
    state = calm()
    player = state.players[ONE]
    player.gold, player.chest, player.track, player.cargo = 9, 12, 3, ("rum_1",)
    player.weapons, player.bounties, player.rumor = (Weapon.GRAPE,), (1, 0, 0, 0), "pearl_beds"
    state = choose(turn(state, ONE), (ONE, Retire()))
    player = state.players[ONE]
    assert told(state, CaptainRetired) == [CaptainRetired(ONE, "mary_hollis")]
    assert (player.captain, player.gold, player.chest, player.track, player.cargo) == (None, 0, 12, 3, ())
    assert (player.weapons, player.bounties, player.rumor, player.retirements) == ((), (0, 0, 0, 0), None, 1)
    assert (state.cargo.discard, state.rumors.discard) == (["rum_1"], ["pearl_beds"])


def test_free_moves_are_spent_before_actions_and_high_seas_cost_two() -> None:
    """A.1 `turn.free_moves`, `move.sea_cost`."""
    state = calm()
    to_sea(state, ONE, Zone.TRINIDAD)
    state.event = "high_seas"
    state = choose(turn(state, ONE, actions=2, free_moves=1), (ONE, Move(Zone.CARACAS)))
    assert state.turn is not None
    assert (state.turn.actions, state.turn.free_moves) == (1, 0)
    assert not any(isinstance(entry, Move) for entry in options(state, "action", ONE))


@pytest.mark.parametrize(("event", "actions", "free"), [("becalmed", 2, 0), ("trade_winds", 3, 1), ("navy_es_1", 3, 0)])
def test_round_modifiers_of_the_turn(event: str, actions: int, free: int) -> None:
    """`ROUND {turn.actions}`, `ROUND {turn.free_moves}`."""
    state = calm()
    state.event = event
    state = happen(state, PlayTurn(ONE))
    assert state.turn is not None
    assert (state.turn.actions, state.turn.free_moves) == (actions, free)


def test_r4_cards_against_the_active_seat_are_asked_only_of_those_who_can_play() -> None:
    """`w_turn_start`: sabotage needs the active seat in port, pickpocket the same place; at most one card."""
    state = calm()
    state.players[ONE].gold = 2
    state.players[TWO].glory = ("pickpocket", "sabotage")
    state = happen(state, PlayTurn(ONE))
    assert options(state, "w_turn_start", TWO) == [Decline(), PlayGlory("sabotage")]
    state = choose(state, (TWO, PlayGlory("sabotage")))
    assert state.turn is not None
    assert (asked(state).kind, state.turn.actions) == ("action", 2)
    to_port(state, TWO, Zone.OLD_PROVIDENCE)
    state.players[TWO].glory = ("pickpocket", "sabotage")
    state = choose(happen(state, PlayTurn(ONE)), (TWO, PlayGlory("pickpocket")))
    assert (state.players[ONE].gold, state.players[TWO].gold) == (0, 2)


def test_self_repair_offers_damaged_sections_but_crew_once_per_point() -> None:
    """`turn.self_repair` of captain and carpenter together."""
    state = calm("edward_marsh")
    state.players[ONE].specialists = (Hired(Specialist.CARPENTER, "carpenter_a"),)
    state.players[ONE].ship = ship(ShipType.SLOOP, 1, 1, 2, 1, 1)
    state = happen(state, PlayTurn(ONE))
    assert options(state, "self_repair", ONE) == [PickSection(Section.CARGO), PickSection(Section.HULL)]
    state = choose(state, (ONE, PickSection(Section.HULL)))
    assert (values(state, ONE), asked(state).kind) == ("2/2/2/1/1", "action")


def test_a_storm_hits_captains_at_sea_who_fail_and_lucky_star_may_help() -> None:
    """`STORM`, 6.1, 6.5: seamanship test, window, location die, choice on a skull."""
    state = calm()
    to_sea(state, ONE, Zone.TRINIDAD)
    state.event = "storm_1"
    state.players[ONE].glory = ("lucky_star",)
    state = happen(state, PlayTurn(ONE), chance=scripted(dice(1, 2), dice(3, 4), dice(6)))
    assert options(state, "w_roll", ONE) == [Decline(), PlayGlory("lucky_star")]
    state = choose(state, (ONE, PlayGlory("lucky_star")))
    assert asked(state).kind == "assign_hit"
    state = choose(state, (ONE, PickSection(Section.CARGO)))
    assert (values(state, ONE), left(state)) == ("2/1/2/2/1", 0)


def test_a_storm_can_sink_a_ship() -> None:
    """`STORM`: a hit on a destroyed section goes to the hull; hull 0 kills, and the turn is over."""
    state = calm()
    to_sea(state, ONE, Zone.TRINIDAD)
    state.event = "storm_2"
    state.players[ONE].ship = ship(ShipType.SLOOP, 1, 0, 2, 2, 1)
    state = happen(state, PlayTurn(ONE), chance=scripted(dice(1, 1, 1)))
    assert (state.players[ONE].captain, asked(state).kind, state.turn) == (None, "rest", None)


# --- Ports ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("captain", "zone", "bounties", "war", "closed", "expected"),
    [
        ("mary_hollis", Zone.HAVANA, (0, 0, 0, 0), None, (), [Entry.FREE]),
        ("mary_hollis", Zone.HAVANA, (0, 1, 0, 0), None, (), []),
        ("mary_hollis", Zone.HAVANA, (0, 0, 0, 0), (Nation.EN, Nation.ES), (), []),
        ("mary_hollis", Zone.HAVANA, (0, 0, 0, 0), None, (Zone.HAVANA,), []),
        ("mary_hollis", Zone.OLD_PROVIDENCE, (3, 0, 0, 0), None, (), [Entry.FREE]),
        ("mary_hollis", Zone.PORT_ROYAL, (3, 0, 0, 0), None, (), [Entry.PAY, Entry.ROLL]),
        ("mary_hollis", Zone.CARIBBEAN_SEA, (0, 0, 0, 0), None, (), []),
        ("alexandre_villon", Zone.HAVANA, (0, 1, 0, 0), (Nation.FR, Nation.ES), (Zone.HAVANA,), [Entry.FREE]),
    ],
)
def test_r11_who_may_enter_a_port(
    captain: str,
    zone: Zone,
    bounties: tuple[int, ...],
    war: tuple[Nation, Nation] | None,
    closed: tuple[Zone, ...],
    expected: list[Entry],
) -> None:
    """6.6, ruling R11."""
    state = calm(captain)
    to_sea(state, ONE, zone)
    state.players[ONE].bounties, state.players[ONE].gold = bounties, 3
    state.war, state.closed = war, closed
    assert ways_in(state, ONE) == expected


def test_port_royal_takes_three_gold_or_a_roll_from_outlaws() -> None:
    """`port.outlaw: 3`."""
    state = calm()
    to_sea(state, ONE, Zone.PORT_ROYAL)
    state.players[ONE].bounties, state.players[ONE].gold = (1, 0, 0, 0), 2
    state = turn(state, ONE, actions=2, chance=scripted(dice(1, 1)))
    assert [entry for entry in options(state, "action", ONE) if isinstance(entry, EnterPort)] == [EnterPort(Entry.ROLL)]
    state = choose(state, (ONE, EnterPort(Entry.ROLL)))
    assert (state.players[ONE].in_port, state.turn and state.turn.actions) == (False, 1)


def test_villon_rolls_for_a_port_action_where_he_is_wanted_and_forged_papers_do_not() -> None:
    """`port.enter_any` on a captain card and on a kept card."""
    state = calm("alexandre_villon")
    to_port(state, ONE, Zone.HAVANA)
    state.players[ONE].bounties, state.players[ONE].gold = (0, 1, 0, 0), 5
    state = choose(turn(state, ONE, chance=scripted(dice(1, 1, 1))), (ONE, VisitPort()))
    assert state.turn is not None
    assert (asked(state).kind, state.turn.actions, state.turn.port_used) == ("action", 2, False)
    state.players[ONE].kept = ("forged_papers",)
    assert asked(choose(state, (ONE, VisitPort()))).kind == "port"


def test_activities_close_when_another_opens() -> None:
    """5.2: selling first, each activity once."""
    state = calm()
    state.players[ONE].gold = 20
    state.players[ONE].cargo = ("rum_1", "spice_1")
    state.players[ONE].ship = ship(ShipType.SLOOP, 2, 1, 1, 2, 1)
    state = choose(port_action(state, ONE), (ONE, Repair(Section.CARGO)))
    entries = options(state, "port", ONE)
    assert not any(isinstance(entry, Sell) for entry in entries)
    assert Repair(Section.MASTS) in entries
    assert RepairEverything() not in entries
    state = choose(state, (ONE, Stash(1)))
    assert not any(isinstance(entry, Repair | BuyShip) for entry in options(state, "port", ONE))


def test_quests_close_selling_but_nothing_else() -> None:
    """5.2: `test_rumor` and `mission` close Sell."""
    state = calm()
    to_port(state, ONE, Zone.HAVANA)
    state.players[ONE].rumor, state.players[ONE].cargo = "corrupt_official", ("rum_1",)
    state = choose(port_action(state, ONE, scripted(dice(5, 1))), (ONE, TryRumor()))
    assert not any(isinstance(entry, Sell) for entry in options(state, "port", ONE))
    assert told(state, RumorProved) == [RumorProved(ONE, "corrupt_official")]
    assert state.players[ONE].track == 1


def test_a_failed_recruit_offers_sailors_for_gold() -> None:
    """6.6 Recruit: 2 gold each; the activity closes after a hire."""
    state = calm()
    state.players[ONE].gold = 5
    state.players[ONE].ship = ship(ShipType.FRIGATE, 3, 3, 3, 0, 3)
    state = choose(port_action(state, ONE, scripted(dice(1, 1))), (ONE, Recruit()))
    assert [entry for entry in options(state, "port", ONE) if isinstance(entry, Hire | Recruit)] == [Hire(1), Hire(2)]
    state = choose(state, (ONE, Hire(2)))
    assert (state.players[ONE].gold, values(state, ONE)) == (1, "3/3/3/2/3")
    assert not any(isinstance(entry, Hire | Recruit) for entry in options(state, "port", ONE))


def test_isabel_recruits_without_a_roll() -> None:
    """`recruit.auto`."""
    state = calm("isabel_carranza")
    state.players[ONE].ship = ship(ShipType.FRIGATE, 3, 3, 3, 0, 3)
    assert values(choose(port_action(state, ONE), (ONE, Recruit())), ONE) == "3/3/3/3/3"


def test_a_bought_ship_keeps_the_crew_and_gives_a_point_once() -> None:
    """6.6: the crew comes along, it is not refilled (R25); the first big ship gives glory; modifications are placed."""
    state = calm()
    state.players[ONE].gold = 90
    state.players[ONE].ship = ship(ShipType.SLOOP, 2, 2, 2, 2, 1, mods=[Modification.CHASERS])
    state.mods[Zone.TORTUGA - 1] = state.mods[Zone.CARACAS - 1] = None
    state = choose(port_action(state, ONE), (ONE, BuyShip(ShipType.FRIGATE)))
    places = [PlaceModification(Zone.TORTUGA), PlaceModification(Zone.CARACAS)]
    assert options(state, "place_mod", ONE) == places
    state = choose(state, (ONE, places[1]))
    assert state.mods[Zone.CARACAS - 1] == PortToken(Modification.CHASERS)
    assert (values(state, ONE), state.players[ONE].gold) == ("3/3/3/2/3", 90 - 35 + 6)
    assert told(state, GloryPoint) == [GloryPoint(ONE, Feat.SHIP, 1)]
    state = choose(state, (ONE, Done()), (ONE, End()))
    state = choose(port_action(state, ONE), (ONE, BuyShip(ShipType.GALLEON)))
    assert told(state, GloryPoint) == []


def test_st_john_moves_modifications_to_the_new_ship() -> None:
    """`shipyard.keep_mods`."""
    state = calm()
    to_port(state, ONE, Zone.ST_JOHN)
    state.players[ONE].gold = 40
    state.players[ONE].ship = ship(ShipType.SLOOP, mods=[Modification.EXTENDED_HOLD, Modification.RIGGING])
    state = choose(port_action(state, ONE), (ONE, BuyShip(ShipType.FRIGATE)))
    vessel = state.players[ONE].ship
    assert vessel is not None
    assert vessel.mods == (Modification.EXTENDED_HOLD, Modification.RIGGING)
    assert values(state, ONE) == "3/4/3/2/3"


def test_a_modification_is_bought_where_it_lies_and_only_once_of_a_kind() -> None:
    """5.2 `mod`; the token is turned face up when the Port action begins."""
    state = calm()
    state.players[ONE].gold = 9
    state.mods[Zone.OLD_PROVIDENCE - 1] = PortToken(Modification.GUNPORT)
    state = port_action(state, ONE)
    assert state.mods[Zone.OLD_PROVIDENCE - 1] == PortToken(Modification.GUNPORT, True)
    state = choose(state, (ONE, BuyModification()))
    assert (values(state, ONE), state.players[ONE].gold, state.mods[Zone.OLD_PROVIDENCE - 1]) == ("2/2/2/2/2", 6, None)
    state.mods[Zone.OLD_PROVIDENCE - 1] = PortToken(Modification.GUNPORT, True)
    assert BuyModification() not in options(state, "port", ONE)


def test_santo_domingo_sells_weapons_cheaper_and_payments_take_the_chest_at_home() -> None:
    """`cost.weapon: -1`; 5.2: gold available in the home port is aboard plus chest."""
    state = calm("frederico_da_silva")
    state.players[ONE].gold, state.players[ONE].chest = 1, 4
    state = choose(port_action(state, ONE), (ONE, BuyWeapon(Weapon.CHAIN)))
    assert (state.players[ONE].gold, state.players[ONE].chest) == (0, 3)


def test_r7_stash_steps() -> None:
    """Ruling R7: 1, 5, 10, all."""
    state = calm()
    state.players[ONE].gold = 12
    entries = [entry for entry in options(port_action(state, ONE), "port", ONE) if isinstance(entry, Stash)]
    assert entries == [Stash(1), Stash(5), Stash(10), Stash(12)]


def test_royal_pardon_sells_bounties_in_any_port_action() -> None:
    """`port.pardon: n`."""
    state = calm()
    state.event = "royal_pardon"
    state.players[ONE].gold, state.players[ONE].bounties = 9, (0, 2, 0, 1)
    state = port_action(state, ONE)
    pardons = [entry for entry in options(state, "port", ONE) if isinstance(entry, Pardon)]
    assert pardons == [Pardon(Nation.ES), Pardon(Nation.NL)]
    state = choose(state, (ONE, pardons[0]), (ONE, pardons[0]))
    assert (state.players[ONE].gold, state.players[ONE].bounties) == (1, (0, 0, 0, 1))


# --- Rumors and missions ----------------------------------------------------------------------------------------------


def test_a_second_rumor_means_a_choice_and_the_other_goes_back() -> None:
    """6.6 Rumor: the held card first."""
    state = calm()
    state.players[ONE].gold, state.players[ONE].rumor = 2, "pearl_beds"
    state.rumors.deck.remove("pearl_beds")
    state.rumors.deck.remove("gunsmith")
    state.rumors.deck.append("gunsmith")
    state = choose(port_action(state, ONE, scripted(dice(5, 1))), (ONE, BuyRumor()))
    assert options(state, "keep_rumor", ONE) == [KeepRumor("pearl_beds"), KeepRumor("gunsmith")]
    state = choose(state, (ONE, KeepRumor("gunsmith")))
    assert (state.players[ONE].rumor, "pearl_beds" in state.rumors.deck) == ("gunsmith", True)


def test_a_failed_rumor_is_discarded() -> None:
    """6.7."""
    state = calm()
    to_sea(state, ONE, Zone.CURACAO)
    state.players[ONE].rumor = "pearl_beds"
    state = choose(turn(state, ONE, chance=scripted(dice(1, 1, 1, 1))), (ONE, ScoutRumor()))
    assert told(state, RumorDiscarded) == [RumorDiscarded(ONE, "pearl_beds")]
    assert state.rumors.discard == ["pearl_beds"]


def test_dominique_gets_three_gold_more_for_a_quest() -> None:
    """`quest.gold: +3`, before the card's own rewards."""
    state = calm("dominique_de_richery")
    to_sea(state, ONE, Zone.CURACAO)
    state.players[ONE].rumor = "pearl_beds"
    state = choose(turn(state, ONE, chance=scripted(dice(5, 1, 1))), (ONE, ScoutRumor()))
    assert told(state, GoldGained) == [GoldGained(ONE, 3), GoldGained(ONE, 9)]


def test_a_specialist_one_has_already_is_worth_five_gold() -> None:
    """`SPECIALIST k`."""
    state = calm()
    to_sea(state, ONE, Zone.BRIDGETOWN)
    state.players[ONE].rumor = "castaway_surgeon"
    state.players[ONE].specialists = (Hired(Specialist.SURGEON, "surgeon_a"),)
    state = choose(turn(state, ONE, chance=scripted(dice(5, 1, 1, 1))), (ONE, ScoutRumor()))
    assert (state.players[ONE].gold, state.rumors.discard) == (8, ["castaway_surgeon"])


def test_a_quest_card_becomes_the_specialist_itself() -> None:
    """`SPECIALIST k`: the card lies on the board, not in the discard."""
    state = calm()
    to_sea(state, ONE, Zone.BRIDGETOWN)
    state.players[ONE].rumor = "castaway_surgeon"
    state = choose(turn(state, ONE, chance=scripted(dice(5, 1, 1, 1))), (ONE, ScoutRumor()))
    assert state.players[ONE].specialists == (Hired(Specialist.SURGEON, "castaway_surgeon"),)
    assert (state.players[ONE].gold, state.rumors.discard) == (3, [])


def test_free_pardons_stop_when_no_bounty_is_left() -> None:
    """`PARDON_FREE 3` with two bounties."""
    state = calm()
    to_port(state, ONE, Zone.HAVANA)
    state.players[ONE].rumor, state.players[ONE].bounties = "corrupt_official", (1, 0, 1, 0)
    state = choose(port_action(state, ONE, scripted(dice(5, 1))), (ONE, TryRumor()))
    assert options(state, "pardon", ONE) == [Pardon(Nation.EN), Pardon(Nation.FR)]
    state = choose(state, (ONE, Pardon(Nation.FR)))
    assert state.players[ONE].bounties == (0, 0, 0, 0)


def test_a_mission_is_claimed_kept_and_done() -> None:
    """6.6 Mission, F: `PAY`, `DELIVER`, `keep_mission` with the held card first; a new one is opened."""
    state = calm()
    to_port(state, ONE, Zone.CARACAS)
    state.open_missions = ["medicine_for_trinidad"]
    state.missions.deck = ["chart_the_cays"]
    state.players[ONE].gold, state.players[ONE].mission = 2, "sink_the_admiral"
    state = choose(port_action(state, ONE), (ONE, Claim("medicine_for_trinidad")))
    cards = [KeepMission("sink_the_admiral"), KeepMission("medicine_for_trinidad")]
    assert options(state, "keep_mission", ONE) == cards
    state = choose(state, (ONE, cards[1]))
    assert (state.open_missions, state.missions.discard) == (["chart_the_cays"], ["sink_the_admiral"])
    to_port(state, ONE, Zone.TRINIDAD)
    state = choose(port_action(state, ONE), (ONE, DoMission()))
    assert told(state, MissionDone) == [MissionDone(ONE, "medicine_for_trinidad")]
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
    state.open_missions, state.players[ONE].bounties, state.players[ONE].gold = [mission], bounties, 1
    assert (Claim(mission) in options(port_action(state, ONE), "port", ONE)) == listed


def test_r35_goods_of_a_mission_are_those_aboard_longest() -> None:
    """`GOODS g n Z`, ruling R35."""
    state = calm()
    to_port(state, ONE, Zone.CURACAO)
    state.players[ONE].mission, state.players[ONE].cargo = "sugar_contract", ("sugar_4", "rum_1", "sugar_1", "sugar_2")
    state = choose(port_action(state, ONE), (ONE, DoMission()))
    assert (state.players[ONE].cargo, state.cargo.discard) == (("rum_1", "sugar_2"), ["sugar_4", "sugar_1"])


def test_an_assault_is_a_crew_combat_against_the_garrison() -> None:
    """`ASSAULT Z c l`: no roll, a bounty of the town's nation, no swivel guns; victory completes the mission."""
    state = calm()
    to_sea(state, ONE, Zone.TRINIDAD)
    state.players[ONE].mission = "raid_the_fort"
    state.players[ONE].ship = ship(ShipType.FRIGATE, mods=[Modification.SWIVEL_GUNS])
    state = choose(turn(state, ONE, chance=scripted(dice(5, 6, 1, 1))), (ONE, ScoutMission()))
    assert told(state, CombatBegan) == [CombatBegan(Side(ONE), Side())]
    assert told(state, MissionDone) == [MissionDone(ONE, "raid_the_fort")]
    assert (state.players[ONE].bounties, state.players[ONE].gold) == ((0, 1, 0, 0), 18)


def test_a_lost_assault_kills_the_captain() -> None:
    """`ASSAULT`: defeat."""
    state = calm()
    to_sea(state, ONE, Zone.TRINIDAD)
    state.players[ONE].mission = "raid_the_fort"
    state = choose(turn(state, ONE, chance=scripted(dice(1, 1, 5, 5))), (ONE, ScoutMission()))
    assert (state.players[ONE].captain, state.missions.discard) == (None, ["raid_the_fort"])


# --- Merchants --------------------------------------------------------------------------------------------------------


def merchant(state: State, zone: Zone, nation: Nation, *rolls: list[int]) -> State:
    to_sea(state, ONE, zone)
    state.merchants[zone - 1] = nation
    return happen(state, FindMerchant(ONE), chance=scripted(*rolls))


def test_a_merchant_may_be_engaged_as_its_own_or_the_zones_nation() -> None:
    """5 `merchant`; the token goes to the track even if it is let go."""
    state = merchant(calm(), Zone.HAVANA, Nation.NL)
    assert options(state, "merchant", ONE) == [LetGo(), Engage(Nation.NL), Engage(Nation.ES)]
    assert (state.merchant_track, state.merchants[Zone.HAVANA - 1]) == ([Nation.NL], None)
    same = merchant(calm(), Zone.HAVANA, Nation.ES)
    assert options(same, "merchant", ONE) == [LetGo(), Engage(Nation.ES)]
    sea = merchant(calm(), Zone.CARIBBEAN_SEA, Nation.NL)
    assert options(sea, "merchant", ONE) == [LetGo(), Engage(Nation.NL)]


def test_cartagena_finds_the_merchant_without_a_roll_as_spanish() -> None:
    """`scout.auto_merchant: ES`."""
    state = calm()
    to_sea(state, ONE, Zone.CARTAGENA)
    state.merchants[Zone.CARTAGENA - 1] = Nation.NL
    state = choose(turn(state, ONE), (ONE, ScoutMerchant(auto=True)))
    assert options(state, "merchant", ONE) == [LetGo(), Engage(Nation.ES)]


def test_a_letter_of_marque_excuses_the_bounty() -> None:
    """`MARQUE`."""
    state = calm()
    state.marque = (Nation.EN, Nation.NL)
    state = choose(merchant(state, Zone.TRINIDAD, Nation.NL, dice(5, 1)), (ONE, Engage(Nation.NL)))
    assert state.players[ONE].bounties == (0, 0, 0, 0)


def test_henry_thorne_talks_himself_out_of_a_bounty() -> None:
    """`raid.talk_out`."""
    state = calm("henry_thorne")
    state = choose(merchant(state, Zone.TRINIDAD, Nation.NL, dice(5, 1, 5, 1, 1)), (ONE, Engage(Nation.NL)))
    assert state.players[ONE].bounties == (0, 0, 0, 0)
    state = calm("henry_thorne")
    state = choose(merchant(state, Zone.TRINIDAD, Nation.NL, dice(1, 1, 5, 1, 1)), (ONE, Engage(Nation.NL)))
    assert state.players[ONE].bounties == (0, 0, 0, 1)


def test_raid_gold_of_captain_and_event_counts_for_the_glory_point() -> None:
    """`raid.gold: +2` and `raid.gold.ES: +4`: 6 + 6 = 12."""
    state = calm()
    state.event = "treasure_fleet"
    state.players[ONE].ship = ship(ShipType.FRIGATE)
    state.cargo.deck += ["coffee_3", "sugar_1", "coffee_2"]
    state = choose(merchant(state, Zone.TRINIDAD, Nation.ES, dice(1, 1)), (ONE, Engage(Nation.ES)))
    assert told(state, RaidEnded) == [RaidEnded(ONE, RaidEnd.SUCCESS, 12)]
    assert told(state, GloryPoint) == [GloryPoint(ONE, Feat.RAID, 1)]


def test_weapons_turn_failed_dice_and_gaspar_has_a_free_success() -> None:
    """6.8 step 4, `raid.free: +1`."""
    state = calm("gaspar_ortuno")
    state.players[ONE].weapons = (Weapon.GRAPPLE,)
    state = choose(merchant(state, Zone.TRINIDAD, Nation.NL, dice(1, 1, 1)), (ONE, Engage(Nation.NL)))
    entries = options(state, "raid", ONE)
    assert len(entries) == 9  # stop, draw, discard and exchange of three cards, the weapon
    assert entries[-1] == UseWeapon(Weapon.GRAPPLE)


# --- NPCs -------------------------------------------------------------------------------------------------------------


def test_men_o_war_beside_each_other_do_not_scout() -> None:
    """6.4."""
    state = calm()
    state.war = (Nation.EN, Nation.FR)
    state.players[ONE].bounties = (0, 1, 0, 0)
    to_sea(state, ONE, Zone.TRINIDAD)
    with_npc(state, NpcKind.NAVY_EN, Zone.TRINIDAD, "navy_en_1")
    with_npc(state, NpcKind.NAVY_FR, Zone.TRINIDAD, "navy_fr_1")
    with_npc(state, NpcKind.NAVY_ES, Zone.TRINIDAD, "navy_es_1")
    assert npc_ship_type(state, NpcKind.NAVY_EN) == ShipType.MAN_O_WAR
    assert hunters(state, state.players[ONE]) == [NpcKind.NAVY_ES]


def test_r19_all_hunters_roll_first_and_sea_fog_evades_one() -> None:
    """Ruling R19, `EVADE`."""
    state = calm()
    state.players[ONE].bounties, state.players[ONE].glory = (0, 1, 0, 0), ("sea_fog",)
    to_sea(state, ONE, Zone.TRINIDAD)
    with_npc(state, NpcKind.NAVY_EN, Zone.TRINIDAD, "navy_en_1")
    with_npc(state, NpcKind.NAVY_ES, Zone.TRINIDAD, "navy_es_1")
    chance = scripted(dice(5, 1), dice(5, 1, 1), dice(1, 1, 1, 1, 1), orders=[[1, 0]])
    state = happen(state, ArriveAtSea(ONE), chance=chance)
    assert options(state, "w_scouted", ONE) == [Decline(), PlayGlory("sea_fog")]
    state = choose(state, (ONE, PlayGlory("sea_fog")))
    assert told(state, CombatBegan) == [CombatBegan(Side(npc=NpcKind.NAVY_EN), Side(ONE))]


def test_a_beaten_npc_returns_with_another_card_at_the_end_of_the_round() -> None:
    """6.13."""
    state = calm()
    with_npc(state, NpcKind.NAVY_ES, Zone.TRINIDAD, "navy_es_1", "navy_es_2", "navy_es_3")
    state = happen(state, RemoveNpc(NpcKind.NAVY_ES), chance=scripted([1]))
    assert state.npcs[NpcKind.NAVY_ES - 1] is None
    bring_back(state)
    assert state.npcs[NpcKind.NAVY_ES - 1] == Npc(NpcKind.NAVY_ES, ("navy_es_3", "navy_es_2"), Zone.SAN_JUAN)


def test_a_new_card_goes_on_top_and_replaces_a_war_admiral() -> None:
    """6.13."""
    state = calm()
    state.war = (Nation.ES, Nation.NL)
    with_npc(state, NpcKind.NAVY_ES, Zone.TRINIDAD, "navy_es_1")
    enter_admirals(state)
    assert told(state, NpcEntered) == [NpcEntered(NpcKind.NAVY_NL, None, Zone.CURACAO)]
    enter_card(state, "navy_nl_2")
    enter_card(state, "navy_es_3")
    assert state.npcs[NpcKind.NAVY_NL - 1] == Npc(NpcKind.NAVY_NL, ("navy_nl_2",), Zone.ST_MAARTEN)
    assert state.npcs[NpcKind.NAVY_ES - 1] == Npc(NpcKind.NAVY_ES, ("navy_es_3", "navy_es_1"), Zone.SAN_JUAN)


def test_war_peace_and_their_admirals() -> None:
    """`WAR`, `PEACE`: admirals of nations no longer at war leave at once."""
    state = calm()
    state.chance = scripted([1, 2])  # ES of four, then NL of EN, FR, NL
    resolve(state, War())
    assert state.war == (Nation.ES, Nation.NL)
    enter_admirals(state)
    assert [npc.kind for npc in state.npcs if npc is not None] == [NpcKind.NAVY_ES, NpcKind.NAVY_NL]
    resolve(state, Peace())
    assert [npc.kind for npc in state.npcs if npc is not None] == []


def test_plague_markets_convoy_and_marque() -> None:
    """The other texts of part C.2."""
    state = calm()
    state.chance = scripted([0, 0, 0])
    resolve(state, Plague(3))
    assert state.closed == (Zone.HAVANA, Zone.PORT_ROYAL, Zone.OLD_PROVIDENCE)
    before = state.demand[Zone.HAVANA - 1]
    state.chance = scripted([0, 0])
    resolve(state, Markets(1))
    assert before in state.supply
    state.merchant_track = [Nation.ES, Nation.FR]
    state.chance = scripted()
    resolve(state, Convoy())
    assert (state.merchants[:3], state.merchant_track) == ([Nation.FR, Nation.ES, None], [])
    state.chance = scripted([3, 0])
    resolve(state, Marque())
    assert state.marque == (Nation.NL, Nation.EN)


# --- Spoils -----------------------------------------------------------------------------------------------------------


def test_a_boarded_naval_ship_gives_cargo_gold_and_itself() -> None:
    """6.9 Aftermath: loot of three cards, one card lost per Cargo damage, `capture`, bounty, glory, mission."""
    state = with_npc(calm(), NpcKind.NAVY_NL, Zone.TRINIDAD, "navy_nl_1")
    to_sea(state, ONE, Zone.TRINIDAD)
    state.players[ONE].mission = "sink_the_admiral"
    state = happen(state, AttackNpc(ONE, NpcKind.NAVY_NL), chance=scripted(dice(1, 1, 1, 1), [2]))
    assert state.combat is not None
    state.combat.fighters[1].ship = ship(ShipType.FRIGATE, 3, 2, 3, 0, 3)
    state.cargo.deck += ["rum_8", "spice_8", "cocoa_8"]
    finish(state, 0, CombatEnd.CREW)
    state.pending = [frame for frame in state.pending if type(frame).__name__ != "AskDeclare"]
    state = happen(state, chance=scripted())
    assert state.cargo.discard == ["rum_8"]
    assert options(state, "capture", ONE) == [KeepShip(), TakeShip(ShipType.FRIGATE)]
    state = choose(state, (ONE, TakeShip(ShipType.FRIGATE)))
    player = state.players[ONE]
    assert (values(state, ONE), player.cargo, player.gold) == ("3/2/3/2/3", ("cocoa_8", "spice_8"), 35)
    assert (player.bounties, player.track, state.npcs[NpcKind.NAVY_NL - 1]) == ((0, 0, 0, 2), 2, None)


def test_r29_a_boarded_captain_loses_everything_useful() -> None:
    """6.9 Aftermath over a player, ruling R29: gold, weapons, specialists, cargo, glory cards, the rumor."""
    state = calm()
    for seat in (ONE, TWO):
        to_sea(state, seat, Zone.TRINIDAD)
    winner, loser = state.players
    winner.weapons, winner.glory, winner.rumor = (Weapon.CHAIN,), ("brace", "rally"), "pearl_beds"
    winner.specialists = (Hired(Specialist.PURSER, "purser_a"),)
    loser.gold, loser.weapons, loser.cargo, loser.rumor = 7, (Weapon.CHAIN, Weapon.GRAPE), ("rum_1",), "gunsmith"
    loser.specialists = (Hired(Specialist.PURSER, "purser_b"), Hired(Specialist.SURGEON, "surgeon_a"))
    loser.glory, loser.mission = ("pardon", "sea_fog"), "spy_mission"
    state.combat = None
    draft = happen(state, AttackPlayer(ONE, TWO), chance=scripted(dice(1, 1, 1, 1, 1)))
    draft.pending = draft.pending[:-1]
    finish(draft, 0, CombatEnd.CREW)
    state = choose(happen(draft), (ONE, KeepShip()))
    assert options(state, "keep_rumor", ONE) == [KeepRumor("pearl_beds"), KeepRumor("gunsmith")]
    state = choose(state, (ONE, KeepRumor("pearl_beds")))
    assert asked(state).kind == "discard_glory"  # the glory point's card is the fifth
    winner = state.players[ONE]
    assert (winner.gold, winner.cargo, winner.weapons) == (7, ("rum_1",), (Weapon.CHAIN, Weapon.GRAPE))
    assert [hired.card for hired in winner.specialists] == ["purser_a", "surgeon_a"]
    assert winner.glory[:4] == ("brace", "rally", "pardon", "sea_fog")


def test_r17_a_captain_whose_home_is_watched_by_a_pirate_is_drawn_again() -> None:
    """Ruling R17: the card set aside goes to the bottom of the deck."""
    state = calm()
    state.captains = ["henry_thorne", "edward_marsh", "thomas_keene"]
    with_npc(state, NpcKind.PIRATE_SLOOP, Zone.BRIDGETOWN, "pirate_sloop_1")
    state = choose(happen(state, Die(ONE), NewCaptain(ONE)), (ONE, ChooseShip(ShipType.SLOOP)))
    assert (state.players[ONE].captain, state.captains) == ("edward_marsh", ["thomas_keene", "henry_thorne"])


# --- Glory cards of ports and turns -----------------------------------------------------------------------------------


def in_port_with(card: str, seat: Seat = ONE) -> State:
    state = calm()
    state.glory.deck.remove(card)
    state.players[seat].glory = (card,)
    state.players[seat].gold = 10
    return state


def test_inheritance_and_fair_wind() -> None:
    """`GOLD 5`, `ACTIONS 1`; glory cards do not count as actions for retiring."""
    state = in_port_with("inheritance")
    state.players[ONE].glory = ("fair_wind", "inheritance")
    state = choose(turn(state, ONE), (ONE, PlayGlory("inheritance")), (ONE, PlayGlory("fair_wind")))
    assert state.turn is not None
    assert (state.players[ONE].gold, state.turn.actions) == (15, 4)
    assert Retire() in options(state, "action", ONE)


def test_pardon_for_gold_lists_nations_and_numbers() -> None:
    """`PARDON price 3`: every affordable k of every nation."""
    state = in_port_with("pardon")
    state.players[ONE].bounties = (1, 4, 0, 0)
    state = turn(state, ONE)
    entries = [entry for entry in options(state, "action", ONE) if isinstance(entry, PlayGlory)]
    numbers = [(Nation.EN, 1), (Nation.ES, 1), (Nation.ES, 2), (Nation.ES, 3)]
    assert entries == [PlayGlory("pardon", nation=nation, count=count) for nation, count in numbers]
    state = choose(state, (ONE, entries[-1]))
    assert (state.players[ONE].gold, state.players[ONE].bounties) == (1, (1, 1, 0, 0))


def test_false_orders_move_an_npc() -> None:
    """`MOVE_NPC`."""
    state = with_npc(in_port_with("false_orders"), NpcKind.PIRATE_SLOOP, Zone.NASSAU, "pirate_sloop_1")
    state = turn(state, ONE)
    entries = [entry for entry in options(state, "action", ONE) if isinstance(entry, PlayGlory)]
    zones = (Zone.HAVANA, Zone.TORTUGA)
    assert entries == [PlayGlory("false_orders", npc=NpcKind.PIRATE_SLOOP, zone=zone) for zone in zones]
    state = choose(state, (ONE, entries[1]))
    assert state.npcs[NpcKind.PIRATE_SLOOP - 1] == Npc(NpcKind.PIRATE_SLOOP, ("pirate_sloop_1",), Zone.TORTUGA)


def test_market_tip_shows_tokens_and_lays_one() -> None:
    """`SHIFT_DEMAND 2`."""
    state = in_port_with("market_tip")
    state.demand[Zone.OLD_PROVIDENCE - 1] = Good.SPICE
    state.supply = [Good.COCOA, Good.RUM, Good.TOBACCO]
    state = choose(port_action(state, ONE, scripted([2, 0])), (ONE, PlayGlory("market_tip")))
    assert options(state, "pick_demand", ONE) == [PickDemand(Good.COCOA), PickDemand(Good.TOBACCO)]
    state = choose(state, (ONE, PickDemand(Good.TOBACCO)))
    assert state.demand[Zone.OLD_PROVIDENCE - 1] == Good.TOBACCO
    assert state.supply == [Good.SPICE, Good.COCOA, Good.RUM]


def test_a_vault_allows_deposits_away_from_home() -> None:
    """`STASH_HERE`: deposit only."""
    state = in_port_with("secret_vault")
    to_port(state, ONE, Zone.HAVANA)
    state.players[ONE].chest = 5
    state = choose(port_action(state, ONE), (ONE, PlayGlory("secret_vault")))
    entries = options(state, "port", ONE)
    assert Stash(10) in entries
    assert not any(type(entry).__name__ == "Withdraw" for entry in entries)


def test_port_modifiers_last_for_the_port_action() -> None:
    """`PORT_MOD {price.sell: +2}`."""
    state = in_port_with("grateful_buyer")
    state.demand[Zone.OLD_PROVIDENCE - 1] = Good.SPICE
    state.players[ONE].cargo = ("rum_1",)
    state = choose(port_action(state, ONE), (ONE, PlayGlory("grateful_buyer")), (ONE, Sell(Good.RUM, 1)))
    assert state.players[ONE].gold == 15


def test_a_specialist_hired_with_a_roll_stays_in_hand_after_a_failure() -> None:
    """`HIRE k`: one attempt per Port action."""
    state = in_port_with("surgeon_b")
    state = choose(port_action(state, ONE, scripted(dice(1, 1))), (ONE, PlayGlory("surgeon_b")))
    assert state.players[ONE].glory == ("surgeon_b",)
    assert PlayGlory("surgeon_b") not in options(state, "port", ONE)
    again = in_port_with("surgeon_b")
    again = choose(port_action(again, ONE, scripted(dice(5, 1))), (ONE, PlayGlory("surgeon_b")))
    assert again.players[ONE].specialists == (Hired(Specialist.SURGEON, "surgeon_b"),)
    assert (again.players[ONE].glory, again.glory.discard) == ((), [])


@pytest.mark.parametrize("card", ["dry_dock", "fresh_hands", "arms_dealer", "master_shipwright"])
def test_port_cards_are_listed_only_when_they_do_something(card: str) -> None:
    """A.3: `REPAIR_ALL` needs damage, `CREW_FULL` a gap, `WEAPONS` a missing kind, `FREE_MOD` a token one lacks."""
    state = in_port_with(card)
    state.players[ONE].weapons = tuple(Weapon)
    state.mods[Zone.OLD_PROVIDENCE - 1] = None
    assert PlayGlory(card) not in options(port_action(state, ONE), "port", ONE)
    state.players[ONE].ship = ship(ShipType.SLOOP, 1, 1, 1, 1, 1)
    state.players[ONE].weapons = ()
    state.mods[Zone.OLD_PROVIDENCE - 1] = PortToken(Modification.HAMMOCKS)
    state = choose(port_action(state, ONE), (ONE, PlayGlory(card)))
    vessel = state.players[ONE].ship
    assert vessel is not None
    effects = {
        "dry_dock": values(state, ONE) == "2/2/2/1/1",
        "fresh_hands": values(state, ONE) == "1/1/1/2/1",
        "arms_dealer": state.players[ONE].weapons == tuple(Weapon),
        "master_shipwright": vessel.mods == (Modification.HAMMOCKS,),
    }
    assert [name for name, done in effects.items() if done] == [card]


def test_combat_without_winner_keeps_both_captains() -> None:
    """Ruling R30: no glory when the opponent fled."""
    state = calm()
    for seat in (ONE, TWO):
        to_sea(state, seat, Zone.TRINIDAD)
    draft = happen(state)
    draft.chance = scripted(dice(1, 1, 1, 1, 1))
    begin(draft, seat_fighter(draft, ONE), seat_fighter(draft, TWO))
    finish(draft, None, CombatEnd.FLED)
    assert told(draft, CombatEnded) == [CombatEnded(None, CombatEnd.FLED)]
    assert all(player.captain for player in draft.players)
