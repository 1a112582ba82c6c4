"""The promises of every game, in whatever position chance leads to: what a referee relies on.

A game is played by random choices, and every promise is checked at every moment on the way. A promise is a function of
a `TriedMoment` that raises `BrokenPromise`; its docstring is its line in the report. Our own games are held to them by
tests/referee/games/test_contract.py, games of other packages by `tortuga game check` (suite.py).
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from referee.draw import BOARD_WIDTH, Drawing, ViewedTable
from referee.rules.chance import ScriptedChance, SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import SPECTATOR, AnyGame, Outcome, Seat, Variant
from referee.rules.fingerprint import fingerprint, plain
from referee.rules.model import World, encode_model, open_model
from referee.wire import AnyWire
from referee.wire.foreign import ForeignPosition, read_foreign
from tortuga.v1 import foreign_pb2

LONGEST_LINE = 80
"""Options are shorter than this."""
OTHER_LUCK = 30
"""Number of ways in which the luck of a step is drawn."""
MOST_DEALS = 10
"""Steps of a game that are tried so."""


class BrokenPromise(AssertionError):
    """A game does not do what every game has to do."""


@dataclass(kw_only=True)
class TriedMoment:
    """A game just before the seats choose, or over."""

    game: AnyGame
    wire: AnyWire
    seats: int
    course: Course
    shadow: Course
    """The same game, played by the same choices."""
    rng: random.Random
    drawing: Drawing | None = None
    choices: dict[Seat, int] = field(default_factory=dict)
    """What the seats are going to choose."""
    told: set[type] = field(default_factory=set)
    """The events and actions that were put into words so far."""
    hidden: int = 0
    """How often something was hidden from a seat: without it, nothing was tried by the promises about secrets."""
    ordered: bool = True
    """Whether events that tell the same have to come in the same order, whatever is hidden."""
    spectators: bool = True
    """Whether `hide` also hides from spectators."""
    shown_once: frozenset[str] = frozenset()
    """Names of classes in the agenda: what they hide is shown to all as it is done, and only its event tells it."""
    asked: int = 0
    deals: int = 0
    """How many steps were tried with other luck."""

    @property
    def all_seats(self) -> list[Seat]:
        """Return every seat."""
        return [Seat(place) for place in range(self.seats)]

    def twin(self, seat: Seat) -> Any:
        """Return a state that the seat cannot tell from the real one."""
        return self.game.hide(self.course.state, seat, SeededChance(derive_secret(f"{self.rng.random()}")))


Promise = Callable[[TriedMoment], None]


def require(holds: object, what: str) -> None:
    """Raise BrokenPromise unless it holds."""
    if not holds:
        raise BrokenPromise(what)


def pick(rng: random.Random, options: Sequence[Any]) -> int:
    """Half the time any option, half the time any kind of action first: rare actions are met as well."""
    if rng.random() < 0.5:
        return rng.randrange(len(options))
    kind = rng.choice(sorted({type(option).__name__ for option in options}))
    return rng.choice([index for index, option in enumerate(options) if type(option).__name__ == kind])


def moments(game: AnyGame, wire: AnyWire, seats: int, variant: Variant, seed: str, **how: Any) -> Iterator[TriedMoment]:
    """Yield every moment of one game, with the end as the last."""
    course, shadow = (Course(game, seats, variant, SeededChance(derive_secret(seed))) for _ in range(2))
    rng = random.Random(f"{game.info.id}/{seats}/{sorted(variant.items())}/{seed}")
    moment = TriedMoment(game=game, wire=wire, seats=seats, course=course, shadow=shadow, rng=rng, **how)
    while course.outcome is None:
        moment.choices = {seat: pick(rng, options) for seat, options in course.asked.items()}
        moment.asked += len(moment.choices)
        yield moment
        course.choose(moment.choices)
    moment.choices = {}
    yield moment


# Promises about every moment


def options_in_bounds(moment: TriedMoment) -> None:
    """A seat has at least two options, no more than max_options, none of them twice, and a default among them."""
    course = moment.course
    for seat in moment.choices:
        options = course.asked[seat]
        require(2 <= len(options) <= moment.game.info.max_options, f"seat {seat} has {len(options)} options")
        require(len(set(options)) == len(options), f"seat {seat} has an option twice")
        require(0 <= course.default(seat) < len(options), f"the default of seat {seat} is no option")


def ends_in_bounds(moment: TriedMoment) -> None:
    """A game can be played to its end without an error, and asks no more questions than max_decisions."""
    most = moment.game.info.max_decisions
    require(moment.asked <= most, f"{moment.asked} questions were asked, and max_decisions is {most}")


def same_choices_same_states(moment: TriedMoment) -> None:
    """The same luck and the same choices lead to the same states: no other luck, no clock, nothing kept in a module."""
    ours, theirs = fingerprint(moment.course.state), fingerprint(moment.shadow.state)
    require(ours == theirs, "the same game was played twice, and its states differ")


def state_is_left_alone(moment: TriedMoment) -> None:
    """`ask`, `view`, `seen`, `hide`, `apply` and the texts leave the state they are given as it is."""
    game, state = moment.game, moment.shadow.state
    before = plain(state)  # not its fingerprint: parts keep their text, and would not show a change
    game.ask(state)
    for seat in (*moment.all_seats, SPECTATOR):
        game.view(state, seat)
    for seat in moment.all_seats:
        game.hide(state, seat, SeededChance(derive_secret("left alone")))
    game.text.table(state)
    require(plain(state) == before, "a function that only reads has changed the state")
    if moment.choices:
        moment.shadow.choose(moment.choices)
        require(plain(state) == before, "`apply` has changed the state it was given: change a copy")


def told_in_words(moment: TriedMoment) -> None:
    """Events and options are one line each, options differ in words, and the table names every seat."""
    text, course = moment.game.text, moment.course
    for event in course.events:
        for seat in (None, *moment.all_seats, SPECTATOR):
            perceived = event if seat is None else moment.game.seen(event, seat)
            if perceived is not None:
                require(is_one_line(text.event(perceived)), f"the text of {perceived} is no line")
        require(is_one_line(moment.game.fired(event)), f"`fired` of {event} is no line")
        moment.told.add(type(event))
    for options in course.asked.values():
        lines = [text.action(option) for option in options]
        require(all(is_one_line(line) and len(line) < LONGEST_LINE for line in lines), f"no short lines: {lines}")
        require(len(set(lines)) == len(lines), f"two options read alike: {lines}")
        moment.told.update(map(type, options))
    table = text.table(course.state)
    for seat in moment.all_seats:
        require(f"seat {seat}" in table, f"the table in words does not name seat {seat}")


def survives_the_wire(moment: TriedMoment) -> None:
    """What a bot is sent can be read, the same values are the same bytes, and different options differ."""
    course, wire = moment.course, moment.wire
    for seat in moment.choices:
        actions = course.asked[seat]
        raw = wire.position(course.kind, course.view(seat), course.take_events(seat), actions)
        position = read_foreign(foreign_pb2.Foreign.FromString(raw))
        require(position.decision, "the decision has no name")
        require(isinstance(position.observation, dict), "a view has to be a dataclass")
        parts = [*position.options, *position.events]
        require(all(isinstance(part, dict) for part in parts), "an option or event is no dataclass")
        for value in (position.observation, *parts):
            check_exact(value)
        texts = [json.dumps(option) for option in position.options]
        require(len(set(texts)) == len(texts), "two options look alike on the wire")
        again = wire.observation(moment.game.view(moment.shadow.state, seat))
        require(again == wire.observation(course.view(seat)), "the same view has other bytes")


def check_exact(value: Any) -> None:
    """Refuse numbers that other languages cannot hold exactly."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            check_exact(item)
    elif isinstance(value, int):
        require(abs(value) <= 2**53, f"{value} is larger than numbers in JSON can be in every language")
    elif isinstance(value, float):
        require(math.isfinite(value), f"{value} has no place in JSON")


