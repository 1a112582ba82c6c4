"""League, a free-for-all: in every round everybody plays, and over the rounds everybody meets everybody equally often.

Where a season is known (movements.py: up to 30 bots, or any number with two seats; no bot or one left over), whole
seasons are played: after each, all pairs have met exactly seats - 1 times and all bots sat out equally often. The rest
of the rounds, and all rounds of other fields, are searched: the tables that met least so far, by swaps. With two seats
the rest is simply the beginning of one more season.

A bot that joins or leaves begins a new season with those who are there; what was drawn before stays.
"""

from __future__ import annotations

from server.schedule.draw_counts import DrawCounts
from server.schedule.luck import by_lot
from server.schedule.movements import season
from server.schedule.plan import Drawn, History, Pairing, Place, Plan
from server.schedule.seat_search import swap_down, total_cost


class League:
    """Balanced tables, all open at once."""

    lag = None
    reads_drawn = True

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._counts = DrawCounts(plan)
        changes = {entrant.joined for entrant in plan.entrants}
        self._changes = changes | {entrant.left for entrant in plan.entrants if entrant.left is not None} | {0}

    def stage(self, index: int, drawn: Drawn, history: History) -> list[Pairing] | None:
        """One round."""
        if index >= self._plan.rounds:
            return None
        bots = self._plan.active(index)
        if len(bots) < self._plan.seats:
            return []
        began = max(change for change in self._changes if change <= index)
        rounds = season(len(bots), self._plan.seats)
        if rounds and (self._plan.seats == 2 or index - began < self._whole_seasons(began, len(rounds))):
            number, turn = divmod(index - began, len(rounds))
            order = by_lot(self._plan.seed, f"season {began} {number}", bots)
            tables = [tuple(order[point] for point in table) for table in rounds[turn]]
        else:
            self._counts.follow(drawn)
            tables = self._search(index, began, bots, drawn)
        return [Pairing(table, f"round {index + 1}, table {number}") for number, table in enumerate(tables, 1)]

    def remaining(self, index: int, drawn: Drawn, history: History) -> int | None:
        """All tables of the rounds to come."""
        return sum(len(self._plan.active(each)) // self._plan.seats for each in range(index, self._plan.rounds))

    def placing(self, history: History) -> list[Place] | None:
        """The ratings decide."""
        return None

    def _whole_seasons(self, began: int, length: int) -> int:
        """How many of the rounds from there on are in whole seasons."""
        rounds = self._plan.rounds - began
        return rounds - rounds % length

    def _search(self, index: int, began: int, bots: list[str], drawn: Drawn) -> list[tuple[str, ...]]:
        seats = self._plan.seats
        met = self._counts.met(bots)
        least = min(count for at, row in enumerate(met) for count in row[:at])
        # Squares, so that two repeats of two pairs are better than two of the same pair.
        costs = [[(count - least) ** 2 for count in row] for row in met]
        for at, row in enumerate(costs):
            row[at] = 0
        played = [0] * len(bots)
        for stage in drawn[began:]:
            seated = {bot for block in stage for bot in block.bots}
            played = [count + (bot in seated) for count, bot in zip(played, bots, strict=True)]
        best: tuple[int, list[list[int]]] | None = None
        # Small fields are cheap to search and hard to get right: they are searched from more beginnings.
        for attempt in range(max(1, 3000 // len(bots) ** 2)):
            lots = by_lot(self._plan.seed, f"round {index} {attempt}", bots)
            # Who played most sits out; among equals the search may choose.
            order = sorted((bots.index(bot) for bot in lots), key=lambda at: played[at])
            seated_count = len(bots) - len(bots) % seats
            bench = order[seated_count:]
            level = played[bench[0]] if bench else -1
            free = {at for at, count in enumerate(played) if count == level}
            tables = [order[at : at + seats] for at in range(0, seated_count, seats)]
            swap_down(tables, costs, bench, free)
            cost = total_cost(tables, costs)
            if best is None or cost < best[0]:
                best = cost, tables
        assert best is not None
        return [tuple(bots[at] for at in table) for table in best[1]]
