"""A sequential test: play A against B, block after block, until it is clear whether A is better.

It is played as an ordinary event whose listener ends it at the verdict (server/cli/sprt.py). Blocks are counted in the
order of the schedule, not in the order in which they end: otherwise quick matches would count first, and they differ
from the others.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from server.play.summary import MatchSummary
from server.ratings import duel
from server.ratings import scores as rating_scores
from server.ratings.after_stopping import estimate_after
from server.ratings.distributions import share_of
from server.ratings.duel import Duel
from server.ratings.scores import tell_difference
from server.ratings.sprt import Sprt, SprtModel, SprtVerdict
from server.ratings.sprt_forecast import expected_length, forecast


def block_score(matches: Sequence[MatchSummary], ours: set[str], theirs: set[str]) -> float:
    """Return the score of one side of a block against the other, in 0..1. Seats of third parties do not count."""

    def scores(side: set[str]) -> list[float]:
        return [
            seat.half_points / 2 / (len(match.seats) - 1)
            for match in matches
            for seat in match.seats
            if seat.bot in side
        ]

    return rating_scores.block_score(scores(ours), scores(theirs))


class SequentialTest:
    """A test of one side against another, as far as it has been played."""

    def __init__(self, sprt: Sprt, ours: set[str], theirs: set[str], *, blocks_per_round: int = 1) -> None:
        """Test one side. Against a field, a round of blocks that meets every opponent equally often counts as one."""
        self.sprt = sprt
        self._ours = ours
        self._theirs = theirs
        self.blocks_per_round = blocks_per_round
        self.failed: Counter[str] = Counter()
        """Number of the counted matches in which each bot failed."""
        self._next = 0
        self._blocks: dict[int, list[MatchSummary]] = {}

    def add(self, match: MatchSummary) -> int:
        """Count a match, in any order. Return how many blocks this completes in the order of the schedule."""
        self._blocks.setdefault(match.block, []).append(match)
        before = self._next
        while all(len(self._blocks.get(number, ())) == len(match.seats) for number in self._next_round()):
            blocks = [self._blocks.pop(number) for number in self._next_round()]
            for block in blocks:
                self._note_failures(block)
            if self.sprt.model is SprtModel.BAYESIAN:  # this model takes single games only
                for game in blocks[0]:
                    self.sprt.feed(block_score([game], self._ours, self._theirs))
            else:
                self.sprt.feed(block_score([game for block in blocks for game in block], self._ours, self._theirs))
            self._next += len(blocks)
        return self._next - before

    def _next_round(self) -> range:
        return range(self._next, self._next + self.blocks_per_round)

    def add_played(self, blocks: Iterable[Sequence[MatchSummary]]) -> None:
        """Count whole blocks of an event, in schedule order."""
        for block in blocks:
            self._note_failures(block)
            self.sprt.feed(block_score(block, self._ours, self._theirs))
            self._next += 1

    def _note_failures(self, block: Iterable[MatchSummary]) -> None:
        if self.sprt.verdict is None:  # blocks still running at the verdict are not part of the test
            for match in block:
                self.failed.update({fault.bot for fault in match.faults})

    def failures(self) -> str:
        """Return which bots failed and how often: a test of bots that crash says little about how they play."""
        counts = ", ".join(f"{bot} failed in {count} matches" for bot, count in sorted(self.failed.items()))
        return f"{counts}; what a bot printed is in the event's logs/"

    @property
    def duel(self) -> Duel:
        """Return the estimate from the blocks so far."""
        return duel.duel(self.sprt.tally)

    def line(self) -> str:
        """Return the state of the test in the format of chess tools."""
        sprt, duel = self.sprt, self.duel
        elo = f"{duel.elo:.1f} +/- {duel.plus_minus:.1f}" if duel.plus_minus is not None else duel.one_sided()
        normalized, half = duel.normalized, duel.normalized_plus_minus
        units = f"{normalized:.1f} +/- {half:.1f}" if math.isfinite(normalized + half) else "unknown"
        return (
            f"LLR: {sprt.llr:.2f} ({sprt.bounds.lower:.2f}, {sprt.bounds.upper:.2f}) [{sprt.elo0:g}, {sprt.elo1:g}] "
            f"{sprt.model}, Elo: {elo}, nElo: {units}, LOS: {duel.superiority:.1%}, {self._unit()}: {sprt.blocks}"
        ) + (f", faults: {self.failed.total()}" if self.failed else "")

    def _unit(self) -> str:
        return "blocks" if self.blocks_per_round == 1 else f"rounds of {self.blocks_per_round} blocks"

    def plan(self) -> str:
        """Return, before the first block, how long the test takes and how often it errs."""
        sprt = self.sprt
        return (
            f"the test ends after {str(expected_length(sprt)).replace('blocks', self._unit())}; it accepts H1 wrongly "
            f"in {100 * sprt.alpha:.3g} % of cases, H0 in {100 * sprt.beta:.3g} %"
        )

    def progress(self) -> str:
        """Return the state of the test, and a forecast."""
        if self.sprt.verdict is not None:
            return self.line()
        return f"{self.line()}; forecast: {str(forecast(self.sprt)).replace('blocks', self._unit())}"

    def estimate(self) -> str:
        """Return the estimate of the gap, free of the bias of stopping; empty after fewer than two blocks."""
        unbiased = estimate_after(self.sprt)
        if unbiased is None:
            return ""
        return (
            "median-unbiased estimate, which allows for when the test stopped: "
            f"Elo: {unbiased.elo}, nElo: {unbiased.normalized}"
        )

    def result(self, ours: str, theirs: str) -> str:
        """Return in words whether ours is better, from the estimate that allows for when the test stopped.

        The verdict that ours is stronger is not put in doubt by an interval that begins a little below 0.
        """
        unbiased, interval = estimate_after(self.sprt), None
        if unbiased is not None:
            low, high = (2 * share_of(elo) - 1 for elo in (unbiased.elo.low, unbiased.elo.high))
            is_better = self.sprt.verdict is SprtVerdict.H1 and self.sprt.elo0 >= 0
            interval = (max(low, 0.0) if is_better else low), high
        return tell_difference(theirs, ours, interval)

    def conclusion(self, ours: str, theirs: str) -> str:
        """Return the verdict as text: what accepting a hypothesis means, and how often that is wrong."""
        sprt = self.sprt
        if sprt.verdict is None:
            return "no verdict yet"
        if sprt.verdict is SprtVerdict.H1:
            return (
                f"H1 accepted: {ours} is stronger than {theirs} by more than {sprt.elo0:g} {sprt.model} Elo; "
                f"at {sprt.elo0:g} a test says so in {100 * sprt.alpha:.3g} % of cases"
            )
        return (
            f"H0 accepted: {ours} is stronger than {theirs} by less than {sprt.elo1:g} {sprt.model} Elo, if at all; "
            f"at {sprt.elo1:g} a test says so in {100 * sprt.beta:.3g} % of cases"
        )
