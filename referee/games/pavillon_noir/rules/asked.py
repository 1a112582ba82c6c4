"""What a phase module answers when it is asked for a seat's options, and what it says to a choice it never offered."""

from __future__ import annotations

from typing import NamedTuple

from referee.errors import RulesError
from referee.games.pavillon_noir.actions import Action
from referee.games.pavillon_noir.pending import Pending


class Asked(NamedTuple):
    """One seat's decision: its name in the specification, its options in order, the index of its default."""

    kind: str
    options: tuple[Action, ...]
    default: int = 0


def misplayed(question: Pending, action: Action) -> RulesError:
    """The error for a choice that does not answer its question."""
    return RulesError(f"{action!r} does not answer {question!r}")