def tells_no_secret(moment: TriedMoment) -> None:
    """What a seat is sent does not change with what it cannot know: view, options, default and forward model."""
    game, wire, course = moment.game, moment.wire, moment.course
    for seat in (*moment.all_seats, SPECTATOR) if moment.spectators else moment.all_seats:
        twin = moment.twin(seat)
        moment.hidden += fingerprint(twin) != fingerprint(course.state)
        who = "a spectator" if seat == SPECTATOR else f"seat {seat}"
        require(
            wire.observation(game.view(twin, seat)) == wire.observation(course.view(seat)),
            f"the view of {who} tells what is hidden from it",
        )
        if seat == SPECTATOR:
            continue
        require(
            encode_model(game, twin, seat) == encode_model(game, course.state, seat),
            f"`hide` with filler leaves something in the state that {who} cannot know",
        )
        decision = game.ask(twin)
        if seat in course.asked:
            require(not isinstance(decision, Outcome), f"hidden things decide whether {who} is asked")
            assert not isinstance(decision, Outcome)
            require(decision.kind == course.kind, f"the decision of {who} tells what is hidden from it")
            require(
                wire.options(decision.options.get(seat, ())) == wire.options(course.asked[seat]),
                f"the options of {who} tell what is hidden from it",
            )
            require(
                decision.defaults.get(seat, 0) == course.default(seat), f"the default of {who} tells what is hidden"
            )
        events_tell_no_secret(moment, twin, seat)


