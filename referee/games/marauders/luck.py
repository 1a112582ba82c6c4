"""What the dice gave each seat: skulls beyond those to be expected, times what one is worth.

**Zero on average, whatever anybody chooses.** What is counted are the draws of the keyed luck between two states, so of
a re-roll only the dice that were thrown anew. Each shows each face equally often, and whose die it is and what for is
settled before it is thrown. Even a wrong worth would leave the average at zero.

**The worth of a skull** was fitted once, to games of the sample bots, and stays as it is: weights fitted to the same
matches that they correct would bias them. docs/tournaments.md, "Luck", has what this saves.
"""

from __future__ import annotations

import math

from referee.games.marauders.events import Event
from referee.games.marauders.rules.dice import SKULL
from referee.games.marauders.state import State
from referee.games.marauders.terms import Roll
from referee.rules.chance import TABLE, SeededChance
from referee.rules.engine import Step

WORTH = {
    Roll.RAID.id: 0.024,
    Roll.CONTEST.id: 0.022,
    Roll.CREW.id: 0.022,
    Roll.SCOUTING.id: 0.01,
    Roll.INFLUENCE.id: 0.01,
    Roll.LEADERSHIP.id: 0.01,
    Roll.SEAMANSHIP.id: 0.01,
}
"""What a skull is worth to the seat that rolls it, in shares of the score, by purpose."""

AGAINST = -0.02
"""What a skull of an NPC is worth to the seat that it meets, in contests and crew combat."""

FACES = 6
EXPECTED = (FACES + 1 - SKULL) / FACES


def luck(before: State, step: Step[State, Event]) -> tuple[float, ...]:
    """Return by seat the score that the dice of a step gave it; they add up to zero."""
    given = [0.0] * len(before.players)
    earlier, chance = before.chance, step.state.chance
    if isinstance(earlier, SeededChance) and isinstance(chance, SeededChance):
        for purpose, owner, ordinal in chance.draws_since(earlier):
            if owner != TABLE and (worth := skull_worth(purpose)):
                die = chance.drawn(purpose, owner, ordinal, FACES) + 1
                given[owner] += worth * ((die >= SKULL) - EXPECTED)
    # Scores are shares of the other seats: what one seat gains, the others lose.
    others = len(given) - 1
    return tuple(own - (math.fsum(given) - own) / others for own in given)


def skull_worth(purpose: str) -> float:
    """Return what a skull is worth to the owner of a draw; 0 of a draw that is no die, or not counted."""
    if purpose.startswith("npc ") and purpose.rpartition(" ")[2] in (Roll.CONTEST.id, Roll.CREW.id):
        return AGAINST
    return WORTH.get(purpose, 0.0)
