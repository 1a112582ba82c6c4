"""What pairing by information saves: matches for the same error, relative to a round-robin, in simulated events.

Bots of known strength, evenly spread over some Elo, play a ladder and a round-robin **with the same luck**: the n-th
block of the same bots ends alike in both. After every so many blocks the mean squared error of the ratings is noted,
relative to the mean of the field. The ratio is the number of the ladder's matches that give the round-robin's error,
divided by the round-robin's matches; below 1 the ladder needs fewer. Its interval is a bootstrap over the runs.

Beside it stands the best that any schedule could do that knew all strengths beforehand (the A-optimal design), with the
matches of pairs as free as they like: with more than two seats no schedule can reach it. Results follow Plackett-Luce.
docs/tournaments.md has the figures of long runs and what they mean.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from server.ratings.matches import Floats
from server.ratings.tails import ELO, Z95
from server.schedule import Entrant, Ledger, Plan, Schedule

MARKS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1)
"""Where the ladder's error is noted, as shares of the round-robin's blocks."""

DRAWS = 1000
"""Samples of the bootstrap."""

SECONDS = 180.0
"""About how long all rows take."""

FEWEST_RUNS = 4

SETTLED_WAVES = 60
"""After which a newcomer comes."""

PROVISIONAL_ELO = 60.0
"""Within which its rating is settled."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """A field and how long it plays."""

    bots: int
    seats: int
    spread: float
    """From the weakest to the strongest bot, in Elo."""
    games: int
    """Of each pair, in the round-robin."""

    @property
    def blocks(self) -> int:
        """Of the round-robin."""
        pairs = self.bots * (self.bots - 1) / 2
        return math.ceil(self.games * pairs / (self.seats * self.seats * (self.seats - 1) / 2))

    @property
    def strengths(self) -> Floats:
        """In natural units, their mean 0."""
        return np.asarray(np.linspace(-0.5, 0.5, self.bots) * self.spread / ELO)


FIELDS = (
    *(Field(bots=4, seats=2, spread=spread, games=60) for spread in (0, 600)),
    *(Field(bots=20, seats=2, spread=spread, games=20) for spread in (0, 600, 1000, 1500)),
    *(Field(bots=20, seats=4, spread=spread, games=24) for spread in (0, 1000)),
    *(Field(bots=100, seats=2, spread=spread, games=4) for spread in (0, 1000)),
    *(Field(bots=100, seats=4, spread=spread, games=4) for spread in (0, 1000)),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PairingRow:
    """What came of a field. Numbers are rounded for the reader."""

    bots: int
    seats: int
    spread: float
    runs: int
    matches: int
    """Of the round-robin."""
    ratio: float
    """The ladder's matches for the same error, relative to the round-robin's."""
    low: float
    high: float
    """Its 95 % interval."""
    bound: float
    """The best that any schedule could do."""
    most_met: float
    """The pair that met most often in any run, in shares of the mean."""


def pairing_rows(seconds: float | None = None) -> list[dict[str, Any]]:
    """A row per field; `seconds` is about how long all of them may take."""
    share = (seconds or SECONDS) / len(FIELDS)
    return [asdict(measure_field(field, seconds=share)) for field in FIELDS]


def measure_field(field: Field, *, runs: int = 10_000, seconds: float = math.inf, first: int = 0) -> PairingRow:
    """Play a field again and again, each run with luck of its own."""
    until = time.monotonic() + seconds
    ladders: list[list[float]] = []
    robins: list[float] = []
    most = 0.0
    for seed in range(first, first + runs):
        if len(robins) >= FEWEST_RUNS and time.monotonic() > until:
            break
        errors, met = play_event(field, "ladder", seed, [math.ceil(mark * field.blocks) for mark in MARKS])
        ladders.append(errors)
        robins.append(play_event(field, "round-robin", seed, [field.blocks])[0][0])
        most = max(most, met)
    return weigh(field, np.array(ladders), np.array(robins), most)


def weigh(field: Field, ladders: Floats, robins: Floats, most_met: float) -> PairingRow:
    """The row of a field, from the errors of the ladder at every mark and those of the round-robin, run by run."""
    luck = np.random.RandomState(0)
    draws = luck.randint(len(robins), size=(DRAWS, len(robins)))
    low, high = np.percentile([matches_needed(ladders[draw], robins[draw]) for draw in draws], [2.5, 97.5])
    return PairingRow(
        bots=field.bots,
        seats=field.seats,
        spread=field.spread,
        runs=len(robins),
        matches=field.blocks * field.seats,
        ratio=round(matches_needed(ladders, robins), 3),
        low=round(float(low), 3),
        high=round(float(high), 3),
        bound=round(best_ratio(field), 3),
        most_met=round(most_met, 2),
    )


def matches_needed(ladders: Floats, robins: Floats) -> float:
    """The share of the matches after which the ladder's error is the round-robin's; beyond the marks, errors fall as
    one over the matches."""
    errors, aim = ladders.mean(axis=0), float(robins.mean())
    marks = np.array(MARKS)
    if errors[0] <= aim:
        return float(marks[0] * errors[0] / aim)
    if errors[-1] >= aim:
        return float(marks[-1] * errors[-1] / aim)
    at = int(np.argmax(errors <= aim))
    # Straight between two marks in logarithms.
    part = math.log(errors[at - 1] / aim) / math.log(errors[at - 1] / errors[at])
    return float(marks[at - 1] * (marks[at] / marks[at - 1]) ** part)


def play_event(field: Field, form: str, seed: int, marks: Sequence[int]) -> tuple[list[float], float]:
    """The error after each of these numbers of blocks, and how often the pair that met most met, in mean shares."""
    count, seats = field.bots, field.seats
    # Which bot is how strong differs from run to run: the order of the names must not help.
    strengths = np.random.RandomState(seed).permutation(field.strengths)
    plan = Plan(
        format=form,
        seats=seats,
        entrants=tuple(Entrant(name=str(number)) for number in range(count)),
        rounds=0 if form == "ladder" else 1000,
        seed=str(seed),
    )
    schedule, results = Schedule(plan), Ledger()
    points, games = np.zeros(count), np.zeros((count, count))
    played: dict[tuple[int, ...], int] = {}
    errors: list[float] = []
    values = np.zeros(count)
    while True:
        for block in schedule.open_blocks(results, 2 * count):
            bots = [int(name) for name in block.bots]
            together = tuple(sorted(bots))
            number = played[together] = played.get(together, 0) + 1
            made = play_block(strengths, together, seed, number)
            results.add(block.number, tuple(2 * made[bot] for bot in bots))
            for bot in bots:
                points[bot] += made[bot]
            games[np.ix_(bots, bots)] += seats
            if len(results) == marks[len(errors)]:
                met = games * (1 - np.eye(count))
                values = fit_strengths(points, met, values)
                errors.append(float(((values - values.mean() - strengths) ** 2).mean()) * ELO**2)
                if len(errors) == len(marks):
                    return errors, float(met.max() * count * (count - 1) / met.sum())


@dataclass(frozen=True, kw_only=True, slots=True)
class NewcomerRow:
    """How long a newcomer takes to ± 60 Elo, on a ladder that has run for long."""

    bots: int
    spread: float
    runs: int
    own: float
    """Matches of its own, the mean."""
    ladder: float
    """Matches of the whole ladder."""
    ladder_of_one: float
    """The same if a newcomer played as many, but one table in a wave like everybody else."""


def newcomer_rows(runs: int = 2) -> list[dict[str, Any]]:
    """A row per spread."""
    return [asdict(measure_newcomer(spread, runs)) for spread in (0.0, 600.0, 1000.0)]


def measure_newcomer(spread: float, runs: int, bots: int = 20) -> NewcomerRow:
    """A bot of middling strength comes late."""
    field = Field(bots=bots, seats=2, spread=spread, games=20)
    own, ladder = np.mean([settle_newcomer(field, seed) for seed in range(runs)], axis=0)
    tables = (bots + 1) // field.seats
    return NewcomerRow(
        bots=bots, spread=spread, runs=runs, own=float(own), ladder=float(ladder), ladder_of_one=float(own * tables)
    )


def settle_newcomer(field: Field, seed: int) -> tuple[int, int]:
    """The newcomer's matches until its rating is known within ± 60 Elo, and those of the whole ladder meanwhile."""
    strengths = np.append(np.random.RandomState(seed).permutation(field.strengths), 0.0)
    count, late = len(strengths), len(strengths) - 1
    entrants = tuple(Entrant(name=str(number), joined=SETTLED_WAVES * (number == late)) for number in range(count))
    plan = Plan(format="ladder", seats=2, entrants=entrants, rounds=0, seed=str(seed))
    schedule, results = Schedule(plan), Ledger()
    games, played = np.zeros((count, count)), Counter[tuple[int, int]]()
    own = since = 0
    while True:
        blocks = schedule.open_blocks(results)
        for block in [one for one in blocks if one.stage == blocks[0].stage]:
            first, second = sorted(int(name) for name in block.bots)
            played[first, second] += 1
            made = play_block(strengths, (first, second), seed, played[first, second])
            results.add(block.number, tuple(2 * made[int(name)] for name in block.bots))
            games[first, second] += field.seats
            games[second, first] += field.seats
            own += field.seats * (second == late)
            since += field.seats * (block.stage >= SETTLED_WAVES)
        if own and plus_minus(strengths, games)[late] <= PROVISIONAL_ELO:
            return own, since


