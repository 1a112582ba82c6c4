"""Skill tests (6.1): roll, perhaps re-roll in the window `w_roll`, then one of two ways to go on."""

from __future__ import annotations

from typing import ClassVar

from referee.games.marauders.actions import each
from referee.games.marauders.actions.cards import DECLINE, PlayGlory, WindowAction
from referee.games.marauders.rules.dice import reroll, roll, skulls
from referee.games.marauders.rules.glory import holds, play, playable
from referee.games.marauders.rules.windows import Window
from referee.games.marauders.state import State
from referee.games.marauders.terms import Roll, Side, Skill, Timing
from referee.rules.agenda import Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable

ROLLS = {
    Skill.SEAMANSHIP: Roll.SEAMANSHIP,
    Skill.SCOUTING: Roll.SCOUTING,
    Skill.LEADERSHIP: Roll.LEADERSHIP,
    Skill.INFLUENCE: Roll.INFLUENCE,
}


@immutable(frozen=True, slots=True, kw_only=True)
class SkillTest(Task[State]):
    """A test on a skill with that many dice; what follows is given beforehand."""

    TAG: ClassVar[str] = "SkillTest"
    seat: Seat
    skill: Skill
    pool: int
    success: tuple[Task[State], ...] = ()
    failure: tuple[Task[State], ...] = ()

    def run(self, draft: State) -> None:
        """Roll the dice."""
        dice = roll(draft, Side(self.seat), ROLLS[self.skill], self.pool)
        push(draft, TestRolled(self, dice))


@immutable(frozen=True, slots=True)
class TestRolled(Task[State]):
    """The dice of a test lie on the table."""

    TAG: ClassVar[str] = "TestRolled"
    test: SkillTest
    dice: tuple[int, ...]

    def run(self, draft: State) -> None:
        """Success, a chance to re-roll, or failure."""
        if skulls(self.dice):
            push(draft, *self.test.success)
        elif holds(draft.players[self.test.seat], Timing.ROLL):
            push(draft, AskReroll(self.test.seat, self.test, self.dice))
        else:
            push(draft, *self.test.failure)


@immutable(frozen=True, slots=True)
class AskReroll(Window[WindowAction]):
    """`w_roll`: after a failed test, as long as a card is held."""

    TAG: ClassVar[str] = "AskReroll"
    kind: ClassVar[str] = "w_roll"
    test: SkillTest
    dice: tuple[int, ...]

    def options(self, state: State) -> list[WindowAction]:
        """Decline, or a card."""
        return [DECLINE, *each(PlayGlory, playable(state.players[self.seat], Timing.ROLL))]

    def choose(self, draft: State, action: WindowAction) -> None:
        """Re-roll all dice that are no skulls, or take the failure."""
        if isinstance(action, PlayGlory):
            play(draft, self.seat, action)
            dice = reroll(draft, Side(self.seat), ROLLS[self.test.skill], self.dice, skulls=False)
            push(draft, TestRolled(self.test, dice))
        else:
            push(draft, *self.test.failure)
