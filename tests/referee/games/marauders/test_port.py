"""Ports: who may enter, activities, shipyard, chest, pardons (5.2, 6.6, R7, R11, R25)."""

from __future__ import annotations

import pytest

from referee.games.marauders.actions.port import (
    BuyModification,
    BuyShip,
    BuyWeapon,
    Done,
    Hire,
    Pardon,
    PlaceModification,
    Recruit,
    Repair,
    RepairEverything,
    Sell,
    Stash,
    TryRumor,
)
from referee.games.marauders.actions.turn import End, EnterPort, VisitPort
from referee.games.marauders.events.quests import RumorProved
from referee.games.marauders.events.wealth import GloryPoint
from referee.games.marauders.rules.port import ways_in
from referee.games.marauders.state import PortToken
from referee.games.marauders.terms import (
    Entry,
    Feat,
    Modification,
    Nation,
    Section,
    ShipType,
    Weapon,
    Zone,
)
from support.marauders import (
    ONE,
    asked,
    calm,
    choose,
    dice,
    events_of,
    options,
    port_action,
    scripted,
    ship,
    to_port,
    to_sea,
    turn,
    values,
)


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
    assert events_of(state, RumorProved) == [RumorProved(ONE, "corrupt_official")]
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
    assert events_of(state, GloryPoint) == [GloryPoint(ONE, Feat.SHIP, 1)]
    state = choose(state, (ONE, Done()), (ONE, End()))
    state = choose(port_action(state, ONE), (ONE, BuyShip(ShipType.GALLEON)))
    assert events_of(state, GloryPoint) == []


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
