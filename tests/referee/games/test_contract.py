"""The promises of every game in the table, in whatever position chance leads to.

Each (game, seats, variant, seed) is played once; every promise is checked at every moment on the way. A promise is a
function of a `Moment`, and its name says what is promised.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from referee.games import GAMES
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import AnyGame, Outcome, Seat
from referee.rules.fingerprint import fingerprint, plain
from referee.rules.model import encode_model
from referee.wire import WIRES, AnyWire
from support import sizes
from support.play import GivenVariant, cases, every_case, start, wander
from tortuga.v1 import referee_pb2

SHOWN_ONCE = {"StowPlunder"}
"""What is hidden, is shown to all as it is done, and is hidden again: only its event tells it. Here the cargo of a
naval ship, which comes aboard face up."""

GAMES_PER_CASE = sizes.pick(quick=1, ci=6, full=12)


@dataclass(kw_only=True)
class Moment:
    """A game just before the seats choose, or over."""

    game: AnyGame
    wire: AnyWire
    seats: int
    course: Course
    shadow: Course
    """The same game, played by the same choices."""
    rng: random.Random
    choices: dict[Seat, int] = field(default_factory=dict)
    """What the seats are going to choose."""
    told: set[type] = field(default_factory=set)
    """The events and actions that were put into words so far."""

    @property
    def all_seats(self) -> list[Seat]:
        return [Seat(place) for place in range(self.seats)]


# Promises about every moment


def lists_of_options_are_in_bounds_and_without_repetition(moment: Moment) -> None:
    course = moment.course
    for seat in moment.choices:
        options = course.asked[seat]
        assert 2 <= len(options) <= moment.game.info.max_options, course.kind
        assert len(set(options)) == len(options), f"{course.kind}: an option stands twice"
        assert 0 <= course.default(seat) < len(options)


def the_same_choices_give_the_same_states(moment: Moment) -> None:
    assert fingerprint(moment.shadow.state) == fingerprint(moment.course.state)


def apply_ask_and_view_leave_the_state_alone(moment: Moment) -> None:
    state = moment.shadow.state
    before = plain(state)  # not its fingerprint: parts keep their text, and would not show a change
    moment.game.ask(state)
    for seat in moment.all_seats:
        moment.game.view(state, seat)
    moment.shadow.choose(moment.choices)
    assert plain(state) == before


def every_event_and_option_is_one_line(moment: Moment) -> None:
    """As `seen` gives them to seats and spectators, too: test_spectator.py."""
    text, course = moment.game.text, moment.course
    for event in course.events:
        assert is_one_line(text.event(event)), event
        assert "_" not in text.event(event), f"{event}: an id instead of words"
        assert is_one_line(moment.game.fired(event)), event
        moment.told.add(type(event))
    for options in course.asked.values():
        lines = {text.action(option) for option in options}
        assert all(is_one_line(line) and len(line) < 80 and "_" not in line for line in lines), lines
        assert len(lines) == len(options), f"{course.kind}: two options read alike"
        moment.told.update(map(type, options))
    table = text.table(course.state)
    assert all(f"seat {seat}" in table for seat in moment.all_seats)
    assert "_" not in table, "an id instead of words"


def positions_survive_the_wire(moment: Moment) -> None:
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


def a_seat_is_sent_nothing_it_cannot_know(moment: Moment) -> None:
    """The leak test: twins that differ only in what a seat cannot know look the same to it, byte for byte."""
    game, wire, course = moment.game, moment.wire, moment.course
    for seat in moment.all_seats:
        twin = game.hide(course.state, seat, SeededChance(derive_secret(f"{moment.rng.random()}")))
        assert wire.observation(game.view(twin, seat)) == wire.observation(course.view(seat))
        assert encode_model(game, twin, seat) == encode_model(game, course.state, seat), (
            "a forward model tells a secret"
        )
        decision = game.ask(twin)
        if seat in course.asked:
            assert not isinstance(decision, Outcome)
            assert decision.kind == course.kind
            assert wire.options(decision.options[seat]) == wire.options(course.asked[seat])
            assert decision.defaults.get(seat, 0) == course.default(seat)
        events_tell_a_seat_no_more_than_its_next_view(moment, twin, seat)


def events_tell_a_seat_no_more_than_its_next_view(moment: Moment, twin: Any, seat: Seat) -> None:
    game, wire, course = moment.game, moment.wire, moment.course
    if any(type(frame).__name__ in SHOWN_ONCE for frame in course.state.pending):
        return
    real, other = game.ask(course.state), game.ask(twin)
    if isinstance(real, Outcome) or isinstance(other, Outcome) or real.kind != other.kind:
        return
    actions = {place: real.options[place][moment.choices.get(place, 0)] for place in real.options}
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


# Promises about the end


def a_game_ends_with_all_seats_ranked(moment: Moment) -> None:
    outcome = moment.course.outcome
    assert outcome is not None
    assert len(outcome.ranks) == len(outcome.scores) == moment.seats
    assert all(rank == 1 + sum(other < rank for other in outcome.ranks) for rank in outcome.ranks)


def the_same_choices_give_the_same_outcome(moment: Moment) -> None:
    assert moment.shadow.outcome == moment.course.outcome


def many_kinds_of_events_and_options_were_told(moment: Moment) -> None:
    assert len(moment.told) > 12, "the game was too short to say much"


AT_EVERY_MOMENT = (
    lists_of_options_are_in_bounds_and_without_repetition,
    the_same_choices_give_the_same_states,
    every_event_and_option_is_one_line,
    positions_survive_the_wire,
    a_seat_is_sent_nothing_it_cannot_know,
    apply_ask_and_view_leave_the_state_alone,  # the last: it moves the shadow on
)
AT_THE_END = (
    a_game_ends_with_all_seats_ranked,
    the_same_choices_give_the_same_states,
    the_same_choices_give_the_same_outcome,
    every_event_and_option_is_one_line,
    many_kinds_of_events_and_options_were_told,
)


@pytest.mark.few(5)
@every_case
@pytest.mark.parametrize("number", range(GAMES_PER_CASE))
@sizes.sized
def test_a_game_keeps_every_promise(game_id: str, seats: int, given_variant: GivenVariant, number: int) -> None:
    game, decisions = GAMES[game_id], 0
    for moment in moments(game_id, seats, given_variant, f"contract {number}"):
        for promise in AT_EVERY_MOMENT if moment.choices else AT_THE_END:
            promise(moment)
        decisions += len(moment.choices)
        assert decisions <= game.info.max_decisions


def moments(game_id: str, seats: int, given_variant: GivenVariant, seed: str) -> Iterator[Moment]:
    """Every moment of one game, with the end as the last."""
    game, rng = GAMES[game_id], random.Random(f"{game_id}/{seats}/{given_variant}/{seed}")
    course, shadow = (start(game, seats, game.info.read_variant(dict(given_variant)), seed) for _ in range(2))
    moment = Moment(game=game, wire=WIRES[game_id], seats=seats, course=course, shadow=shadow, rng=rng)
    for choices in wander(course, rng):
        moment.choices = choices
        yield moment
    moment.choices = {}
    yield moment


def is_one_line(text: str) -> bool:
    """A line that says something."""
    return text.strip() == text != "" and "\n" not in text


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
