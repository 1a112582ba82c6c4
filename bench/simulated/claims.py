"""Does what the tables say hold? Simulated events of known strengths, and how often each claim was right.

Results follow Plackett-Luce, of which Bradley-Terry is exactly what one pair sees. Blocks are tables in every rotation,
drawn so that all possible ones come equally often. docs/tournaments.md has the figures and what they mean.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise
from math import comb, sqrt
from typing import Any

import numpy as np

from bench.simulated.pairing import newcomer_rows, pairing_rows
from server.ratings.after_stopping import estimate_drift
from server.ratings.claims import chance_better
from server.ratings.distributions import ELO, Z95
from server.ratings.duel import NORMALIZED
from server.ratings.fit import fit
from server.ratings.matches import Floats, Ints
from server.ratings.sprt import SprtVerdict, approximate, bounds, target

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

SCATTERS = (30.0, 100.0, 300.0)
"""Of strengths, in Elo: what is said of a pair has to hold in narrow and in wide fields."""

GAPS = (0.0, 10.0, 20.0, 40.0)
"""True normalized Elo of sequential tests of 0 against TESTED."""

TESTED = 20.0

LONGEST_TEST = 20_000
"""Blocks. The mean of the slowest test here is 1 500."""


def play_blocks(luck: np.random.Generator, strengths: Floats, seats: int, blocks: int) -> tuple[Ints, Ints, Ints]:
    """Return the bots, ranks and clusters of an event, as `fit` takes them; strengths in Elo."""
    seated = np.array([luck.permutation(table) for table in draw_tables(luck, len(strengths), seats, blocks)])
    bots = np.concatenate([np.roll(seated, rotation, axis=1) for rotation in range(seats)])
    merits = strengths[bots] / ELO + luck.gumbel(size=bots.shape)
    ranks = (-merits).argsort(axis=1).argsort(axis=1) + 1
    return bots, ranks, np.tile(np.arange(blocks), seats)


def draw_tables(luck: np.random.Generator, bots: int, seats: int, blocks: int) -> Ints:
    """Draw all tables in random order, again and again; of too many only some, so that all bots play equally
    often."""
    if comb(bots, seats) > 10 * blocks:
        rounds = -(-blocks * seats // bots)
        order = np.concatenate([luck.permutation(bots) for _ in range(rounds)])
        tables = [order[start : start + seats] for start in range(0, bots * rounds - seats + 1, seats)]
        return np.array([table for table in tables if len(set(table)) == seats][:blocks])
    every = np.array(list(combinations(range(bots), seats)))
    rounds = -(-blocks // len(every))
    return np.concatenate([luck.permutation(every) for _ in range(rounds)])[:blocks]


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """How often something happened."""

    share: float
    plus_minus: float
    """Half of its 95 % interval, by events: what happens in one event happens to all its bots together."""


def share_of_events(shares: Sequence[float]) -> Share:
    """Return the mean of a share over events."""
    found = np.array(shares, dtype=np.float64)
    return Share(share=float(found.mean()), plus_minus=Z95 * float(found.std()) / sqrt(max(len(found), 1)))


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

    scatter: float | None
    """Of the true strengths, in Elo. None: fields of all scatters together."""
    said: str
    mean_said: float
    pairs: int
    right: float


def measure_calibration(events: int, seed: int = 3) -> list[Calibration]:
    """Eight bots, 2 seats, 56 blocks; so many events of each scatter. In each event one pair, named beforehand.

    The spread of eight bots is poorly known, so a table says too much in narrow fields and too little in wide ones.
    Over fields of all kinds it should be right as often as it says.
    """
    luck = np.random.default_rng(seed)
    played = {scatter: [_name_a_pair(luck, scatter) for _ in range(events)] for scatter in SCATTERS}
    everything = [pair for pairs in played.values() for pair in pairs]
    by_scatter = [row for scatter, pairs in played.items() for row in _calibration_rows(scatter, pairs)]
    return [*_calibration_rows(None, everything), *by_scatter]


def _name_a_pair(luck: np.random.Generator, scatter: float) -> tuple[float, bool]:
    """Return with what probability the better one of a pair was named, and whether it was."""
    names = [f"bot{number}" for number in range(8)]
    truth = luck.normal(0, scatter, len(names))
    chance = chance_better(fit(names, *play_blocks(luck, truth, 2, 56), claims=False), "bot0", "bot1")
    return max(chance, 1 - chance), bool((truth[0] > truth[1]) == (chance > 0.5))


def _calibration_rows(scatter: float | None, pairs: list[tuple[float, bool]]) -> list[Calibration]:
    found = []
    for low, high in pairwise((0.5, 0.7, 0.9, 0.975, 1.0)):
        inside = [(said, right) for said, right in pairs if low <= said < high or said == high == 1]
        if inside:
            mean_said, right = np.mean(inside, axis=0)
            found.append(
                Calibration(
                    scatter=scatter,
                    said=f"{low:.1%} to {high:.1%}",
                    mean_said=float(mean_said),
                    pairs=len(inside),
                    right=float(right),
                )
            )
    return found


@dataclass(frozen=True, kw_only=True, slots=True)
class TestErrors:
    """Sequential tests of 0 against TESTED normalized Elo at one true gap."""

    seats: int
    gap: float
    tests: int
    accepted: Share
    """H1."""
    mean_blocks: float
    plain: float
    """The mean of the plain estimates."""
    median: float
    """Of the estimates that know of the stopping."""
    too_high: Share
    """Of those; a half is right."""
    covered: Share
    """Their 95 % intervals held the gap."""


def measure_test(seats: int, gap: float, tests: int, seed: int = 4) -> TestErrors:
    """Normal block scores, of which the true normalized Elo is the gap."""
    luck, spread = np.random.default_rng([seed, seats, int(gap)]), 0.25
    t0, t1, true = (target(elo, seats) for elo in (0.0, TESTED, gap))
    limits, scale = bounds(), NORMALIZED / sqrt(seats)
    ends, plain, stopped = [], [], []
    for _ in range(tests):
        scores = 0.5 + spread * (true + luck.standard_normal(LONGEST_TEST))
        count = np.arange(1, LONGEST_TEST + 1)
        mean = scores.cumsum() / count
        variance = np.maximum((scores**2).cumsum() / count - mean**2, 0)
        llr = approximate(count.astype(np.float64), mean, variance, t0, t1)
        end = int(np.argmax((llr >= limits.upper) | (llr <= limits.lower)))  # far below LONGEST_TEST
        verdict = SprtVerdict.H1 if llr[end] >= limits.upper else SprtVerdict.H0
        ends.append((float(verdict is SprtVerdict.H1), end + 1))
        plain.append(scale * float((mean[end] - 0.5) / sqrt(variance[end])))
        stopped.append(estimate_drift(verdict, end + 1, t0, t1, limits).through(lambda t: scale * t))
    return TestErrors(
        seats=seats,
        gap=gap,
        tests=tests,
        accepted=share_of_events([accepted for accepted, _ in ends]),
        mean_blocks=float(np.mean([blocks for _, blocks in ends])),
        plain=float(np.mean(plain)),
        too_high=share_of_events([float(one.value > gap) for one in stopped]),
        median=float(np.median([one.value for one in stopped])),
        covered=share_of_events([float(one.low <= gap <= one.high) for one in stopped]),
    )


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
    calibration = [asdict(row) for row in measure_calibration(4 * events)]
    advance()
    tests = [counted(measure_test(seats, gap, events)) for seats in SEATS for gap in GAPS]
    pairing, newcomers = pairing_rows(), newcomer_rows()
    advance()
    return {
        "events": events,
        "coverage": coverage,
        "false_claims": claims,
        "calibration": calibration,
        "sprt": tests,
        "pairing": pairing,
        "newcomers": newcomers,
        "seconds": time.monotonic() - began,
    }


STEPS = len(COVERED) * len(SEATS) * len(BLOCKS) + len(EQUALS) + 1 + len(SEATS) * len(GAPS) + 1
