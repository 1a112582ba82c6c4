"""Dice: the one place where the game draws chance. Spec section 6, "Dice"; ruling R29."""

from __future__ import annotations

from referee.games.broadsides.events import dice_opposed
from referee.games.broadsides.state import State
from referee.games.broadsides.terms import RollPurpose
from referee.rules.engine import DUEL, Seat


def roll(draft: State, purpose: str, seat: Seat) -> int:
    """Roll one die of that seat and leave it lying on the table."""
    die = draft.chance.draw(purpose, seat, 6) + 1
    draft.dice += (die,)
    return die


def roll_opposed(draft: State, purpose: RollPurpose) -> Seat:
    """Both seats roll until they differ; the higher die wins. After `reroll_cap` ties in a row seat 0 does."""
    for tie in range(1, draft.settings.reroll_cap + 1):
        dice = (roll(draft, purpose.value, DUEL[0]), roll(draft, purpose.value, DUEL[1]))
        if dice[0] != dice[1] or tie == draft.settings.reroll_cap:
            break
        draft.events.append(dice_opposed(purpose, dice, None))
    winner = DUEL[dice[1] > dice[0]]
    draft.events.append(dice_opposed(purpose, dice, winner))
    return winner
