"""What is about to hit a seat, and can be cancelled by a trick (spec 6.4 step 6, 6.5 step 3; rulings R5, R28)."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from referee.games.pavillon_noir.rules.damage import LoseCrew, LosePlanks, LoseSails
from referee.games.pavillon_noir.rules.piles import lose_random_cards
from referee.games.pavillon_noir.state import State
from referee.games.pavillon_noir.terms import Cause
from referee.rules.agenda import Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable


@immutable(frozen=True, slots=True)
class BroadsideHits(Task[State]):
    """The seat's ship takes a broadside's discs."""

    TAG: ClassVar[str] = "BroadsideHits"

    seat: Seat
    balls: int
    chains: int
    grape: int

    def run(self, draft: State) -> None:
        """Planks, sails, crew, each with its consequences before the next (R28)."""
        push(
            draft,
            LosePlanks(self.seat, self.balls),
            LoseSails(self.seat, self.chains),
            LoseCrew(self.seat, self.grape),
        )


@immutable(frozen=True, slots=True)
class LoseCards(Task[State]):
    """The seat loses cards of its hand at random to a sheer-off."""

    TAG: ClassVar[str] = "LoseCards"

    seat: Seat
    count: int

    def run(self, draft: State) -> None:
        """Draw the cards by lot."""
        lose_random_cards(draft, self.seat, self.count, Cause.SHEERED_OFF)


Threat: TypeAlias = BroadsideHits | LoseCards


def is_threatened_by(state: State, threat: type[Threat]) -> bool:
    """Check whether such a threat is about to come true."""
    return any(isinstance(step, threat) for step in state.pending)


def cancel(draft: State, threat: type[Threat]) -> None:
    """Take the threat off the stack; there is never more than one."""
    draft.pending = tuple([step for step in draft.pending if not isinstance(step, threat)])
