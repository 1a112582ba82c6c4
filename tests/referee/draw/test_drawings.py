"""The promises of every game's pictures, over whole games with every number of seats."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from referee.draw import DRAWINGS, Scene, ViewedTable
from referee.draw.scene import BOARD_WIDTH, SMALLEST_TEXT, STYLE, to_svg
from referee.rules.course import Course
from referee.rules.engine import SPECTATOR, Seat
from support import sizes
from support.paths import corners, text_size
from support.pictures import message
from support.play import GivenVariant, cases, name_case, start, wander
from support.spectators import hide_from_all, match_terms

GAMES_PER_CASE = sizes.pick(quick=1, ci=2, full=20)
SHARE = sizes.pick(quick=0.02, ci=0.08, full=0.25)
"""The share of moments that are drawn."""
LONG_NAMES = tuple(f"{seat}-{'W' * 62}" for seat in range(5))
HOSTILE = "</script><img src=x onerror=alert(1)>&\"'"
every_drawn_case = pytest.mark.parametrize(
    ("game_id", "seats", "given_variant"),
    [pytest.param(*case, id=name_case(*case)) for case in cases() if case[0] in DRAWINGS],
)


def position_of(course: Course, game_id: str, seat: Seat) -> Any:
    """What a seat or a spectator is sent at this moment, as a message."""
    events = [seen for event in course.events if (seen := course.game.seen(event, seat)) is not None]
    return message(game_id, course.view(seat), events)


def tables(course: Course, game_id: str, names: tuple[str, ...]) -> Iterator[ViewedTable]:
    """The table through everybody's eyes: a spectator's, each seat's, and all of them at once."""
    seats = range(course.seats)
    hands = {seat: position_of(course, game_id, Seat(seat)) for seat in seats}
    spectator = position_of(course, game_id, SPECTATOR)
    yield ViewedTable(position=spectator, names=names)
    for seat in seats:
        yield ViewedTable(position=hands[seat], names=names, hands={seat: hands[seat]})
    yield ViewedTable(position=spectator, names=names, hands=hands)


def scenes(game_id: str, seats: int, given_variant: GivenVariant, names: tuple[str, ...]) -> Iterator[Scene]:
    """Whole games, in every pair of eyes, at some moments: the first, the last, and a share of those between."""
    terms = match_terms(game_id, given_variant)
    rng = random.Random(f"{game_id}/{seats}/{given_variant}")
    for number in range(GAMES_PER_CASE):
        course = start(terms.game, seats, terms.variant, f"drawn {number}")
        for turn, _ in enumerate(wander(course, rng)):
            if turn == 0 or rng.random() < SHARE:
                for table in tables(course, game_id, names[:seats]):
                    yield DRAWINGS[game_id].draw(table)
        for table in tables(course, game_id, names[:seats]):
            yield DRAWINGS[game_id].draw(table)


@pytest.mark.few(5)
@every_drawn_case
@sizes.sized
def test_a_board_is_whole_and_inside_its_frame(game_id: str, seats: int, given_variant: GivenVariant) -> None:
    """Ids are unique, classes are known, and everything lies on the board, with names of 64 wide letters."""
    known = set(re.findall(r"\.([a-z][a-z0-9-]*)", STYLE.read_text()))
    sizes_seen = set()
    for scene in scenes(game_id, seats, given_variant, LONG_NAMES):
        assert scene.width == BOARD_WIDTH
        assert scene.label.strip()
        assert "\n" not in scene.label
        sizes_seen.add(scene.height)
        ids = [shape.id for shape in scene.shapes]
        assert len(ids) == len(set(ids)), sorted(name for name in ids if ids.count(name) > 1)
        for shape in scene.shapes:
            assert bool(shape.path) != bool(shape.text), shape
            assert 0 <= shape.layer <= 9, shape
            assert set(shape.classes.split()) <= known, shape
            assert not shape.text or text_size(shape) >= SMALLEST_TEXT, shape
            for x, y in corners(shape):
                assert -2 <= x <= scene.width + 2, shape
                assert -2 <= y <= scene.height + 2, shape
    assert len(sizes_seen) == 1, "the board of a match keeps its size"


@pytest.mark.few(5)
@every_drawn_case
@sizes.sized
def test_twins_look_the_same(game_id: str, seats: int, given_variant: GivenVariant) -> None:
    """A spectator's picture does not change with what spectators do not know."""
    terms = match_terms(game_id, given_variant)
    rng, names = random.Random(f"{game_id}/{seats}"), LONG_NAMES[:seats]
    course = start(terms.game, seats, terms.variant, "twins drawn")
    draw = DRAWINGS[game_id].draw
    for _ in wander(course, rng):
        if rng.random() < 0.1:
            twin = hide_from_all(terms.game, course.state, seats, rng)
            ours, theirs = (
                draw(ViewedTable(position=message(game_id, terms.game.view(state, SPECTATOR)), names=names))
                for state in (course.state, twin)
            )
            assert ours == theirs


@every_drawn_case
def test_a_timeline_knows_turns_and_scores(game_id: str, seats: int, given_variant: GivenVariant) -> None:
    """The names of events exist, headings are short lines, and each seat has a finite score."""
    drawing, terms = DRAWINGS[game_id], match_terms(game_id, given_variant)
    course = start(terms.game, seats, terms.variant, "timeline")
    known = position_of(course, game_id, SPECTATOR).DESCRIPTOR.fields_by_name["events"].message_type.fields_by_name
    assert drawing.turn_events <= set(known)
    assert drawing.hit_events <= set(known)
    assert drawing.turn_events
    assert drawing.hit_events
    assert drawing.score_title
    for _ in wander(course, random.Random(game_id)):
        position = position_of(course, game_id, SPECTATOR)
        assert 0 < len(drawing.heading(position)) <= 60
        scores = drawing.scores(position)
        assert len(scores) == seats
        assert all(abs(score) < 1e6 for score in scores)


@every_drawn_case
def test_hostile_names_are_only_text(game_id: str, seats: int, given_variant: GivenVariant) -> None:
    """A name cannot leave its text in an SVG file."""
    terms = match_terms(game_id, given_variant)
    course = start(terms.game, seats, terms.variant, "hostile")
    for table in tables(course, game_id, (HOSTILE,) * seats):
        written = to_svg(DRAWINGS[game_id].draw(table))
        assert "<img" not in written
        assert "</script" not in written
