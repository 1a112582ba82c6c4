"""What the board of Pirate's Cove shows of tables laid by hand, and over whole games."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from referee.draw import DRAWINGS, Scene, Shape, ViewedTable, pieces
from referee.draw.scene import SEAT_SIGNS
from referee.games.pirates_cove.data import CARDS, PLACE_NAMES
from referee.games.pirates_cove.events import CombatBegan, VolleyFired
from referee.games.pirates_cove.state import Freebooter, Navy, State, TreasureMap
from referee.games.pirates_cove.terms import COVE, Captain, Card, Phase, Section
from support import pictures
from support.pictures import by_id, is_hollow, position, readable, span
from support.pirates_cove import S0, S1, S2, dice, fight, fire, port, ship, table, treasure
from support.play import start, wander
from support.spectators import match_terms

GAME = "pirates_cove"
DRAWING = DRAWINGS[GAME]


def draw(state: State, **how: Any) -> Scene:
    """The picture of a state with all its seats."""
    return pictures.draw(GAME, state, seats=len(state.ships), **how)


def look(state: State, **how: Any) -> dict[str, Shape]:
    """The shapes of that picture by their ids."""
    return by_id(draw(state, **how))


@pytest.mark.parametrize("place", range(1, 8))
def test_a_ship_lies_below_the_land_of_its_place(place: int) -> None:
    shapes = look(table(ship(place=place), ship(place=place)))
    land = shapes[f"land{place}"]
    for seat in range(2):
        found = shapes[f"ship{seat}"]
        assert abs(found.x - land.x) < 60
        assert 0 < found.y - land.y < 100
        assert PLACE_NAMES[place] in found.title


@pytest.mark.parametrize("place", range(8))
def test_ships_of_one_place_do_not_cover_each_other(place: int) -> None:
    navy = Navy(place, S1) if 1 <= place <= 5 else None
    shapes = look(table(*(ship(place=place) for _ in range(5)), navy=navy))
    row = sorted(span(shape) for id, shape in shapes.items() if id in {*(f"ship{seat}" for seat in range(5)), "navy"})
    assert len(row) == 5 + (navy is not None)
    for (_, right), (left, _) in pairwise(row):
        assert right <= left + 4, "a little of the hull at most"


def test_seats_differ_by_sign_as_well_as_by_colour() -> None:
    shapes = look(table(*(ship(place=1) for _ in SEAT_SIGNS)))
    signs = [shapes[f"ship{seat}-sign"] for seat in range(5)]
    assert len({sign.path for sign in signs}) == 5
    assert all(f"seat{seat}" in shapes[f"ship{seat}"].classes for seat in range(5))


def test_an_island_shows_what_its_treasure_gives() -> None:
    face_up = (
        treasure(2, 2, 2, 1),
        treasure(4, 0, 0, 1),
        treasure(0, 9, 2, 0),
        treasure(3, 5, 0, 0),
        treasure(1, 4, 4, 0),
    )
    shapes = look(table(ship(place=1), ship(place=1), face_up=face_up))
    assert [shapes[f"loot1-{kind}-count"].text for kind in ("fame", "gold", "chests", "cards")] == ["2", "2", "2", "1"]
    assert "loot2-gold" not in shapes, "what a card does not give is not drawn"
    assert shapes["loot3-gold-count"].text == "9"
    assert not [id for id in look(table(ship(), ship(), face_up=())) if id.startswith("loot")]


def test_the_month_and_the_start_of_the_next_are_seen() -> None:
    shapes = look(table(ship(place=1), ship(place=2), month=5))
    assert shapes["now-number"].text == "5"
    assert "muted" in shapes["month4"].classes
    assert "muted" not in shapes["month6"].classes


def test_fame_is_drawn_on_one_scale() -> None:
    shapes = look(table(ship(place=1, fame=10), ship(place=1, fame=20), ship(place=2)))
    short, long = (span(shapes[f"fame{seat}"]) for seat in range(2))
    assert long[1] - long[0] == pytest.approx(2 * (short[1] - short[0]), abs=0.5)
    assert short[0] == long[0]
    assert "fame2" not in shapes
    assert [shapes[f"fame-count{seat}"].text for seat in range(3)] == ["10", "20", "0"]


def test_a_panel_shows_levels_gold_and_chests() -> None:
    shapes = look(table(ship((3, 0, 7, -1), place=1, gold=8, chests=4), ship(place=2)))
    assert shapes["gold-count0"].text == "8"
    assert shapes["chests-count0"].text == "4"
    assert shapes["level0-hull"].path.count("M") == 3
    assert shapes["room0-hull"].path.count("M") == 4
    assert "level0-sails" not in shapes
    assert "room0-cannons" not in shapes
    assert "warn" in shapes["section0-crew"].classes
    assert shapes["section0-crew"].title == "crew destroyed"
    assert "warn" not in shapes["section0-sails"].classes


def test_who_takes_hits_sits_at_its_section_and_is_hollow_when_hurt() -> None:
    whole = ship(place=1, parrot=Card.SILVER, artisan=Section.HULL)
    hurt = ship(place=1, parrot=Card.SILVER, parrot_wounded=True, artisan=Section.HULL, artisan_damaged=True)
    shapes = look(table(whole, hurt))
    assert 0 < shapes["parrot0"].x - shapes["section0-cannons"].x < 172
    assert 0 < shapes["artisan0"].x - shapes["section0-hull"].x < 172
    assert not is_hollow(shapes["parrot0"])
    assert is_hollow(shapes["parrot1"])
    assert is_hollow(shapes["artisan1"])


def test_hands_have_faces_only_for_those_who_may_see_them() -> None:
    state = table(ship((1, 1, 1, 1), Card.SMOKE, Card.FAME2, place=1), ship((1, 1, 1, 1), Card.GRAPPLE, place=2))
    shut = look(state)
    assert shut["hand0"].text == "2 cards"
    assert {"card0-0", "card0-1", "card1-0"} <= shut.keys()
    assert "back" in shut["card0-0"].classes
    for card in (Card.SMOKE, Card.FAME2, Card.GRAPPLE):
        assert CARDS[card].name not in readable(shut)
    mine = look(state, eyes=[0])
    assert mine["face0-smoke"].text == "Smoke"
    assert mine["face0-fame2"].text == "Fame 2"
    assert "Grapple" not in readable(mine)
    assert look(state, eyes=[0, 1])["face1-grapple"].text == "Grapple"


def test_a_seat_s_position_alone_opens_no_hand() -> None:
    """Faces come from `hands`, whoever the Position was sent to."""
    state = table(ship((1, 1, 1, 1), Card.SMOKE, place=1), ship(place=2))
    shown = DRAWING.draw(ViewedTable(position=position(GAME, state, S0), names=pictures.NAMES[:2]))
    assert "Smoke" not in readable(by_id(shown))


def test_a_large_hand_is_counted_not_squeezed() -> None:
    hand = [card for card in Card if card not in (Card.FLINT, Card.SILVER, Card.BONES, Card.TRELAWNEY)]
    shapes = look(table(ship((1, 1, 1, 1), *hand, Card.FAME1, place=1), ship(place=2)), eyes=[0])
    shown = sum(id.startswith("face0-") for id in shapes)
    assert shapes["hand0"].text == f"+{len(hand) + 1 - shown}"


def test_a_fight_shows_two_ships_and_their_dice() -> None:
    play = fight(table(ship((1, 3, 3, 3)), ship((5, 1, 1, 1)), draws=dice(6, 5, 1)), 2).do(S0, fire(S1))
    volley = play.of(VolleyFired)[0]
    scene = draw(play.state, events=[volley])
    shapes = by_id(scene)
    assert {"duel-0", "duel-1"} <= shapes.keys()
    rolled = [shapes[f"die0-{place}"] for place in range(len(volley.dice))]
    assert [die.path == pieces.die(face, 26, counts=counts) for die, face, counts in
            zip(rolled, (6, 5, 1), (True, True, False), strict=True)] == [True] * 3  # fmt: skip
    assert all("seat0" in die.classes for die in rolled)
    assert shapes["fight-news"].text == "2 hits on hull"
    assert shapes["in-use"].x == shapes["land2"].x
    assert "fight at Hull Island" in scene.label
    assert "between ann and ben" in scene.label


def test_the_last_volley_of_a_fight_is_seen_when_the_fight_is_over() -> None:
    play = fight(table(ship((1, 3, 3, 3)), ship(), draws=dice(6, 5, 1, 3)), 2).do(S0, fire(S1))
    assert play.state.combat is None, "ben's hull is destroyed"
    shapes = look(play.state, events=play.events)
    assert shapes["fight-title"].text == "Hull Island, over"
    assert {"duel-0", "duel-1", "die0-0", "die0-2"} <= shapes.keys()
    assert shapes["duel-1-state"].text == "left"
    assert "fight" not in look(play.state), "the next scene is without it"


def test_a_volley_of_another_fight_is_not_drawn_in_this_one() -> None:
    play = fight(table(ship((1, 3, 3, 3)), ship((5, 1, 1, 1)), draws=dice(6, 5, 1)), 2).do(S0, fire(S1))
    volley = play.of(VolleyFired)[0]
    began = CombatBegan(2, (S0, S1), ())
    assert "die0-0" in look(play.state, events=[began, volley])
    assert "die0-0" not in look(play.state, events=[volley, began])


def test_a_fight_with_a_legend_shows_its_hull() -> None:
    state = table(ship((3, 3, 7, 7)), ship(place=6), black={2: Captain.HOOK}, draws=dice(6, 6, 1, 1, 1, 1, 1, 1, 1))
    play = fight(state, 2)
    shapes = look(play.state)
    assert shapes["duel-hook-state"].text == "Captain Hook"
    assert shapes["duel-hook-hull"].path.count("M") == 5
    assert "duel-hook-hull-lost" not in shapes
    assert shapes["black0-name"].text == "Captain Hook"


def test_a_third_ship_in_a_fight_is_named() -> None:
    play = fight(table(ship((1, 3, 3, 3)), ship((1, 2, 1, 1)), ship()), 4)
    shapes = look(play.state)
    assert len([id for id in shapes if id.startswith("also-")]) == 1


def test_the_marks_of_a_month() -> None:
    state = table(
        ship(place=1), ship(place=2), ship(place=3),
        freebooter=Freebooter(S0, S2), treasure_map=TreasureMap(S1, 4, 2), navy=Navy(5, S2), lookout=S1,
    )  # fmt: skip
    shapes = look(state)
    assert shapes["marks0"].text == "shares with cid"
    assert shapes["marks1"].text == "Treasure Map"
    assert "seat1" in shapes["map"].classes
    assert abs(shapes["map"].x - shapes["land4"].x) < 110
    assert abs(shapes["navy"].x - shapes["land5"].x) < 60
    assert "seat2" in shapes["navy-sign"].classes
    assert "ben sails first" in shapes["news"].text


def test_a_visit_marks_its_place() -> None:
    play = port(table(ship(gold=9), ship(place=6, gold=9), phase=Phase.PORT), COVE)
    shapes = look(play.state)
    assert (shapes["in-use"].x, shapes["in-use"].y) == (shapes["land7"].x, shapes["land7"].y)
    assert "ann is in port" in shapes["news"].text
    assert "seat0" in shapes["panel0"].classes
    assert "seat1" not in shapes["panel1"].classes


def test_heading_label_and_scores() -> None:
    state = table(ship(place=1, fame=3), ship(place=6, fame=9), month=4, phase=Phase.NAVIGATION)
    shown = position(GAME, state)
    assert DRAWING.heading(shown) == "Month 4, navigation"
    assert DRAWING.scores(shown) == (3, 9)
    for fact in ("Month 4, navigation", "ann at Tavern Island", "ben at Treasure Island", "ben leads with 9 fame"):
        assert fact in draw(state).label
    state.scores = (12, 9)
    assert DRAWING.scores(position(GAME, state)) == (12, 9), "Fame cards count once they are scored"


def test_things_keep_their_ids_over_a_whole_game() -> None:
    """Each ship, panel and island is in every scene; only its place changes."""
    terms = match_terms(GAME)
    course = start(terms.game, 3, terms.variant, "one thing, one id")
    always = {f"{thing}{seat}" for thing in ("ship", "panel", "who", "bot", "gold-count") for seat in range(3)}
    always |= {f"land{place}" for place in range(1, 8)} | {"black0", "black1"}
    places: dict[str, set[tuple[float, float]]] = {}
    for _ in wander(course, random.Random(3)):
        shapes = look(course.state)
        assert always <= shapes.keys()
        for id in always:
            places.setdefault(id, set()).add((shapes[id].x, shapes[id].y))
    assert all(len(places[f"ship{seat}"]) > 3 for seat in range(3))
    assert all(len(places[f"panel{seat}"]) == 1 for seat in range(3))
