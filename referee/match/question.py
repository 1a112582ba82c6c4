"""A question: a decision as put to one seat, and the bytes that make it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from referee.rules.course import Course
from referee.rules.engine import AnyGame, Seat
from referee.rules.model import encode_model


class Wire(Protocol):
    """The translation of one game: its parts of a question as bytes. `referee.wire` has one for every game."""

    @property
    def field(self) -> int:
        """Return the number of the game's Position in `Question.position`."""
        ...

    @property
    def messages_version(self) -> int:
        """Return a number that goes up with each change of what bots are sent or of how the state is built."""
        ...

    def situation(self, kind: str, view: Any) -> bytes:
        """Encode the decision and what the seat may know."""
        ...

    def events(self, events: Sequence[Any]) -> bytes:
        """Encode what happened since the seat was last asked."""
        ...

    def options(self, actions: Sequence[Any]) -> bytes:
        """Encode the legal actions."""
        ...

    def scene(self, view: Any, events: Sequence[Any]) -> bytes:
        """Encode a whole Position for somebody who is asked nothing."""
        ...


@dataclass(kw_only=True, slots=True)
class Question:
    """A decision as put to one seat: as values for players in this process, and as bytes for those outside."""

    question_id: int
    """Number of the question, counted per seat: a number over all seats would tell a seat how often the others were
    asked."""
    kind: str
    view: Any
    heard: tuple[Any, ...]
    actions: tuple[Any, ...]
    default: int
    situation: bytes
    events: bytes
    options: bytes
    game: AnyGame
    state: Any
    """The whole table, secrets included: only for what is made on request and tells a seat no secrets, such as `model`
    and the question in words (question_text.py)."""
    seat: Seat
    time_left_seconds: float | None = None
    """Time that the answer may take; None without a clock."""
    bank_left_seconds: float = 0.0

    @property
    def position(self) -> bytes:
        """Return the whole serialized Position."""
        return self.situation + self.events + self.options

    def model(self) -> bytes:
        """Encode the forward model, which most bots do not ask for. No part of the Position: chains and records lack
        it."""
        return encode_model(self.game, self.state, self.seat)


def make_question(course: Course, wire: Wire, seat: Seat, question_id: int) -> Question:
    """Make the question that a seat is sent at the present decision, without a clock. Tells the seat its events."""
    view, heard, actions = course.view(seat), course.take_events(seat), course.asked[seat]
    return Question(
        question_id=question_id,
        kind=course.kind,
        view=view,
        heard=heard,
        actions=actions,
        default=course.default(seat),
        situation=wire.situation(course.kind, view),
        events=wire.events(heard),
        options=wire.options(actions),
        game=course.game,
        state=course.state,
        seat=seat,
    )
