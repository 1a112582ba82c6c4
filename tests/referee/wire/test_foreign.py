"""Games of other packages on the wire: JSON that is the same on every machine."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from enum import Enum, IntEnum
from typing import Any, ClassVar

import pytest

from referee.errors import GameFault
from referee.games import GAMES, find_game
from referee.match.question import make_question
from referee.rules.engine import SPECTATOR, Seat
from referee.rules.parts import Part, immutable
from referee.wire import find_wire, position_member
from referee.wire.foreign import FIELD, read_foreign, to_json
from support.play import start, wander
from support.strangers import use_kuhn
from tortuga.v1 import arena_pb2, referee_pb2
from tortuga_bot.question import Match, Question


class Suit(Enum):
    HEARTS = "h"


class Face(IntEnum):
    KING = 13


@immutable(frozen=True, kw_only=True, slots=True)
class Card(Part):
    TAG: ClassVar[str] = "playing card"

    suit: Suit
    face: Face
    Zone: int = 0


@immutable(frozen=True, kw_only=True, slots=True)
class Hand:
    cards: tuple[Card, ...]
    note: str | None


@pytest.fixture(autouse=True)
def kuhn(monkeypatch: pytest.MonkeyPatch) -> None:
    use_kuhn(monkeypatch)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (0, "0"),
        (-(2**70), "-1180591620717411303424"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        ('é\n"', '"é\\n\\""'),
        ((1, [2, ()]), "[1,[2,[]]]"),
        (frozenset({"b", "a"}), '["a","b"]'),
        ({2: "x", "1": None, Face.KING: 3}, '{"1":null,"2":"x","KING":3}'),
        (Suit.HEARTS, '"HEARTS"'),
        (Card(suit=Suit.HEARTS, face=Face.KING), '{"Zone":0,"_type":"playing card","face":"KING","suit":"HEARTS"}'),
        (Hand(cards=(), note=None), '{"_type":"Hand","cards":[],"note":null}'),
    ],
)
def test_a_value_is_written_one_way(value: object, text: str) -> None:
    assert to_json(value) == text
    assert json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False) == text


@pytest.mark.parametrize("value", [math.nan, math.inf, object(), b"bytes", {(1, 2): 3}, {True: 1}, 1j])
def test_what_has_no_place_in_json_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        to_json((value,))


def test_a_part_is_written_once() -> None:
    card = Card(suit=Suit.HEARTS, face=Face.KING)
    assert to_json(card) == to_json(Card(suit=Suit.HEARTS, face=Face.KING))
    assert card.__dict__["json"] is to_json(card)


def test_a_question_holds_what_the_game_gives() -> None:
    game, wire = find_game("kuhn"), find_wire("kuhn")
    course, rng, asked = start(game, 2, game.info.read_variant({}), "wire"), random.Random(1), 0
    for _ in wander(course, rng):
        [(seat, options)] = course.asked.items()
        asked += 1
        position = make_question(course, wire, seat, asked).position
        message = referee_pb2.Question(option_count=len(options))
        message.foreign.ParseFromString(position)
        assert position_member("kuhn") == "foreign" == message.WhichOneof("position")
        question = Question(Match("m", "kuhn", int(seat), ("a", "b"), {}), message)
        assert question.position.decision == course.kind
        assert question.observation["card"] == course.state.cards[seat].name
        assert question.observation["chips"] == list(course.state.chips)
        assert [option["_type"].lower() for option in question.options] == question.option_texts
        assert read_foreign(message.foreign).events == question.events
    assert asked > 20


def test_a_scene_for_spectators_is_of_the_same_shape() -> None:
    game, wire = find_game("kuhn"), find_wire("kuhn")
    course = start(game, 2, game.info.read_variant({}), "scene")
    scene = arena_pb2.Scene()
    scene.foreign.ParseFromString(wire.scene(course.view(SPECTATOR), ()))
    assert read_foreign(scene.foreign).observation["card"] is None
    assert [
        message.DESCRIPTOR.fields_by_name["foreign"].number for message in (arena_pb2.Scene, referee_pb2.Question)
    ] == [FIELD, FIELD]


def test_what_cannot_be_sent_is_the_games_fault() -> None:
    wire: Any = find_wire("kuhn")
    with pytest.raises(GameFault, match="kuhn of kuhn"):
        wire.situation("OPEN", object())


def test_hash_seeds_change_nothing() -> None:
    script = (
        "from referee.wire.foreign import to_json\n"
        "print(to_json((frozenset('abcdefgh'), {'b': 1, 'a': {'x', 'y', 'z'}})))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(texts) == 1


def test_only_games_of_others_are_sent_as_json() -> None:
    assert [game_id for game_id in GAMES if position_member(game_id) == "foreign"] == ["kuhn"]
    assert Seat(0) == 0
