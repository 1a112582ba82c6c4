"""The promises of every game in the table, in whatever position chance leads to."""

from __future__ import annotations

import random
from typing import Any

import pytest
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.chance import SeededChance, derive_secret
from referee.course import Course
from referee.engine import AnyGame, Outcome, Seat, Variant
from referee.fingerprint import fingerprint
from referee.games import GAMES
from referee.wire import WIRES, AnyWire
from support.chaos import FULL
from support.play import cases, start, wander
from tortuga.v1 import referee_pb2

every_case = pytest.mark.parametrize(("game_id", "seats", "given_variant"), cases())
seeds = st.integers(0, 2**32)
thorough = settings(
    max_examples=8 if FULL else 3,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def set_up(game_id: str, given_variant: tuple[tuple[str, str], ...]) -> tuple[AnyGame, AnyWire, Variant]:
    game = GAMES[game_id]
    return game, WIRES[game_id], game.info.read_variant(dict(given_variant))


@every_case
@thorough
@given(seed=seeds)
def test_a_game_ends_with_all_seats_ranked_and_lists_in_bounds(
    game_id: str, seats: int, given_variant: tuple[tuple[str, str], ...], seed: int
) -> None:
    game, _, options = set_up(game_id, given_variant)
    course, rng, count = start(game, seats, options, str(seed)), random.Random(seed), 0
    for choices in wander(course, rng):
        for seat in choices:
            assert 2 <= len(course.asked[seat]) <= game.info.max_options, course.kind
            assert len(set(course.asked[seat])) == len(course.asked[seat]), f"{course.kind}: an option stands twice"
            assert 0 <= course.default(seat) < len(course.asked[seat])
        count += len(choices)
        assert count <= game.info.max_decisions
    assert course.outcome is not None
    ranks = course.outcome.ranks
    assert len(ranks) == len(course.outcome.scores) == seats
    assert all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)


@every_case
@thorough
@given(seed=seeds)
def test_apply_and_ask_leave_the_state_alone_and_the_same_choices_give_the_same_states(
    game_id: str, seats: int, given_variant: tuple[tuple[str, str], ...], seed: int
) -> None:
    game, _, options = set_up(game_id, given_variant)
    one, two = (start(game, seats, options, str(seed)) for _ in range(2))
    for choices in wander(one, random.Random(seed)):
        before, state = fingerprint(one.state), one.state
        game.ask(state)
        for seat in range(seats):
            game.view(state, Seat(seat))
        assert fingerprint(two.state) == before
        two.choose(choices)
        assert fingerprint(state) == before
    assert one.outcome == two.outcome
    assert fingerprint(one.state) == fingerprint(two.state)


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


@every_case
@thorough
@given(seed=seeds)
def test_positions_survive_the_wire(
    game_id: str, seats: int, given_variant: tuple[tuple[str, str], ...], seed: int
) -> None:
    """What we join from cached pieces is exactly what the generated classes would have written."""
    game, wire, options = set_up(game_id, given_variant)
    course = start(game, seats, options, str(seed))
    for choices in wander(course, random.Random(seed)):
        for seat in choices:
            actions = course.asked[seat]
            events = course.take_events(seat)
            raw = wire.position(course.kind, course.view(seat), events, actions)
            position = parse_position(game_id, raw)
            assert position.SerializeToString(deterministic=True) == raw
            assert not any_unknown(position)
            assert len(position.options) == len(actions)  # type: ignore[attr-defined]
            assert len(position.events) == len(events)  # type: ignore[attr-defined]
            assert len({wire.option(action) for action in actions}) == len(actions), (
                "two options look alike on the wire"
            )
            assert position.decision == wire.decisions[course.kind] != 0  # type: ignore[attr-defined]


@every_case
@settings(thorough, max_examples=12 if FULL else 6)
@given(seed=seeds)
def test_a_seat_is_sent_nothing_it_cannot_know(
    game_id: str, seats: int, given_variant: tuple[tuple[str, str], ...], seed: int
) -> None:
    """The leak test: twins that differ only in what a seat cannot know look the same to it, byte for byte."""
    game, wire, options = set_up(game_id, given_variant)
    course, rng = start(game, seats, options, str(seed)), random.Random(seed)
    for choices in wander(course, rng):
        for place in range(seats):
            seat = Seat(place)
            luck = SeededChance(derive_secret(f"{seed}/{rng.random()}"))
            twin = game.hide(course.state, seat, luck)
            assert wire.observation(game.view(twin, seat)) == wire.observation(course.view(seat))
            decision = game.ask(twin)
            if seat in course.asked:
                assert not isinstance(decision, Outcome)
                assert decision.kind == course.kind
                assert wire.options(decision.options[seat]) == wire.options(course.asked[seat])
                assert decision.defaults.get(seat, 0) == course.default(seat)
            compare_news(course, game, wire, twin, seat, choices)


def compare_news(course: Course, game: AnyGame, wire: AnyWire, twin: Any, seat: Seat, choices: dict[Seat, int]) -> None:
    """Events tell a seat no more than the view it has afterwards."""
    real, other = game.ask(course.state), game.ask(twin)
    if isinstance(real, Outcome) or isinstance(other, Outcome) or real.kind != other.kind:
        return
    actions = {place: real.options[place][choices.get(place, 0)] for place in real.options}
    if other.options.keys() != actions.keys() or any(actions[place] not in other.options[place] for place in actions):
        return
    twin.chance = course.state.chance.copy()  # the same dice on both sides: only what is hidden differs
    ours, theirs = game.apply(course.state, actions), game.apply(twin, actions)
    if wire.observation(game.view(ours.state, seat)) == wire.observation(game.view(theirs.state, seat)):
        heard = [
            # In any order: that a card lay above another and was turned up first is history, not a secret.
            sorted(wire.events([seen]) for event in step.events if (seen := game.seen(event, seat)) is not None)
            for step in (ours, theirs)
        ]
        assert heard[0] == heard[1], f"{real.kind}: events tell seat {seat} a secret"


def parse_position(game_id: str, raw: bytes) -> Message:
    """The bytes as the game's generated Position."""
    question = referee_pb2.Question()
    position: Message = getattr(question, game_id)
    position.ParseFromString(raw)
    return position


def any_unknown(message: Message) -> bool:
    """Whether a message, at any depth, holds fields its proto file does not name."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    if len(UnknownFieldSet(message)):
        return True
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None:
            parts = [value] if isinstance(value, Message) else list(value)
            if any(any_unknown(part) for part in parts):
                return True
    return False
