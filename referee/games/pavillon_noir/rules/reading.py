"""Reading target cards: from two values to a symbol, from a symbol to what the shot loses (spec 2.6, 2.7; R42)."""

from __future__ import annotations

from referee.games.pavillon_noir.data import CANNONS, HASTY, MISS, PATTERNS, TARGETS
from referee.games.pavillon_noir.state import Target
from referee.games.pavillon_noir.terms import VALUES, Cannon, TargetCard

REACH = 2
"""How far from its centre a target card bears symbols."""


def symbol(card: TargetCard, left: int, below: int) -> str:
    """Return the symbol two values make on a target card; none outside the pattern. Coordinates are cyclic."""
    left_centre, below_centre, pattern = TARGETS[card]
    row, column = _offset(left - left_centre), _offset(below - below_centre)
    if abs(row) > REACH or abs(column) > REACH:
        return ""
    return PATTERNS[pattern][row + REACH][column + REACH]


def reduction(cannon: Cannon, target: Target) -> int:
    """Return what a target card takes off the damage of a shot of that cannon."""
    if target.left is None and target.below is None:
        return HASTY
    if target.left is None or target.below is None:
        return MISS
    return _REDUCTIONS[cannon, target.card, target.left.value, target.below.value]


def _offset(difference: int) -> int:
    """Return the representative in -4…5 of a difference modulo 10."""
    return (difference + 4) % 10 - 4


_REDUCTIONS = {
    (cannon, card, left, below): row.reductions.get(symbol(card, left, below), MISS)
    for cannon, row in CANNONS.items()
    for card in TARGETS
    for left in VALUES
    for below in VALUES
}
