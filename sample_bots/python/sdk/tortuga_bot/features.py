"""A question as numbers: what learning bots see. The lists follow from the protobuf messages, so every field counts.

    features = Features("pirates_cove", seats=2)
    features.observation(question.position, seat)    # array of features.observation_size floats
    features.option(option, seat)                    # array of features.option_size floats
    features.observation_names, features.option_names, features.version

Only the question is read: nothing is in here that the seat may not know. It needs neither numpy nor the rules, so a
trained bot plays with the SDK alone. docs/training.md says how a message becomes numbers; `RULES` counts the rules.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

RULES = 1
"""The rules by which messages become numbers. Goes up when they change."""

MESSAGES_AT = (20, 6, 2)
"""How many messages of a list count, by how many lists it stands in; deeper lists count none."""
NUMBERS_AT = (16, 8, 4)
"""The same for lists of numbers."""
ORDERED = 3
"""Of a list of enums in an option, so many values are also told in order: a program of cards is played in order."""

SEAT_NAMES = frozenset({"seat", "victim", "controller", "lookout"})
"""Numbers of these names, or of names that end in `_seat`, are seats."""
SEAT_LISTS = frozenset({"deciding"})
"""Lists of seats."""
PER_SEAT = {
    "pavillon_noir": frozenset({"duelists"}),
    "broadsides": frozenset({"ships", "crews"}),
    "pirates_cove": frozenset({"ships", "scores"}),
    "marauders": frozenset({"seats"}),
}
"""Lists of an Observation with an item per seat: the viewer's comes first, then clockwise."""

MESSAGE_KINDS = {
    "pavillon_noir": "PavillonNoir",
    "broadsides": "Broadsides",
    "pirates_cove": "PiratesCove",
    "marauders": "Marauders",
}

Floats: TypeAlias = "array[float]"
Put = Callable[[Any, Floats, int, int], None]
"""Writes the value of a field at a place, for a viewer's seat."""


class Features:
    """The numbers of one game with so many seats. Making it takes a moment: make one and keep it."""

    def __init__(self, game: str, seats: int) -> None:
        if game not in MESSAGE_KINDS:
            raise ValueError(f"there is no game {game!r}; there are {', '.join(MESSAGE_KINDS)}")
        kinds = getattr(import_module(f"tortuga.v1.{game}_pb2"), MESSAGE_KINDS[game]).DESCRIPTOR.nested_types_by_name
        self.game, self.seats = game, seats
        self._decisions = _Bag(kinds["Position"].fields_by_name["decision"].enum_type)
        self._observation = _Layout(kinds["Observation"], _Rules(seats, PER_SEAT[game], 0))
        self._option = _Layout(kinds["Option"], _Rules(seats, frozenset(), ORDERED))

    @property
    def observation_size(self) -> int:
        """How many numbers an observation has."""
        return self._decisions.size + self._observation.size

    @property
    def option_size(self) -> int:
        """How many numbers an option has."""
        return self._option.size

    @cached_property
    def observation_names(self) -> tuple[str, ...]:
        """What the numbers of an observation are."""
        return (*(f"decision={name}" for name in self._decisions.names), *self._observation.names)

    @cached_property
    def option_names(self) -> tuple[str, ...]:
        """What the numbers of an option are."""
        return tuple(self._option.names)

    @cached_property
    def version(self) -> str:
        """Changes with the rules or with any name in either list: weights fit the lists they were learnt with only."""
        names = "\n".join((*self.observation_names, "", *self.option_names))
        return f"{RULES}-{hashlib.sha256(names.encode()).hexdigest()[:8]}"

    def observation(self, position: Any, seat: int) -> Floats:
        """What the seat may know and what it has to decide, from a question's `position`."""
        return self.view(position.observation, seat, position.decision)

    def view(self, observation: Any, seat: int, decision: int = 0) -> Floats:
        """The same from its parts; without a decision, for a seat that is asked nothing."""
        out = array("f", bytes(4 * self.observation_size))
        self._decisions.put(decision, out, 0, 0)
        self._observation.put(observation, out, self._decisions.size, seat)
        return out

    def option(self, option: Any, seat: int) -> Floats:
        """One option, as that seat sees it."""
        out = array("f", bytes(4 * self.option_size))
        self._option.put(option, out, 0, seat)
        return out

    def write_options(self, options: Sequence[Any], seat: int, out: Any) -> None:
        """All options one after the other, into an array or a view of zeros that has room for them."""
        for number, option in enumerate(options):
            self._option.put(option, out, number * self._option.size, seat)


