"""Does what the tables say hold? Simulated events of known strengths, and how often each claim was right.

Results follow Plackett-Luce, of which Bradley-Terry is exactly what one pair sees. Blocks are tables in every rotation,
drawn so that all possible ones come equally often. docs/tournaments.md has the figures and what they mean.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bench.simulated.events import play_blocks
from bench.simulated.fields import FIELDS, Draw
from bench.simulated.forecasts import FORECAST_FIELDS, measure_forecasts
from bench.simulated.misfits import DISJOINT, TRIOS, measure_disjoint, measure_trio
from bench.simulated.overall import SPREADS, measure_overall
from bench.simulated.pairing import newcomer_rows, pairing_rows
from bench.simulated.power import POWERS, measure_power
from bench.simulated.shares import Share, share_of_events
from bench.simulated.small_events import DUEL_BLOCKS, DUELS, EXTREMES, measure_duel, measure_extremes
from bench.simulated.stopping import STOPPED_POOLS, measure_stopped
from server.ratings.claims import chance_better
from server.ratings.fit import fit

POOLS: dict[str, tuple[float, ...]] = {
    "one far below": (-600.0, 0.0, 20.0, 40.0, 60.0, 80.0, 100.0),
    "even steps": (-200.0, -120.0, -40.0, 40.0, 120.0, 200.0),
    "two camps": (-150.0, -150.0, -150.0, 150.0, 150.0, 150.0, 150.0),
    "equals": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
}
"""Strengths, in Elo. The constants of the errors were chosen by the first: six bots within 100 Elo and one, the anchor
of most ladders, 600 below. The others show that they are not made for it alone."""

POOL = "one far below"

SCALES: dict[str, tuple[int, ...]] = {"one anchor": (0,), "two anchors": (0, 4), "the mean": ()}
"""By what the ratings are relative to: the bots of the pool that are anchors."""

COVERED = (*((POOL, scale) for scale in SCALES), *((pool, "one anchor") for pool in POOLS if pool != POOL))
"""Pools and scales that are printed; the tests try all of them."""

BLOCKS = (12, 60, 400)
SEATS = (2, 4)

EQUALS = ((6, 2, 60), (6, 4, 60), (20, 2, 190), (20, 4, 60))
"""Equal bots, seats and blocks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Coverage:
    """How often ± held the true rating."""

    pool: str
    scale: str
    seats: int
    blocks: int
    events: int
    covered: Share
    mean_plus_minus: float


