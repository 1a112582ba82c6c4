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
"""Counts of each bot with each other one."""


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
        for place, bot in enumerate(at):
            for other in at[:place]:
                self.games[bot, other] += 1
                self.games[other, bot] += 1


class OpenField:
    """All bots that ever played on an open ladder with tables of so many seats."""

    def __init__(self, seats: int = 2) -> None:
        self._seats = seats
        self._points: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Half points of each bot against each other one."""
        self._games: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._running: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._last: dict[str, frozenset[str]] = {}
        """The bots that each bot met in its last match."""
        self._fitted = FittedField(self.prepare([]))
        self._news = 0

    def add(self, bots: Sequence[str], ranks: Sequence[int]) -> None:
        """Count the result of a match."""
        for bot, rank in zip(bots, ranks, strict=True):
            for other, other_rank in zip(bots, ranks, strict=True):
                if bot != other:
                    self.add_pairs(bot, other, 1, 1 + (rank < other_rank) - (rank > other_rank))
        self._news += 1

    def add_pairs(self, bot: str, other: str, games: int, half_points: int) -> None:
        """Count games of a bot with another, from the first one's side only; the other's side is counted apart."""
        self._games[bot][other] += games
        self._points[bot][other] += half_points

    def begin(self, bots: Sequence[str]) -> None:
        """Count a match that begins."""
        self._count_running(bots, 1)
        for bot in bots:
            self._last[bot] = frozenset(bots)
        self._fitted.add(bots)

    def end(self, bots: Sequence[str]) -> None:
        """Stop counting a match as running: its result was added, or it was void."""
        self._count_running(bots, -1)

    def meetings(self, bot: str, other: str) -> int:
        """Return how often two bots shared a table."""
        return self._games[bot][other]

    def __contains__(self, name: object) -> bool:
        """Check that its strength was fitted."""
        return name in self._fitted.place

    def is_stale(self, names: Iterable[str]) -> bool:
        """Check that it is time for another fit: one of these bots is new to it, or all played about twice since."""
        place = self._fitted.place
        return self._news > len(place) or not all(name in place for name in names)

    def prepare(self, names: Iterable[str]) -> FieldResults:
        """Return copies of these bots' results. Copies of dicts, and no more: with 500 bots that all met, anything
        else would hold up the referee's loop."""
        ordered = tuple(sorted(names))
        points, games, running = (
            {name: dict(counts[name]) for name in ordered if name in counts}
            for counts in (self._points, self._games, self._running)
        )
        self._news = 0
        return FieldResults(names=ordered, seats=self._seats, points=points, games=games, running=running)

    def use(self, fitted: FittedField) -> None:
        """Use these strengths to choose tables from now on."""
        self._fitted = fitted

    def values(self, names: Sequence[str], teams: Mapping[str, str]) -> Ints:
        """Return what it is worth to seat each pair of these together. All of them must be fitted."""
        fitted = self._fitted
        at = [fitted.place[name] for name in names]
        here = {name: number for number, name in enumerate(names)}
        just_met = {
            (max(number_of, here[other]), min(number_of, here[other]))
            for name, number_of in here.items()
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
        for bot in bots:
            for other in bots:
                if bot != other:
                    self._running[bot][other] += count
