"""The results of one contest as columns of numbers: what the tables are made of.

It grows match by match while an event runs, and is filled from the database at once: some 40 bytes a match, where a
MatchSummary has a thousand.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from server.ratings.matches import Floats, Ints
from server.tournament.agreement import Agreement
from server.tournament.manifest import Contest
from server.tournament.summary import FaultSummary, MatchSummary, Result


@dataclass(slots=True)
class BotTotals:
    """What a bot's matches cost, and who played them."""

    failed: int = 0
    """Matches in which it failed."""
    answers: int = 0
    time_micros: int = 0
    version: str = ""
    """The one it last said that it is."""


@dataclass(slots=True)
class RatingInput:
    """One contest."""

    contest: Contest
    names: list[str]
    """Those who take part."""
    mirrored: bool
    bot_totals: dict[str, BotTotals] = field(default_factory=dict)
    faults: list[tuple[str, FaultSummary]] = field(default_factory=list)
    """With the match's name."""
    decisions: int = 0
    _numbers: dict[str, int] = field(init=False)
    _blocks: array[int] = field(default_factory=lambda: array("q"))
    _bots: array[int] = field(default_factory=lambda: array("q"))
    _ranks: array[int] = field(default_factory=lambda: array("q"))

    def __post_init__(self) -> None:
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self._blocks)

    def add(self, match: MatchSummary) -> None:
        """All there is to know of one more match."""
        self._note(match)
        self.decisions += match.decisions
        self.faults += [(match.match_id, fault) for fault in match.faults]
        for seat in match.seats:
            effort = self.bot_totals.setdefault(seat.bot, BotTotals())
            effort.failed += seat.faults > 0
            effort.answers += seat.answers
            effort.time_micros += seat.time_micros
            effort.version = seat.version or effort.version

    def note(self, results: Iterable[Result]) -> Iterator[Result]:
        """Write results down as they pass."""
        for result in results:
            self._note(result)
            yield result

    def _note(self, result: Result) -> None:
        self._blocks.append(result.block)
        self._bots.extend(map(self._numbers.__getitem__, result.seated))
        self._ranks.extend(result.ranks)

    @property
    def bots(self) -> Ints:
        """The number of the bot on every seat, a row for each match."""
        return np.frombuffer(self._bots, dtype=np.int64).reshape(-1, self.contest.seats)

    @property
    def ranks(self) -> Ints:
        """Its rank."""
        return np.frombuffer(self._ranks, dtype=np.int64).reshape(-1, self.contest.seats)

    @property
    def clusters(self) -> Ints:
        """Matches with the same luck have the same number."""
        return np.frombuffer(self._blocks, dtype=np.int64) if self.mirrored else np.arange(len(self))

    def duel_scores(self) -> Floats:
        """With two bots on two seats: the first one's mean score in every cluster that is whole."""
        games = 2 if self.mirrored else 1
        first = np.argmin(self.bots, axis=1)
        own, other = (np.take_along_axis(self.ranks, seat[:, None], axis=1)[:, 0] for seat in (first, 1 - first))
        _, place, played = np.unique(self.clusters, return_inverse=True, return_counts=True)
        points = np.bincount(place, 0.5 * (1.0 + np.sign(other - own)), len(played))
        return np.asarray(points[played == games] / games)


def new_rating_input(agreement: Agreement, contest: Contest) -> RatingInput:
    """Empty, for those who play this game."""
    names = [one.name for one in agreement.roster if not one.games or contest.game in one.games]
    return RatingInput(contest=contest, names=names, mirrored=agreement.manifest.mirrored)
