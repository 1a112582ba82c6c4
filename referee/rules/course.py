"""A game in progress: what is asked, what was chosen, what every seat has yet to be told. No clock, no wire, no bots.

match.py drives it with bots, `simulate` with functions, and a replay with a record, so the three cannot disagree on how
a game is played. A choice with a single legal action is made here, and nobody is asked.

`SeatLuck` measures the luck of each seat, if the game defines it (`Game.luck`). The measure is zero on average,
whatever anybody chooses (a sum of martingale differences): dice minus their expectation, times weights that were fixed
before the dice were rolled. So a score minus its luck has the same mean as the score, for any bots, and a smaller
variance.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

from referee.errors import GameFault, RulesError
from referee.rules.chance import Chance
from referee.rules.engine import AnyGame, Decision, Outcome, Seat, Step, Variant


class Course:
    """A game being played. `asked` says who has to choose; when it is empty, `outcome` is set."""

    def __init__(self, game: AnyGame, seats: int, variant: Variant, chance: Chance) -> None:
        game.info.check_seats(seats)
        self.game = game
        self.seats = seats
        self.state: Any = game.new(seats, variant, chance)
        self.outcome: Outcome | None = None
        self.kind = ""
        self.asked: dict[Seat, tuple[Any, ...]] = {}
        """Seats with two options or more, in seat order, and those options."""
        self.steps: list[Step[Any, Any]] = [Step(state=self.state, events=())]
        """Steps since the last decision, secrets included, with the states they led to; at the start the first is
        the state before anything happened. Whether a choice was asked or had a single option may depend on hidden
        cards. Spectators must not learn those, so they are shown steps, one for every choice, and not what lies
        between two questions."""
        self._decision: Decision[Any] | None = None
        self._story: list[Any] = []
        """All events of the game so far, secrets included."""
        self._told = [0] * seats
        """Number of events that each seat was told."""
        self._choices_left = game.info.max_decisions
        self._go_on()

    @property
    def events(self) -> list[Any]:
        """Return all that happened since the last decision, secrets included."""
        return [event for step in self.steps for event in step.events]

    def clone(self) -> Course:
        """Return the same moment, to be played on by itself. No state is ever changed, so both can hold this one."""
        twin = copy(self)
        twin.steps, twin._story, twin._told = list(self.steps), list(self._story), list(self._told)
        return twin

    def default(self, seat: Seat) -> int:
        """Return the index played for a seat that fails at the present decision."""
        assert self._decision is not None
        return self._decision.defaults.get(seat, 0)

    def take_events(self, seat: Seat) -> tuple[Any, ...]:
        """Return the events that the seat perceived since it was last told, and count them as told."""
        already, self._told[seat] = self._told[seat], len(self._story)
        perceived = [self.game.seen(event, seat) for event in self._story[already:]]
        return tuple([event for event in perceived if event is not None])

    def view(self, seat: Seat) -> Any:
        """Return what the seat may know now."""
        return self.game.view(self.state, seat)

    def choose(self, indices: Mapping[Seat, int]) -> None:
        """Play one option for every asked seat, and continue to the next real decision or to the end."""
        if indices.keys() != self.asked.keys():
            raise RulesError(f"{self.kind}: seats {list(self.asked)} were asked, seats {list(indices)} chose")
        self._choices_left -= len(indices)
        if self._choices_left < 0:
            raise self._too_long("asks more questions")
        self.steps.clear()
        self._apply({seat: self.asked[seat][index] for seat, index in indices.items()})
        self._go_on()

    def _go_on(self) -> None:
        for _ in range(self.game.info.max_decisions + 1):
            decision = self.game.ask(self.state)
            if isinstance(decision, Outcome):
                self.outcome, self._decision, self.asked, self.kind = decision, None, {}, ""
                return
            self._decision, self.kind = decision, decision.kind
            self.asked = {seat: actions for seat, actions in sorted(decision.options.items()) if len(actions) > 1}
            if self.asked:
                return
            self._apply({})
        raise self._too_long("has more steps without a choice")

    def _too_long(self, what: str) -> GameFault:
        game, info = self.game, self.game.info
        whose = f" of {game.origin}" if game.origin else ""
        return GameFault(f"the game {info.id}{whose} {what} than its max_decisions, {info.max_decisions}")

    def _apply(self, chosen: Mapping[Seat, Any]) -> None:
        assert self._decision is not None
        choices = {
            seat: chosen[seat] if seat in chosen else options[0] for seat, options in self._decision.options.items()
        }
        step = self.game.apply(self.state, choices)
        self.state = step.state
        self.steps.append(step)
        self._story += step.events


class SeatLuck:
    """The luck of a course. Make it when the course begins and let it follow after every choice."""

    def __init__(self, course: Course) -> None:
        self.given = [0.0] * course.seats
        """The luck by seat, in shares of the score."""
        self._count = course.game.luck
        self._before = course.steps[0].state
        self.follow(course)

    def follow(self, course: Course) -> None:
        """Count the steps since the last choice."""
        if self._count is None:
            return
        for step in course.steps:
            if step.events:
                for seat, share in enumerate(self._count(self._before, step)):
                    self.given[seat] += share
            self._before = step.state
