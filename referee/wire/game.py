"""How one game travels: the shape every file of this folder fills, and the Position built from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeAlias, TypeVar

from referee.wire.codec import nested, number

A = TypeVar("A")
E = TypeVar("E")
V = TypeVar("V")

CACHED_PIECES = 1 << 14
"""How many encoded options (and, apart, events) of a game are kept: far more than a game has in one match."""


@dataclass(frozen=True, kw_only=True)
class GameWire(Generic[A, E, V]):
    """One game's translation, each function giving the serialized message of its name in `<game>.proto`."""

    field: int
    """The number of the game's Position in `Question.position`."""
    messages_version: int
    """Goes up with each change of what bots are sent or of how the state is built; records name it. Rules may stay the
    same."""
    decisions: Mapping[str, int]
    """The game's `Decision` enum: name in the specification -> number."""
    observation: Callable[[V], bytes]
    option: Callable[[A], bytes]
    event: Callable[[E], bytes]

    def __post_init__(self) -> None:
        # Options and events recur all the time and are frozen values: encode each once, with tag and length.
        framed_option = lru_cache(CACHED_PIECES)(lambda action: nested(4, self.option(action)))
        framed_event = lru_cache(CACHED_PIECES)(lambda event: nested(3, self.event(event)))
        object.__setattr__(self, "_framed_option", framed_option)
        object.__setattr__(self, "_framed_event", framed_event)

    def options(self, actions: Iterable[A]) -> bytes:
        """The `options` field of a Position."""
        return b"".join(map(self._framed_option, actions))  # type: ignore[attr-defined]

    def events(self, events: Iterable[E]) -> bytes:
        """The `events` field of a Position."""
        return b"".join(map(self._framed_event, events))  # type: ignore[attr-defined]

    def situation(self, kind: str, view: V) -> bytes:
        """The fields `decision` and `observation` of a Position."""
        return number(1, self.decisions[kind]) + nested(2, self.observation(view))

    def scene(self, view: V, events: Iterable[E]) -> bytes:
        """A whole serialized Position for somebody who is asked nothing."""
        return nested(2, self.observation(view)) + self.events(events)

    def position(self, kind: str, view: V, events: Iterable[E], actions: Iterable[A]) -> bytes:
        """A whole serialized Position."""
        return self.situation(kind, view) + self.events(events) + self.options(actions)


AnyWire: TypeAlias = GameWire[Any, Any, Any]
