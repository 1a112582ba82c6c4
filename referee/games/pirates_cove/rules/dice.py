"""Dice: the one place where the game rolls them."""

from __future__ import annotations

from referee.games.pirates_cove.state import State


def roll(draft: State, purpose: str, owner: int) -> int:
    """Roll one die and leave it lying on the table."""
    die = draft.chance.draw(purpose, owner, 6) + 1
    draft.dice += (die,)
    return die


def roll_many(draft: State, purpose: str, owner: int, count: int) -> tuple[int, ...]:
    """Several dice of one volley."""
    draw = draft.chance.draw
    dice = tuple([draw(purpose, owner, 6) + 1 for _ in range(count)])
    draft.dice += dice
    return dice
