"""The agenda of pending tasks and questions, with a game of three numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from referee.rules.agenda import AgendaQuestion, AgendaState, Pending, SeatQuestion, Task, apply, ask, push, settle
from referee.rules.chance import Chance, ScriptedChance
from referee.rules.engine import Decision, Outcome, Seat, duel
from referee.rules.parts import immutable

S0 = Seat(0)


@dataclass(kw_only=True, slots=True)
class State(AgendaState):
    """A sum that two seats add to; at ten the game is over."""

    total: int = 0
    chance: Chance = field(default_factory=ScriptedChance, compare=False)
    pending: tuple[Pending, ...] = ()
    dice: tuple[int, ...] = ()
    events: list[str] = field(default_factory=list)

    @property
    def outcome(self) -> Outcome | None:
        return None if self.total < 10 else duel(S0, "TEN")


@immutable(frozen=True, slots=True)
class Add(Task[State]):
    number: int

    def run(self, draft: State) -> None:
        draft.total += self.number
        draft.dice += (self.number,)
        draft.events.append(f"add {self.number}")


@immutable(frozen=True, slots=True)
class Choose(SeatQuestion[State, int]):
    kind = "CHOOSE"

    def options(self, state: State) -> range:
        return range(1, 4)

    def default(self, state: State, options: tuple[int, ...]) -> int:
        return options.index(2)

    def choose(self, draft: State, action: int) -> None:
        push(draft, Add(action), Add(1), Choose(self.seat))


@immutable(frozen=True, slots=True)
class Spare(AgendaQuestion[State, int]):
    kind = "SPARE"

    def is_moot(self, state: State) -> bool:
        return state.total > 0

    def decision(self, state: State) -> Decision[int]:
        return Decision(kind=self.kind, options={S0: (1, 2)})

    def answer(self, draft: State, choices: Mapping[Seat, int]) -> None:
        draft.events.append("spare")


def test_what_is_pushed_first_happens_first() -> None:
    state = State(pending=(Choose(S0),))
    push(state, Add(1), Add(2))
    settle(state)
    assert state.events == ["add 1", "add 2"]
    assert state.pending == (Choose(S0),)


def test_a_question_to_one_seat_has_its_options_and_its_default() -> None:
    assert ask(State(pending=(Choose(S0),))) == Decision(kind="CHOOSE", options={S0: (1, 2, 3)}, defaults={S0: 1})


def test_a_step_answers_the_top_runs_tasks_and_leaves_its_argument_alone() -> None:
    state = State(pending=(Choose(S0),), dice=(6,))
    step = apply(state, {S0: 3})
    assert step.events == ("add 3", "add 1")
    assert (step.state.total, step.state.dice, step.state.events) == (4, (3, 1), [])
    assert state == State(pending=(Choose(S0),), dice=(6,))


@pytest.mark.parametrize(("total", "asked"), [(0, "SPARE"), (1, "CHOOSE")])
def test_a_moot_question_is_dropped_unasked(total: int, asked: str) -> None:
    state = State(total=total, pending=(Choose(S0), Spare()))
    settle(state)
    decision = ask(state)
    assert isinstance(decision, Decision)
    assert decision.kind == asked


def test_nothing_happens_after_the_end() -> None:
    step = apply(State(total=8, pending=(Choose(S0),)), {S0: 3})
    assert step.events == ("add 3",)
    assert ask(step.state) == duel(S0, "TEN")
