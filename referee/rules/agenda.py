"""The agenda of a game: a stack in its state of what happens next, tasks (nobody chooses) and questions.

The phase that opens a task or question owns its class: a small frozen value with the method that carries it out.
`apply` answers the question on top, then runs tasks until the next question is on top or the game has ended. Every
state has

    chance    the luck of the match
    pending   the stack, the next thing on top (last)
    dice      the dice lying on the table: all that were rolled since the last decision, in order
    events    the facts of the step under way; empty between two steps

and `ask` and `apply` of a game are those below. A game adds only how it ended. Everything else in a state is an
immutable part (parts.py): a step works on a copy one level deep, the draft, and puts new parts into it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar

from referee.rules.chance import Chance
from referee.rules.engine import Decision, Outcome, Seat, Step
from referee.rules.parts import Part, immutable, shallow_copy

A = TypeVar("A")
S = TypeVar("S")


class Task(Part, Generic[S]):
    """A step that is still to happen and needs nobody's choice."""

    __slots__ = ()

    @abstractmethod
    def run(self, draft: S) -> None:
        """Make it happen; what follows is pushed on the agenda."""


class AgendaQuestion(Part, Generic[S, A]):
    """A step that waits for a choice."""

    __slots__ = ()
    kind: ClassVar[str]
    """Name of the decision in the specification."""

    @abstractmethod
    def decision(self, state: S) -> Decision[A]:
        """Return who chooses among what."""

    @abstractmethod
    def answer(self, draft: S, choices: Mapping[Seat, A]) -> None:
        """Carry the choices out."""

    def is_moot(self, state: S) -> bool:
        """Check whether there is nothing left to choose, so that the question is dropped unasked."""
        return False


@immutable(frozen=True, slots=True)
class SeatQuestion(AgendaQuestion[S, A]):
    """A question to one seat: almost all of them."""

    seat: Seat

    def decision(self, state: S) -> Decision[A]:
        """Return the decision of this one seat among its options."""
        options = tuple(self.options(state))
        default = self.default(state, options)
        return Decision(kind=self.kind, options={self.seat: options}, defaults={self.seat: default} if default else {})

    def answer(self, draft: S, choices: Mapping[Seat, A]) -> None:
        """Carry out what the seat chose."""
        self.choose(draft, choices[self.seat])

    def default(self, state: S, options: tuple[A, ...]) -> int:
        """Return the index played for a bot that fails."""
        return 0

    @abstractmethod
    def options(self, state: S) -> Iterable[A]:
        """Return the legal actions, in the specification's order."""

    @abstractmethod
    def choose(self, draft: S, action: A) -> None:
        """Carry one of them out."""


Pending: TypeAlias = Task[Any] | AgendaQuestion[Any, Any]


class AgendaState:
    """The fields of every game's state: a dataclass declares these fields again, in its own order and words."""

    __slots__ = ("chance", "dice", "events", "pending")

    chance: Chance
    pending: tuple[Pending, ...]
    dice: tuple[int, ...]
    events: list[Any]

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it is being played."""

    def copy(self) -> Self:
        """Copy the table, to be changed separately: its parts are shared, for nobody changes them."""
        draft = shallow_copy(self)
        draft.chance = self.chance.copy()
        draft.events = []
        return draft


T = TypeVar("T", bound=AgendaState)


def push(draft: AgendaState, *pending: Pending) -> None:
    """Let these happen before everything else, the first one first."""
    draft.pending += pending[::-1]


def ask(state: AgendaState) -> Decision[Any] | Outcome:
    """Return who chooses among what, or how the game ended."""
    outcome = state.outcome
    if outcome is not None:
        return outcome
    top = state.pending[-1]
    assert isinstance(top, AgendaQuestion), f"nothing is to be chosen: {top!r}"
    return top.decision(state)


def apply(state: T, choices: Mapping[Seat, Any]) -> Step[T, Any]:
    """Answer the question on top of a copy, then do everything up to the next one."""
    draft = state.copy()
    draft.dice = ()
    question = draft.pending[-1]
    draft.pending = draft.pending[:-1]
    assert isinstance(question, AgendaQuestion), f"nothing is to be chosen: {question!r}"
    question.answer(draft, choices)
    settle(draft)
    events, draft.events = tuple(draft.events), []
    return Step(state=draft, events=events)


def settle(draft: AgendaState) -> None:
    """Run tasks and drop moot questions until there is something to choose or the game is over."""
    while draft.outcome is None:
        top = draft.pending[-1]
        if isinstance(top, Task):
            draft.pending = draft.pending[:-1]
            top.run(draft)
        elif top.is_moot(draft):
            draft.pending = draft.pending[:-1]
        else:
            return
