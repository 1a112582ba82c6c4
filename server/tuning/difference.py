"""How much better one side does than the other on the same luck, with its interval: a mean over blocks of the paired
difference. Pairing takes off what luck did to both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from server.ratings.scores import ClusterMean, says_nothing, tell_difference, wilson
from server.tuning.comparison import BlockScore


@dataclass(slots=True)
class Difference:
    """What is known after some blocks: the second side less the first."""

    sides: tuple[ClusterMean, ClusterMean] = field(default_factory=lambda: (ClusterMean(), ClusterMean()))
    score: ClusterMean = field(default_factory=ClusterMean)
    margin: ClusterMean = field(default_factory=ClusterMean)
    games: int = 0
    faults: Counter[tuple[int, str]] = field(default_factory=Counter)

    def add(self, block: BlockScore) -> None:
        """Add one more block."""
        for side, score in zip(self.sides, block.scores, strict=True):
            side.add(score)
        self.score.add(block.scores[1] - block.scores[0])
        self.margin.add(block.margins[1] - block.margins[0])
        self.games += block.games
        self.faults.update(block.faults)

    @property
    def blocks(self) -> int:
        """Return how many blocks were played."""
        return self.score.blocks

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the 95 % interval of the difference in score, within -1..1; None with fewer than two blocks.

        Blocks that are all alike tell no spread. Then it is Wilson's, of the difference as a share of what it can be.
        """
        if self.blocks < 2:
            return None
        if self.score.interval is None:
            low, high = wilson((1 + self.score.mean) / 2, self.blocks)
            return 2 * low - 1, 2 * high - 1
        low, high = self.score.interval
        return max(low, -1.0), min(high, 1.0)

    @property
    def gain(self) -> float | None:
        """Return how many times more blocks would be needed without the same luck for both; None if unknown."""
        paired, apart = self.score.variance, [side.variance for side in self.sides]
        if not paired or None in apart:
            return None
        return sum(one or 0.0 for one in apart) / paired

    def verdict(self, first: str, second: str) -> str:
        """Return the result in words."""
        return tell_difference(first, second, self.interval)

    def line(self, first: str, second: str) -> str:
        """Return the state in one line."""
        one, two = (100 * side.mean for side in self.sides)
        found = f"{100 * self.score.mean:+.1f}"
        if says_nothing(self.interval):
            found += " (too few blocks to say how sure)"
        elif self.interval == self.score.interval and self.score.half_width is not None:
            found += f" ± {100 * self.score.half_width:.1f}"
        elif self.interval:
            found += " ({:+.1f} to {:+.1f})".format(*(100 * end for end in self.interval))
        return (
            f"{self.blocks} blocks, {self.games} games: {first} {one:.1f} %, {second} {two:.1f} %, difference {found}"
        )

    def fault_lines(self, names: Sequence[str]) -> list[str]:
        """Return the faults of bots, each kind once; the names are those of all occupants of a table."""
        return [
            f"beware: {names[who]} had a fault, {count} times: {what}"
            for (who, what), count in self.faults.most_common()
        ]
