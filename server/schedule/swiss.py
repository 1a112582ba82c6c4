"""Swiss: `rounds` rounds, each between bots of about equal score, without rematches where they can be avoided.

Points: half points of all blocks, so a duel's block is worth 2 - 0 to 0 - 2. A bot left over (bots modulo seats) has a
bye: the lowest of those with the fewest byes. A bye is worth beating half of a full table, oneself included (seats / 2
of them in each match): with two seats a whole win, as in chess, and less where more bots sit out at a time.

Two seats: from the top down, each bot meets the bot nearest in score that it has not met, by lot, as long as the rest
can still be paired without a rematch; that is decided exactly (matching.py). A bye moves up one where that avoids a
rematch. More seats: tables from the top down, then bots are swapped until no swap makes fewer repeated pairs, or tables
nearer in score.

The final order is that of placings.py. Late entrants start at zero. A bot that drops out keeps its points, and loses
the block it left.
"""

from __future__ import annotations

from collections import Counter

from server.schedule.drawing import DrawCounts, by_lot
from server.schedule.matching import pair_up
from server.schedule.plan import Drawn, History, Pairing, Plan
from server.schedule.points import BlockPoints
from server.schedule.seat_search import swap_down, total_cost


def count_absences(plan: Plan, history: History) -> tuple[Counter[str], Counter[str]]:
    """Count in how many of these rounds each bot had a bye, and in how many it was not there."""
    byes, missed = Counter[str](), Counter[str]()
    for index, stage in enumerate(history):
        seated = {bot for played in stage for bot in played.block.bots}
        here = set(plan.active(index))
        byes.update(here - seated)
        missed.update(entrant.name for entrant in plan.entrants if entrant.name not in here | seated)
    return byes, missed


class Swiss:
    """The Swiss system: a round needs the results of the one before."""

    lag = 1
    reads_drawn = True

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._counts = DrawCounts(plan)
        self._block_points = BlockPoints(plan)

    def stage(self, index: int, drawn: Drawn, history: History) -> list[Pairing] | None:
        """Draw one round."""
        seats = self._plan.seats
        bots = self._plan.active(index)
        if index >= self._plan.rounds or len(bots) < seats:
            return None
        self._counts.follow(drawn)
        points = self._points(history)
        # Best first. Every later choice among equals takes the first, so the lot decides all of them.
        bots = sorted(by_lot(self._plan.seed, f"swiss {index}", bots), key=lambda bot: -points[bot])
        chosen = self._pairs(bots, points) if seats == 2 else self._tables(index, bots, points)
        return [Pairing(table, f"round {index + 1}, table {number}") for number, table in enumerate(chosen, 1)]

    def remaining(self, index: int, drawn: Drawn, history: History) -> int | None:
        """Count the tables of the rounds to come."""
        return sum(len(self._plan.active(each)) // self._plan.seats for each in range(index, self._plan.rounds))

    def _points(self, history: History) -> Counter[str]:
        points: Counter[str] = Counter()
        for stage in history:
            for played in stage:
                for bot, each in zip(played.block.bots, self._block_points.points(played), strict=True):
                    points[bot] += each
        for bot, byes in count_absences(self._plan, history)[0].items():
            points[bot] += byes * self._plan.seats**2
        return points

    def _bye_order(self, bots: list[str]) -> list[str]:
        """Order the bots by whose turn it is to have a bye: the fewest byes, then the lowest."""
        lowest_first = bots[::-1]
        return sorted(lowest_first, key=lambda bot: self._counts.sat_out[bot])

    def _pairs(self, bots: list[str], points: Counter[str]) -> list[tuple[str, ...]]:
        met = self._counts.met(bots)
        score = [points[bot] for bot in bots]
        byes = [-1]
        if len(bots) % 2:
            order = self._bye_order(bots)
            fewest = self._counts.sat_out[order[0]]
            byes = [bots.index(bot) for bot in order if self._counts.sat_out[bot] == fewest]

        def wishes(bot: int, often: int, bye: int) -> list[int]:
            if bot == bye:
                return []
            others = [at for at in range(len(bots)) if at not in (bot, bye) and met[bot][at] <= often]
            return sorted(others, key=lambda at: (met[bot][at], abs(score[bot] - score[at])))

        # How often a pair may have met before: as seldom as possible.
        for often in range(max(map(max, met)) + 1):
            for bye in byes:
                order_of_choice = [at for at in range(len(bots)) if at != bye]
                pairs = pair_up(order_of_choice, [wishes(at, often, bye) for at in range(len(bots))])
                if pairs is not None:
                    return [(bots[bot], bots[other]) for bot, other in pairs]
        raise AssertionError("everybody may meet everybody")

    def _tables(self, index: int, bots: list[str], points: Counter[str]) -> list[tuple[str, ...]]:
        seats = self._plan.seats
        away = set(self._bye_order(bots)[: len(bots) % seats])
        bots = [bot for bot in bots if bot not in away]
        score = [points[bot] for bot in bots]
        # One repeated pair outweighs any difference in score.
        heavy = 1 + len(bots) * seats * (score[0] - score[-1]) ** 2
        costs = [
            [heavy * count**2 + (own - other) ** 2 for count, other in zip(row, score, strict=True)]
            for row, own in zip(self._counts.met(bots), score, strict=True)
        ]
        best: tuple[int, list[list[int]]] | None = None
        for attempt in range(5):
            lots = bots if attempt == 0 else by_lot(self._plan.seed, f"swiss {index} {attempt}", bots)
            order = [bots.index(bot) for bot in lots]
            tables = [order[at : at + seats] for at in range(0, len(order), seats)]
            swap_down(tables, costs)
            cost = total_cost(tables, costs)
            if best is None or cost < best[0]:
                best = cost, tables
            # Without repeats the first search, which began from the top down, is good enough.
            if best[0] < heavy:
                break
        assert best is not None
        return [tuple(bots[at] for at in sorted(table)) for table in sorted(best[1], key=min)]
