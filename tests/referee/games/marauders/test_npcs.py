"""NPCs: hunters, returns, war admirals, and the texts of events (6.2 to 6.4, 6.13, R19)."""

from __future__ import annotations

from referee.games.marauders.actions.cards import Decline, PlayGlory
from referee.games.marauders.cards.event_texts import Convoy, Markets, Marque, Peace, Plague, War
from referee.games.marauders.events.combat import CombatBegan
from referee.games.marauders.events.round import NpcEntered
from referee.games.marauders.rules.event_texts import resolve
from referee.games.marauders.rules.hunting import ArriveAtSea, hunters
from referee.games.marauders.rules.npcs import RemoveNpc, bring_back, enter_admirals, enter_card
from referee.games.marauders.state import Npc
from referee.games.marauders.terms import (
    Nation,
    NpcKind,
    ShipType,
    Side,
    Zone,
)
from support.marauders import (
    ONE,
    calm,
    choose,
    dice,
    events_of,
    happen,
    options,
    scripted,
    to_sea,
    with_npc,
)


def test_men_o_war_beside_each_other_do_not_scout() -> None:
    """6.4."""
    state = calm()
    state.war = (Nation.EN, Nation.FR)
    state.players[ONE].bounties = (0, 1, 0, 0)
    to_sea(state, ONE, Zone.TRINIDAD)
    with_npc(state, NpcKind.NAVY_EN, Zone.TRINIDAD, "navy_en_1")
    with_npc(state, NpcKind.NAVY_FR, Zone.TRINIDAD, "navy_fr_1")
    with_npc(state, NpcKind.NAVY_ES, Zone.TRINIDAD, "navy_es_1")
    assert state.npc_ship_type(NpcKind.NAVY_EN) == ShipType.MAN_O_WAR
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
    state.merchant_track = [Nation.ES, Nation.FR]
    state.chance = scripted()
    resolve(state, Convoy())
    assert (state.merchants[:3], state.merchant_track) == ([Nation.FR, Nation.ES, None], [])
    state.chance = scripted([3, 0])
    resolve(state, Marque())
    assert state.marque == (Nation.NL, Nation.EN)
