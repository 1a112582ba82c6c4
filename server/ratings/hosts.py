"""Did one machine of a cluster play differently? A test for each host, of the scores and of the time-outs.

If hosts are alike, it is chance which host played which block. So both tests shuffle the hosts in thought, among blocks
that are alike, and ask how unusual the real division is; no model of the game is needed.

Scores: blocks of the same bots are alike. Blocks whose bots met only once are alike after the expected score has been
subtracted. A shuffle gives the sums of a host a mean and a covariance that are known exactly: the chi-square of the
sums of the bots that have enough blocks there, and of the favourites (did the stronger bots score more, or less?).

Time-outs: blocks of the same bot are alike. How many with a time-out fall to a host is a sum of hypergeometric numbers,
whose distribution is computed exactly: time-outs are rare, and no approximation would hold.

Repeats: some blocks are played by two hosts with the same luck. How many of a bot's repeats diverge where a host took
part is such a number, too. Bots that decide by chance or time diverge everywhere, and prove nothing.

All tests of an event are corrected together (Holm): if all hosts are alike, at most LEVEL of all events accuse one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from server.ratings.distributions import chi_square_above
from server.ratings.matches import Floats, Ints, total

LEVEL = 0.01
"""The largest share of events with equal hosts in which one is accused."""
ENOUGH_BLOCKS = 30
"""Hosts with fewer blocks are not tested."""
ENOUGH = 10.0
"""A sum is near enough to normal if its variance is this many times the square of the largest of its parts."""
MOST_SUMS = 20
"""The most bots with enough blocks that are tested: those about which a host tells most."""
LEAST_PART = 0.05
"""Directions in which the sums vary less than this (1: as they would if independent) say nothing and are left out."""
NEGLIGIBLE = 1e-21


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class HostBlocks:
    """The blocks of a contest: a row each, and a column for each of its bots, in ascending order."""

    hosts: Ints
    """The number of the host that played each block."""
    bots: Ints
    scores: Floats
    """Score of each bot over the matches of the block: the share of the others that it beat."""
    expected: Floats
    """The score expected by the ratings."""
    late: NDArray[np.bool_]
    """True if the bot ran out of time in one of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HostTest:
    """Results of the tests for one host."""

    blocks: int
    time_outs: int
    """Blocks in which a bot ran out of time, once for each bot."""
    expected_time_outs: float
    """The number expected if all hosts were alike."""
    scores_p: float | None
    """Corrected for the number of tests: the host differs if it is below LEVEL. None: not enough blocks."""
    time_outs_p: float | None
    """Corrected and read like `scores_p`."""
    repeats: int = 0
    """Bots of blocks that it and another host have played with the same luck."""
    diverged: int = 0
    """Those among them that answered differently there."""
    repeats_p: float | None = None
    """Corrected and read like `scores_p`. None: nothing can be told."""

    @property
    def is_tested(self) -> bool:
        """Check that there was enough to compare."""
        return any(p is not None for p in (self.scores_p, self.time_outs_p, self.repeats_p))

    @property
    def differs(self) -> bool:
        """Check that it played differently from the other hosts."""
        return any(p is not None and p < LEVEL for p in (self.scores_p, self.time_outs_p, self.repeats_p))


@dataclass(frozen=True, kw_only=True, slots=True)
class RepeatedBot:
    """A bot in a block that two hosts have played with the same luck."""

    hosts: tuple[int, int]
    bot: str
    """With its contest: bots of the same name in two contests are not alike."""
    diverged: bool
    """Whether it answered differently on the two, although all had been the same until then."""