def events_tell_no_secret(moment: TriedMoment, twin: Any, seat: Seat) -> None:
    """What a seat hears of a step tells it no more than its next view."""
    game, wire, course = moment.game, moment.wire, moment.course
    if moment.shown_once and any(type(frame).__name__ in moment.shown_once for frame in course.state.pending):
        return
    real, other = game.ask(course.state), game.ask(twin)
    if isinstance(real, Outcome) or isinstance(other, Outcome) or real.kind != other.kind:
        return
    actions = {place: real.options[place][moment.choices.get(place, 0)] for place in real.options}
    if other.options.keys() != actions.keys() or any(actions[place] not in other.options[place] for place in actions):
        return
    twin.chance = course.state.chance.copy()  # the same luck on both sides: only what is hidden differs
    ours, theirs = game.apply(course.state, actions), game.apply(twin, actions)
    if wire.observation(game.view(ours.state, seat)) != wire.observation(game.view(theirs.state, seat)):
        return
    heard = [
        [wire.events([seen]) for event in step.events if (seen := game.seen(event, seat)) is not None]
        for step in (ours, theirs)
    ]
    # For our own games in any order: that a card lay above another and was turned up first is history, not a secret.
    if not moment.ordered:
        heard = [sorted(told) for told in heard]
    require(heard[0] == heard[1], f"events, or their order, tell seat {seat} what is hidden from it")


def luck_tells_no_secret(moment: TriedMoment) -> None:
    """Events do not tell a seat what luck has just hidden from it, such as cards that were dealt to others."""
    game, wire, course = moment.game, moment.wire, moment.course
    decision = game.ask(course.state)
    if isinstance(decision, Outcome) or moment.deals >= MOST_DEALS:
        return
    actions = {seat: options[moment.choices.get(seat, 0)] for seat, options in decision.options.items()}
    steps = []
    for _ in range(OTHER_LUCK):
        state = course.state.copy()
        state.chance = SeededChance(derive_secret(f"{moment.rng.random()}"))
        before = state.chance.copy()
        steps.append(game.apply(state, actions))
        if not any(steps[-1].state.chance.draws_since(before)):
            return  # this step draws nothing
    moment.deals += 1
    for seat in moment.all_seats:
        seen: dict[bytes, dict[bytes, list[bytes]]] = {}
        for step in steps:
            heard = [event for event in (game.seen(event, seat) for event in step.events) if event is not None]
            laid = step.state.copy()
            laid.chance = ScriptedChance()
            same_view = seen.setdefault(wire.observation(game.view(step.state, seat)), {})
            same_view.setdefault(wire.events(heard), []).append(fingerprint(laid))
        for told in seen.values():
            # What is told settles what is hidden if the same words always come with the same hidden things.
            often = [states for states in told.values() if len(states) > 2]
            settled = len(often) > 1 and all(len(set(states)) == 1 for states in often)
            hidden = {state for states in often for state in states}
            require(not settled or len(hidden) == 1, f"events tell seat {seat} what luck has just hidden from it")


