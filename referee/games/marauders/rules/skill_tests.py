"""Skill tests (6.1): roll, perhaps re-roll in the window `w_roll`, then one of two ways to go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from referee.engine import Seat
from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import Decline, PlayGlory
from referee.games.marauders.rules.dice import reroll, roll, skulls
from referee.games.marauders.rules.glory import holds, play, playable
from referee.games.marauders.state import SeatQuestion, State, Step
from referee.games.marauders.terms import Roll, Side, Skill, Timing

ROLLS = {
    Skill.SEAMANSHIP: Roll.SEAMANSHIP,
    Skill.SCOUTING: Roll.SCOUTING,
    Skill.LEADERSHIP: Roll.LEADERSHIP,
    Skill.INFLUENCE: Roll.INFLUENCE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillTest(Step):
    """A test on a skill with that many dice; what follows is given beforehand."""

    seat: Seat
    skill: Skill
    pool: int
    success: tuple[Step, ...] = ()
    failure: tuple[Step, ...] = ()

    def run(self, draft: State) -> None:
        """Roll."""
        dice = roll(draft, Side(self.seat), ROLLS[self.skill], self.pool)
        draft.push(TestRolled(self, dice))


@dataclass(frozen=True, slots=True)
class TestRolled(Step):
    """The dice of a test lie on the table."""

    test: SkillTest
    dice: tuple[int, ...]

    def run(self, draft: State) -> None:
        """Success, a chance to re-roll, or failure."""
        if skulls(self.dice):
            draft.push(*self.test.success)
        elif holds(draft.players[self.test.seat], Timing.ROLL):
            draft.push(AskReroll(self.test.seat, self.test, self.dice))
        else:
            draft.push(*self.test.failure)


@dataclass(frozen=True, slots=True)
class AskReroll(SeatQuestion):
    """`w_roll`: after a failed test, as long as a card is held."""

    kind: ClassVar[str] = "w_roll"
    test: SkillTest
    dice: tuple[int, ...]

    def options(self, state: State) -> list[Action]:
        """Decline, or a card."""
        cards: list[Action] = [PlayGlory(card) for card in playable(state.players[self.seat], Timing.ROLL)]
        return [Decline(), *cards]

    def chosen(self, draft: State, action: Action) -> None:
        """Re-roll all dice that are no skulls, or take the failure."""
        if isinstance(action, PlayGlory):
            play(draft, self.seat, action)
            dice = reroll(draft, Side(self.seat), ROLLS[self.test.skill], self.dice, skulls=False)
            draft.push(TestRolled(self.test, dice))
        else:
            draft.push(*self.test.failure)
