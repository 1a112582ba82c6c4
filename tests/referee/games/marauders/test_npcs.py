"""NPCs: hunters, returns, war admirals, texts of events (6.2 to 6.4, 6.13, R19); vectors T7, T18, T24 and T25."""

from __future__ import annotations

import pytest

from referee.games.marauders.actions.cards import Decline, PlayGlory
from referee.games.marauders.cards.event_texts import Convoy, Markets, Marque, Peace, Plague, War
from referee.games.marauders.events.combat import CombatBegan
from referee.games.marauders.events.round import NpcEntered
from referee.games.marauders.rules.event_texts import resolve
from referee.games.marauders.rules.fighting.hunting import ArriveAtSea, hunters, npc_scouting
from referee.games.marauders.rules.fighting.npcs import (
    RemoveNpc,
    bring_back,
    drift,
    enter_admirals,
    enter_card,
    follow_icon,
)
from referee.games.marauders.state import Npc, State
from referee.games.marauders.terms import (
    Nation,
    NpcKind,
    ShipType,
    Side,
    Wind,
    Zone,
)
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
    options,
    scripted,
    table,
    to_port,
    to_sea,
    with_npc,
)


def test_men_o_war_beside_each_other_do_not_scout() -> None:
    """6.4."""
    state = calm()
    state.war = (Nation.EN, Nation.FR)
    change_player(state, ONE, bounties=(0, 1, 0, 0))
    to_sea(state, ONE, Zone.TRINIDAD)
    with_npc(state, NpcKind.NAVY_EN, Zone.TRINIDAD, "navy_en_1")
    with_npc(state, NpcKind.NAVY_FR, Zone.TRINIDAD, "navy_fr_1")
    with_npc(state, NpcKind.NAVY_ES, Zone.TRINIDAD, "navy_es_1")
    assert state.npc_ship_type(NpcKind.NAVY_EN) == ShipType.MAN_O_WAR
    assert hunters(state, state.players[ONE]) == [NpcKind.NAVY_ES]


def test_r19_all_hunters_roll_first_and_sea_fog_evades_one() -> None:
    """Ruling R19, `EVADE`."""
    state = calm()
    change_player(state, ONE, bounties=(0, 1, 0, 0), glory=("sea_fog",))
    to_sea(state, ONE, Zone.TRINIDAD)
    with_npc(state, NpcKind.NAVY_EN, Zone.TRINIDAD, "navy_en_1")
    with_npc(state, NpcKind.NAVY_ES, Zone.TRINIDAD, "navy_es_1")
    chance = scripted(dice(5, 1), dice(5, 1, 1), dice(1, 1, 1, 1, 1), orders=[[1, 0]])
    state = happen(state, ArriveAtSea(ONE), chance=chance)
    assert options(state, "w_scouted", ONE) == [Decline(), PlayGlory("sea_fog")]
    state = choose(state, (ONE, PlayGlory("sea_fog")))
    assert events_of(state, CombatBegan) == [CombatBegan(Side(npc=NpcKind.NAVY_EN), Side(ONE))]


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
    assert events_of(state, NpcEntered) == [NpcEntered(NpcKind.NAVY_NL, None, Zone.CURACAO)]
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
    state.merchant_track = (Nation.ES, Nation.FR)
    state.chance = scripted()
    resolve(state, Convoy())
    assert state.merchants[:3] == (Nation.FR, Nation.ES, None)
    assert not state.merchant_track
    state.chance = scripted([3, 0])
    resolve(state, Marque())
    assert state.marque == (Nation.NL, Nation.EN)


def hunt(kind: NpcKind, card: str, zone: Zone, wind: Wind, state: State) -> Zone:
    """Where the NPC is after its icon."""
    with_npc(state, kind, zone, card)
    follow_icon(state, kind, wind)
    npc = state.npcs[kind - 1]
    assert npc is not None
    return npc.zone


def test_t7a_a_naval_ship_goes_where_a_pirate_is_even_in_port() -> None:
    """Vector T7 (a)."""
    state = table("mary_hollis", "felipe_montoya")
    to_port(state, ONE, Zone.BRIDGETOWN)
    change_player(state, ONE, bounties=(1, 0, 0, 0))
    assert hunt(NpcKind.NAVY_NL, "navy_nl_1", Zone.BASSE_TERRE, Wind.N, state) == Zone.BRIDGETOWN


def test_t7b_bounties_of_other_nations_break_the_tie() -> None:
    """Vector T7 (b)."""
    state = table("mary_hollis", "felipe_montoya")
    to_sea(state, ONE, Zone.BASSE_TERRE)
    to_sea(state, TWO, Zone.CARACAS)
    change_player(state, ONE, bounties=(1, 1, 0, 0))
    change_player(state, TWO, bounties=(2, 1, 0, 0))
    assert hunt(NpcKind.NAVY_FR, "navy_fr_1", Zone.BASSE_TERRE, Wind.S, state) == Zone.CARACAS


def test_t7c_cargo_breaks_the_tie_of_a_pirate() -> None:
    """Vector T7 (c)."""
    state = table("mary_hollis", "felipe_montoya")
    to_sea(state, ONE, Zone.BASSE_TERRE)
    to_sea(state, TWO, Zone.CARACAS)
    for seat in (ONE, TWO):
        change_player(state, seat, gold=12)
    change_player(state, TWO, cargo=("rum_1",))
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
    change_player(state, ONE, bounties=(0, 0, 0, bounty))
    with_npc(state, NpcKind.NAVY_NL, zone, "navy_nl_2")
    assert npc_scouting(state, NpcKind.NAVY_NL, state.players[ONE]) == pool


def test_t25_a_pirate_beside_a_naval_ship_does_not_scout() -> None:
    """Vector T25."""
    state = table("mary_hollis", "felipe_montoya")
    to_sea(state, ONE, Zone.TRINIDAD)
    with_npc(state, NpcKind.NAVY_EN, Zone.TRINIDAD, "navy_en_1")
    with_npc(state, NpcKind.PIRATE_SLOOP, Zone.TRINIDAD, "pirate_sloop_1")
    assert hunters(state, state.players[ONE]) == []
    state = happen(state, ArriveAtSea(ONE))  # would fail on a missing roll
    assert asked(state).kind == "rest"
