"""The turn: lists, retirement, moves, windows of others, self-repair, storms (5.1, 6.5, R4, R16); vector T4."""

from __future__ import annotations

import pytest

from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import Decline, PlayGlory
from referee.games.marauders.actions.combat import PickSection
from referee.games.marauders.actions.turn import (
    End,
    EnterPort,
    Leave,
    Move,
    Retire,
    ScoutMerchant,
    ScoutMission,
    ScoutNpc,
    ScoutPlayer,
    ScoutRumor,
    VisitPort,
)
from referee.games.marauders.events.combat import CaptainRetired
from referee.games.marauders.rules.turn import PlayTurn
from referee.games.marauders.state import Hired
from referee.games.marauders.terms import (
    Entry,
    Nation,
    NpcKind,
    Section,
    ShipType,
    Specialist,
    Weapon,
    Zone,
)
from referee.rules.parts import put
from support.marauders import (
    ONE,
    TWO,
    asked,
    calm,
    change_player,
    choose,
    dice,
    events_of,
    happen,
    left,
    options,
    scripted,
    ship,
    table,
    to_port,
    to_sea,
    turn,
    values,
    with_npc,
)


def test_the_action_list_in_port_and_at_sea() -> None:
    """5.1: end, retire, leave, port; at sea moves by zone number, enter, scouts."""
    state = calm()
    assert options(turn(state, ONE), "action", ONE) == [End(), Retire(), Leave(), VisitPort()]
    to_sea(state, ONE, Zone.OLD_PROVIDENCE)
    to_sea(state, TWO, Zone.OLD_PROVIDENCE)
    with_npc(state, NpcKind.PIRATE_SLOOP, Zone.OLD_PROVIDENCE, "pirate_sloop_1")
    state.merchants = put(state.merchants, Zone.OLD_PROVIDENCE - 1, Nation.NL)
    change_player(state, ONE, rumor="sunken_galleon", mission="buy_back_honour")
    expected: list[Action] = [End(), Move(Zone.PORT_ROYAL), Move(Zone.CARTAGENA), EnterPort(Entry.FREE)]
    expected += [ScoutPlayer(TWO), ScoutNpc(NpcKind.PIRATE_SLOOP), ScoutMerchant(), ScoutRumor(), ScoutMission()]
    assert options(turn(state, ONE), "action", ONE) == expected


def test_r16_retiring_twice_at_most_and_not_with_the_last_captains() -> None:
    """Ruling R16."""
    state = calm()
    change_player(state, ONE, retirements=2)
    assert Retire() not in options(turn(state, ONE), "action", ONE)
    change_player(state, ONE, retirements=0)
    state.captains = ()
    assert Retire() not in options(turn(state, ONE), "action", ONE)


def test_a_retirement_discards_everything_but_track_and_chest() -> None:
    """6.11."""
    state = calm()
    change_player(state, ONE, gold=9, chest=12, track=3, cargo=("rum_1",))
    change_player(state, ONE, weapons=(Weapon.GRAPE,), bounties=(1, 0, 0, 0), rumor="pearl_beds")
    state = choose(turn(state, ONE), (ONE, Retire()))
    player = state.players[ONE]
    assert events_of(state, CaptainRetired) == [CaptainRetired(ONE, "mary_hollis")]
    assert (player.captain, player.gold, player.chest, player.track, player.cargo) == (None, 0, 12, 3, ())
    assert (player.weapons, player.bounties, player.rumor, player.retirements) == ((), (0, 0, 0, 0), None, 1)
    assert (state.cargo.discard, state.rumors.discard) == (("rum_1",), ("pearl_beds",))


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
    change_player(state, ONE, gold=2)
    change_player(state, TWO, glory=("pickpocket", "sabotage"))
    state = happen(state, PlayTurn(ONE))
    assert options(state, "w_turn_start", TWO) == [Decline(), PlayGlory("sabotage")]
    state = choose(state, (TWO, PlayGlory("sabotage")))
    assert state.turn is not None
    assert (asked(state).kind, state.turn.actions) == ("action", 2)
    to_port(state, TWO, Zone.OLD_PROVIDENCE)
    change_player(state, TWO, glory=("pickpocket", "sabotage"))
    state = choose(happen(state, PlayTurn(ONE)), (TWO, PlayGlory("pickpocket")))
    assert (state.players[ONE].gold, state.players[TWO].gold) == (0, 2)


def test_self_repair_offers_damaged_sections_but_crew_once_per_point() -> None:
    """`turn.self_repair` of captain and carpenter together."""
    state = calm("edward_marsh")
    change_player(state, ONE, specialists=(Hired(Specialist.CARPENTER, "carpenter_a"),))
    change_player(state, ONE, ship=ship(ShipType.SLOOP, 1, 1, 2, 1, 1))
    state = happen(state, PlayTurn(ONE))
    assert options(state, "self_repair", ONE) == [PickSection(Section.CARGO), PickSection(Section.HULL)]
    state = choose(state, (ONE, PickSection(Section.HULL)))
    assert (values(state, ONE), asked(state).kind) == ("2/2/2/1/1", "action")


def test_a_storm_hits_captains_at_sea_who_fail_and_lucky_star_may_help() -> None:
    """`STORM`, 6.1, 6.5: seamanship test, window, location die, choice on a skull."""
    state = calm()
    to_sea(state, ONE, Zone.TRINIDAD)
    state.event = "storm_1"
    change_player(state, ONE, glory=("lucky_star",))
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
    change_player(state, ONE, ship=ship(ShipType.SLOOP, 1, 0, 2, 2, 1))
    state = happen(state, PlayTurn(ONE), chance=scripted(dice(1, 1, 1)))
    assert (state.players[ONE].captain, asked(state).kind, state.turn) == (None, "rest", None)


def test_t4_leave_move_enter_use_up_the_turn() -> None:
    """Vector T4."""
    state = table("isabel_carranza", "edward_marsh")
    to_port(state, ONE, Zone.HAVANA)
    state = choose(turn(state, ONE), (ONE, Leave()), (ONE, Move(Zone.NASSAU)), (ONE, EnterPort(Entry.FREE)))
    assert (state.players[ONE].zone, state.players[ONE].in_port) == (Zone.NASSAU, True)
    assert state.turn is None  # no actions left: the turn ends by itself, without a Port action
    assert asked(state).kind == "rest"