def measure_coverage(scale: str, seats: int, blocks: int, events: int, seed: int = 1, pool: str = POOL) -> Coverage:
    """Measure the coverage of one pool, as printed: the rating and its ± relative to the scale."""
    luck, truth = np.random.default_rng([seed, seats, blocks]), np.array(POOLS[pool])
    names = [f"bot{number}" for number in range(len(truth))]
    anchors = {names[number]: 1000 + truth[number] for number in SCALES[scale]}
    true = dict(zip(names, 1000 + truth - (0 if anchors else truth.mean()), strict=True))
    covered: list[float] = []
    halves: list[float] = []
    while len(covered) < events:
        table = fit(names, *play_blocks(luck, truth, seats, blocks), anchors=anchors)
        if table.groups == 1 and all(row.matches for row in table.rows):
            rows = [row for row in table.rows if row.plus_minus]
            covered.append(float(np.mean([abs(row.rating - true[row.name]) < row.plus_minus for row in rows])))
            halves.append(float(np.mean([row.plus_minus for row in rows])))
    return Coverage(
        pool=pool,
        scale=scale,
        seats=seats,
        blocks=blocks,
        events=events,
        covered=share_of_events(covered),
        mean_plus_minus=float(np.mean(halves)),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class FalseClaims:
    """Among equal bots, how often a table called some bot surely better than another."""

    bots: int
    seats: int
    blocks: int
    events: int
    claimed: Share


def measure_false_claims(bots: int, seats: int, blocks: int, events: int, seed: int = 2) -> FalseClaims:
    """Measure false claims: whatever is claimed among equals is wrong."""
    luck, names = np.random.default_rng([seed, bots, seats, blocks]), [f"bot{number}" for number in range(bots)]
    claimed = [float(fit(names, *play_blocks(luck, np.zeros(bots), seats, blocks)).sure().any()) for _ in range(events)]
    return FalseClaims(bots=bots, seats=seats, blocks=blocks, events=events, claimed=share_of_events(claimed))


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """Of pairs named beforehand: how often the bot that was said to be better with some probability was better."""

    field: str
    """A shape of field (fields.py), or EVERY of them together."""
    said: str
    mean_said: float
    pairs: int
    right: float


EVERY = "all of these"


def measure_calibration(
    events: int, seed: int = 3, blocks: int = 56, fields: Mapping[str, Draw] = FIELDS
) -> list[Calibration]:
    """Play so many events of each field, of 2 seats. In each event one pair, named beforehand, is asked about.

    The spread of a handful of bots is poorly known, so too much is said in narrow fields and too little in wide ones.
    Over fields of all kinds it should be right as often as it says.
    """
    played = {
        field: [_name_a_pair(np.random.default_rng([seed, event, number]), draw, blocks) for event in range(events)]
        for number, (field, draw) in enumerate(fields.items())
    }
    everything = [pair for pairs in played.values() for pair in pairs]
    by_field = [row for field, pairs in played.items() for row in _calibration_rows(field, pairs)]
    return [*_calibration_rows(EVERY, everything), *by_field]


def _name_a_pair(luck: np.random.Generator, draw: Draw, blocks: int) -> tuple[float, bool]:
    """Return with what probability the better one of a pair was named, and whether it was."""
    truth = draw(luck)
    names = [f"bot{number}" for number in range(len(truth))]
    chance = chance_better(fit(names, *play_blocks(luck, truth, 2, blocks), claims=False), "bot0", "bot1")
    return max(chance, 1 - chance), bool((truth[0] > truth[1]) == (chance > 0.5))


def _calibration_rows(field: str, pairs: list[tuple[float, bool]]) -> list[Calibration]:
    found = []
    for low, high in pairwise((0.5, 0.7, 0.9, 0.975, 1.0)):
        inside = [(said, right) for said, right in pairs if low <= said < high or said == high == 1]
        if inside:
            mean_said, right = np.mean(inside, axis=0)
            found.append(
                Calibration(
                    field=field,
                    said=f"{low:.1%} to {high:.1%}",
                    mean_said=float(mean_said),
                    pairs=len(inside),
                    right=float(right),
                )
            )
    return found


def measure_statistics(events: int, advance: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Measure all tables."""
    began = time.monotonic()

    def counted(row: Any) -> dict[str, Any]:
        advance()
        return asdict(row)

    coverage = [
        counted(measure_coverage(scale, seats, blocks, events, pool=pool))
        for pool, scale in COVERED
        for seats in SEATS
        for blocks in BLOCKS
    ]
    claims = [counted(measure_false_claims(*case, events)) for case in EQUALS]
    calibration = [asdict(row) for row in measure_calibration(2 * events)]
    advance()
    tests = [counted(measure_stopped(pool, events)) for pool in STOPPED_POOLS]
    duels = [counted(measure_duel(pool, blocks, 5 * events)) for pool in DUELS for blocks in DUEL_BLOCKS]
    extremes = [counted(measure_extremes(*case, events)) for case in EXTREMES]
    trios = [counted(measure_trio(*case, max(10, events // 4))) for case in TRIOS]
    disjoint = [counted(measure_disjoint(blocks, max(10, events // 4))) for blocks in DISJOINT]
    forecasts = [counted(measure_forecasts(field, 60, max(10, events // 4))) for field in FORECAST_FIELDS]
    overall = [counted(measure_overall(max(10, events // 4), spread)) for spread in SPREADS]
    powers = [counted(measure_power(*case, max(10, events // 4))) for case in POWERS]
    pairing, newcomers = pairing_rows(), newcomer_rows()
    advance()
    return {
        "events": events,
        "coverage": coverage,
        "false_claims": claims,
        "calibration": calibration,
        "sprt": tests,
        "duels": duels,
        "extremes": extremes,
        "trios": trios,
        "disjoint": disjoint,
        "forecasts": forecasts,
        "overall": overall,
        "power": powers,
        "pairing": pairing,
        "newcomers": newcomers,
        "seconds": time.monotonic() - began,
    }


STEPS = sum(
    (
        len(COVERED) * len(SEATS) * len(BLOCKS),
        len(EQUALS),
        len(STOPPED_POOLS),
        len(DUELS) * len(DUEL_BLOCKS),
        len(EXTREMES),
        len(TRIOS),
        len(DISJOINT),
        len(FORECAST_FIELDS),
        len(SPREADS),
        len(POWERS),
        2,
    )
)
