"""A question as the author of a bot sees it: the protobuf messages with a little convenience around them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tortuga.v1 import referee_pb2
from tortuga_bot.foreign import TYPED, ForeignPosition
from tortuga_bot.notes import Notes


@dataclass(slots=True)
class Match:
    """The match a question belongs to. `memory` is yours: store there whatever should last for this match."""

    match_id: str
    game: str
    seat: int
    seat_names: tuple[str, ...]
    variant: dict[str, str]
    memory: dict[str, Any] = field(default_factory=dict)
    has_clock: bool = False
    """False: there is no limit to the time for an answer (`--no-clock`)."""
    notes: Notes = field(default_factory=Notes, repr=False)
    """For `Question.note`."""
    rules_text: str = field(default="", repr=False)
    """The rules of the game in plain English, for bots that pass `want_rules=True` to `play`."""

    @classmethod
    def read(cls, start: referee_pb2.MatchStart, limits: referee_pb2.Limits | None = None) -> Match:
        """From the message that begins a match."""
        return cls(
            match_id=start.match_id,
            game=start.game,
            seat=start.seat,
            seat_names=tuple(start.seat_names),
            variant={setting.name: setting.value for setting in start.variant},
            has_clock=not start.clock.unlimited,
            notes=Notes(start.match_id, limits),
            rules_text=start.rules_text,
        )


@dataclass(slots=True)
class Question:
    """One question. Any whole number from 0 to `option_count - 1` is a legal answer."""

    match: Match
    message: referee_pb2.Question
    received: float = field(default_factory=time.monotonic)
    """When it came, or the earliest time at which it can have come, by `time.monotonic`."""
    make_model: Callable[[], bytes] | None = None
    """Instead of `Question.model`, for questions that never travelled: `tortuga simulate`."""
    make_text: Callable[[], str] | None = None
    """The same for `Question.text`."""
    _foreign: ForeignPosition | None = field(default=None, init=False, repr=False, compare=False)

    def time_left(self) -> float:
        """Seconds left to answer this question, from now on; infinity in a match without a clock.

        A question that waited while `choose` answered others has less. It allows nothing for the way back: leave some.
        """
        if not self.match.has_clock:
            return math.inf
        return max(0.0, self.received + self.message.time_left_millis / 1000 - time.monotonic())

    def note(self, text: str) -> None:
        """Say something on this question, for people who look at the match afterwards: at most 200 bytes, the rest is
        cut. It leaves together with the answer and costs no time; no other bot ever sees it."""
        self.match.notes.add(self.message.question_id, text)

    @property
    def text(self) -> str:
        """Return the question in plain English, its options with their indices; for bots that pass `want_text=True` to
        `play`."""
        return self.message.text or (self.make_text() if self.make_text else "")

    @property
    def option_count(self) -> int:
        """The number of legal actions, at least 2."""
        return self.message.option_count

    @property
    def time_left_seconds(self) -> float:
        """Time to answer this question, counted from when it was sent; `time_left()` counts from now."""
        return self.message.time_left_millis / 1000

    @property
    def bank_left_seconds(self) -> float:
        """What the seat's bank held when the question was sent."""
        return self.message.bank_left_millis / 1000

    @property
    def position(self) -> Any:
        """The game's Position: decision, observation, events, options. Of a game of another package, these are dicts
        and lists."""
        if self.match.game in TYPED:
            return getattr(self.message, self.match.game)
        if self._foreign is None:
            self._foreign = ForeignPosition(self.message.foreign)
        return self._foreign

    @property
    def observation(self) -> Any:
        """The game's Observation, typed or a dict: a full snapshot of what this seat may know."""
        return self.position.observation

    @property
    def options(self) -> Any:
        """The game's Options, typed or dicts, in the order in which the answer counts them."""
        return self.position.options

    @property
    def option_texts(self) -> list[str]:
        """Every option in a few words, in the same order. Only for games of other packages: other games send none."""
        return [option.text for option in self.message.foreign.options]

    @property
    def events(self) -> Any:
        """What this seat perceived since its last question."""
        return self.position.events
