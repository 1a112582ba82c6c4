"""The contract between a game and the referee.

A game is a handful of plain functions gathered in one `Game` value. Everything behind it is pure computation: no
I/O, no clock, no logger, no async, no generator but the `Chance` that travels in the state. The same variant,
the same luck and the same choices give the same game on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Generic, NewType, TypeAlias, TypeVar

from referee.errors import ConfigError
from referee.rules.chance import Chance
from referee.rules.parts import immutable
from referee.text import did_you_mean

Seat = NewType("Seat", int)
"""A place at the table, counted from 0."""

SPECTATOR = Seat(-1)
"""Not a place at the table: `view` and `seen` give it what everybody may know and nobody's secrets. In its view, the
viewer's own seat is the number of seats."""

S = TypeVar("S")  # state: all that lies on the table, known or hidden
A = TypeVar("A")  # action: a frozen, hashable value
E = TypeVar("E")  # event: a frozen, hashable fact, as somebody who sees everything would tell it
V = TypeVar("V")  # view: all that one seat may know

Variant: TypeAlias = Mapping[str, str | int]
"""The settings of a match, complete: every setting of the game with its value."""


@immutable(frozen=True, kw_only=True, slots=True)
class WordSetting:
    """A setting of a game that takes one word out of a few."""

    name: str
    values: tuple[str, ...]
    default: str
    meaning: str

    def read(self, text: str) -> str:
        """Check one value as typed by a user."""
        if text not in self.values:
            raise ValueError(f"one of {', '.join(self.values)}")
        return text


@immutable(frozen=True, kw_only=True, slots=True)
class NumberSetting:
    """A setting of a game that takes a whole number within bounds."""

    name: str
    low: int
    high: int
    default: int
    meaning: str

    def read(self, text: str) -> int:
        """Check one value as typed by a user."""
        if not (text.isascii() and text.isdigit() and self.low <= int(text) <= self.high):
            raise ValueError(f"a whole number from {self.low} to {self.high}")
        return int(text)


@immutable(frozen=True, kw_only=True, slots=True)
class GameInfo:
    """Facts about a game that are known before a match starts."""

    id: str
    title: str
    min_seats: int
    max_seats: int
    rules_version: int
    """Goes up with each change that can alter the course of a game; records name it."""
    settings: tuple[WordSetting | NumberSetting, ...] = ()
    max_decisions: int = 5000
    """No game asks more questions than this: the bound of the specification."""
    max_options: int = 1000
    """No list of legal actions is longer than this."""
    endings: Mapping[str, str] = field(default_factory=dict)
    """Explanations of endings, for people, where the reason of the outcome alone does not say it."""

    def read_variant(self, given: Mapping[str, str]) -> Variant:
        """Turn what a user typed into a complete variant, or say what would have been right."""
        known = {setting.name: setting for setting in self.settings}
        variant: dict[str, str | int] = {setting.name: setting.default for setting in self.settings}
        for name, text in given.items():
            if name not in known:
                names = ", ".join(known) or "none"
                raise ConfigError(
                    f"{self.id} has no setting {name!r}{did_you_mean(name, known)}; its settings are: {names}"
                )
            try:
                variant[name] = known[name].read(text)
            except ValueError as error:
                raise ConfigError(f"{self.id}: setting {name} is {text!r}, expected {error}") from None
        return variant

    def check_seats(self, seats: int) -> None:
        """Refuse a number of seats the game is not made for."""
        if not self.min_seats <= seats <= self.max_seats:
            span = str(self.min_seats) if self.min_seats == self.max_seats else f"{self.min_seats} to {self.max_seats}"
            raise ConfigError(f"{self.id} is played by {span} seats, not {seats}")


@immutable(frozen=True, kw_only=True, slots=True)
class Decision(Generic[A]):
    """A moment of choice for one or more seats at once."""

    kind: str
    """The decision's name in the specification, e.g. `LAY_GUN`."""
    options: Mapping[Seat, tuple[A, ...]]
    """Per deciding seat its legal actions, never empty, in the specification's order. A seat with one is not asked."""
    defaults: Mapping[Seat, int] = field(default_factory=dict)
    """Per seat the index played for a bot that fails; 0 where a seat is missing."""


@immutable(frozen=True, kw_only=True, slots=True)
class Outcome:
    """How a game ended. Rank 1 is best; equal seats share the better rank."""

    ranks: tuple[int, ...]
    reason: str
    scores: tuple[float, ...]
    """The game's own points per seat; 1, 0.5 and 0 in a duel that has none."""


