"""What the board of Broadsides shows: ships, arcs, damage, cards, crews, and nothing that its viewer does not know."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from referee.draw import DRAWINGS, Shape, ViewedTable
from referee.draw.broadsides.boarding import decks_alongside
from referee.draw.broadsides.chart import SEA_HEIGHT, SEA_LEFT, SEA_TOP, SEA_WIDTH, grid_of
from referee.draw.broadsides.voyage import last_shots, point_of, track_of
from referee.games.broadsides.events import ShipDrifted, ShipSailed
from referee.games.broadsides.rules.contact import crossings
from referee.games.broadsides.terms import HullSection, Mast, Side
from referee.rules.course import Course
from referee.rules.engine import SPECTATOR
from support import sizes
from support.broadsides import (
    BLACK,
    WHITE,
    alongside,
    at_sea,
    bombard,
    change_ship,
    dice,
    fell_mast,
    mark_hull,
    new_state,
    sail,
    station,
)
from support.paths import corners
from support.pictures import Kinds, by_id, check_kinds, draw, is_hollow, look, message, position
from support.play import start, wander
from support.spectators import match_terms
from tortuga.v1.broadsides_pb2 import Broadsides as Pb

GAME = "broadsides"
MAPS = ("cays", "ring", "open", "archipelago")
GAMES_PLAYED = sizes.pick(quick=2, ci=8, full=40)


def played(map_name: str = "cays") -> Iterator[tuple[Course, Any]]:
    """Whole games by dice: the course and the spectator's Position of every moment."""
    terms = match_terms(GAME, (("map", map_name),))
    for number in range(GAMES_PLAYED):
        course = start(terms.game, 2, terms.variant, f"board {number}")
        for _ in wander(course, random.Random(f"{map_name} {number}")):
            yield course, message(GAME, course.view(SPECTATOR), course.events)
        yield course, message(GAME, course.view(SPECTATOR), course.events)


# --- The chart -------------------------------------------------------------------------------------------


def test_ships_lie_on_their_points_and_head_where_their_bows_point() -> None:
    state = at_sea([((2, 3), 1), ((7, 9), 6)])
    shapes, grid = look(GAME, state), grid_of(position(GAME, state).observation.chart)
    for seat, point, turn in ((0, (2, 3), 45), (1, (7, 9), 270)):
        ship = shapes[f"ship{seat}"]
        assert (ship.x, ship.y) == grid.at(point)
        assert ship.turn == turn
        assert shapes[f"x{point[0]}"].x == ship.x
        assert shapes[f"y{point[1]}"].y == pytest.approx(ship.y, abs=10)


@pytest.mark.parametrize("map_name", MAPS)
def test_every_land_point_lies_on_an_island_and_no_water_point_does(map_name: str) -> None:
    found = position(GAME, new_state(map=map_name))
    chart, shapes = found.observation.chart, look(GAME, new_state(map=map_name))
    grid = grid_of(chart)
    coasts = [list(corners(shape)) for name, shape in shapes.items() if name.startswith("island")]
    land = {(point.x, point.y) for point in chart.land}
    for point in ((x, y) for x in range(chart.width) for y in range(chart.height)):
        assert any(_is_inside(grid.at(point), coast) for coast in coasts) is (point in land), point


def _is_inside(point: tuple[float, float], ring: list[tuple[float, float]]) -> bool:
    """Whether a ray from the point to the right meets the ring an odd number of times."""
    inside = False
    for (x, y), (to_x, to_y) in zip(ring, [*ring[1:], ring[0]], strict=True):
        if (y > point[1]) != (to_y > point[1]) and point[0] < x + (point[1] - y) / (to_y - y) * (to_x - x):
            inside = not inside
    return inside


def test_arcs_show_which_cannons_still_bear() -> None:
    state = at_sea()
    whole = look(GAME, state)
    change_ship(state, WHITE, cannons=tuple(map(station, ("B3", "B5", "C5", "D5", "E5", "F5"))))
    change_ship(state, BLACK, cannons=())
    shapes = look(GAME, state)
    assert shapes["arc0-port"] == whole["arc0-port"]
    assert _reach(shapes["arc0-starboard"]) < _reach(whole["arc0-starboard"])
    assert not [name for name in shapes if name.startswith("arc1")]