def judge_hosts(host_count: int, contests: Sequence[HostBlocks], repeats: Sequence[RepeatedBot] = ()) -> list[HostTest]:
    """Test each host against the others. With a single host there is nothing to compare."""
    blocks = sum(
        (np.bincount(contest.hosts, minlength=host_count) for contest in contests), np.zeros(host_count, np.int64)
    )
    strata = [_Strata(contest) for contest in contests]
    late = [_TimeOuts(contest, host_count) for contest in contests]
    scores_p: list[float | None] = []
    late_p: list[float | None] = []
    counts = []
    for host in range(host_count):
        known = blocks[host] >= ENOUGH_BLOCKS
        scores_p.append(_scores_p([stratum.sums(host) for stratum in strata]) if known else None)
        drawn = [draw for time_outs in late for draw in time_outs.draws(host)]
        seen = sum(time_outs.count(host) for time_outs in late)
        counts.append((seen, sum(time_outs.expected(host) for time_outs in late)))
        late_p.append(_draws_p(drawn) if known and drawn else None)
    repeats_p = [_repeats_p(repeats, host) for host in range(host_count)]
    scores_p, late_p, repeats_p = _holm(scores_p, late_p, repeats_p)
    return [
        HostTest(
            blocks=int(blocks[host]),
            time_outs=seen,
            expected_time_outs=expected,
            scores_p=scores_p[host],
            time_outs_p=late_p[host],
            repeats=sum(host in repeat.hosts for repeat in repeats),
            diverged=sum(host in repeat.hosts and repeat.diverged for repeat in repeats),
            repeats_p=repeats_p[host],
        )
        for host, (seen, expected) in enumerate(counts)
    ]


def _holm(*columns: list[float | None]) -> list[list[float | None]]:
    """Return the same chances, each raised to the level at which Holm's procedure rejects it."""
    known = sorted((p, column, row) for column, ps in enumerate(columns) for row, p in enumerate(ps) if p is not None)
    corrected: list[list[float | None]] = [[None] * len(ps) for ps in columns]
    highest = 0.0
    for place, (p, column, row) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - place)))
        corrected[column][row] = highest
    return corrected


# Scores


class _Strata:
    """Blocks that are alike, and the distribution of their sums when hosts are shuffled."""

    def __init__(self, blocks: HostBlocks) -> None:
        self._hosts = blocks.hosts
        teams, of_block, met = np.unique(blocks.bots, axis=0, return_inverse=True, return_counts=True)
        of_block = of_block.reshape(-1)
        self._bot_count = int(blocks.bots.max(initial=-1)) + 1
        self._seats = blocks.bots.shape[1]
        residuals = blocks.scores - blocks.expected
        once = met[of_block] == 1
        self._single = _Pool(blocks, residuals, once, self._bot_count)
        # Pairings that were met again: the means of each are its own.
        again = np.flatnonzero(met > 1)
        place = np.full(len(teams), -1)
        place[again] = np.arange(len(again))
        self._rows = np.flatnonzero(~once)
        self._stratum = place[of_block[self._rows]]
        self._teams = teams[again]
        self._sizes = met[again].astype(np.float64)
        self._values = self._centre(residuals[self._rows])
        scores = self._stratum_means(blocks.scores[self._rows])
        self._favour = scores - scores.mean(axis=1, keepdims=True)
        products = np.einsum("bi,bj->bij", self._values, self._values).reshape(-1, self._seats**2)
        self._covariance = self._stratum_means(products).reshape(-1, self._seats, self._seats)
        self._largest = self._find_largest()

    def _stratum_means(self, values: Floats) -> Floats:
        count = len(self._sizes)
        sums = [total(self._stratum, column, count) for column in values.T]
        return np.stack(sums, axis=1) / self._sizes[:, None] if count else np.zeros((0, values.shape[1]))

    def _centre(self, values: Floats) -> Floats:
        return np.asarray(values - self._stratum_means(values)[self._stratum])

    def _find_largest(self) -> Floats:
        """Return the largest part of a sum that one block can be: by bot, and for the favourites at the end."""
        largest = np.zeros(self._bot_count + 1)
        if len(self._rows):
            np.maximum.at(largest, self._teams[self._stratum].ravel(), np.abs(self._values).ravel())
            largest[-1] = np.abs((self._values * self._favour[self._stratum]).sum(axis=1)).max()
        return np.maximum(largest, self._single.largest)

    def sums(self, host: int) -> tuple[Floats, Floats, Floats]:
        """Return a host's sums for each bot and for the favourites, their covariance, and the largest part of each."""
        n = self._bot_count
        mine = self._hosts[self._rows] == host
        sums, covariance = self._single.sums(host)
        values, stratum = self._values[mine], self._stratum[mine]
        sums[:n] += total(self._teams[stratum].ravel(), values.ravel(), n)
        sums[n] += (values * self._favour[stratum]).sum()
        drawn = np.bincount(stratum, minlength=len(self._sizes))
        factor = drawn * (self._sizes - drawn) / np.maximum(self._sizes - 1, 1)
        part = factor[:, None, None] * self._covariance
        keys = (self._teams[:, :, None] * n + self._teams[:, None, :]).ravel()
        covariance[:n, :n] += total(keys, part.ravel(), n * n).reshape(n, n)
        with_favourites = np.einsum("sij,sj->si", part, self._favour)
        across = total(self._teams.ravel(), with_favourites.ravel(), n)
        covariance[:n, n] += across
        covariance[n, :n] += across
        covariance[n, n] += float((with_favourites * self._favour).sum())
        return sums, covariance, self._largest