def can_be_played_on(moment: TriedMoment) -> None:
    """The forward model can be read, and the worlds that are drawn from it can be played on."""
    for seat in moment.choices:
        games = {moment.game.info.id: moment.game}
        model = open_model(encode_model(moment.game, moment.course.state, seat), games, "check", World)
        [world] = model.worlds(1)
        require(world.kind == moment.course.kind, f"a world of seat {seat} asks {world.kind or 'nothing'}")
        require(
            moment.wire.observation(world.view(seat)) == moment.wire.observation(moment.course.view(seat)),
            f"a world of seat {seat} looks different to it",
        )
        require(world.actions == moment.course.asked[seat], f"a world of seat {seat} has other options")
        world.clone("other luck").play(moment.choices[seat])


def is_drawn_whole(moment: TriedMoment) -> None:
    """Its drawing, if it has one, is inside its frame, and every shape has an id of its own."""
    if moment.drawing is None:
        return
    views = [*moment.all_seats, SPECTATOR]
    positions = {seat: _seen_position(moment, seat) for seat in views}
    names = tuple(f"bot {seat}" for seat in moment.all_seats)
    for seat in views:
        hands = {int(seat): positions[seat]} if seat != SPECTATOR else {}
        scene = moment.drawing.draw(ViewedTable(position=positions[seat], names=names, hands=hands))
        ids = [shape.id for shape in scene.shapes]
        require(scene.width == BOARD_WIDTH, f"the board is {scene.width} wide, expected {BOARD_WIDTH}")
        require(len(ids) == len(set(ids)), "two shapes have one id")
        for shape in scene.shapes:
            inside = 0 <= shape.x <= scene.width and 0 <= shape.y <= scene.height
            require(inside, f"the shape {shape.id} lies outside the board")
            require(bool(shape.path) != bool(shape.text), f"the shape {shape.id} needs a path or a text")
    require(is_one_line(moment.drawing.heading(positions[SPECTATOR])), "the heading is no line")
    require(len(moment.drawing.scores(positions[SPECTATOR])) == moment.seats, "not every seat has a score")
    twin = moment.twin(SPECTATOR)
    table = ViewedTable(position=positions[SPECTATOR], names=names)
    other = replace(table, position=_read(moment, moment.wire.scene(moment.game.view(twin, SPECTATOR), ())))
    plain_table = replace(table, position=_read(moment, moment.wire.scene(moment.course.view(SPECTATOR), ())))
    require(moment.drawing.draw(other) == moment.drawing.draw(plain_table), "the drawing tells a spectator a secret")


def _seen_position(moment: TriedMoment, seat: Seat) -> ForeignPosition:
    events = [seen for event in moment.course.events if (seen := moment.game.seen(event, seat)) is not None]
    return _read(moment, moment.wire.scene(moment.course.view(seat), events))


def _read(moment: TriedMoment, raw: bytes) -> ForeignPosition:
    return read_foreign(foreign_pb2.Foreign.FromString(raw))


# Promises about the end


def all_seats_ranked(moment: TriedMoment) -> None:
    """A game ends with a rank and a score for every seat; level seats share the better rank."""
    outcome = moment.course.outcome
    assert outcome is not None
    require(len(outcome.ranks) == len(outcome.scores) == moment.seats, "not every seat has a rank and a score")
    ranks = outcome.ranks
    require(all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks), f"{ranks} are no ranks")
    require(moment.shadow.outcome == outcome, "the same game was played twice, and its outcomes differ")
    require(is_one_line(outcome.reason), "the outcome has no reason")


def is_one_line(text: str) -> bool:
    """Check that this is a line that says something."""
    return text.strip() == text != "" and "\n" not in text


ALWAYS: tuple[Promise, ...] = (
    options_in_bounds,
    ends_in_bounds,
    same_choices_same_states,
    told_in_words,
    survives_the_wire,
    tells_no_secret,
    luck_tells_no_secret,
    can_be_played_on,
    is_drawn_whole,
    state_is_left_alone,  # the last: it moves the shadow on
)
"""Promises about every moment but the end."""
AT_THE_END: tuple[Promise, ...] = (
    same_choices_same_states,
    told_in_words,
    is_drawn_whole,
    state_is_left_alone,
    all_seats_ranked,
)