def _reach(shape: Shape) -> float:
    return max((x - shape.x) ** 2 + (y - shape.y) ** 2 for x, y in corners(shape))


def test_a_wake_follows_the_cards_of_the_round() -> None:
    step = sail(at_sea([((1, 10), 0), ((7, 0), 4)], map="cays"), "AH AH ST", "PO AH RE")
    assert track_of(position(GAME, step.state, events=step.events), 0) == ((1, 10), (1, 9), (1, 8), (1, 8))
    wake = look(GAME, step.state, events=step.events)["wake1"]
    grid = grid_of(position(GAME, step.state).observation.chart)
    assert list(corners(wake)) == [grid.at((7, 0)), grid.at((8, 1))]


def test_a_ship_that_ran_aground_has_no_wake_over_land() -> None:
    """Vector V1: the second card hits land and the third is not turned over."""
    step = sail(at_sea([((1, 8), 0), ((7, 2), 4)], map="cays"), "AH AH ST", "AH AH PO")
    for events in (step.events, ()):
        assert track_of(position(GAME, step.state, events=events), 0) == ((1, 8), (1, 7), (1, 7))


@pytest.mark.parametrize("map_name", ["cays", "archipelago"])
@sizes.sized
def test_a_wake_is_never_a_guess(map_name: str) -> None:
    """Over whole games a track is the way the ship really went, or there is none."""
    shown = hidden = 0
    here: dict[int, Any] = {}
    tracks: dict[int, list[Any]] = {}
    for course, found in played(map_name):
        observation = found.observation
        if observation.phase == Pb.PHASE_SETUP or not here:
            here = {seat: point_of(observation.ships[seat].point) for seat in (0, 1)}
            tracks = {}
        for event in course.events:
            match event:
                case ShipSailed(seat, number, _, point):
                    tracks[seat] = [*([here[seat]] if number == 1 else tracks[seat]), point]
                    here[seat] = point
                case ShipDrifted(seat, point):
                    here[seat] = point
        for owner, ship in enumerate(observation.ships):
            if ship.cards_turned and observation.phase == Pb.PHASE_BROADSIDES:
                track = track_of(found, owner)
                assert track in ((), tuple(tracks[owner]))
                shown, hidden = shown + bool(track), hidden + (not track)
    assert shown > 9 * hidden


@pytest.mark.few(2)
@pytest.mark.parametrize("map_name", MAPS)
@sizes.sized
def test_names_cover_neither_ships_nor_each_other(map_name: str) -> None:
    names = ("a-name-as-long-as-a-name-may-be", "W" * 64)
    for _, found in played(map_name):
        if found.observation.HasField("boarding"):
            continue
        shapes = by_id(DRAWINGS[GAME].draw(ViewedTable(position=found, names=names)))
        tags = [_box(shapes[f"tag{seat}"]) for seat in (0, 1)]
        assert not _overlap(*tags)
        for left, top, right, bottom in tags:
            assert SEA_LEFT <= left < right <= SEA_LEFT + SEA_WIDTH
            assert SEA_TOP <= top < bottom <= SEA_TOP + SEA_HEIGHT
            for seat in (0, 1):
                x, y = shapes[f"ship{seat}"].x, shapes[f"ship{seat}"].y
                assert not _overlap((left, top, right, bottom), (x - 12, y - 12, x + 12, y + 12))


