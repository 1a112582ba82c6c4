"""Vectors T2 to T7 and T18 to T30: raids, ports, moves, hunters, deaths, ranks. Combat is in test_combat.py."""

from __future__ import annotations

import pytest

from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import DiscardGlory
from referee.games.marauders.actions.port import Buy, BuyDraw, BuyShip, Done, Sell, Stash, Withdraw
from referee.games.marauders.actions.raid import DrawCard, Engage, ExchangeCard, Jettison
from referee.games.marauders.actions.turn import ChooseShip, End, EnterPort, Leave, Move
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.events.raid import RaidEnded
from referee.games.marauders.events.round import DemandChanged
from referee.games.marauders.events.wealth import GloryPoint, GoldGained, PointsDeclared
from referee.games.marauders.rules.aftermath import finish, head_money
from referee.games.marauders.rules.combat import AttackNpc, AttackPlayer
from referee.games.marauders.rules.death import Die, NewCaptain
from referee.games.marauders.rules.glory import ScorePoint
from referee.games.marauders.rules.hunting import ArriveAtSea, hunters, npc_scouting
from referee.games.marauders.rules.npcs import drift, follow_icon
from referee.games.marauders.rules.raid import FindMerchant
from referee.games.marauders.rules.ships import sale_value
from referee.games.marauders.rules.shipyard import net_price
from referee.games.marauders.state import Npc, State
from referee.games.marauders.terms import (
    CombatEnd,
    Entry,
    Feat,
    Good,
    Modification,
    Nation,
    NpcKind,
    RaidEnd,
    ShipType,
    Wind,
    Zone,
)
from support.marauders import (
    FOUR,
    ONE,
    THREE,
    TWO,
    asked,
    choose,
    dice,
    ended,
    events_of,
    happen,
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

# --- Raids ------------------------------------------------------------------------------------------------------------


def raid(captain: str, zone: Zone, cards: list[str], *rolls: list[int]) -> State:
    """A raid in that zone, these cards coming from the cargo deck, at the seat's first choice."""
    state = table(captain, "isabel_carranza")
    to_sea(state, ONE, zone)
    rest = [card for card in CARGO if card not in cards]
    state.cargo.deck = [*rest, *reversed(cards)]
    state.merchants[zone - 1] = Nation.NL
    state = happen(state, FindMerchant(ONE), chance=scripted(*rolls))
    return choose(state, (ONE, Engage(Nation.NL)))


def test_t2_the_raid_of_the_rulebook() -> None:
    """Vector T2."""
    cards = ["rum_1", "sugar_6", "tobacco_7", "rum_8"]
    state = raid("frederico_da_silva", Zone.TRINIDAD, cards, dice(5, 1, 2))
    state = choose(state, (ONE, ExchangeCard(3)))  # no success is left, so the raid stops by itself
    assert values(state, ONE) == "2/1/1/2/1"
    assert events_of(state, RaidEnded) == [RaidEnded(ONE, RaidEnd.SUCCESS, 10)]
    assert events_of(state, GloryPoint) == []
    heaps: list[Action] = [Jettison((Good.RUM, Good.RUM)), Jettison((Good.RUM, Good.SUGAR))]
    assert options(state, "jettison", ONE) == heaps
    state = choose(state, (ONE, heaps[1]))
    assert state.players[ONE].cargo == ("rum_8",)
    assert state.players[ONE].gold == 10


def test_t26_havana_keeps_a_fourth_card_only_if_it_hits() -> None:
    """Vector T26, first half."""
    cards = ["spice_1", "rum_1", "sugar_1", "cotton_1"]  # all escapes
    state = raid("frederico_da_silva", Zone.HAVANA, cards, dice(1, 1, 1))
    assert events_of(state, RaidEnded) == [RaidEnded(ONE, RaidEnd.SUCCESS, 3)]
    assert "cotton_1" in state.cargo.discard


def test_t26_old_providence_ignores_an_escape() -> None:
    """Vector T26, second half: 4 escapes - 1 = 3 < 4."""
    cards = ["spice_1", "rum_1", "sugar_1", "cotton_1"]
    state = raid("frederico_da_silva", Zone.OLD_PROVIDENCE, cards, dice(5, 1, 1))
    state = choose(state, (ONE, DrawCard()))
    assert events_of(state, RaidEnded) == [RaidEnded(ONE, RaidEnd.SUCCESS, 4)]


def test_t27_a_destroyed_section_spoils_the_raid() -> None:
    """Vector T27, ruling R27."""
    state = raid("frederico_da_silva", Zone.TRINIDAD, ["spice_4", "rum_6", "rum_8"], dice(1, 1, 1))
    assert values(state, ONE) == "2/1/0/2/1"
    assert events_of(state, RaidEnded) == [RaidEnded(ONE, RaidEnd.CRIPPLED, 0)]
    assert (state.players[ONE].gold, state.players[ONE].cargo) == (0, ())
    assert state.cargo.discard == ["spice_4", "rum_6", "rum_8"]


# --- Ports ------------------------------------------------------------------------------------------------------------


def market(captain: str, zone: Zone, *, gold: int = 50, demand: Good = Good.INDIGO) -> State:
    """A captain with gold who is to act in a port that wants that good."""
    state = table(captain, "isabel_carranza")
    to_port(state, ONE, zone)
    state.players[ONE].gold = gold
    state.demand[zone - 1] = demand
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
    state.cargo.deck = [card for card in CARGO if card not in cards] + cards
    state = choose(port_action(state, ONE), (ONE, BuyDraw()))
    assert state.visit is not None
    assert dict(state.visit.prices) == prices
    entries = [entry for entry in options(state, "port", ONE) if isinstance(entry, Buy)]
    goods = [(Good.SPICE, 1), (Good.COCOA, 1), (Good.COCOA, 2), (Good.RUM, 1), (Good.RUM, 2), (Good.RUM, 3)]
    assert entries == [Buy(good, count) for good, count in goods]
    state = choose(state, (ONE, Buy(Good.RUM, 1)))
    assert state.players[ONE].gold == 49


def test_t4_leave_move_enter_use_up_the_turn() -> None:
    """Vector T4."""
    state = table("isabel_carranza", "edward_marsh")
    to_port(state, ONE, Zone.HAVANA)
    state = choose(turn(state, ONE), (ONE, Leave()), (ONE, Move(Zone.NASSAU)), (ONE, EnterPort(Entry.FREE)))
    assert (state.players[ONE].zone, state.players[ONE].in_port) == (Zone.NASSAU, True)
    assert state.turn is None  # no actions left: the turn ends by itself, without a Port action
    assert asked(state).kind == "rest"


def test_t21_sale_value_and_net_prices() -> None:
    """Vector T21."""
    state = market("mary_hollis", Zone.NASSAU)
    mods = [Modification.RIGGING, Modification.CHASERS]
    vessel = ship(ShipType.SLOOP, 2, 2, 1, 1, 1, mods=mods)
    state.players[ONE].ship = vessel
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
    state.players[ONE].cargo = ("sugar_1", "rum_1", "sugar_2", "sugar_3")
    state = choose(port_action(state, ONE, scripted([0])), (ONE, Sell(Good.SUGAR, 3)))
    player = state.players[ONE]
    assert (player.gold, player.track, len(player.glory)) == (gold, 1, 1)
    assert events_of(state, GloryPoint) == [GloryPoint(ONE, Feat.SALE, 1)]
    assert Sell(Good.RUM, 1) in options(state, "port", ONE)
    assert events_of(state, DemandChanged) == []
    first = state.supply[0]
    state = choose(state, (ONE, BuyDraw()))
    assert not any(isinstance(entry, Sell) for entry in options(state, "port", ONE))
    assert events_of(state, DemandChanged) == [DemandChanged(zone, first)]
    assert Good.SUGAR in state.supply


def test_t22_two_in_demand_change_the_token_without_glory() -> None:
    """Vector T22, last sentence."""
    state = market("mary_hollis", Zone.TRINIDAD, gold=0, demand=Good.SUGAR)
    state.players[ONE].cargo = ("sugar_1", "sugar_2")
    state = choose(port_action(state, ONE, scripted([0])), (ONE, Sell(Good.SUGAR, 2)), (ONE, Done()))
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
    state.players[ONE].track, state.players[ONE].chest = 8, 17
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


# --- Bounties and hunters ---------------------------------------------------------------------------------------------


def test_t5_the_reward_comes_from_one_nation_that_does_not_want_the_winner() -> None:
    """Vector T5, ruling R3."""
    state = table("frances_wright", "felipe_montoya")
    winner, loser = state.players
    winner.bounties, loser.bounties = (0, 1, 0, 0), (1, 3, 0, 0)
    assert head_money(state, winner, loser) == 5
    winner.captain = "blanche_moreau"
    state.war = (Nation.EN, Nation.FR)
    assert head_money(state, winner, loser) == 0


def test_t5_the_reward_is_paid_for_a_sunk_pirate() -> None:
    """Vector T5: 5 gold run."""
    state = table("frances_wright", "isabel_carranza")
    for seat in (ONE, TWO):
        to_sea(state, seat, Zone.TRINIDAD)
    state.players[ONE].bounties, state.players[TWO].bounties = (0, 1, 0, 0), (1, 3, 0, 0)
    state.players[TWO].ship = ship(ShipType.SLOOP, 1, 0, 2, 2, 1)
    state = happen(state, AttackPlayer(ONE, TWO), chance=scripted(dice(5, 5, 1, 1), dice(1)))
    assert events_of(state, GoldGained) == [GoldGained(ONE, 5)]
    assert state.players[TWO].captain is None
    assert events_of(state, GloryPoint) == [GloryPoint(ONE, Feat.PLAYER, 1)]


def test_t6_attacking_and_beating_a_naval_ship_costs_a_bounty_each() -> None:
    """Vector T6, first half."""
    state = table("frances_wright", "felipe_montoya")
    to_sea(state, ONE, Zone.TRINIDAD)
    state.npcs[NpcKind.NAVY_NL - 1] = Npc(NpcKind.NAVY_NL, ("navy_nl_1",), Zone.TRINIDAD)
    state = happen(state, AttackNpc(ONE, NpcKind.NAVY_NL), chance=scripted(dice(1, 1, 1, 1)))
    assert state.players[ONE].bounties == (0, 0, 0, 1)
    finish(state, 0, CombatEnd.SUNK)
    assert state.players[ONE].bounties == (0, 0, 0, 2)


def test_t6_attacking_an_honest_captain_makes_a_pirate_but_shooting_back_does_not() -> None:
    """Vector T6, second half."""
    state = table("frances_wright", "blanche_moreau")
    for seat in (ONE, TWO):
        to_sea(state, seat, Zone.TRINIDAD)
    state = happen(state, AttackPlayer(ONE, TWO), chance=scripted(dice(1, 1, 1, 1, 1)))
    assert [player.bounties for player in state.players] == [(0, 0, 1, 0), (0, 0, 0, 0)]
    # Now the French captain attacks the pirate and stays without bounty.
    state = happen(state, AttackPlayer(TWO, ONE), chance=scripted(dice(1, 1, 1, 1, 1)))
    assert state.players[TWO].bounties == (0, 0, 0, 0)


def hunt(kind: NpcKind, card: str, zone: Zone, wind: Wind, state: State) -> Zone:
    """Where the NPC is after its icon."""
    state.npcs[kind - 1] = Npc(kind, (card,), zone)
    follow_icon(state, kind, wind)
    npc = state.npcs[kind - 1]
    assert npc is not None
    return npc.zone


def test_t7a_a_naval_ship_goes_where_a_pirate_is_even_in_port() -> None:
    """Vector T7 (a)."""
    state = table("mary_hollis", "felipe_montoya")
    to_port(state, ONE, Zone.BRIDGETOWN)
    state.players[ONE].bounties = (1, 0, 0, 0)
    assert hunt(NpcKind.NAVY_NL, "navy_nl_1", Zone.BASSE_TERRE, Wind.N, state) == Zone.BRIDGETOWN


def test_t7b_bounties_of_other_nations_break_the_tie() -> None:
    """Vector T7 (b)."""
    state = table("mary_hollis", "felipe_montoya")
    to_sea(state, ONE, Zone.BASSE_TERRE)
    to_sea(state, TWO, Zone.CARACAS)
    state.players[ONE].bounties = (1, 1, 0, 0)
    state.players[TWO].bounties = (2, 1, 0, 0)
    assert hunt(NpcKind.NAVY_FR, "navy_fr_1", Zone.BASSE_TERRE, Wind.S, state) == Zone.CARACAS


def test_t7c_cargo_breaks_the_tie_of_a_pirate() -> None:
    """Vector T7 (c)."""
    state = table("mary_hollis", "felipe_montoya")
    to_sea(state, ONE, Zone.BASSE_TERRE)
    to_sea(state, TWO, Zone.CARACAS)
    for player in state.players:
        player.gold = 12
    state.players[TWO].cargo = ("rum_1",)
    assert hunt(NpcKind.PIRATE_SLOOP, "pirate_sloop_1", Zone.TRINIDAD, Wind.N, state) == Zone.CARACAS


@pytest.mark.parametrize(
    ("zone", "wind", "target"),
    [
        (Zone.NASSAU, Wind.N, Zone.TORTUGA),
        (Zone.TRINIDAD, Wind.E, Zone.CARACAS),
        (Zone.BRIDGETOWN, Wind.E, Zone.TRINIDAD),
        (Zone.OLD_PROVIDENCE, Wind.S, Zone.PORT_ROYAL),
        (Zone.BASSE_TERRE, Wind.N, Zone.ST_MAARTEN),
        (Zone.BASSE_TERRE, Wind.S, Zone.TRINIDAD),
        (Zone.HAVANA, Wind.W, Zone.NASSAU),
        (Zone.CARIBBEAN_SEA, Wind.W, Zone.PETIT_GOAVE),
    ],
)
def test_t18_drift_takes_the_first_link_clockwise(zone: Zone, wind: Wind, target: Zone) -> None:
    """Vector T18, ruling R2."""
    assert drift(zone, wind) == target


@pytest.mark.parametrize(
    ("bounty", "zone", "pool"),
    [
        (5, Zone.TRINIDAD, 5),
        (5, Zone.SAN_JUAN, 6),
        (5, Zone.CARIBBEAN_SEA, 4),
        (1, Zone.TRINIDAD, 2),
        (1, Zone.SAN_JUAN, 3),
        (1, Zone.CARIBBEAN_SEA, 1),
    ],
)
def test_t24_naval_scouting_follows_the_bounty_and_the_zone(bounty: int, zone: Zone, pool: int) -> None:
    """Vector T24."""
    state = table("mary_hollis", "felipe_montoya")
    to_sea(state, ONE, zone)
    state.players[ONE].bounties = (0, 0, 0, bounty)
    state.npcs[NpcKind.NAVY_NL - 1] = Npc(NpcKind.NAVY_NL, ("navy_nl_2",), zone)
    assert npc_scouting(state, NpcKind.NAVY_NL, state.players[ONE]) == pool


def test_t25_a_pirate_beside_a_naval_ship_does_not_scout() -> None:
    """Vector T25."""
    state = table("mary_hollis", "felipe_montoya")
    to_sea(state, ONE, Zone.TRINIDAD)
    state.npcs[NpcKind.NAVY_EN - 1] = Npc(NpcKind.NAVY_EN, ("navy_en_1",), Zone.TRINIDAD)
    state.npcs[NpcKind.PIRATE_SLOOP - 1] = Npc(NpcKind.PIRATE_SLOOP, ("pirate_sloop_1",), Zone.TRINIDAD)
    assert hunters(state, state.players[ONE]) == []
    state = happen(state, ArriveAtSea(ONE))  # would fail on a missing roll
    assert asked(state).kind == "rest"


# --- Captains, glory, ranks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("chest", "gold", "kept"), [(0, 10, 0), (7, 10, 0), (23, 0, 23)])
def test_t19_a_new_captain_starts_with_gold_only_if_the_chest_is_poor(chest: int, gold: int, kept: int) -> None:
    """Vector T19."""
    state = table("mary_hollis", "felipe_montoya")
    state.players[ONE].chest = chest
    state = happen(state, Die(ONE), NewCaptain(ONE))
    assert options(state, "choose_ship", ONE) == [ChooseShip(ShipType.SLOOP), ChooseShip(ShipType.FLUTE)]
    state = choose(state, (ONE, ChooseShip(ShipType.FLUTE)))
    player = state.players[ONE]
    assert (player.gold, player.chest, len(player.glory)) == (gold, kept, 1)
    assert (player.captain, values(state, ONE)) == ("anneke_de_wit", "3/4/3/1/1")


@pytest.mark.parametrize(
    ("reason", "scores", "points", "ranks"),
    [
        ("ten", [(8, 25), (9, 12), (9, 9)], (10, 10, 9), (2, 1, 3)),
        ("ten", [(9, 12), (9, 18)], (10, 10), (2, 1)),
        ("ten", [(9, 15), (9, 15), (4, 50)], (10, 10, 9), (1, 1, 3)),
        ("events", [(5, 30), (7, 0), (6, 20), (6, 20)], (8, 7, 8, 8), (3, 4, 1, 1)),
    ],
)
def test_t20_ranks(reason: str, scores: list[tuple[int, int]], points: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    """Vector T20, rulings R10 and R33."""
    captains = ("mary_hollis", "felipe_montoya", "henry_thorne", "edward_marsh")
    state = table(*captains[: len(scores)])
    for player, (track, chest) in zip(state.players, scores, strict=True):
        player.track, player.chest = track, chest
    state.ended = reason
    result = state.outcome
    assert result is not None
    assert (result.scores, result.ranks) == (points, ranks)


def test_t28_a_fifth_glory_card_is_given_up_at_once() -> None:
    """Vector T28."""
    state = table("mary_hollis", "felipe_montoya")
    state.players[ONE].glory = ("brace", "pardon", "rally", "sea_fog")
    state.glory.deck.append("inheritance")
    state = happen(state, ScorePoint(ONE, Feat.RAID))
    hand = ["brace", "inheritance", "pardon", "rally", "sea_fog"]
    assert options(state, "discard_glory", ONE) == [DiscardGlory(card) for card in hand]
    state = choose(state, (ONE, DiscardGlory("pardon")))
    assert state.players[ONE].glory == ("brace", "rally", "sea_fog", "inheritance")
    assert state.glory.discard == ["pardon"]


def test_t30_the_game_ends_when_captains_run_out() -> None:
    """Vector T30: one card for two seats without captain."""
    state = table("mary_hollis", "felipe_montoya", "henry_thorne", "edward_marsh")
    state.captains = ["thomas_keene"]
    state = happen(state, Die(THREE), Die(FOUR))
    assert ended(state).reason == "captains"


def test_t30_one_death_too_few_goes_on() -> None:
    """The other side of vector T30: as many captains as seats without one are enough."""
    state = table("mary_hollis", "felipe_montoya", "henry_thorne", "edward_marsh")
    state.captains = ["thomas_keene"]
    assert asked(happen(state, Die(THREE))).kind == "rest"
