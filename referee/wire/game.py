"""`GameWire`, which every game's file in this folder fills in, and the Position built from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Generic, TypeAlias, TypeVar

from referee.rules.parts import Part, Row
from referee.wire.codec import nested, number

A = TypeVar("A")
E = TypeVar("E")
V = TypeVar("V")

CACHED_PIECES = 1 << 14
"""Number of encoded options (and, apart, events) of a game that are kept: far more than a game has in one match."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class GameWire(Generic[A, E, V]):
    """One game's translation, each function giving the serialized message of its name in `<game>.proto`."""

    field: int
    """Number of the game's Position in `Question.position`."""
    messages_version: int
    """Number that goes up with each change of what bots are sent or of how the state is built; records name it.
    Rules may stay the same."""
    decisions: Mapping[str, int]
    """The game's `Decision` enum: name in the specification -> number. Empty: decisions are sent by their names."""
    observation: Callable[[V], bytes]
    option: Callable[[A], bytes]
    event: Callable[[E], bytes]
    options: Callable[[Sequence[A]], bytes] = dataclasses.field(init=False)
    """Encoder of the field of that name of a Position."""
    events: Callable[[Sequence[E]], bytes] = dataclasses.field(init=False)
    """Encoder of the field of that name of a Position."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", _joiner("option bytes", lambda action: nested(4, self.option(action))))
        object.__setattr__(self, "events", _joiner("event bytes", lambda event: nested(3, self.event(event))))

    def situation(self, kind: str, view: V) -> bytes:
        """Encode the fields `decision` and `observation` of a Position."""
        decision = number(1, self.decisions[kind]) if self.decisions else nested(1, kind.encode())
        return decision + nested(2, self.observation(view))

    def scene(self, view: V, events: Sequence[E]) -> bytes:
        """Encode a whole serialized Position for somebody who is asked nothing."""
        return nested(2, self.observation(view)) + self.events(events)

    def position(self, kind: str, view: V, events: Sequence[E], actions: Sequence[A]) -> bytes:
        """Encode a whole serialized Position."""
        return self.situation(kind, view) + self.events(events) + self.options(actions)


def _joiner(name: str, encode: Callable[[Any], bytes]) -> Callable[[Sequence[Any]], bytes]:
    """Make a function that joins the encoded values of a row.

    Options and events recur all the time and are immutable, so each distinct one is encoded once. Finding its bytes
    by its hash is not free, either: a `Part` keeps them, under that name, and a `Row` keeps those of all its items.
    """
    encode_once = lru_cache(CACHED_PIECES)(encode)
    cached = attrgetter(name)

    def keep(part: Part) -> bytes:
        encoded = part.__dict__[name] = encode_once(part)
        return encoded

    def join(row: Sequence[Any]) -> bytes:
        if not isinstance(row, Row):
            return join_anew(row)
        if name not in row.__dict__:
            row.__dict__[name] = join_anew(row)
        joined: bytes = row.__dict__[name]
        return joined

    def join_anew(row: Sequence[Any]) -> bytes:
        if row and isinstance(row[0], Part):
            try:
                return b"".join(map(cached, row))
            except AttributeError:  # one of them is new
                return b"".join([part.__dict__.get(name) or keep(part) for part in row])
        return b"".join(map(encode_once, row))

    return join


AnyWire: TypeAlias = GameWire[Any, Any, Any]
