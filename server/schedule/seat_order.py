"""The order of the bots at a table. Rotations keep it, so in a block the same bot always sits right behind another.

Whoever acts after another may profit from it. So a table whose bots sat right behind each other before is turned round:
in alternate meetings each sits behind the other.
"""

from __future__ import annotations

from collections import Counter


class SeatOrder:
    """Who sat right behind whom how often, table by table."""

    def __init__(self) -> None:
        self._behind: Counter[tuple[str, str]] = Counter()

    def arrange(self, bots: tuple[str, ...]) -> tuple[str, ...]:
        """The bots of the next table in this order, or in the reverse one if that evens it out."""
        if len(bots) < 3:
            return bots
        turned = bots[::-1]
        if self._repeats(turned) < self._repeats(bots):
            bots = turned
        self._behind.update(zip(bots, bots[1:] + bots[:1], strict=True))
        return bots

    def _repeats(self, bots: tuple[str, ...]) -> int:
        return sum(self._behind[pair] for pair in zip(bots, bots[1:] + bots[:1], strict=True))
