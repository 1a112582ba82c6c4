"""The promises of every game in the table, in whatever position chance leads to.

Each (game, seats, variant, seed) is played once; every promise is checked at every moment on the way. The promises that
games of other packages make, too, are in server/games/promises.py; those of our own texts and protobuf messages are
here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from referee.games import GAMES
from referee.wire import WIRES
from server.games import promises
from server.games.promises import TriedMoment
from support import sizes
from support.play import GivenVariant, cases, every_case, start, wander
from tortuga.v1 import referee_pb2

SHOWN_ONCE = frozenset({"StowPlunder"})
"""What is hidden, is shown to all as it is done, and is hidden again: only its event tells it. Here the cargo of a
naval ship, which comes aboard face up."""

GAMES_PER_CASE = sizes.pick(quick=1, ci=6, full=12)


# Promises about every moment


def texts_use_words_instead_of_ids(moment: TriedMoment) -> None:
    """As `seen` gives them to seats and spectators, too: test_spectator.py."""
    text, course = moment.game.text, moment.course
    lines = [text.event(event) for event in course.events]
    lines += [text.action(option) for options in course.asked.values() for option in options]
    assert not [line for line in (*lines, text.table(course.state)) if "_" in line]


def positions_survive_the_wire(moment: TriedMoment) -> None:
    """What we join from cached pieces is exactly what the generated classes would have written."""
    course, wire = moment.course, moment.wire
    for seat in moment.choices:
        actions = course.asked[seat]
        events = course.take_events(seat)
        raw = wire.position(course.kind, course.view(seat), events, actions)
        position: Any = parse_position(moment.game.info.id, raw)
        assert position.SerializeToString(deterministic=True) == raw
        assert not has_unknown_fields(position)
        assert len(position.options) == len(actions)
        assert len(position.events) == len(events)
        assert len({wire.option(action) for action in actions}) == len(actions), "two options look alike on the wire"
        assert position.decision == wire.decisions[course.kind] != 0


# Promises about the end


def many_kinds_of_events_and_options_were_told(moment: TriedMoment) -> None:
    assert len(moment.told) > 12, "the game was too short to say much"


AT_EVERY_MOMENT = (
    promises.options_in_bounds,
    promises.ends_in_bounds,
    promises.same_choices_same_states,
    promises.told_in_words,
    texts_use_words_instead_of_ids,
    positions_survive_the_wire,
    promises.tells_no_secret,
    promises.state_is_left_alone,  # the last: it moves the shadow on
)
AT_THE_END = (
    promises.all_seats_ranked,
    promises.same_choices_same_states,
    promises.told_in_words,
    texts_use_words_instead_of_ids,
    many_kinds_of_events_and_options_were_told,
)


@pytest.mark.few(5)
@every_case
@pytest.mark.parametrize("number", range(GAMES_PER_CASE))
@sizes.sized
def test_a_game_keeps_every_promise(game_id: str, seats: int, given_variant: GivenVariant, number: int) -> None:
    for moment in moments(game_id, seats, given_variant, f"contract {number}"):
        for promise in AT_EVERY_MOMENT if moment.choices else AT_THE_END:
            promise(moment)


def moments(game_id: str, seats: int, given_variant: GivenVariant, seed: str) -> Iterator[TriedMoment]:
    """Every moment of one game, with the end as the last."""
    game = GAMES[game_id]
    variant = game.info.read_variant(dict(given_variant))
    kept = {"ordered": False, "spectators": False, "shown_once": SHOWN_ONCE if game_id == "marauders" else frozenset()}
    return promises.moments(game, WIRES[game_id], seats, variant, seed, **kept)


def parse_position(game_id: str, raw: bytes) -> Message:
    """The bytes as the game's generated Position."""
    question = referee_pb2.Question()
    position: Message = getattr(question, game_id)
    position.ParseFromString(raw)
    return position


def has_unknown_fields(message: Message) -> bool:
    """Whether a message, at any depth, holds fields its proto file does not name."""
    if len(UnknownFieldSet(message)):
        return True
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None:
            parts = [value] if isinstance(value, Message) else list(value)
            if any(has_unknown_fields(part) for part in parts):
                return True
    return False


# Promises that need no game of their own


@pytest.mark.parametrize("game_id", GAMES)
def test_every_position_has_the_same_shape(game_id: str) -> None:
    """The referee joins a Position from bytes and bots of all games read it alike: docs/adding-a-game.md."""
    position = parse_position(game_id, b"").DESCRIPTOR
    assert [(f.name, f.number) for f in position.fields] == [
        ("decision", 1),
        ("observation", 2),
        ("events", 3),
        ("options", 4),
    ]
    for name, oneof in (("options", "action"), ("events", "event")):
        part = position.fields_by_name[name].message_type
        assert part is not None
        assert [found.name for found in part.oneofs] == [oneof]
    question = referee_pb2.Question.DESCRIPTOR
    assert question.fields_by_name[game_id].number == WIRES[game_id].field


@pytest.mark.parametrize("game_id", GAMES)
def test_the_cards_of_a_coverage_report_are_names_that_events_fire(game_id: str) -> None:
    """A few games with every variant play some of the cards, under the very names of the list."""
    game = GAMES[game_id]
    assert len(set(game.cards)) == len(game.cards) > 0
    fired: set[str] = set()
    for number, (case, seats, given_variant) in enumerate(cases()):
        if case == game_id:
            course = start(game, seats, game.info.read_variant(dict(given_variant)), str(number))
            for _ in wander(course, random.Random(number)):
                fired.update(map(game.fired, course.events))
    assert len(fired.intersection(game.cards)) >= len(game.cards) / 10