@immutable(frozen=True, kw_only=True, slots=True)
class Step(Generic[S, E]):
    """What one set of choices led to."""

    state: S
    events: tuple[E, ...]


@immutable(frozen=True, kw_only=True, slots=True)
class Text(Generic[S, A, E]):
    """A game as text for people, including secrets."""

    event: Callable[[E], str]
    """One fact as one line, without a line break; also a fact without its secret part, as `seen` gives it."""
    action: Callable[[A], str]
    """One option, short enough for a list."""
    table: Callable[[S], str]
    """The whole table as several lines of plain text."""
    scenes: frozenset[type[Any]]
    """The events that begin a scene (a turn, a round, a month): after them spectators are shown the whole table."""
    rules: str = ""
    """The rules, for bots that ask for them: at most 1 500 words. Empty: there is no such text."""
    story: Callable[[Sequence[E]], list[str]] | None = None
    """Several facts in their order, where some share a line. None: each has its own."""
    pictures: bool = False
    """The paragraphs of the table are pictures, which nobody can read without all of their lines."""

    def tell(self, events: Sequence[E]) -> list[str]:
        """Tell several facts in their order."""
        return self.story(events) if self.story is not None else [self.event(event) for event in events]


def always_settled(state: object) -> bool:
    """For games that put each choice to every seat concerned, even to those with a single option."""
    return True


def always_in_play(variant: Variant, card: str) -> bool:
    """For games whose variants leave out no card."""
    return True


@immutable(frozen=True, kw_only=True, slots=True)
class Game(Generic[S, A, E, V]):
    """One game: the functions the referee calls, and nothing else."""

    info: GameInfo
    new: Callable[[int, Variant, Chance], S]
    """Seats, variant and luck -> the first state. Keeps the chance it is given inside the state."""
    ask: Callable[[S], Decision[A] | Outcome]
    """Who chooses among what, or how it ended. Changes nothing, draws nothing."""
    apply: Callable[[S, Mapping[Seat, A]], Step[S, E]]
    """One choice for every seat of the decision -> the next state. Leaves its argument alone.

    The choices are options of `ask(state)`: the Course takes them from there, so nobody checks them again.
    """
    view: Callable[[S, Seat], V]
    """Everything one seat (or SPECTATOR) may know, built field by field: what we forget to add stays hidden."""
    seen: Callable[[E, Seat], E | None]
    """An event as that seat (or SPECTATOR) perceived it: whole, without its secret part, or not at all (None)."""
    fired: Callable[[E], str]
    """The name under which `simulate` counts an event: a card or a rule of the specification."""
    cards: tuple[str, ...]
    """The names under which `fired` counts the playing of each card there is: what a coverage report has to show."""
    text: Text[S, A, E]
    hide: Callable[[S, Seat, Chance], S]
    """The same state with everything that the seat cannot know drawn again, as the rules deal it and as if others chose
    at random; of the hidden things it reads only which cards lie together in one pile. With a FillerChance it returns
    the state that a seat's forward model starts from, and from that every world: referee/rules/model.py."""
    luck: Callable[[S, Step[S, E]], tuple[float, ...]] | None = None
    """By seat, how much of its score it owes to the luck of a step that began in this state
    (referee/rules/course.py). Zero on average, whatever anybody chooses. None: it would not pay
    (docs/tournaments.md, "Luck")."""
    settled: Callable[[S], bool] = always_settled
    """Whether spectators may see the table now. False while a seat has a choice only because of its hidden cards: the
    pause itself would give them away."""
    in_play: Callable[[Variant, str], bool] = always_in_play
    """Whether one of `cards` can be played in a variant."""
    origin: str = ""
    """The package and version it was installed from; filled in when it is loaded, and empty for our own games."""


AnyGame: TypeAlias = Game[Any, Any, Any, Any]


DUEL = (Seat(0), Seat(1))
"""The seats of a game of two."""


def other_seat(seat: Seat) -> Seat:
    """Return the opponent in a game of two."""
    return DUEL[1 - seat]


def duel(winner: Seat | None, reason: str) -> Outcome:
    """Return the outcome of a game of two: who won, or nobody."""
    if winner is None:
        return Outcome(ranks=(1, 1), reason=reason, scores=(0.5, 0.5))
    ranks = (1, 2) if winner == 0 else (2, 1)
    return Outcome(ranks=ranks, reason=reason, scores=tuple(float(rank == 1) for rank in ranks))


def rank_by(keys: list[Any]) -> tuple[int, ...]:
    """Ranks from one key per seat, the greatest key first; equal keys share the better rank."""
    return tuple(1 + sum(other > key for other in keys) for key in keys)
