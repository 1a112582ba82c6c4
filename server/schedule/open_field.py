"""The field of an open ladder, where bots come and go and matches end one by one: who met whom, with what result.

`strengths` of those present are fitted now and then (`is_stale` says when), which takes a while with hundreds of bots,
so the caller may do it in a thread: `prepare` takes what is needed, `fit` computes, `use` puts it to use. In between,
every match that begins is counted as information at once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from server.schedule.exact_algebra import Floats, Ints
from server.schedule.pair_values import connected_parts, pair_values
from server.schedule.strengths import FieldStrengths

Counts = Mapping[str, Mapping[str, int]]
"""Of each bot with each other one."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FieldResults:
    """The results of some bots, as they stood: a copy, because the field goes on while they are fitted."""

    names: tuple[str, ...]
    seats: int
    points: Counts
    """Half points."""
    games: Counts
    running: Counts


class FittedField:
    """Strengths fitted to the results of some bots among each other."""

    def __init__(self, results: FieldResults) -> None:
        self.place = {name: at for at, name in enumerate(results.names)}
        points, played, running = (
            self._as_matrix(counts) for counts in (results.points, results.games, results.running)
        )
        self.games = played + running
        self.strengths = FieldStrengths(len(results.names))
        self.strengths.fit(points.sum(axis=1) / 2, played, results.seats)
        self.strengths.plan(self.games)

    def _as_matrix(self, counts: Counts) -> Floats:
        place = self.place
        matrix = np.zeros((len(place), len(place)))
        for name, others in counts.items():
            known = [(place[other], count) for other, count in others.items() if other in place]
            if known:
                at, values = zip(*known, strict=True)
                matrix[place[name], list(at)] = values
        return matrix

    def add(self, bots: Sequence[str]) -> None:
        """Count a match that begins."""
        at = [self.place[bot] for bot in bots if bot in self.place]
        self.strengths.add_games(at, 1)
        for place, one in enumerate(at):
            for other in at[:place]:
                self.games[one, other] += 1
                self.games[other, one] += 1


class OpenField:
    """All bots that ever played on an open ladder with tables of so many seats."""

    def __init__(self, seats: int = 2) -> None:
        self._seats = seats
        self._points: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Half points of each bot against each other one."""
        self._games: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._running: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._last: dict[str, frozenset[str]] = {}
        """Whom each bot met in its last match."""
        self._fitted = FittedField(self.prepare([]))
        self._news = 0

    def add(self, bots: Sequence[str], ranks: Sequence[int]) -> None:
        """Count the result of a match."""
        for one, rank in zip(bots, ranks, strict=True):
            for other, other_rank in zip(bots, ranks, strict=True):
                if one != other:
                    self.add_pairs(one, other, 1, 1 + (rank < other_rank) - (rank > other_rank))
        self._news += 1

    def add_pairs(self, one: str, other: str, games: int, half_points: int) -> None:
        """Count games of one bot with another, seen from the first one; the other's half is counted apart."""
        self._games[one][other] += games
        self._points[one][other] += half_points

    def begin(self, bots: Sequence[str]) -> None:
        """Count a match that begins."""
        self._count_running(bots, 1)
        for bot in bots:
            self._last[bot] = frozenset(bots)
        self._fitted.add(bots)

    def end(self, bots: Sequence[str]) -> None:
        """A match is over: its result was added, or it was void."""
        self._count_running(bots, -1)

    def meetings(self, one: str, other: str) -> int:
        """How often they shared a table."""
        return self._games[one][other]

    def __contains__(self, name: object) -> bool:
        """Whether its strength was fitted."""
        return name in self._fitted.place

    def is_stale(self, names: Iterable[str]) -> bool:
        """Whether it is time for another fit: one of these bots is new to it, or all played about twice since."""
        place = self._fitted.place
        return self._news > len(place) or not all(name in place for name in names)

    def prepare(self, names: Iterable[str]) -> FieldResults:
        """The results of these bots. Copies of dicts, and no more: with 500 bots that all met, anything else would hold
        up the referee's loop."""
        ordered = tuple(sorted(names))
        points, games, running = (
            {name: dict(counts[name]) for name in ordered if name in counts}
            for counts in (self._points, self._games, self._running)
        )
        self._news = 0
        return FieldResults(names=ordered, seats=self._seats, points=points, games=games, running=running)

    def use(self, fitted: FittedField) -> None:
        """Choose tables by these strengths from now on."""
        self._fitted = fitted

    def values(self, names: Sequence[str], teams: Mapping[str, str]) -> Ints:
        """What it is worth to seat each pair of these together. All of them were fitted."""
        fitted = self._fitted
        at = [fitted.place[name] for name in names]
        here = {name: number for number, name in enumerate(names)}
        just_met = {
            (max(one, here[other]), min(one, here[other]))
            for name, one in here.items()
            for other in self._last.get(name, ())
            if other in here and other != name
        }
        return pair_values(
            fitted.strengths.gains(at),
            connected_parts(fitted.games)[at],
            just_met=just_met,
            teams=[teams.get(name, "") for name in names] if teams else (),
        )

    def _count_running(self, bots: Sequence[str], count: int) -> None:
        for one in bots:
            for other in bots:
                if one != other:
                    self._running[one][other] += count
