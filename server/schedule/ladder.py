"""Ladder: wave after wave, endless if `rounds` is 0. Each wave plays the tables with most information.

A wave seats every bot once. The bots left over (bots modulo seats) sit out: those whose last turn to sit out is longest
ago; a newcomer counts as one that has just sat out. **No bot sits out two waves in a row**, whoever joins or leaves:
fewer than `seats` sat out the last wave, and they are seated first, at one table or more.

The information of a table is the sum over its pairs of

    p (1 - p)  x  (1 / (1 + blocks of one) + 1 / (1 + blocks of the other))  /  (1 + their meetings)

with p the expected score by present strengths (`elo.information`). Newcomers choose first, then bots are swapped until
no swap gives more information.

Wave i is drawn from the results up to wave i - 2: while the last matches of a wave run, the next is already open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from server.schedule.draw_counts import DrawCounts
from server.schedule.elo import START, Strengths, information, uncertainty
from server.schedule.luck import by_lot
from server.schedule.plan import Drawn, History, Pairing, Place, Plan, PlayedBlock
from server.schedule.seat_search import swap_down

StrengthsOf = Callable[[Sequence[PlayedBlock]], Mapping[str, float]]
"""From all results a wave waited for, in schedule order, to strengths in Elo. A missing bot never played."""


class Ladder:
    """Newcomers first, then the most informative tables; no bot starves."""

    lag = 2
    reads_drawn = True

    def __init__(self, plan: Plan, strengths: StrengthsOf | None = None) -> None:
        self._plan = plan
        self._counts = DrawCounts(plan)
        self._given = strengths
        self._own = Strengths()
        self._own_stages = 0
        self._joined = {entrant.name: entrant.joined for entrant in plan.entrants}

    def stage(self, index: int, drawn: Drawn, history: History) -> list[Pairing] | None:
        """One wave."""
        plan, seats = self._plan, self._plan.seats
        bots = by_lot(plan.seed, f"wave {index}", plan.active(index))
        if (plan.rounds and index >= plan.rounds) or len(bots) < seats:
            return None
        self._counts.follow(drawn)
        bots = self._seated(index, bots)
        # Newcomers choose first.
        bots.sort(key=lambda bot: self._counts.blocks[bot])
        costs = self._costs(bots, history)
        waiting = list(range(len(bots)))
        tables: list[list[int]] = []
        while waiting:
            table = [waiting.pop(0)]
            while len(table) < seats:
                partner = min(waiting, key=lambda at: sum(costs[at][other] for other in table))
                waiting.remove(partner)
                table.append(partner)
            tables.append(table)
        swap_down(tables, costs)
        return [
            Pairing(tuple(bots[at] for at in table), f"wave {index + 1}, table {number}")
            for number, table in enumerate(tables, 1)
        ]

    def remaining(self, index: int, drawn: Drawn, history: History) -> int | None:
        """All tables of the waves to come, if they end."""
        if not self._plan.rounds:
            return None
        return sum(len(self._plan.active(each)) // self._plan.seats for each in range(index, self._plan.rounds))

    def placing(self, history: History) -> list[Place] | None:
        """The ratings decide."""
        return None

    def _seated(self, index: int, bots: list[str]) -> list[str]:
        """All but those whose turn it is to sit out."""
        tally = self._counts

        def turn(bot: str) -> tuple[bool, int, int]:
            last = tally.last_out.get(bot, -1)
            return last == index - 1 >= 0, max(last, self._joined[bot] - 1), -tally.blocks[bot]

        return sorted(bots, key=turn)[len(bots) % self._plan.seats :]

    def _costs(self, bots: list[str], history: History) -> list[list[int]]:
        strengths = self._strengths(history)
        strength = [strengths.get(bot, START) // 1000 for bot in bots]
        little = [uncertainty(self._counts.blocks[bot]) for bot in bots]
        costs = []
        for at, met in enumerate(self._counts.met(bots)):
            mine, own = strength[at], little[at]
            pairs = zip(strength, little, met, strict=True)
            costs.append([-information(abs(mine - other), own, known, meetings) for other, known, meetings in pairs])
            costs[at][at] = 0
        return costs

    def _strengths(self, history: History) -> Mapping[str, int]:
        if self._given is not None:
            given = self._given([played for stage in history for played in stage])
            # Whole Elo: a last digit that differs between machines must not draw another wave.
            return {bot: 1000 * round(value) for bot, value in given.items()}
        for stage in history[self._own_stages :]:
            for played in stage:
                self._own.add(played)
        self._own_stages = len(history)
        return self._own.get()