class _Pool:
    """Blocks whose bots met only once: alike after the expected score has been subtracted."""

    def __init__(self, blocks: HostBlocks, residuals: Floats, rows: NDArray[np.bool_], bot_count: int) -> None:
        self._n = bot_count
        self._hosts, self._bots, self._values = blocks.hosts[rows], blocks.bots[rows], residuals[rows]
        favour = blocks.expected[rows] - blocks.expected[rows].mean(axis=1, keepdims=True)
        self._favoured = (self._values * favour).sum(axis=1)
        self._count = len(self._hosts)
        self.largest = np.zeros(bot_count + 1)
        np.maximum.at(self.largest, self._bots.ravel(), np.abs(self._values).ravel())
        self.largest[-1] = np.abs(self._favoured).max(initial=0)
        self._sums = self._add(np.ones(self._count, dtype=np.bool_))
        self._covariance = self._products() / max(1, self._count) - np.outer(*[self._sums / max(1, self._count)] * 2)

    def _add(self, mine: NDArray[np.bool_]) -> Floats:
        sums = np.zeros(self._n + 1)
        sums[:-1] = total(self._bots[mine].ravel(), self._values[mine].ravel(), self._n)
        sums[-1] = self._favoured[mine].sum()
        return sums

    def _products(self) -> Floats:
        n, values = self._n, self._values
        products = np.zeros((n + 1, n + 1))
        keys = (self._bots[:, :, None] * n + self._bots[:, None, :]).ravel()
        products[:n, :n] = total(keys, np.einsum("bi,bj->bij", values, values).ravel(), n * n).reshape(n, n)
        across = total(self._bots.ravel(), (values * self._favoured[:, None]).ravel(), n)
        products[:n, n] = products[n, :n] = across
        products[n, n] = (self._favoured**2).sum()
        return products

    def sums(self, host: int) -> tuple[Floats, Floats]:
        """Return a host's sums less what a shuffle would give it, and their covariance."""
        mine = self._hosts == host
        drawn, count = int(mine.sum()), self._count
        factor = drawn * (count - drawn) / max(1, count - 1)
        return self._add(mine) - self._sums * (drawn / max(1, count)), factor * self._covariance


def _scores_p(parts: Sequence[tuple[Floats, Floats, Floats]]) -> float | None:
    """Return the chance of such sums or more unusual ones, over all contests. None: not enough blocks."""
    chi_square, degrees = 0.0, 0
    for sums, covariance, largest in parts:
        variances = np.diag(covariance)
        enough = np.flatnonzero((variances > 1e-9) & (variances >= ENOUGH * largest**2))
        chosen = enough[np.argsort(-variances[enough], kind="stable")][:MOST_SUMS]
        if not len(chosen):
            continue
        scale = np.sqrt(variances[chosen])
        values, vectors = np.linalg.eigh(covariance[np.ix_(chosen, chosen)] / np.outer(scale, scale))
        turned = vectors.T @ (sums[chosen] / scale)
        informative = values > LEAST_PART
        chi_square += float((turned[informative] ** 2 / values[informative]).sum())
        degrees += int(informative.sum())
    return chi_square_above(chi_square, degrees) if degrees else None


# Time-outs


@dataclass(frozen=True, slots=True)
class _Draw:
    """Of `blocks` blocks of a bot, `late` have a time-out; the host has `drawn` of them all, and of those `seen`."""

    blocks: int
    late: int
    drawn: int
    seen: int


