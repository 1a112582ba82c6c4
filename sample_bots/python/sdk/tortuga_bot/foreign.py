"""Positions of games that have no proto file of Tortuga's: JSON on the wire, dicts and lists here.

    question.observation["card"]            what the seat may know
    question.options[0]["_type"]            the name of the kind of an option
    question.option_texts                   every option in a few words

docs/protocol.md, "Games of other packages", says how the game's own values are written as JSON.
"""

from __future__ import annotations

import json
from functools import cached_property, lru_cache
from typing import Any

from tortuga.v1 import foreign_pb2, referee_pb2

TYPED = frozenset(
    field.name for field in referee_pb2.Question.DESCRIPTOR.oneofs_by_name["position"].fields if field.name != "foreign"
)
"""The games whose positions are messages of their own."""

CACHED_TEXTS = 1 << 12

_read = lru_cache(CACHED_TEXTS)(json.loads)
"""Options and events recur: their values are shared, so do not change them."""


class ForeignPosition:
    """A Position with the fields that every game's has, read when they are first looked at."""

    def __init__(self, message: foreign_pb2.Foreign) -> None:
        self.message = message

    @property
    def decision(self) -> str:
        """The name of the decision."""
        return self.message.decision

    @cached_property
    def observation(self) -> dict[str, Any]:
        """All that the seat may know."""
        observation: dict[str, Any] = json.loads(self.message.observation)
        return observation

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """What the seat perceived since its last question."""
        return [_read(event.json) for event in self.message.events]

    @cached_property
    def options(self) -> list[dict[str, Any]]:
        """The legal actions, in the order in which the answer counts them."""
        return [_read(option.json) for option in self.message.options]
