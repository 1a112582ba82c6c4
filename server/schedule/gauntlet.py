"""Gauntlet: challengers against fixed heroes. All challengers meet all heroes equally often; heroes never meet alone.

Two seats: once each per round. More seats, and heroes enough for all but one: a challenger alone among heroes, who take
turns until each has met it equally often. Fewer heroes: all of them at every table, and the challengers share the other
seats in turns, each playing equally often in every round.
"""

from __future__ import annotations

from math import gcd

from referee.errors import ConfigError
from server.schedule.drawing import by_lot
from server.schedule.plan import Drawn, History, Pairing, Plan


class Gauntlet:
    """Challengers against heroes, all open at once. If no hero is marked, the first entrant is the hero."""

    lag = None
    reads_drawn = False

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        names = [entrant.name for entrant in plan.entrants]
        self._heroes = [entrant.name for entrant in plan.entrants if entrant.hero] or names[:1]
        self._challengers = [name for name in names if name not in self._heroes]
        self._hero_seats = min(len(self._heroes), plan.seats - 1)
        self._guests = plan.seats - self._hero_seats
        if len(self._challengers) < self._guests:
            raise ConfigError(
                f"a gauntlet for {plan.seats} seats with {len(self._heroes)} heroes needs at least {self._guests} "
                f"challengers, there are {len(self._challengers)}"
            )
        heroes = len(self._heroes)
        # With all heroes at every table one stage is a round; otherwise each stage seats other heroes.
        self._turns = 1 if self._guests > 1 else heroes // gcd(heroes, self._hero_seats)

    def stage(self, index: int, drawn: Drawn, history: History) -> list[Pairing] | None:
        """Return tables that seat each challenger once, or as often as makes all equal. Tables with a bot that left
        are dropped."""
        round_number, turn = divmod(index, self._turns)
        if round_number >= self._plan.rounds:
            return None
        here = set(self._plan.active(index))
        tables = self._shared(round_number) if self._guests > 1 else self._alone(round_number, turn)
        return [
            Pairing(table, f"round {round_number + 1}, table {turn * len(tables) + number}")
            for number, table in enumerate(tables, 1)
            if here.issuperset(table)
        ]

    def remaining(self, index: int, drawn: Drawn, history: History) -> int | None:
        """Count the tables to come."""
        end = self._turns * self._plan.rounds
        return sum(len(self.stage(each, drawn, history) or ()) for each in range(index, end))

    def _alone(self, round_number: int, turn: int) -> list[tuple[str, ...]]:
        count, seats = len(self._heroes), self._hero_seats
        tables = []
        for place, challenger in enumerate(by_lot(self._plan.seed, f"gauntlet {round_number}", self._challengers)):
            # Challengers begin at different heroes, so that no hero has to be everywhere at once.
            first = (place + turn) * seats
            tables.append((challenger, *(self._heroes[(first + seat) % count] for seat in range(seats))))
        return tables

    def _shared(self, round_number: int) -> list[tuple[str, ...]]:
        order = by_lot(self._plan.seed, f"gauntlet {round_number}", self._challengers)
        count, guests = len(order), self._guests
        return [
            (*(order[(number * guests + seat) % count] for seat in range(guests)), *self._heroes)
            for number in range(count // gcd(count, guests))
        ]
