"""What pairing by information saves: matches for the same error, relative to a round-robin, in simulated events.

Bots of known strength, evenly spread over some Elo, play a ladder and a round-robin **with the same luck** (`Luck`).
After every so many blocks the mean squared error of the ratings is noted,
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
from functools import cache
from typing import Any

import numpy as np

from server.ratings.distributions import ELO, Z95
from server.ratings.matches import Floats, Ints
from server.schedule import Block, Entrant, Ledger, Plan, Schedule
from server.schedule.strengths import count_games

MARKS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1)
"""Where the ladder's error is noted, as shares of the round-robin's blocks."""

DRAWS = 1000
"""Samples of the bootstrap."""

SECONDS = 180.0
"""About how long all rows take."""

FEWEST_RUNS = 4

DAYS = 8
"""Blocks for which luck is drawn at once."""

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
        """Count the blocks of the round-robin."""
        pairs = self.bots * (self.bots - 1) / 2
        return math.ceil(self.games * pairs / (self.seats * self.seats * (self.seats - 1) / 2))

    @property
    def strengths(self) -> Floats:
        """Return the strengths in natural units, their mean 0."""
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
    """Measure a row per field; `seconds` is about how long all of them may take."""
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
        ladder = play_ladder(field, seed, [math.ceil(mark * field.blocks) for mark in MARKS])
        ladders.append(ladder.errors)
        robins += play_round_robin(field, seed).errors
        most = max(most, ladder.most_met)
    return weigh(field, np.array(ladders), np.array(robins), most)


def weigh(field: Field, ladders: Floats, robins: Floats, most_met: float) -> PairingRow:
    """Return the row of a field, from the errors of the ladder at every mark and those of the round-robin, run by
    run."""
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
    """Return the share of the matches after which the ladder's error is the round-robin's; beyond the marks, errors
    fall as one over the matches."""
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


class Luck:
    """The luck of one run, which is the same in every schedule.

    At two seats, the n-th block of the same two bots ends alike. At larger tables the same bots seldom meet again, so
    there each bot has the same days in its n-th block, whomever it meets.
    """

    def __init__(self, strengths: Floats, seats: int, seed: int) -> None:
        self._strengths, self._seats, self._seed = strengths, seats, seed
        self._days = np.zeros((len(strengths) ** (2 if seats == 2 else 1), 0, seats))
        """By bot (two seats: by bot and opponent), block and match of the block."""
        self._played: Counter[int] = Counter()

    def play(self, tables: Ints) -> Ints:
        """Play a block of each of these tables, in order: what each of its bots beat."""
        keys = tables * len(self._strengths) + tables[:, ::-1] if self._seats == 2 else tables
        numbers = np.empty_like(keys)
        for row, column in np.ndindex(*keys.shape):
            key = int(keys[row, column])
            numbers[row, column] = self._played[key]
            self._played[key] += 1
        while numbers.max() >= self._days.shape[1]:
            more = np.random.default_rng([self._seed, self._days.shape[1]])
            self._days = np.append(self._days, more.gumbel(size=(len(self._days), DAYS, self._seats)), axis=1)
        shown = self._strengths[tables][:, :, None] + self._days[keys, numbers]
        return np.asarray((shown[:, :, None] > shown[:, None]).sum(axis=(2, 3)))


class Run:
    """A field in play: who won what, and the error after some numbers of blocks."""

    def __init__(self, field: Field, seed: int, marks: Sequence[int]) -> None:
        # Which bot is how strong differs from run to run: neither names nor places in a design may help.
        self._strengths = np.random.RandomState(seed).permutation(field.strengths)
        self._luck = Luck(self._strengths, field.seats, seed)
        self._marks = marks
        self._blocks = 0
        self._points, self._games = np.zeros(field.bots), np.zeros((field.bots, field.bots))
        self._values = np.zeros(field.bots)
        self.errors: list[float] = []

    @property
    def is_over(self) -> bool:
        """Check whether all errors were noted."""
        return len(self.errors) == len(self._marks)

    @property
    def most_met(self) -> float:
        """Return how often the pair that met most met, in mean shares."""
        count = len(self._games)
        return float(self._games.max() * count * (count - 1) / self._games.sum())

    def play(self, tables: Ints) -> Ints:
        """Play a block of each table until the run is over: what each bot beat."""
        beaten = self._luck.play(tables)
        start = 0
        while start < len(tables) and not self.is_over:
            part = slice(start, min(len(tables), start + self._marks[len(self.errors)] - self._blocks))
            np.add.at(self._points, tables[part], beaten[part])
            count_games(self._games, tables[part])
            self._blocks += part.stop - start
            start = part.stop
            if self._blocks == self._marks[len(self.errors)]:
                values = self._values = fit_strengths(self._points, self._games, self._values)
                self.errors.append(float(((values - values.mean() - self._strengths) ** 2).mean()) * ELO**2)
        return beaten


def play_ladder(field: Field, seed: int, marks: Sequence[int]) -> Run:
    """Play a ladder, up to the last of these numbers of blocks."""
    run, schedule, results = Run(field, seed, marks), Schedule(make_plan(field, "ladder", seed)), Ledger()
    while not run.is_over:
        blocks = schedule.open_blocks(results, 2 * field.bots)
        for block, half_points in zip(blocks, (2 * run.play(tables_of(blocks))).tolist(), strict=True):
            results.add(block.number, tuple(half_points))
    return run


def play_round_robin(field: Field, seed: int) -> Run:
    """Play a round-robin."""
    run = Run(field, seed, [field.blocks])
    run.play(round_robin_tables(field))
    return run


@cache
def round_robin_tables(field: Field) -> Ints:
    """Return the tables of one draw for all runs: which bots sit in which places of it differs from run to run."""
    return tables_of(Schedule(make_plan(field, "round-robin", 0)).open_blocks({}, field.blocks))


def make_plan(field: Field, form: str, seed: int) -> Plan:
    """Return the plan of an event."""
    entrants = tuple(Entrant(name=str(number)) for number in range(field.bots))
    rounds = 0 if form == "ladder" else 1000
    return Plan(format=form, seats=field.seats, entrants=entrants, rounds=rounds, seed=str(seed))


def tables_of(blocks: Sequence[Block]) -> Ints:
    """Return the bots of each block, by number."""
    return np.array([[int(name) for name in block.bots] for block in blocks])


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
    """Measure a row per spread."""
    return [asdict(measure_newcomer(spread, runs)) for spread in (0.0, 600.0, 1000.0)]


def measure_newcomer(spread: float, runs: int, bots: int = 20) -> NewcomerRow:
    """Measure a newcomer: a bot of middling strength comes late."""
    field = Field(bots=bots, seats=2, spread=spread, games=20)
    own, ladder = np.mean([settle_newcomer(field, seed) for seed in range(runs)], axis=0)
    tables = (bots + 1) // field.seats
    return NewcomerRow(
        bots=bots, spread=spread, runs=runs, own=float(own), ladder=float(ladder), ladder_of_one=float(own * tables)
    )


def settle_newcomer(field: Field, seed: int) -> tuple[int, int]:
    """Return the newcomer's matches until its rating is known within ± 60 Elo, and those of the whole ladder
    meanwhile."""
    strengths = np.append(np.random.RandomState(seed).permutation(field.strengths), 0.0)
    count, late = len(strengths), len(strengths) - 1
    entrants = tuple(Entrant(name=str(number), joined=SETTLED_WAVES * (number == late)) for number in range(count))
    plan = Plan(format="ladder", seats=2, entrants=entrants, rounds=0, seed=str(seed))
    schedule, results, luck = Schedule(plan), Ledger(), Luck(strengths, field.seats, seed)
    games = np.zeros((count, count))
    own = since = 0
    while True:
        blocks = schedule.open_blocks(results)
        wave = [block for block in blocks if block.stage == blocks[0].stage]
        tables = tables_of(wave)
        for block, half_points in zip(wave, (2 * luck.play(tables)).tolist(), strict=True):
            results.add(block.number, tuple(half_points))
        count_games(games, tables)
        own += field.seats * int((tables == late).sum())
        since += field.seats * len(wave) * (wave[0].stage >= SETTLED_WAVES)
        if own and plus_minus(strengths, games)[late] <= PROVISIONAL_ELO:
            return own, since


def plus_minus(strengths: Floats, games: Floats) -> Floats:
    """Half of the 95 % interval of every rating relative to the mean, in Elo, by the information of these games."""
    share = 1 / (1 + np.exp(strengths - strengths[:, None]))
    weights = games * share * (1 - share)
    ones = np.full(games.shape, 1 / len(games))
    covariance = np.linalg.inv(np.diag(weights.sum(axis=1)) - weights + ones) - ones
    return np.asarray(Z95 * ELO * np.sqrt(np.maximum(np.diag(covariance), 0)))


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
    """Return the error of the A-optimal design relative to that of equal meetings, both with the same number of
    matches."""
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
