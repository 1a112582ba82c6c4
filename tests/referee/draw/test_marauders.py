"""What the board of Marauders shows of tables laid by hand, and over whole games."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import Any

import pytest

from referee.draw import DRAWINGS, Scene, Shape, ViewedTable, pieces
from referee.draw.marauders.chart import PLACES, SHORT
from referee.games.marauders.actions.combat import Declare
from referee.games.marauders.data.board import LINKS, ZONES
from referee.games.marauders.data.quests import MISSIONS
from referee.games.marauders.events.raid import RaidEnded
from referee.games.marauders.events.round import DiceRolled
from referee.games.marauders.state import Raid, State, Turn
from referee.games.marauders.terms import (
    Modification,
    Nation,
    NpcKind,
    RaidEnd,
    Roll,
    ShipType,
    Side,
    Stance,
    Wind,
    Zone,
)
from referee.rules.engine import Seat
from support import pictures
from support.marauders import (
    ONE,
    TWO,
    broadside,
    calm,
    change_player,
    choose,
    dice,
    duel,
    fight,
    port_action,
    ship,
    table,
    to_port,
    to_sea,
    turn,
    with_npc,
)
from support.pictures import by_id, is_hollow, position, readable, span
from support.play import start, wander
from support.spectators import match_terms

GAME = "marauders"
CAPTAINS = ("mary_hollis", "felipe_montoya", "frances_wright", "anneke_de_wit")
DRAWING = DRAWINGS[GAME]


def draw(state: State, **how: Any) -> Scene:
    """The picture of a state with all its seats."""
    return pictures.draw(GAME, state, seats=len(state.players), **how)


def look(state: State, **how: Any) -> dict[str, Shape]:
    """The shapes of that picture by their ids."""
    return by_id(draw(state, **how))


# --- The chart ----------------------------------------------------------------------------------------------------


def test_the_chart_lies_as_the_compass_says() -> None:
    """Who lies to the east is drawn further right, who lies to the south further down."""
    east, south = {Wind.NE, Wind.E, Wind.SE}, {Wind.SE, Wind.S, Wind.SW}
    for zone, links in LINKS.items():
        for wind, other in links.items():
            (x, y), (to_x, to_y) = PLACES[zone], PLACES[other]
            assert wind not in east or to_x > x, (zone, wind, other)
            assert wind not in south or to_y > y, (zone, wind, other)


def test_every_zone_has_its_name_flag_and_demand() -> None:
    state = calm()
    shapes = look(state)
    for zone, row in ZONES.items():
        assert shapes[f"name-{zone.id}"].text == SHORT.get(zone, row.title)
        demand = state.demand[zone - 1]
        assert (f"wants-{zone.id}" in shapes) == (demand is not None)
        if demand is not None and row.nation is not None:
            assert shapes[f"wants-{zone.id}"].text == demand.id
            assert shapes[f"flag-{zone.id}"].title == {
                Nation.EN: "an English port", Nation.ES: "a Spanish port",
                Nation.FR: "a French port", Nation.NL: "a Dutch port",
            }[row.nation]  # fmt: skip


def test_flags_differ_by_pattern() -> None:
    assert len({pieces.flag(nation, 24, 16) for nation in ("EN", "ES", "FR", "NL", "")}) == 5


@pytest.mark.parametrize("zone", list(Zone))
def test_ships_of_one_zone_do_not_cover_each_other(zone: Zone) -> None:
    state = table(*CAPTAINS)
    for seat in range(4):
        to_sea(state, Seat(seat), zone)
    with_npc(state, NpcKind.NAVY_ES, zone, "navy_es_1")
    with_npc(state, NpcKind.PIRATE_SLOOP, zone, "pirate_sloop_1")
    shapes = look(state)
    names = [*(f"ship{seat}" for seat in range(4)), "npc-navy_es", "npc-pirate_sloop"]
    for (_, right), (left, _) in pairwise(sorted(span(shapes[id]) for id in names)):
        assert right <= left + 1
    assert len({shapes[f"ship{seat}-sign"].path for seat in range(4)}) == 4


def test_a_ship_in_port_lies_at_the_land() -> None:
    state = calm()
    to_sea(state, ONE, Zone.HAVANA)
    to_port(state, TWO, Zone.HAVANA)
    shapes = look(state)
    assert shapes["ship0"].y > shapes["ship1"].y > shapes["land-havana"].y
    assert (shapes["ship0"].title, shapes["ship1"].title) == ("ann, off Havana", "ben, in Havana")


def test_tokens_lie_at_their_ports() -> None:
    state = calm()
    state.merchants = (Nation.ES, *state.merchants[1:])
    state.open_missions = (next(iter(MISSIONS)),)
    state = port_action(state, ONE)
    shapes = look(state)
    assert "merchant-havana" in shapes
    assert "merchant-nassau" not in shapes
    assert "Spanish" not in shapes["merchant-havana"].title, "nobody knows its flag yet"
    home = state.players[ONE].zone
    assert home is not None
    assert "shipyard has" in shapes[f"mod-{home.id}"].title, "a visit turns the token up"
    assert shapes["mod-havana"].title == "a modification, face down"
    mission = shapes[f"mission-{state.open_missions[0]}"]
    assert abs(mission.x - PLACES[MISSIONS[state.open_missions[0]].port][0]) < 70


def test_storm_plague_war_and_marque_are_seen() -> None:
    state = calm()
    assert not [id for id in look(state) if id.startswith(("storm", "closed-", "war"))]
    state.event, state.closed, state.war = "storm_1", (Zone.CARACAS,), (Nation.EN, Nation.ES)
    shapes = look(state)
    assert "storm0" in shapes
    assert shapes["event"].text == "Round 1: Storm"
    assert "warn" in shapes["closed-caracas"].classes
    assert shapes["war0"].title == "war: English and Spanish"
    state.war, state.marque = None, (Nation.FR, Nation.NL)
    assert look(state)["war1"].title == "marque: French and Dutch"


# --- The inset ----------------------------------------------------------------------------------------------------


def test_a_combat_shows_both_ships_and_their_dice() -> None:
    state = fight(duel(), dice(1, 1, 1, 1, 1, 1))
    state = choose(state, (ONE, Declare(Stance.SHOOT)))
    scene = draw(state)
    shapes = by_id(scene)
    assert (shapes["side0"].text, shapes["side1"].text) == ("ann", "ben")
    assert shapes["duel"].text == "round 2"
    assert shapes["side0-ship"].text == "Sloop shoots"
    assert shapes["side1-ship"].text == "Sloop"
    assert shapes["side0-hull"].path.count("M") == 2
    assert "combat: ann against ben" in scene.label
    assert {id for id in shapes if id.startswith("die0-")}


def test_a_volley_marks_what_it_hits() -> None:
    state = duel()
    for seat in (ONE, TWO):
        change_player(state, seat, ship=ship(ShipType.FRIGATE))
    state = broadside(state, 2, 5, 3)
    shapes = look(state)
    assert {"hit1-0", "hit1-1"} <= shapes.keys(), "masts and crew; the skull is still to be assigned"
    assert "hit0-0" not in shapes
    assert shapes["hit1-0"].y == shapes["side1-masts"].y


def test_a_combat_with_the_navy_shows_its_flag() -> None:
    state = calm()
    to_sea(state, ONE, Zone.HAVANA)
    with_npc(state, NpcKind.NAVY_ES, Zone.HAVANA, "navy_es_1")
    shapes = look(state)
    assert "Spanish navy" in shapes["npc-navy_es"].title
    assert shapes["npc-navy_es"].path == pieces.flagship("ES", 27)


def test_a_raid_lays_its_cards_on_the_table() -> None:
    state = calm()
    to_sea(state, ONE, Zone.HAVANA)
    state.turn = Turn(ONE, 2, 0)
    state.raid = Raid(Nation.FR, table=("rum_1", "spice_4"), dice=(5, 2), free=0)
    scene = draw(state)
    shapes = by_id(scene)
    assert [shapes[f"table{place}-good"].text for place in range(2)] == ["rum", "spice"]
    assert [shapes[f"table{place}-loot"].text for place in range(2)] == ["1", "3"]
    assert [shapes[f"table{place}-icon"].title for place in range(2)] == ["escapes", "hits masts"]
    assert shapes["found"].title == "a French merchant"
    assert shapes["die0-0"].path == pieces.die(5, 24, counts=True, skulls=True)
    assert shapes["die0-1"].path == pieces.die(2, 24, counts=False, skulls=True)
    assert re.search("raid.*ann.*French", scene.label)


def test_the_port_in_use_is_marked_and_enlarged() -> None:
    state = port_action(calm(), ONE)
    shapes = look(state)
    home = state.players[ONE].zone
    assert home is not None
    assert shapes["active"].x == PLACES[home][0]
    assert shapes["turn"].text == f"ann in {ZONES[home].title}"
    demand = state.demand[home - 1]
    assert demand is not None
    assert f"wants {demand.id}" in shapes["line0"].text
    assert span(shapes["port-flag"])[1] - span(shapes["port-flag"])[0] > 40


def test_the_last_roll_and_the_last_news_are_told() -> None:
    state = turn(calm(), ONE)
    to_sea(state, ONE, Zone.HAVANA)
    shapes = look(state, events=[DiceRolled(Side(ONE), Roll.SCOUTING, (6, 1)), RaidEnded(ONE, RaidEnd.SUCCESS, 9)])
    assert shapes["roll"].text == "Scouting"
    assert shapes["die0-0"].path == pieces.die(6, 24, counts=True, skulls=True)
    assert shapes["line0"].text == "the raid brings 9 gold"
    assert "nobody in sight" in look(state)["line0"].text


# --- The sheets ---------------------------------------------------------------------------------------------------


def test_a_sheet_shows_ship_damage_bounties_and_glory() -> None:
    state = calm()
    built = (Modification.RIGGING,)
    change_player(
        state, ONE, ship=ship(ShipType.FRIGATE, 3, 1, 0, 3, 2, mods=built), bounties=(2, 0, 0, 1), track=4,
    )  # fmt: skip
    shapes = look(state)
    assert shapes["captain0"].text == "Mary Hollis"
    assert shapes["where0"].text.startswith("Frigate in ")
    assert shapes["value0-cargo"].path.count("M") == 1
    assert shapes["damage0-cargo"].path.count("M") == 2
    assert is_hollow(shapes["damage0-cargo"])
    assert "value0-masts" not in shapes
    assert "warn" in shapes["section0-masts"].classes
    assert (shapes["bounty0-EN-count"].text, shapes["bounty0-NL-count"].text) == ("2", "1")
    assert "bounty0-ES" not in shapes
    assert shapes["bounty1"].text == "not wanted"
    assert shapes["glory0"].text == "4"
    assert shapes["glory-done0"].path.count("M") == 4
    assert shapes["glory-left0"].path.count("M") == 6
    assert shapes["built0"].title == "rigging"


def test_what_only_a_seat_knows_is_drawn_from_its_own_eyes() -> None:
    state = calm()
    change_player(state, ONE, gold=17, chest=23, cargo=("rum_1", "rum_2", "indigo_3"))
    change_player(state, ONE, glory=("lucky_star",), rumor="buried_chest")
    shut = look(state)
    assert (shut["cargo0-count"].text, shut["hand0-count"].text) == ("3", "1")
    assert "rumor0" in shut
    for secret in ("17", "23", "2 rum", "lucky star", "buried chest"):
        assert secret not in readable(shut)
    mine = look(state, eyes=[0])
    assert mine["purse0"].text.startswith("17 gold, chest 23, 2 rum")
    assert mine["faces0"].title.split(", ") == ["lucky star", "rumor buried chest"]
    assert "17 gold" not in readable(look(state, eyes=[1]))


def test_a_seat_s_position_alone_opens_no_hand() -> None:
    """Secrets come from `hands`, whoever the Position was sent to."""
    state = calm()
    change_player(state, ONE, gold=17, glory=("lucky_star",))
    shown = DRAWING.draw(ViewedTable(position=position(GAME, state, ONE), names=pictures.NAMES[:2]))
    assert "17" not in readable(by_id(shown))
    assert "lucky star" not in readable(by_id(shown))


def test_a_dead_captain_leaves_an_empty_sheet() -> None:
    state = calm()
    change_player(state, TWO, captain=None, ship=None, zone=None)
    shapes = look(state)
    assert shapes["captain1"].text == "no captain"
    assert "ship1" not in shapes
    assert not [id for id in shapes if id.startswith(("value1", "where1", "bounty1"))]


def test_specialists_and_open_missions_of_three() -> None:
    state = table(*CAPTAINS[:3])
    state.open_missions = tuple(MISSIONS)[:2]
    shapes = look(state)
    assert shapes["office0"].text == "Open missions"
    assert shapes["office1"].title.endswith(ZONES[next(iter(MISSIONS.values())).port].title)
    assert "office0" not in look(calm())


def test_heading_label_and_scores() -> None:
    state = turn(calm(), ONE)
    change_player(state, TWO, track=8, chest=25, declared=True)
    shown = position(GAME, state)
    assert DRAWING.heading(shown).split(", ") == ["Round 1", "Fadrique de Toledo"]
    assert DRAWING.scores(shown) == (0, 10), "the chest counts once it is declared"
    assert draw(state).label.startswith(DRAWING.heading(shown))
    for fact in ("ann's turn", "ann in Old Providence", "ben in Havana", "glory: ann 0, ben 10 of 10"):
        assert fact in draw(state).label


def test_things_keep_their_ids_over_a_whole_game() -> None:
    """Each zone and sheet is in every scene; a ship that is at sea or in port has the same id wherever it is."""
    terms = match_terms(GAME)
    course = start(terms.game, 3, terms.variant, "one thing, one id")
    always = {f"{thing}{seat}" for thing in ("sheet", "who", "bot", "glory") for seat in range(3)}
    always |= {f"name-{zone.id}" for zone in Zone}
    places: dict[str, set[tuple[float, float]]] = {}
    for turn_number, _ in enumerate(wander(course, random.Random(5))):
        if turn_number % 3:
            continue
        shapes = look(course.state)
        assert always <= shapes.keys()
        for seat, player in enumerate(course.state.players):
            assert (f"ship{seat}" in shapes) == (player.ship is not None and course.state.round > 0)
        for id in (*always, *(id for id in shapes if id in ("ship0", "ship1", "ship2"))):
            places.setdefault(id, set()).add((shapes[id].x, shapes[id].y))
    assert all(len(places[f"ship{seat}"]) > 2 for seat in range(3))
    assert all(len(places[id]) == 1 for id in always - {f"glory{seat}" for seat in range(3)})