class _Rules(NamedTuple):
    """What holds for a whole list of features."""

    seats: int
    per_seat: frozenset[str]
    """Lists of the outermost message with an item per seat."""
    ordered: int


class _Layout:
    """Where the fields of a message lie. `path` are the messages it stands in, `lists` how many lists."""

    def __init__(self, kind: Descriptor, rules: _Rules, path: tuple[str, ...] = (), lists: int = 0) -> None:
        self.size = 0
        self.names: list[str] = []
        self._puts: dict[int, tuple[int, Put]] = {}
        self._always: list[tuple[str, int, Put]] = []
        """Fields that are written even if they are not set: seat 0 is a seat, too."""
        for field in sorted(kind.fields, key=lambda field: field.number):
            is_viewer = not path and bool(rules.per_seat) and field.name == "seat"
            if is_viewer:  # its distance from the viewer says nothing
                part: _Part | None = _Number(False)
            else:
                per_seat = not path and field.name in rules.per_seat
                part = _part(field, rules, per_seat, (*path, kind.full_name), lists)
            if part is None:
                continue
            if isinstance(part, _Seat) and not field.has_presence:
                self._always.append((field.name, self.size, part.put))
            else:
                self._puts[field.number] = self.size, part.put
            self.names += [f"{field.name}{name}" for name in part.names]
            self.size += part.size

    def put(self, message: Message, out: Floats, at: int, seat: int) -> None:
        """Write all fields that are set."""
        puts = self._puts
        for field, value in message.ListFields():
            found = puts.get(field.number)
            if found is not None:
                found[1](value, out, at + found[0], seat)
        for name, place, put in self._always:
            put(getattr(message, name), out, at + place, seat)


class _Number:
    """A number or a truth value, as it is; with a 1 before it where being absent differs from zero."""

    def __init__(self, has_presence: bool) -> None:
        self.size = 2 if has_presence else 1
        self.names = ["?", ""] if has_presence else [""]
        self._has_presence = has_presence

    def put(self, value: Any, out: Floats, at: int, seat: int) -> None:
        if self._has_presence:
            out[at] = 1.0
            at += 1
        out[at] = value


class _Seat:
    """A seat: a 1 at its distance from the viewer, clockwise. All 0: absent."""

    def __init__(self, seats: int) -> None:
        self.size = seats
        self.names = [f"=+{distance}" for distance in range(seats)]

    def put(self, value: Any, out: Floats, at: int, seat: int) -> None:
        if value < self.size:
            out[at + (value - seat) % self.size] = 1.0


class _Seats(_Seat):
    """Several seats, a 1 for each."""

    def put(self, value: Any, out: Floats, at: int, seat: int) -> None:
        for one in value:
            super().put(one, out, at, seat)


class _Bag:
    """How often each value of an enum occurs: once in a single field, any number of times in a list."""

    def __init__(self, kind: EnumDescriptor) -> None:
        values = sorted({value.number: value.name for value in kind.values if value.number}.items())
        self.size = len(values)
        self.names = [name for _, name in values]
        self._places = {number: place for place, (number, _) in enumerate(values)}

    def put(self, value: Any, out: Floats, at: int, seat: int) -> None:
        place = self._places.get(value)
        if place is not None:
            out[at + place] += 1.0


