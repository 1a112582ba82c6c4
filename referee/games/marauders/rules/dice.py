"""Dice: six faces, of which 5 and 6 are skulls, the successes (2.1).

Luck is keyed by what is rolled and by the seat it concerns: an NPC's dice belong to the seat it meets, so that nothing
one seat does shifts the luck of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from referee.games.marauders.events.round import DiceRolled
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import State
from referee.games.marauders.terms import Mode, NpcKind, Roll, Side
from referee.rules.chance import TABLE
from referee.rules.engine import Seat

SKULL = 5


def roll(draft: State, side: Side, what: Roll, count: int, *, meets: Seat | None = None) -> tuple[int, ...]:
    """Roll dice for a side; `meets` is the seat that an NPC or a garrison has to do with."""
    dice = _throw(draft, side, what, count, meets)
    tell(draft, DiceRolled, side, what, dice)
    return dice


def reroll(
    draft: State, side: Side, what: Roll, dice: Sequence[int], *, skulls: bool, meets: Seat | None = None
) -> tuple[int, ...]:
    """Return the same dice with the skulls (or all others) thrown anew, each in its place."""
    chosen = [place for place, die in enumerate(dice) if (die >= SKULL) == skulls]
    fresh = _throw(draft, side, what, len(chosen), meets)
    after = list(dice)
    for place, die in zip(chosen, fresh, strict=True):
        after[place] = die
    tell(draft, DiceRolled, side, what, tuple(after))
    return tuple(after)


def _throw(draft: State, side: Side, what: Roll, count: int, meets: Seat | None) -> tuple[int, ...]:
    purpose, owner = _key(side, what, meets)
    draw = draft.chance.draw
    dice = tuple([draw(purpose, owner, 6) + 1 for _ in range(count)])
    draft.dice += dice
    return dice


def _key(side: Side, what: Roll, meets: Seat | None) -> tuple[str, int]:
    if side.seat is not None:
        return PURPOSES[what], side.seat
    return _npc_purpose(side.npc, what), TABLE if meets is None else meets


PURPOSES = {what: what.id for what in Roll}


@cache
def _npc_purpose(npc: NpcKind | None, what: Roll) -> str:
    return f"garrison {what.id}" if npc is None else f"npc {npc.id} {what.id}"


def skulls(dice: Sequence[int]) -> int:
    """Successes."""
    return len([die for die in dice if die >= SKULL])


def plain_sum(dice: Sequence[int]) -> int:
    """Return the sum of the dice that are no skulls, which breaks ties."""
    return sum(die for die in dice if die < SKULL)


def touches(mode: Mode, whose: Mode) -> bool:
    """Check whether a re-roll in that mode takes the dice of that side."""
    return mode in (whose, Mode.BOTH)
