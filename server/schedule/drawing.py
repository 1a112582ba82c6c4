"""What every draw is made with: lots, the counts of earlier draws, and the order of the bots at a table.

Lots are the luck of a draw, from the seed and a purpose. They are the same on every machine, and nobody can influence
them. Each bot's lot depends on its own name alone, so a bot that joins or leaves does not move the others' lots.

Rotations keep the order of the bots at a table, so in a block the same bot always sits right behind another. Whoever
acts after another may profit from it. So if two bots of a table sat right behind each other before, the order is
reversed: in alternate meetings each sits behind the other.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from server.schedule.plan import Drawn, Plan


def lot(seed: str, purpose: str, name: str) -> int:
    """Return a bot's lot for one purpose: 64 bits."""
    return _lot(_key(seed), purpose, name)


def by_lot(seed: str, purpose: str, names: Iterable[str]) -> list[str]:
    """Return the names in the order of their lots."""
    key = _key(seed)
    return sorted(names, key=lambda name: (_lot(key, purpose, name), name))


def _key(seed: str) -> bytes:
    return hashlib.sha256(seed.encode()).digest()


def _lot(key: bytes, purpose: str, name: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{purpose}|{name}".encode(), key=key, digest_size=8).digest(), "big")


class DrawCounts:
    """Counts over the drawn stages. Only new stages are counted, so a long event stays cheap."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._stages = 0
        self._met: dict[str, Counter[str]] = {entrant.name: Counter() for entrant in plan.entrants}
        self.blocks: Counter[str] = Counter()
        """How many blocks each bot was drawn for."""
        self.sat_out: Counter[str] = Counter()
        """In how many stages each bot was there and not drawn."""
        self.last_out: dict[str, int] = {}
        """The last stage in which a bot was there and not drawn."""

    def follow(self, drawn: Drawn) -> None:
        """Count the stages that were not counted yet."""
        for index in range(self._stages, len(drawn)):
            seated: set[str] = set()
            for block in drawn[index]:
                seated.update(block.bots)
                self.blocks.update(block.bots)
                for bot in block.bots:
                    self._met[bot].update(other for other in block.bots if other != bot)
            for bot in self._plan.active(index):
                if bot not in seated:
                    self.sat_out[bot] += 1
                    self.last_out[bot] = index
        self._stages = len(drawn)

    def met(self, bots: list[str]) -> list[list[int]]:
        """Return in how many blocks each of the bots met each of the others, as a matrix."""
        return [[row.get(other, 0) for other in bots] for row in map(self._met.__getitem__, bots)]


class SeatOrder:
    """Counts, table by table, how often each bot sat right behind each other one."""

    def __init__(self) -> None:
        self._behind: Counter[tuple[str, str]] = Counter()

    def arrange(self, bots: tuple[str, ...]) -> tuple[str, ...]:
        """Return the bots of the next table in this order, or in reverse if that evens out who sits behind whom."""
        if len(bots) < 3:
            return bots
        turned = bots[::-1]
        if self._repeats(turned) < self._repeats(bots):
            bots = turned
        self._behind.update(zip(bots, bots[1:] + bots[:1], strict=True))
        return bots

    def _repeats(self, bots: tuple[str, ...]) -> int:
        return sum(self._behind[pair] for pair in zip(bots, bots[1:] + bots[:1], strict=True))
