"""Counts over all drawn stages: who met whom how often, who played how often, who sat out when."""

from __future__ import annotations

from collections import Counter

from server.schedule.plan import Drawn, Plan


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
        """Count the stages that are new."""
        for index in range(self._stages, len(drawn)):
            seated: set[str] = set()
            for block in drawn[index]:
                seated.update(block.bots)
                self.blocks.update(block.bots)
                for one in block.bots:
                    self._met[one].update(other for other in block.bots if other != one)
            for bot in self._plan.active(index):
                if bot not in seated:
                    self.sat_out[bot] += 1
                    self.last_out[bot] = index
        self._stages = len(drawn)

    def met(self, bots: list[str]) -> list[list[int]]:
        """In how many blocks each of the bots met each of them."""
        return [[row.get(other, 0) for other in bots] for row in map(self._met.__getitem__, bots)]