def plus_minus(strengths: Floats, games: Floats) -> Floats:
    """Half of the 95 % interval of every rating relative to the mean, in Elo, by the information of these games."""
    share = 1 / (1 + np.exp(strengths - strengths[:, None]))
    weights = games * share * (1 - share)
    ones = np.full(games.shape, 1 / len(games))
    covariance = np.linalg.inv(np.diag(weights.sum(axis=1)) - weights + ones) - ones
    return np.asarray(Z95 * ELO * np.sqrt(np.maximum(np.diag(covariance), 0)))


def play_block(strengths: Floats, bots: tuple[int, ...], seed: int, number: int) -> dict[int, int]:
    """What each bot beat in this block of these bots: it follows from the arguments alone."""
    luck = np.random.default_rng([seed, number, *bots])
    seats = len(bots)
    shown = strengths[list(bots)] + luck.gumbel(size=(seats, seats))
    beaten = (shown[:, :, None] > shown[:, None, :]).sum(axis=(0, 2))
    return dict(zip(bots, beaten.tolist(), strict=True))


def fit_strengths(points: Floats, games: Floats, start: Floats) -> Floats:
    """Bradley-Terry with one virtual tie per bot, as the official ratings are; a block's points are all it needs."""
    values = start
    for _ in range(60):
        share, pull = 1 / (1 + np.exp(values - values[:, None])), 1 / (1 + np.exp(-values))
        weights = games * share * (1 - share)
        information = np.diag(weights.sum(axis=1) + pull * (1 - pull)) - weights
        step = np.linalg.solve(information, points - (games * share).sum(axis=1) + 0.5 - pull)
        values = values + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-7:
            break
    return values


def best_ratio(field: Field) -> float:
    """The error of the A-optimal design relative to that of equal meetings, both with the same number of matches."""
    strengths, count = field.strengths, field.bots
    share = 1 / (1 + np.exp(strengths - strengths[:, None]))
    weights = share * (1 - share) * (1 - np.eye(count))
    equal = (1 - np.eye(count)) / (count * (count - 1))
    meetings = equal
    ones = np.full((count, count), 1 / count)

    def covariance(design: Floats) -> Floats:
        each = design * weights
        return np.asarray(np.linalg.inv(np.diag(each.sum(axis=1)) - each + ones) - ones)

    # The multiplicative algorithm: what tells more than the mean is played more, until all that is played tells alike.
    for _ in range(200):
        squared = np.linalg.matrix_power(covariance(meetings), 2)
        own = np.diag(squared)
        gains = weights * (own[:, None] + own - 2 * squared)
        meetings = meetings * np.sqrt(np.maximum(gains, 0))
        meetings = (meetings + meetings.T) / (2 * meetings.sum())  # rounding would make it lopsided
        meetings = np.maximum(meetings, 1e-9 * (1 - np.eye(count)))
    return float(np.trace(covariance(meetings)) / np.trace(covariance(equal)))
