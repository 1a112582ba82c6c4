"""Questions as numbers: the same for the same question, whoever asks; nothing the seat may not know; lists that are
documented."""

from __future__ import annotations

import re
from array import array
from typing import Any

import pytest

from referee.games import find_game
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import Seat
from referee.wire import find_wire
from support.command import ROOT
from tortuga.v1 import referee_pb2
from tortuga.v1.pirates_cove_pb2 import PiratesCove
from tortuga_bot.features import MESSAGE_KINDS, PER_SEAT, SEAT_LISTS, SEAT_NAMES, Features

TABLES = [
    ("pavillon_noir", 2),
    ("broadsides", 2),
    *(("pirates_cove", seats) for seats in (2, 3, 4, 5)),
    *(("marauders", seats) for seats in (2, 3, 4)),
]


def read(game: str, raw: bytes) -> Any:
    message = referee_pb2.Question()
    getattr(message, game).ParseFromString(raw)
    return getattr(message, game)


def questions(game: str, seats: int, count: int) -> list[tuple[Course, Seat, Any]]:
    """Questions of a game of first, last and middle options, with their course as it is at its end."""
    rules, wire = find_game(game), find_wire(game)
    course = Course(rules, seats, rules.info.read_variant({}), SeededChance(derive_secret(game)))
    found: list[tuple[Course, Seat, Any]] = []
    while course.outcome is None and len(found) < count:
        choices = {}
        for seat, actions in course.asked.items():
            raw = wire.position(course.kind, course.view(seat), (), actions)
            found.append((course, seat, read(game, raw)))
            choices[seat] = (0, len(actions) - 1, len(actions) // 2)[len(found) % 3]
        course.choose(choices)
    return found


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_every_feature_has_a_name_of_its_own_and_some_are_set(game: str, seats: int) -> None:
    features = Features(game, seats)
    for names, size in (
        (features.observation_names, features.observation_size),
        (features.option_names, features.option_size),
    ):
        assert len(names) == len(set(names)) == size
    seen: set[int] = set()
    for _, seat, position in questions(game, seats, 150):
        numbers = features.observation(position, seat)
        assert len(numbers) == features.observation_size
        assert numbers == features.observation(position, seat)
        seen |= {place for place, value in enumerate(numbers) if value}
        rows = array("f", bytes(4 * features.option_size * len(position.options)))
        features.write_options(position.options, seat, rows)
        for number, option in enumerate(position.options):
            row = rows[number * features.option_size : (number + 1) * features.option_size]
            assert row == features.option(option, seat)
    assert len(seen) > 80


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_options_that_differ_look_different(game: str, seats: int) -> None:
    """A policy that scores options has to tell them apart: texts alone may differ, and there are none."""
    features = Features(game, seats)
    for _, seat, position in questions(game, seats, 120):
        rows = [features.option(option, seat).tobytes() for option in position.options]
        assert len(set(rows)) == len({option.SerializeToString(deterministic=True) for option in position.options})


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_hidden_things_do_not_reach_the_features(game: str, seats: int) -> None:
    """What the seat cannot know is dealt anew: its numbers stay the same."""
    rules, wire, features = find_game(game), find_wire(game), Features(game, seats)
    for number in range(3):
        course = Course(rules, seats, rules.info.read_variant({}), SeededChance(derive_secret(f"{number}")))
        for _ in range(25):
            if course.outcome is not None:
                break
            for seat in course.asked:
                twin = rules.hide(course.state, seat, SeededChance(derive_secret("other")))
                numbers = [
                    features.view(read(game, wire.scene(rules.view(state, seat), ())).observation, seat)
                    for state in (course.state, twin)
                ]
                assert numbers[0] == numbers[1]
            course.choose({seat: len(actions) - 1 for seat, actions in course.asked.items()})


def test_the_own_seat_comes_first() -> None:
    """The same table from the other side: own and other change places, and so do numbers of seats."""
    features = Features("pirates_cove", 2)
    names = features.observation_names
    table = PiratesCove.Observation(start_seat=1, deciding=[1], scores=[5, 9])
    table.ships.add(fame=3)
    table.ships.add(fame=7)
    first, second = (dict(zip(names, features.view(table, seat), strict=True)) for seat in (0, 1))
    assert (first["ships[+0].fame"], first["ships[+1].fame"]) == (3, 7)
    assert (second["ships[+0].fame"], second["ships[+1].fame"]) == (7, 3)
    assert (first["start_seat=+0"], first["start_seat=+1"]) == (0, 1)
    assert (second["start_seat=+0"], second["start_seat=+1"]) == (1, 0)
    assert (second["deciding=+0"], first["deciding=+0"]) == (1, 0)
    assert (first["scores[+0]"], second["scores[+0]"]) == (5, 9)


def test_absent_differs_from_zero_and_lists_are_counted() -> None:
    features = Features("pirates_cove", 3)
    names = features.observation_names
    empty = dict(zip(names, features.view(PiratesCove.Observation(), 0), strict=True))
    assert (empty["navy?"], empty["start_seat=+0"], sum(empty.values())) == (0, 1, 1), "seat 0 starts"
    full = PiratesCove.Observation(
        hand=[PiratesCove.TAVERN_CARD_MAP, PiratesCove.TAVERN_CARD_MAP, PiratesCove.TAVERN_CARD_SLIP],
        treasure_discard=range(1, 41),
        navy=PiratesCove.Navy(place=3, controller=2),
        lookout=0,
    )
    found = dict(zip(names, features.view(full, 0), strict=True))
    assert (found["hand#TAVERN_CARD_MAP"], found["hand#TAVERN_CARD_SLIP"]) == (2, 1)
    assert (found["navy?"], found["navy.place"], found["navy.controller=+2"]) == (1, 3, 1)
    assert found["lookout=+0"] == 1
    assert (found["treasure_discard#"], found["treasure_discard[15]"]) == (40, 16)
    assert "treasure_discard[16]" not in found


def test_the_tables_of_names_name_real_fields() -> None:
    fields = set()
    for game in MESSAGE_KINDS:
        text = (ROOT / f"proto/tortuga/v1/{game}.proto").read_text()
        own = set(re.findall(r"^ +(?:repeated |optional )?[\w.]+ (\w+) = \d+;", text, re.MULTILINE))
        assert own >= PER_SEAT[game]
        fields |= own
    assert fields >= SEAT_NAMES | SEAT_LISTS


def test_the_versions_in_the_docs_are_those_of_the_code() -> None:
    """A change of any list shows here: put the new sizes and versions into the table, old weights no longer fit."""
    page = (ROOT / "docs/training.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (\d) \| (\d+) \| (\d+) \| (\d+) \| `([\w-]+)` \|$", page, re.MULTILINE)
    told = {(game, int(seats)): (*map(int, sizes), version) for game, seats, *sizes, version in rows}
    assert told == {
        (game, seats): (
            find_game(game).info.max_options,
            (features := Features(game, seats)).observation_size,
            features.option_size,
            features.version,
        )
        for game, seats in TABLES
    }


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'chess'.*pavillon_noir"):
        Features("chess", 2)
