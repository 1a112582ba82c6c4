"""From the end of a game to what each seat gets for it: for those who train."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Reward = Callable[[Sequence[int], Sequence[float]], Sequence[float]]
"""From the ranks and the game's own points of all seats to their rewards."""


def reward_beaten(ranks: Sequence[int], points: Sequence[float]) -> list[float]:
    """From -1 (last) to 1 (first): the share of the other seats beaten, ties counting half. The sum is 0."""
    others = len(ranks) - 1
    return [(sum(other > rank for other in ranks) - sum(other < rank for other in ranks)) / others for rank in ranks]


def reward_won(ranks: Sequence[int], points: Sequence[float]) -> list[float]:
    """1 for the first place, shared if need be, 0 for any other."""
    return [1 / ranks.count(1) if rank == 1 else 0.0 for rank in ranks]


def reward_lead(ranks: Sequence[int], points: Sequence[float]) -> list[float]:
    """The game's own points, less those of the best other seat."""
    return [own - max(other for at, other in enumerate(points) if at != seat) for seat, own in enumerate(points)]


REWARDS: dict[str, Reward] = {"beaten": reward_beaten, "won": reward_won, "lead": reward_lead}
