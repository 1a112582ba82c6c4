"""A question as the author of a bot sees it: the protobuf messages with a little convenience around them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tortuga.v1 import referee_pb2


@dataclass(slots=True)
class Match:
    """The match a question belongs to. `memory` is yours: store there whatever should last for this match."""

    match_id: str
    game: str
    seat: int
    seat_names: tuple[str, ...]
    variant: dict[str, str]
    memory: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, start: referee_pb2.MatchStart) -> Match:
        """From the message that begins a match."""
        return cls(
            match_id=start.match_id,
            game=start.game,
            seat=start.seat,
            seat_names=tuple(start.seat_names),
            variant={setting.name: setting.value for setting in start.variant},
        )


@dataclass(slots=True)
class Question:
    """One question. Any whole number from 0 to `option_count - 1` is a legal answer."""

    match: Match
    message: referee_pb2.Question

    @property
    def option_count(self) -> int:
        """The number of legal actions, at least 2."""
        return self.message.option_count

    @property
    def time_left_seconds(self) -> float:
        """Time to answer this question, counted from when it was sent."""
        return self.message.time_left_millis / 1000

    @property
    def bank_left_seconds(self) -> float:
        """What the seat's bank held when the question was sent."""
        return self.message.bank_left_millis / 1000

    @property
    def position(self) -> Any:
        """The game's typed Position: decision, observation, events, options."""
        return getattr(self.message, self.match.game)

    @property
    def observation(self) -> Any:
        """The game's typed Observation: a full snapshot of what this seat may know."""
        return self.position.observation

    @property
    def options(self) -> Any:
        """The game's typed Options, in the order in which the answer counts them."""
        return self.position.options

    @property
    def events(self) -> Any:
        """What this seat perceived since its last question."""
        return self.position.events
