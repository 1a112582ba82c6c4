"""Glory cards of the timings act and port (cards file A.2, A.3)."""

from __future__ import annotations

import pytest

from referee.games.marauders.actions.cards import PlayGlory
from referee.games.marauders.actions.port import PickDemand, Sell, Stash
from referee.games.marauders.actions.turn import Retire
from referee.games.marauders.state import Hired, Npc, PortToken, State
from referee.games.marauders.terms import (
    Good,
    Modification,
    Nation,
    NpcKind,
    ShipType,
    Specialist,
    Weapon,
    Zone,
)
from referee.rules.engine import Seat
from referee.rules.parts import put
from support.marauders import (
    ONE,
    calm,
    change_player,
    choose,
    dice,
    options,
    port_action,
    scripted,
    ship,
    take_from_deck,
    to_port,
    turn,
    values,
    with_npc,
)


def in_port_with(card: str, seat: Seat = ONE) -> State:
    state = calm()
    take_from_deck(state, state.glory, card)
    change_player(state, seat, glory=(card,), gold=10)
    return state


def test_inheritance_and_fair_wind() -> None:
    """`GOLD 5`, `ACTIONS 1`; glory cards do not count as actions for retiring."""
    state = in_port_with("inheritance")
    change_player(state, ONE, glory=("fair_wind", "inheritance"))
    state = choose(turn(state, ONE), (ONE, PlayGlory("inheritance")), (ONE, PlayGlory("fair_wind")))
    assert state.turn is not None
    assert (state.players[ONE].gold, state.turn.actions) == (15, 4)
    assert Retire() in options(state, "action", ONE)


def test_pardon_for_gold_lists_nations_and_numbers() -> None:
    """`PARDON price 3`: every affordable k of every nation."""
    state = in_port_with("pardon")
    change_player(state, ONE, bounties=(1, 4, 0, 0))
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
    state.demand = put(state.demand, Zone.OLD_PROVIDENCE - 1, Good.SPICE)
    state.supply = (Good.COCOA, Good.RUM, Good.TOBACCO)
    state = choose(port_action(state, ONE, scripted([2, 0])), (ONE, PlayGlory("market_tip")))
    assert options(state, "pick_demand", ONE) == [PickDemand(Good.COCOA), PickDemand(Good.TOBACCO)]
    state = choose(state, (ONE, PickDemand(Good.TOBACCO)))
    assert state.demand[Zone.OLD_PROVIDENCE - 1] == Good.TOBACCO
    assert state.supply == (Good.SPICE, Good.COCOA, Good.RUM)


def test_a_vault_allows_deposits_away_from_home() -> None:
    """`STASH_HERE`: deposit only."""
    state = in_port_with("secret_vault")
    to_port(state, ONE, Zone.HAVANA)
    change_player(state, ONE, chest=5)
    state = choose(port_action(state, ONE), (ONE, PlayGlory("secret_vault")))
    entries = options(state, "port", ONE)
    assert Stash(10) in entries
    assert not any(type(entry).__name__ == "Withdraw" for entry in entries)


def test_port_modifiers_last_for_the_port_action() -> None:
    """`PORT_MOD {price.sell: +2}`."""
    state = in_port_with("grateful_buyer")
    state.demand = put(state.demand, Zone.OLD_PROVIDENCE - 1, Good.SPICE)
    change_player(state, ONE, cargo=("rum_1",))
    state = choose(port_action(state, ONE), (ONE, PlayGlory("grateful_buyer")), (ONE, Sell(Good.RUM, 1, 5)))
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
    assert (again.players[ONE].glory, again.glory.discard) == ((), ())


@pytest.mark.parametrize("card", ["dry_dock", "fresh_hands", "arms_dealer", "master_shipwright"])
def test_port_cards_are_listed_only_when_they_do_something(card: str) -> None:
    """A.3: `REPAIR_ALL` needs damage, `CREW_FULL` a gap, `WEAPONS` a missing kind, `FREE_MOD` a token one lacks."""
    state = in_port_with(card)
    change_player(state, ONE, weapons=tuple(Weapon))
    state.mods = put(state.mods, Zone.OLD_PROVIDENCE - 1, None)
    assert PlayGlory(card) not in options(port_action(state, ONE), "port", ONE)
    change_player(state, ONE, ship=ship(ShipType.SLOOP, 1, 1, 1, 1, 1), weapons=())
    state.mods = put(state.mods, Zone.OLD_PROVIDENCE - 1, PortToken(Modification.HAMMOCKS))
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
