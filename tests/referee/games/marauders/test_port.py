"""Ports: who may enter, activities, market, shipyard, chest, pardons (5.2, 6.6, R7, R11, R25).

Vectors T3, T21 to T23 and T29.
"""

from __future__ import annotations

import pytest

from referee.games.marauders.actions.port import (
    Buy,
    BuyDraw,
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
    Withdraw,
)
from referee.games.marauders.actions.turn import End, EnterPort, VisitPort
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.events.quests import RumorProved
from referee.games.marauders.events.round import DemandChanged
from referee.games.marauders.events.wealth import GloryPoint, PointsDeclared
from referee.games.marauders.rules.ashore.port import ways_in
from referee.games.marauders.rules.ashore.shipyard import net_price
from referee.games.marauders.rules.ships import sale_value
from referee.games.marauders.state import PortToken, State
from referee.games.marauders.terms import (
    Entry,
    Feat,
    Good,
    Modification,
    Nation,
    Section,
    ShipType,
    Weapon,
    Zone,
)
from referee.rules.parts import put, replace
from support.marauders import (
    ONE,
    asked,
    calm,
    change_player,
    choose,
    dice,
    ended,
    events_of,
    options,
    port_action,
    scripted,
    ship,
    table,
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
    change_player(state, ONE, bounties=bounties, gold=3)
    state.war, state.closed = war, closed
    assert list(ways_in(state, ONE)) == expected


def test_port_royal_takes_three_gold_or_a_roll_from_outlaws() -> None:
    """`port.outlaw: 3`."""
    state = calm()
    to_sea(state, ONE, Zone.PORT_ROYAL)
    change_player(state, ONE, bounties=(1, 0, 0, 0), gold=2)
    state = turn(state, ONE, actions=2, chance=scripted(dice(1, 1)))
    assert [entry for entry in options(state, "action", ONE) if isinstance(entry, EnterPort)] == [EnterPort(Entry.ROLL)]
    state = choose(state, (ONE, EnterPort(Entry.ROLL)))
    assert (state.players[ONE].in_port, state.turn and state.turn.actions) == (False, 1)


def test_villon_rolls_for_a_port_action_where_he_is_wanted_and_forged_papers_do_not() -> None:
    """`port.enter_any` on a captain card and on a kept card."""
    state = calm("alexandre_villon")
    to_port(state, ONE, Zone.HAVANA)
    change_player(state, ONE, bounties=(0, 1, 0, 0), gold=5)
    state = choose(turn(state, ONE, chance=scripted(dice(1, 1, 1))), (ONE, VisitPort()))
    assert state.turn is not None
    assert (asked(state).kind, state.turn.actions, state.turn.port_used) == ("action", 2, False)
    change_player(state, ONE, kept=("forged_papers",))
    assert asked(choose(state, (ONE, VisitPort()))).kind == "port"


def test_activities_close_when_another_opens() -> None:
    """5.2: selling first, each activity once."""
    state = calm()
    change_player(state, ONE, gold=20, cargo=("rum_1", "spice_1"), ship=ship(ShipType.SLOOP, 2, 1, 1, 2, 1))
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
    change_player(state, ONE, rumor="corrupt_official", cargo=("rum_1",))
    state = choose(port_action(state, ONE, scripted(dice(5, 1))), (ONE, TryRumor()))
    assert not any(isinstance(entry, Sell) for entry in options(state, "port", ONE))
    assert events_of(state, RumorProved) == [RumorProved(ONE, "corrupt_official")]
    assert state.players[ONE].track == 1


def test_a_failed_recruit_offers_sailors_for_gold() -> None:
    """6.6 Recruit: 2 gold each; the activity closes after a hire."""
    state = calm()
    change_player(state, ONE, gold=5, ship=ship(ShipType.FRIGATE, 3, 3, 3, 0, 3))
    state = choose(port_action(state, ONE, scripted(dice(1, 1))), (ONE, Recruit()))
    assert [entry for entry in options(state, "port", ONE) if isinstance(entry, Hire | Recruit)] == [Hire(1), Hire(2)]
    state = choose(state, (ONE, Hire(2)))
    assert (state.players[ONE].gold, values(state, ONE)) == (1, "3/3/3/2/3")
    assert not any(isinstance(entry, Hire | Recruit) for entry in options(state, "port", ONE))


def test_isabel_recruits_without_a_roll() -> None:
    """`recruit.auto`."""
    state = calm("isabel_carranza")
    change_player(state, ONE, ship=ship(ShipType.FRIGATE, 3, 3, 3, 0, 3))
    assert values(choose(port_action(state, ONE), (ONE, Recruit())), ONE) == "3/3/3/3/3"


def test_a_bought_ship_keeps_the_crew_and_gives_a_point_once() -> None:
    """6.6: the crew comes along, it is not refilled (R25); the first big ship gives glory; modifications are placed."""
    state = calm()
    change_player(state, ONE, gold=90, ship=ship(ShipType.SLOOP, 2, 2, 2, 2, 1, mods=[Modification.CHASERS]))
    for zone in (Zone.TORTUGA, Zone.CARACAS):
        state.mods = put(state.mods, zone - 1, None)
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
    change_player(state, ONE, gold=40)
    change_player(state, ONE, ship=ship(ShipType.SLOOP, mods=[Modification.EXTENDED_HOLD, Modification.RIGGING]))
    state = choose(port_action(state, ONE), (ONE, BuyShip(ShipType.FRIGATE)))
    vessel = state.players[ONE].ship
    assert vessel is not None
    assert vessel.mods == (Modification.EXTENDED_HOLD, Modification.RIGGING)
    assert values(state, ONE) == "3/4/3/2/3"


def test_a_modification_is_bought_where_it_lies_and_only_once_of_a_kind() -> None:
    """5.2 `mod`; the token is turned face up when the Port action begins."""
    state = calm()
    change_player(state, ONE, gold=9)
    state.mods = put(state.mods, Zone.OLD_PROVIDENCE - 1, PortToken(Modification.GUNPORT))
    state = port_action(state, ONE)
    assert state.mods[Zone.OLD_PROVIDENCE - 1] == PortToken(Modification.GUNPORT, True)
    state = choose(state, (ONE, BuyModification()))
    assert (values(state, ONE), state.players[ONE].gold, state.mods[Zone.OLD_PROVIDENCE - 1]) == ("2/2/2/2/2", 6, None)
    state.mods = put(state.mods, Zone.OLD_PROVIDENCE - 1, PortToken(Modification.GUNPORT, True))
    assert BuyModification() not in options(state, "port", ONE)


def test_santo_domingo_sells_weapons_cheaper_and_payments_take_the_chest_at_home() -> None:
    """`cost.weapon: -1`; 5.2: gold available in the home port is aboard plus chest."""
    state = calm("frederico_da_silva")
    change_player(state, ONE, gold=1, chest=4)
    state = choose(port_action(state, ONE), (ONE, BuyWeapon(Weapon.CHAIN)))
    assert (state.players[ONE].gold, state.players[ONE].chest) == (0, 3)


def test_r7_stash_steps() -> None:
    """Ruling R7: 1, 5, 10, all."""
    state = calm()
    change_player(state, ONE, gold=12)
    entries = [entry for entry in options(port_action(state, ONE), "port", ONE) if isinstance(entry, Stash)]
    assert entries == [Stash(1), Stash(5), Stash(10), Stash(12)]


def test_royal_pardon_sells_bounties_in_any_port_action() -> None:
    """`port.pardon: n`."""
    state = calm()
    state.event = "royal_pardon"
    change_player(state, ONE, gold=9, bounties=(0, 2, 0, 1))
    state = port_action(state, ONE)
    pardons = [entry for entry in options(state, "port", ONE) if isinstance(entry, Pardon)]
    assert pardons == [Pardon(Nation.ES), Pardon(Nation.NL)]
    state = choose(state, (ONE, pardons[0]), (ONE, pardons[0]))
    assert (state.players[ONE].gold, state.players[ONE].bounties) == (1, (0, 0, 0, 1))


def market(captain: str, zone: Zone, *, gold: int = 50, demand: Good = Good.INDIGO) -> State:
    """A captain with gold who is to act in a port that wants that good."""
    state = table(captain, "isabel_carranza")
    to_port(state, ONE, zone)
    change_player(state, ONE, gold=gold)
    state.demand = put(state.demand, zone - 1, demand)
    return state


@pytest.mark.parametrize(
    ("zone", "prices"),
    [
        (Zone.TRINIDAD, {Good.SPICE: 3, Good.COCOA: 2, Good.RUM: 1}),
        (Zone.NASSAU, {Good.SPICE: 2, Good.COCOA: 1, Good.RUM: 1}),
    ],
)
def test_t3_prices_follow_the_cards_drawn(zone: Zone, prices: dict[Good, int]) -> None:
    """Vector T3."""
    state = market("edward_marsh", zone)
    cards = ["spice_1", "cocoa_1", "cocoa_2", "rum_1", "rum_2", "rum_3"]
    rest = [card for card in CARGO if card not in cards]
    state.cargo = replace(state.cargo, deck=(*rest, *cards))
    state = choose(port_action(state, ONE), (ONE, BuyDraw()))
    assert state.visit is not None
    assert dict(state.visit.prices) == prices
    entries = [entry for entry in options(state, "port", ONE) if isinstance(entry, Buy)]
    goods = [(Good.SPICE, 1), (Good.COCOA, 1), (Good.COCOA, 2), (Good.RUM, 1), (Good.RUM, 2), (Good.RUM, 3)]
    assert entries == [Buy(good, count) for good, count in goods]
    state = choose(state, (ONE, Buy(Good.RUM, 1)))
    assert state.players[ONE].gold == 49


def test_t21_sale_value_and_net_prices() -> None:
    """Vector T21."""
    state = market("mary_hollis", Zone.NASSAU)
    mods = [Modification.RIGGING, Modification.CHASERS]
    vessel = ship(ShipType.SLOOP, 2, 2, 1, 1, 1, mods=mods)
    change_player(state, ONE, ship=vessel)
    assert sale_value(vessel) == 6
    assert net_price(state, ONE, ShipType.FRIGATE) == 29
    to_port(state, ONE, Zone.BASSE_TERRE)
    assert net_price(state, ONE, ShipType.FRIGATE) == 24


@pytest.mark.parametrize(
    ("captain", "zone", "gold"),
    [("mary_hollis", Zone.TRINIDAD, 18), ("mary_hollis", Zone.BRIDGETOWN, 21), ("thomas_keene", Zone.BRIDGETOWN, 24)],
)
def test_t22_three_in_demand_give_gold_and_glory(captain: str, zone: Zone, gold: int) -> None:
    """Vector T22."""
    state = market(captain, zone, gold=0, demand=Good.SUGAR)
    change_player(state, ONE, cargo=("sugar_1", "rum_1", "sugar_2", "sugar_3"))
    state = choose(port_action(state, ONE, scripted([0])), (ONE, Sell(Good.SUGAR, 3, gold)))
    player = state.players[ONE]
    assert (player.gold, player.track, len(player.glory)) == (gold, 1, 1)
    assert events_of(state, GloryPoint) == [GloryPoint(ONE, Feat.SALE, 1)]
    assert Sell(Good.RUM, 1, 3) in options(state, "port", ONE)
    assert events_of(state, DemandChanged) == []
    first = state.supply[0]
    state = choose(state, (ONE, BuyDraw()))
    assert not any(isinstance(entry, Sell) for entry in options(state, "port", ONE))
    assert events_of(state, DemandChanged) == [DemandChanged(zone, first)]
    assert Good.SUGAR in state.supply


def test_t22_two_in_demand_change_the_token_without_glory() -> None:
    """Vector T22, last sentence."""
    state = market("mary_hollis", Zone.TRINIDAD, gold=0, demand=Good.SUGAR)
    change_player(state, ONE, cargo=("sugar_1", "sugar_2"))
    state = choose(port_action(state, ONE, scripted([0])), (ONE, Sell(Good.SUGAR, 2, 12)), (ONE, Done()))
    assert (state.players[ONE].gold, state.players[ONE].track) == (12, 0)
    assert len(events_of(state, DemandChanged)) == 1


@pytest.mark.parametrize(
    ("captain", "rounds", "counts"),
    [
        ("mary_hollis", (5, 6), (8, 3)),
        ("mary_hollis", (5, 7), (8, 8)),
        ("ines_villareal", (5, 6), (10, 3)),
    ],
)
def test_t23_buying_twice_in_a_row_draws_three_cards(
    captain: str, rounds: tuple[int, int], counts: tuple[int, int]
) -> None:
    """Vector T23, ruling R23."""
    state = market(captain, Zone.ST_MAARTEN)
    drawn = []
    for number in rounds:
        state.round = number
        state = choose(port_action(state, ONE), (ONE, BuyDraw()))
        assert state.visit is not None
        drawn.append(len(state.visit.offer))
        state = choose(state, (ONE, Done()))
    assert tuple(drawn) == counts


def test_t29_a_deposit_that_reaches_ten_declares_and_ends_the_game() -> None:
    """Vector T29, ruling R9."""
    state = market("mary_hollis", Zone.OLD_PROVIDENCE, gold=4)
    change_player(state, ONE, track=8, chest=17)
    state = port_action(state, ONE)
    moves = [entry for entry in options(state, "port", ONE) if isinstance(entry, Stash | Withdraw)]
    assert moves == [Stash(1), Stash(4), Withdraw(1), Withdraw(5), Withdraw(10), Withdraw(17)]
    state = choose(state, *[(ONE, Stash(1))] * 3)
    assert events_of(state, PointsDeclared) == [PointsDeclared(ONE, 10, 20)]
    state = choose(state, (ONE, Done()), (ONE, End()))
    # In another Port action the chest would still be locked, for withdrawals and for payments.
    again = port_action(state, ONE)
    locked = [entry for entry in options(again, "port", ONE) if isinstance(entry, Stash | Withdraw | BuyShip)]
    assert locked == [Stash(1)]
    state = choose(state, (ONE, End()))
    assert (ended(state).reason, ended(state).ranks) == ("ten", (1, 2))
