"""What the dice gave each seat: the hits of every volley beyond those to be expected, times what a hit is worth.

**Zero on average, whatever anybody chooses.** Each die shows each face equally often, and all the rest is settled
before it is thrown: who fires at whom, how many dice, which faces count as hits and how much a hit weighs are read from
the state before the step. Even a wrong weight would leave the average at zero; a good one makes the luck explain more.

**The weights** were fitted once, to games of the sample bots (2 and 4 seats), and stay as they are: weights fitted to
the same matches that they correct would bias them. A hit weighs most where the fame of both is nearly equal and little
is still to come. docs/tournaments.md, "Luck", has what this saves.
"""

from __future__ import annotations

import math

from referee.games.pirates_cove.data import MONTHS, NORMAL_HIT
from referee.games.pirates_cove.events import Event, VolleyFired
from referee.games.pirates_cove.state import State
from referee.games.pirates_cove.terms import Captain
from referee.rules.engine import Seat, Step

SHOT, STRUCK, LEGEND_SHOT, LEGEND_STRUCK = 0.04, 0.04, 0.04, 0.03
"""What a hit is worth to who fires at another seat, what it costs that seat, what it is worth at a legend, and what a
legend's hit costs; in shares of the score, times `closeness`."""

SPREAD_AT_THE_END, SPREAD_PER_MONTH = 10.0, 6.0
"""The variance of a difference in fame that a last month leaves open, and what each further month adds."""

FACES = 6


def luck(before: State, step: Step[State, Event]) -> tuple[float, ...]:
    """Return by seat the score that the dice of a step gave it; they add up to zero."""
    given = [0.0] * len(before.ships)
    for event in step.events:
        if isinstance(event, VolleyFired):
            _add(given, before, event)
    # Scores are shares of the other seats: what one seat gains, the others lose.
    others = len(given) - 1
    return tuple(own - (math.fsum(given) - own) / others for own in given)


def _add(given: list[float], before: State, volley: VolleyFired) -> None:
    beyond = hits_beyond_expected(volley.dice, hit_from(before, volley))
    shooter, target = volley.shooter, volley.target
    if not isinstance(shooter, Captain) and not isinstance(target, Captain):
        weight = closeness(before.ships[shooter].fame - before.ships[target].fame, before.month)
        given[shooter] += SHOT * weight * beyond
        given[target] -= STRUCK * weight * beyond
    elif not isinstance(shooter, Captain):
        given[shooter] += LEGEND_SHOT * _closeness_to_all(before, shooter) * beyond
    elif not isinstance(target, Captain):
        given[target] -= LEGEND_STRUCK * _closeness_to_all(before, target) * beyond


def hits_beyond_expected(dice: tuple[int, ...], lowest: int) -> float:
    """Return how many dice show at least the lowest face that hits, less how many do on average."""
    return sum(die >= lowest for die in dice) - len(dice) * (FACES + 1 - lowest) / FACES


def hit_from(before: State, volley: VolleyFired) -> int:
    """Return the lowest face that hits, as it stood before the step."""
    combat = before.combat
    if combat is None:
        return NORMAL_HIT
    if not isinstance(volley.shooter, Captain) and combat.salvo.hit_from is not None:
        return combat.salvo.hit_from
    return combat.threshold(volley.target)


def closeness(lead: int, month: int) -> float:
    """Return how much a little fame changes who is ahead in the end: most where the lead is small against what is to
    come."""
    variance = SPREAD_AT_THE_END + SPREAD_PER_MONTH * (MONTHS + 1 - month)
    return 8 / (math.sqrt(variance) * (1 + lead * lead / variance))


def _closeness_to_all(before: State, seat: Seat) -> float:
    """Return the mean over all other seats."""
    own = before.ships[seat].fame
    shares = [closeness(own - ship.fame, before.month) for other, ship in enumerate(before.ships) if other != seat]
    return math.fsum(shares) / len(shares)
