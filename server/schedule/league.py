"""League, a free-for-all: in every round everybody plays, and over the rounds everybody meets everybody equally often.

Where a season is known (movements.py: up to 30 bots, or any number with two seats; no bot or one left over), whole
seasons are played: after each, all pairs have met exactly seats - 1 times and all bots sat out equally often. The rest
of the rounds, and all rounds of other fields, are searched, a stretch of them together: each round is seated by those
who met least so far, and then every round again and again by how often its bots meet in all others. With two seats the
rest is simply the beginning of one more season.

A bot that joins or leaves begins a new season with those who are there; what was drawn before stays.
"""

from __future__ import annotations

from server.schedule.drawing import DrawCounts, by_lot
from server.schedule.movements import season
from server.schedule.plan import Drawn, History, Pairing, Plan
from server.schedule.seat_search import swap_down

STRETCH = 10
"""At least this many rounds are searched together; in a larger field, as many as there are bots."""

MOST_SWEEPS = 10

BEGINNINGS = 20_000
"""From how many orders a stretch is searched, times the square of the number of bots."""


class League:
    """Balanced tables, all open at once."""

    lag = None
    reads_drawn = True

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._counts = DrawCounts(plan)
        changes = {entrant.joined for entrant in plan.entrants}
        self._changes = changes | {entrant.left for entrant in plan.entrants if entrant.left is not None} | {0}
        self._stretch: tuple[int, list[list[list[int]]]] = (0, [])
        """The first round of the stretch that was searched last, and its tables."""

    def stage(self, index: int, drawn: Drawn, history: History) -> list[Pairing] | None:
        """Draw one round."""
        if index >= self._plan.rounds:
            return None
        bots = self._plan.active(index)
        if len(bots) < self._plan.seats:
            return []
        began = max(change for change in self._changes if change <= index)
        rounds = season(len(bots), self._plan.seats)
        whole = self._whole_seasons(began, len(rounds)) if rounds else 0
        if rounds and (self._plan.seats == 2 or index - began < whole):
            number, turn = divmod(index - began, len(rounds))
            order = by_lot(self._plan.seed, f"season {began} {number}", bots)
            tables = [tuple(order[point] for point in table) for table in rounds[turn]]
        else:
            turn = (index - began - whole) % max(STRETCH, len(bots))
            if not turn:
                self._counts.follow(drawn)
                length = min(max(STRETCH, len(bots)), self._plan.rounds - index)
                self._stretch = index, self._search(index, length, began, bots, drawn)
            first, searched = self._stretch
            tables = [tuple(bots[at] for at in table) for table in searched[index - first]]
        return [Pairing(table, f"round {index + 1}, table {number}") for number, table in enumerate(tables, 1)]

    def remaining(self, index: int, drawn: Drawn, history: History) -> int | None:
        """Count the tables of the rounds to come."""
        return sum(len(self._plan.active(each)) // self._plan.seats for each in range(index, self._plan.rounds))

    def _whole_seasons(self, began: int, length: int) -> int:
        """Return how many of the rounds from `began` on belong to whole seasons."""
        rounds = self._plan.rounds - began
        return rounds - rounds % length

    def _search(self, index: int, length: int, began: int, bots: list[str], drawn: Drawn) -> list[list[list[int]]]:
        """Search the tables of this many rounds; bots are places in `bots`."""
        met = self._counts.met(bots)
        played = [0] * len(bots)
        for stage in drawn[began:]:
            seated = {bot for block in stage for bot in block.bots}
            played = [count + (bot in seated) for count, bot in zip(played, bots, strict=True)]
        best: tuple[tuple[int, int], list[list[list[int]]]] | None = None
        # Small fields are cheap to search and hard to get right: they are searched from more beginnings.
        for attempt in range(max(1, BEGINNINGS // len(bots) ** 2)):
            search = _StretchSearch([row[:] for row in met], played[:], self._plan.seats)
            for number in range(index, index + length):
                lots = by_lot(self._plan.seed, f"round {number} {attempt}", bots)
                # Seating by what was met so far leads into patterns that no swap of two bots leaves: six bots at tables
                # of three fall into pairs that never meet. So every other beginning is by lot.
                search.seat_round([bots.index(bot) for bot in lots], settled=attempt % 2 == 0)
            search.improve()
            if best is None or search.score() < best[0]:
                best = search.score(), search.rounds
            if best[0][0] <= 1:
                break
        assert best is not None
        return best[1]


class _StretchSearch:
    """A search for rounds in which all meet about equally often, from what was played before."""

    def __init__(self, met: list[list[int]], played: list[int], seats: int) -> None:
        self._met = met
        self._played = played
        self._seats = seats
        self.rounds: list[list[list[int]]] = []

    def score(self) -> tuple[int, int]:
        """Measure how unequal the meetings are: the range over all pairs, then the sum of squares."""
        counts = [count for at, row in enumerate(self._met) for count in row[:at]]
        return max(counts) - min(counts), sum(count * count for count in counts)

    def seat_round(self, order: list[int], *, settled: bool) -> None:
        """Seat one more round. Who played most sits out; among equals the order decides, and then the search if it is
        to be settled at once."""
        order = sorted(order, key=lambda at: self._played[at])
        count = len(order) - len(order) % self._seats
        bench = order[count:]
        level = self._played[bench[0]] if bench else -1
        free = {at for at, played in enumerate(self._played) if played == level}
        tables = [order[at : at + self._seats] for at in range(0, count, self._seats)]
        if settled:
            swap_down(tables, self._costs(), bench, free)
        for table in tables:
            for at in table:
                self._played[at] += 1
        self._count(tables, 1)
        self.rounds.append(tables)

    def improve(self) -> None:
        """Seat every round again, by the meetings in all others, until none gets better. Who sits out stays.

        A further meeting of a pair adds twice its meetings, and one, to the sum of squares: so these are the costs.
        """
        for _ in range(MOST_SWEEPS):
            before = self.score()
            for tables in self.rounds:
                self._count(tables, -1)
                swap_down(tables, self._met, self._resting(tables))
                self._count(tables, 1)
            if self.score() >= before:
                return

    def _resting(self, tables: list[list[int]]) -> list[int]:
        seated = {at for table in tables for at in table}
        return [at for at in range(len(self._played)) if at not in seated]

    def _costs(self) -> list[list[int]]:
        """Return the cost of seating each pair: squares, so repeats of two pairs are better than two of the same."""
        least = min(count for at, row in enumerate(self._met) for count in row[:at])
        costs = [[(count - least) ** 2 for count in row] for row in self._met]
        for at, row in enumerate(costs):
            row[at] = 0
        return costs

    def _count(self, tables: list[list[int]], count: int) -> None:
        for table in tables:
            for place, bot in enumerate(table):
                for other in table[:place]:
                    self._met[bot][other] += count
                    self._met[other][bot] += count
