"""Round-robin: everybody meets everybody equally often, `rounds` times over.

Two seats: each pair meets once a round, in the order of the circle method, so that all play about equally early. More
seats: a round is the smallest set of tables known at which all pairs meet equally often (designs.py; all tables there
are where they are few). For larger fields no such set is small: there a round is as many rounds of a league as let a
pair meet once on average, as nearly equal as the league's search gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from server.schedule.drawing import by_lot
from server.schedule.league import League
from server.schedule.movements import Points, all_meet_equally, season
from server.schedule.plan import Drawn, Format, History, Pairing, Plan


def round_robin(plan: Plan) -> Format:
    """Make the round-robin of a plan."""
    bots = len(plan.entrants)
    if plan.seats == 2:
        rounds = season(bots, 2)
        assert rounds is not None
        return RoundRobin(plan, rounds)
    tables = all_meet_equally(bots, plan.seats)
    if tables is None:
        per_pair = -(-bots * (bots - 1) // (bots // plan.seats * plan.seats * (plan.seats - 1)))
        return League(replace(plan, rounds=plan.rounds * per_pair))
    size = bots // plan.seats
    return RoundRobin(plan, [tables[at : at + size] for at in range(0, len(tables), size)])


class RoundRobin:
    """A fixed design, played `rounds` times with the bots in new places; all open at once."""

    lag = None
    reads_drawn = False

    def __init__(self, plan: Plan, design: list[list[Points]]) -> None:
        self._plan = plan
        self._design = design
        self._orders: dict[int, list[str]] = {}

    def stage(self, index: int, drawn: Drawn, history: History) -> list[Pairing] | None:
        """Return a few tables of the design. Tables with a bot that left are dropped; all others stay as they were."""
        cycle, turn = divmod(index, len(self._design))
        if cycle >= self._plan.rounds:
            return None
        if cycle not in self._orders:
            names = [entrant.name for entrant in self._plan.entrants]
            order = by_lot(self._plan.seed, f"round-robin {cycle}", names)
            self._orders[cycle] = self._side_by_side(order) if len(names) == self._plan.seats else order
        order = self._orders[cycle]
        here = set(self._plan.active(index))
        head = f"cycle {cycle + 1}, " if self._plan.rounds > 1 else ""
        tables = [tuple(order[point] for point in points) for points in self._design[turn]]
        return [
            Pairing(table, f"{head}round {turn + 1}, table {number}")
            for number, table in enumerate(tables, 1)
            if here.issuperset(table)
        ]

    def _side_by_side(self, order: Sequence[str]) -> list[str]:
        """Seat bots of one team side by side where everybody sits at the one table: in turns (A B A B), every second
        rotation would seat the teams as another did, and tell nothing new."""
        team = {entrant.name: entrant.team or entrant.name for entrant in self._plan.entrants}
        first = list(dict.fromkeys(team[bot] for bot in order))
        return sorted(order, key=lambda bot: first.index(team[bot]))

    def remaining(self, index: int, drawn: Drawn, history: History) -> int | None:
        """Count the tables to come."""
        end = len(self._design) * self._plan.rounds
        return sum(len(self.stage(each, drawn, history) or ()) for each in range(index, end))
