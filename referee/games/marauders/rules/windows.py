"""Windows: moments at which a seat may play something it holds (cards file A.3)."""

from __future__ import annotations

from typing import Generic, TypeVar

from referee.games.marauders.state import State
from referee.rules.agenda import SeatQuestion
from referee.rules.parts import immutable

A = TypeVar("A")


@immutable(frozen=True, slots=True)
class Window(SeatQuestion[State, A], Generic[A]):
    """A question put only to a seat that has something to play.

    That it is put at all would tell others what the seat holds: spectators see nothing until it is answered.
    """
