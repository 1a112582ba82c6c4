"""Does "between 200 and 900 more blocks would tell" come true? Events are played on until one bot is surely first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.simulated.events import play_blocks
from bench.simulated.fields import FIELDS
from bench.simulated.shares import Share, share_of_events
from server.ratings.fit import fit
from server.ratings.fitted_ratings import FittedRatings
from server.ratings.leader import FARTHEST, blocks_to_tell
from server.ratings.matches import Floats, Ints

FORECAST_FIELDS = (
    "8 that scatter by 300",
    "8 with heavy tails",
    "8 that scatter by 100",
    "6 near equals, one 600 below",
)

STEP = 1.2
"""By how much the event grows between two looks at it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ForecastRow:
    """How the forecasts of a field came out."""

    field: str
    blocks: int
    events: int
    clear: float
    """Share of events in which one bot was first already."""
    unsaid: float
    """Share in which no range was given."""
    unsaid_rightly: float
    """Of these: even FARTHEST times the blocks did not tell."""
    held: Share
    """Of the ranges: how many held the blocks that it took."""


def measure_forecasts(field: str, blocks: int, events: int, seats: int = 2, seed: int = 7) -> ForecastRow:
    """Play so many events of a field on until they tell, or FARTHEST times as long."""
    luck = np.random.default_rng([seed, len(field), blocks, seats])
    clear = 0
    unsaid: list[float] = []
    held: list[float] = []
    for _ in range(events):
        truth = FIELDS[field](luck)
        columns = play_blocks(luck, truth, seats, blocks)
        names = [f"bot{number}" for number in range(len(truth))]
        table = fit(names, *columns)
        if table.groups > 1:
            continue
        if len(may_be := first_ones(table)) == 1:
            clear += 1
            continue
        said = blocks_to_tell(table, may_be)
        took = _play_on(luck, truth, seats, blocks, columns)
        if said is None:
            unsaid.append(float(np.isinf(took)))
        else:
            held.append(float(said.low <= took * STEP and took <= STEP * (said.high or np.inf)))
    return ForecastRow(
        field=field,
        blocks=blocks,
        events=events,
        clear=clear / events,
        unsaid=len(unsaid) / events,
        unsaid_rightly=float(np.mean(unsaid)) if unsaid else 1.0,
        held=share_of_events(held) if held else Share(share=1.0, plus_minus=1.0),
    )


def first_ones(table: FittedRatings) -> list[str]:
    """Return who may be first."""
    return [row.name for row in table.rows if row.group == 1 and row.rank_best == 1]


def _play_on(
    luck: np.random.Generator, truth: Floats, seats: int, blocks: int, columns: tuple[Ints, Ints, Ints]
) -> float:
    """Return how many more blocks it took; infinite if more than FARTHEST times as many did not tell."""
    names = [f"bot{number}" for number in range(len(truth))]
    bots, ranks, clusters = columns
    played = blocks
    while played < (1 + FARTHEST) * blocks:
        more = int(np.ceil(played * (STEP - 1)))
        new_bots, new_ranks, new_clusters = play_blocks(luck, truth, seats, more)
        bots, ranks = np.concatenate([bots, new_bots]), np.concatenate([ranks, new_ranks])
        clusters = np.concatenate([clusters, new_clusters + played])
        played += more
        if len(first_ones(fit(names, bots, ranks, clusters))) == 1:
            return float(played - blocks)
    return np.inf