def _box(shape: Shape) -> tuple[float, float, float, float]:
    xs, ys = zip(*corners(shape), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return min(one[2], other[2]) > max(one[0], other[0]) and min(one[3], other[3]) > max(one[1], other[1])


# --- Damage and gunfire ----------------------------------------------------------------------------------


def test_what_is_lost_is_hollow() -> None:
    state = at_sea()
    assert not any(is_hollow(shape) for shape in look(GAME, state).values())
    fell_mast(state, WHITE, Mast.A)
    mark_hull(state, WHITE, HullSection.C5, 1)
    mark_hull(state, BLACK, HullSection.D3, 2)
    change_ship(state, BLACK, cannons=state.ships[BLACK].cannons[1:], masts=(1, 1, 1, 1))
    hollow = {name for name, shape in look(GAME, state).items() if is_hollow(shape)}
    assert hollow == {
        "mast0-A", "ship0-stumps", "hull0-C5-fore", "hull1-D3-fore", "hull1-D3-aft", "cannon1-B3", "mast1-C-top",
    }  # fmt: skip


def test_a_shot_flies_from_ship_to_ship_and_strikes_a_station() -> None:
    step = sail(at_sea(chance=dice(6, 1, 5)), "RE RE RE", "RE RE RE")
    shapes = look(GAME, step.state, events=step.events)
    assert [shapes[f"shots{seat}"].title for seat in (0, 1)] == ["5 shots left", "5 shots left"]
    after = bombard(step.state, "C")
    fired = Pb.Event(shot_fired=Pb.Shot(seat=0, section=Pb.SECTION_C, die=5, effect=Pb.SHOT_EFFECT_STATION))
    found = position(GAME, after)
    found.events.append(fired)
    shapes = by_id(DRAWINGS[GAME].draw(ViewedTable(position=found, names=("ann", "ben"))))
    assert shapes["shots0"].title == "4 shots left"
    start_x, end_x = shapes["ship0"].x, shapes["ship1"].x
    xs = [x for x, _ in corners(shapes["shot0"])]
    assert start_x < xs[0] < xs[-1] < end_x
    assert "warn" in shapes["shot0-end"].classes
    cannon = shapes["cannon1-C5"]
    assert is_hollow(cannon)
    assert shapes["mark0"].x == cannon.x


def test_of_several_exchanges_the_shots_of_the_last_are_drawn() -> None:
    """A seat that was not asked since hears of a whole round at once."""
    found = position(GAME, at_sea())

    def sailed(step: int) -> Pb.Event:
        return Pb.Event(ship_sailed=Pb.ShipSailed(seat=0, step=step, card=Pb.CARD_RE))

    def fired(section: Pb.Section.ValueType) -> Pb.Event:
        return Pb.Event(shot_fired=Pb.Shot(seat=0, section=section, die=2, effect=Pb.SHOT_EFFECT_HULL))

    bear = Pb.Event(guns_bear=Pb.GunsBear())
    marked = Pb.Event(hull_marked=Pb.HullMarked(seat=1, section=Pb.HULL_SECTION_C5, markers=1))
    found.events.extend([sailed(1), bear, fired(Pb.SECTION_A), sailed(2), bear, fired(Pb.SECTION_B)])
    found.events.extend([fired(Pb.SECTION_C), marked, sailed(3)])
    assert [(shot.shot.section, shot.step, shot.hull) for shot in last_shots(found)] == [
        (Pb.SECTION_B, 2, None),
        (Pb.SECTION_C, 2, HullSection.C5),
    ]
    found.events.append(sailed(1))
    assert not last_shots(found), "they were fired in another round"


# --- Secrets ---------------------------------------------------------------------------------------------


def test_cards_face_down_have_a_face_for_their_owner_alone() -> None:
    step = sail(at_sea(chance=dice(6, 1)), "RE ST PO", "RE AH RE")
    for eyes in ((), (0,), (1,), (0, 1)):
        shapes = look(GAME, step.state, eyes=eyes, events=step.events)
        for seat in (0, 1):
            assert shapes[f"card{seat}-0-code"].text == "RE"
            for place in (1, 2):
                assert shapes[f"card{seat}-{place}"].classes == "back"
                assert (f"card{seat}-{place}-code" in shapes) is (seat in eyes)
    assert look(GAME, step.state, eyes=(0,))["card0-1-code"].text == "ST"


def test_figures_placed_in_setup_are_seen_by_their_owner_alone() -> None:
    course = start(match_terms(GAME).game, 2, match_terms(GAME).variant, "setup")
    course.choose(dict.fromkeys(course.asked, 3))
    for eyes in ((), (0,), (1,), (0, 1)):
        shapes = look(GAME, course.state, eyes=eyes)
        assert {seat for seat in (0, 1) if f"captain{seat}" in shapes} == set(eyes)
        assert {seat for seat in (0, 1) if f"captain{seat}-hat" in shapes} == set(eyes)
    own = position(GAME, course.state, next(iter(course.asked)))
    without_hands = DRAWINGS[GAME].draw(ViewedTable(position=own, names=("ann", "ben")))
    assert "captain0" not in by_id(without_hands), "what only a seat knows is drawn from hands and nowhere else"


# --- Boarding --------------------------------------------------------------------------------------------

PLACEMENTS = ((Side.PORT, Side.PORT, True), (Side.STARBOARD, Side.PORT, False), (Side.PORT, Side.STARBOARD, False))
"""The three ways in which ships can lie alongside (spec 2.7)."""


@pytest.mark.parametrize(("below", "above", "opposite"), PLACEMENTS)
def test_decks_lie_alongside_so_that_crossings_are_straight(below: Side, above: Side, opposite: bool) -> None:
    state = alongside([{}, {}], ("0H4", "1H4"), sides=(below, above), bows_opposite=opposite)
    decks = decks_alongside(position(GAME, state).observation.boarding)
    for stations in crossings((below, above), opposite):
        (x, y), (other_x, other_y) = (deck.station(found) for deck, found in zip(decks, stations, strict=True))
        assert x == other_x
        assert decks[0].y >= y > other_y >= decks[1].y


def test_every_figure_is_drawn_where_it_stands() -> None:
    state = alongside([{"0D3": 2, "1D5": 1}, {"1D5": 3, "1B4": 1}], ("0H4", "1H4"), contested=["1D5"])
    shapes = look(GAME, state)
    figures = [name for name in shapes if name.startswith(("crew", "captain")) and not name.endswith("hat")]
    assert len([name for name in figures if name.startswith(("crew0", "captain0"))]) == 4
    assert len([name for name in figures if name.startswith(("crew1", "captain1"))]) == 5
    assert "contested-1D5-swords" in shapes
    decks = decks_alongside(position(GAME, state).observation.boarding)
    x, y = decks[1].station(station("D5"))
    for name in ("crew0-1D5-0", "crew1-1D5-2"):
        assert abs(shapes[name].x - x) < decks[1].long / 2
        assert abs(shapes[name].y - y) < decks[1].wide / 2
    assert shapes["crew0-1D5-0"].path != shapes["crew1-1D5-0"].path, "seats differ by sign, too"
    assert "ship0" not in shapes


# --- Over whole games ------------------------------------------------------------------------------------


@sizes.sized
def test_an_id_is_the_same_thing_in_a_whole_game() -> None:
    """The same kind of shape, of the same seat; and things that cannot vanish never do."""
    kinds: Kinds = {}
    for _, found in played():
        scene = DRAWINGS[GAME].draw(ViewedTable(position=found, names=("ann", "ben")))
        check_kinds(kinds, scene, but=("shot", "move", "roll"))
        ids = set(by_id(scene))
        assert ids >= {
            "name0",
            "name1",
            "sign0",
            "sign1",
            "headline",
            "sea",
            "deck0",
            "deck1",
            "mast0-A",
            "hull1-H5-aft",
        }


def test_a_label_tells_where_the_ships_are() -> None:
    state = at_sea([((2, 3), 1), ((7, 9), 6)])
    fell_mast(state, BLACK, Mast.G)
    ann, ben = re.split("(?=ben )", draw(GAME, state).label)
    for fact in ("Round 1", "cards are laid", "ann (Seahawk)", "north-east at (2,3)", "10 cannons", "23 figures"):
        assert fact in ann
    for fact in ("ben (Royal Isabella)", " west at (7,9)", "10 cannons", "23 figures", "1 mast down"):
        assert fact in ben
    assert "mast" not in ann


def test_strength_falls_with_damage_to_nothing() -> None:
    scores = DRAWINGS[GAME].scores
    state = at_sea()
    assert scores(position(GAME, state)) == (100, 100)
    fell_mast(state, WHITE, Mast.A)
    damaged = scores(position(GAME, state))
    assert damaged[0] < damaged[1] == 100
    for section in (HullSection.A3, HullSection.B3, HullSection.C3):
        mark_hull(state, WHITE, section, 2)
    assert scores(position(GAME, state))[0] == 0
    assert look(GAME, state)["caption0"].text == "23 aboard, 10 guns, sunk"