class _Enum(_Bag):
    def __init__(self, kind: EnumDescriptor) -> None:
        super().__init__(kind)
        self.names = [f"={name}" for name in self.names]


class _Enums(_Bag):
    """A list: how often each value occurs, then the first ones in order, where the order matters."""

    def __init__(self, kind: EnumDescriptor, ordered: int) -> None:
        super().__init__(kind)
        values, self._ordered, self._values = self.names, ordered, self.size
        self.names = [f"#{name}" for name in values]
        self.names += [f"[{place}]={name}" for place in range(ordered) for name in values]
        self.size = len(self.names)

    def put(self, value: Any, out: Floats, at: int, seat: int) -> None:
        for one in value:
            super().put(one, out, at, seat)
        for place, one in enumerate(value[: self._ordered], 1):
            super().put(one, out, at + place * self._values, seat)


class _Numbers:
    """A list of numbers: how many, then the first ones; one per seat begins with the viewer's."""

    def __init__(self, count: int, per_seat: bool) -> None:
        self.size = 1 + count
        self.names = ["#", *(f"[{'+' * per_seat}{place}]" for place in range(count))]
        self._count, self._per_seat = count, per_seat

    def put(self, value: Any, out: Floats, at: int, seat: int) -> None:
        out[at] = len(value)
        for place, one in enumerate(value[: self._count]):
            if self._per_seat:
                place = (place - seat) % self._count
            out[at + 1 + place] = one


class _One:
    """A message: a 1 if it is there, then its fields."""

    def __init__(self, layout: _Layout) -> None:
        self.size = 1 + layout.size
        self.names = ["?", *(f".{name}" for name in layout.names)]
        self._layout = layout

    def put(self, value: Any, out: Floats, at: int, seat: int) -> None:
        out[at] = 1.0
        self._layout.put(value, out, at + 1, seat)


class _Many:
    """A list of messages: how many, then the first ones; one per seat begins with the viewer's."""

    def __init__(self, layout: _Layout, count: int, per_seat: bool) -> None:
        self.size = 1 + count * layout.size
        self.names = [
            "#",
            *(f"[{'+' * per_seat}{place}].{name}" for place in range(count) for name in layout.names),
        ]
        self._layout, self._count, self._per_seat = layout, count, per_seat

    def put(self, value: Any, out: Floats, at: int, seat: int) -> None:
        out[at] = len(value)
        for place, one in enumerate(value[: self._count]):
            if self._per_seat:
                place = (place - seat) % self._count
            self._layout.put(one, out, at + 1 + place * self._layout.size, seat)


_Part: TypeAlias = "_Number | _Seat | _Bag | _Numbers | _One | _Many"


def _part(field: FieldDescriptor, rules: _Rules, per_seat: bool, path: tuple[str, ...], lists: int) -> _Part | None:
    """How a field becomes numbers. None: not at all, because it is a text, or too deep."""
    if field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
        return None
    if field.enum_type is not None:
        return _Enums(field.enum_type, rules.ordered) if field.is_repeated else _Enum(field.enum_type)
    if (kind := field.message_type) is not None:
        if kind.full_name in path:  # within itself: it would never end
            return None
        if not field.is_repeated:
            return _One(_Layout(kind, rules, path, lists))
        count = rules.seats if per_seat else _at(MESSAGES_AT, lists)
        return _Many(_Layout(kind, rules, path, lists + 1), count, per_seat) if count else None
    if field.is_repeated:
        if field.name in SEAT_LISTS:
            return _Seats(rules.seats)
        count = rules.seats if per_seat else _at(NUMBERS_AT, lists)
        return _Numbers(count, per_seat) if count else None
    if field.name in SEAT_NAMES or field.name.endswith("_seat"):
        return _Seat(rules.seats)
    return _Number(field.has_presence)


def _at(counts: tuple[int, ...], lists: int) -> int:
    return counts[lists] if lists < len(counts) else 0