class _TimeOuts:
    """Numbers of blocks, and of blocks with a time-out, per bot of a contest and host."""

    def __init__(self, blocks: HostBlocks, host_count: int) -> None:
        bots = int(blocks.bots.max(initial=-1)) + 1
        keys = (blocks.hosts[:, None] * bots + blocks.bots).ravel()
        shape = host_count, bots
        self._drawn = np.bincount(keys, minlength=host_count * bots).reshape(shape)
        self._seen = np.bincount(keys[blocks.late.ravel()], minlength=host_count * bots).reshape(shape)
        self._blocks, self._late = self._drawn.sum(axis=0), self._seen.sum(axis=0)

    def draws(self, host: int) -> Iterator[_Draw]:
        """Yield the draws in which chance decides."""
        for blocks, late, drawn, seen in zip(
            *(column.tolist() for column in (self._blocks, self._late, self._drawn[host], self._seen[host])),
            strict=True,
        ):
            if 0 < late < blocks and 0 < drawn < blocks:
                yield _Draw(blocks, late, drawn, seen)

    def count(self, host: int) -> int:
        """Count the time-outs on a host."""
        return int(self._seen[host].sum())

    def expected(self, host: int) -> float:
        """Return the number of time-outs expected on a host if all hosts were alike."""
        return float((self._drawn[host] * self._late / np.maximum(self._blocks, 1)).sum())


def _repeats_p(repeats: Sequence[RepeatedBot], host: int) -> float | None:
    """Return how probable it is that bots diverge so often where this host took part. None: chance decides nothing.

    Fewer than expected prove nothing: if one host plays other code, all others have fewer.
    """
    both = Counter(repeat.bot for repeat in repeats)
    diverged = Counter(repeat.bot for repeat in repeats if repeat.diverged)
    drawn = Counter(repeat.bot for repeat in repeats if host in repeat.hosts)
    seen = Counter(repeat.bot for repeat in repeats if repeat.diverged and host in repeat.hosts)
    draws = [_Draw(both[bot], diverged[bot], drawn[bot], seen[bot]) for bot in both]
    open_draws = [draw for draw in draws if 0 < draw.late < draw.blocks and 0 < draw.drawn < draw.blocks]
    return _draws_p(open_draws, only_above=True) if open_draws else None


def _draws_p(draws: Sequence[_Draw], *, only_above: bool = False) -> float:
    """Return twice the smaller tail of the sum of hypergeometric numbers, or the upper one alone. What was cut off on
    the way is added to both."""
    lengths = np.arange(1, max(draw.blocks for draw in draws) + 1)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(lengths))])
    first, chances = 0, np.ones(1)
    for draw in draws:
        lowest, each = _hypergeometric(draw, factorials)
        first, chances = _cut(first + lowest, np.convolve(chances, each))
    place = sum(draw.seen for draw in draws) - first
    below, above = chances[: max(0, place + 1)].sum(), chances[max(0, place) :].sum()
    cut_off = max(0.0, 1.0 - float(chances.sum()))
    if only_above:
        return min(1.0, float(above) + cut_off)
    return min(1.0, 2 * (min(float(below), float(above)) + cut_off))


def _hypergeometric(draw: _Draw, factorials: Floats) -> tuple[int, Floats]:
    """Return the lowest number of time-outs that a host can have of a bot, and the chances from there on."""

    def choose(all_of_them: int, some: Ints) -> Floats:
        return np.asarray(factorials[all_of_them] - factorials[some] - factorials[all_of_them - some])

    lowest, highest = max(0, draw.late + draw.drawn - draw.blocks), min(draw.late, draw.drawn)
    seen = np.arange(lowest, highest + 1)
    ways = choose(draw.late, seen) + choose(draw.blocks - draw.late, draw.drawn - seen)
    return _cut(lowest, np.exp(ways - choose(draw.blocks, np.array([draw.drawn]))))


def _cut(first: int, chances: Floats) -> tuple[int, Floats]:
    """Cut off the ends that are too unlikely to matter."""
    likely = np.flatnonzero(chances > NEGLIGIBLE)
    return first + int(likely[0]), chances[likely[0] : likely[-1] + 1]
