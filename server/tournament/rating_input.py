"""The results of one contest as columns of numbers: the input of the ratings.

It grows match by match while an event runs, or is filled from the database. A match takes about 40 bytes here, and a
thousand as a MatchSummary.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from server.play.summary import BotTotals, FaultSummary, MatchSummary
from server.ratings.matches import Floats, Ints
from server.tournament.agreement import Agreement
from server.tournament.manifest import Contest
from server.tournament.result_columns import ResultColumns
from server.tournament.rulings.ruled_matches import RuledMatches


@dataclass(slots=True)
class RatingInput:
    """The results of one contest."""

    contest: Contest
    names: list[str]
    """Entries that take part."""
    mirrored: bool
    faults_allowed: int = 0
    """Most faults of a seat in one match; with more the bot is out."""
    faults_rated: bool = True
    """Whether matches in which a bot was put out by a fault count in the ratings."""
    bot_totals: dict[str, BotTotals] = field(default_factory=dict)
    faults: list[tuple[str, FaultSummary]] = field(default_factory=list)
    """The faults, each with its match id."""
    decisions: int = 0
    ruled: RuledMatches = field(default_factory=RuledMatches)
    """The rulings about matches of the contest."""
    _numbers: dict[str, int] = field(init=False)
    _blocks: array[int] = field(default_factory=lambda: array("q"))
    _bots: array[int] = field(default_factory=lambda: array("q"))
    _ranks: array[int] = field(default_factory=lambda: array("q"))
    _faulted: array[int] = field(default_factory=lambda: array("b"))
    _unrated: array[int] = field(default_factory=lambda: array("b"))
    """Whether a match is kept out of the ratings, by a ruling or because nobody played it."""
    _out: array[int] = field(default_factory=lambda: array("b"))
    """Whether a ruling keeps a match out of all standings."""
    _unplayed: array[int] = field(default_factory=lambda: array("b"))
    """Whether nobody played a match that is in the standings."""
    _ruled_ranks: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Ranks that a ruling gave, by the number of the match."""

    def __post_init__(self) -> None:
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self._blocks)

    def add(self, match: MatchSummary) -> None:
        """Add a match with everything known of it."""
        self._blocks.append(match.block)
        self._bots.extend(map(self._numbers.__getitem__, match.seated))
        self._ranks.extend(match.ranks)
        self._faulted.append(max(seat.faults for seat in match.seats) > self.faults_allowed)
        self._unrated.append(match.is_unplayed)
        self._out.append(0)
        self._unplayed.append(match.is_unplayed)
        self.decisions += match.decisions
        self.faults += [(match.match_id, fault) for fault in match.faults]
        for seat in match.seats:
            totals = self.bot_totals.setdefault(seat.bot, BotTotals())
            totals.failed += seat.faults > 0
            totals.answers += seat.answers
            totals.time_micros += seat.time_micros
            totals.version = seat.version or totals.version

    def pass_through(self, results: Iterable[ResultColumns]) -> Iterator[ResultColumns]:
        """Add results as they pass through."""
        for part in results:
            numbers = np.array([self._numbers[name] for name in part.names])
            self._blocks.frombytes(part.blocks.tobytes())
            self._bots.frombytes(numbers[part.bots].tobytes())
            self._ranks.frombytes(part.ranks.tobytes())
            self._faulted.frombytes((part.faults.max(axis=1) > self.faults_allowed).tobytes())
            if self.ruled.touches(part.match_ids):
                self._apply_rulings(part)
            for column in (self._unrated, self._out, self._unplayed):
                column.frombytes(bytes(len(self) - len(column)))
            yield part

    def _apply_rulings(self, part: ResultColumns) -> None:
        for match in part.rows():
            rated = self.ruled.is_rated(match.match_id)
            if not rated:
                ranks = self.ruled.ranks(match.match_id, match.seated, match.ranks)
                self._ruled_ranks[len(self._unrated)] = ranks
            self._unrated.append(not rated)
            is_out = self.ruled.is_out(match.match_id)
            self._out.append(is_out)
            self._unplayed.append(self.ruled.is_unplayed(match.match_id) and not is_out)

    @property
    def faulted_matches(self) -> int:
        """Return how many matches a bot was put out of by a fault, except those that are kept out of the ratings."""
        return sum(faulted and not unrated for faulted, unrated in zip(self._faulted, self._unrated, strict=True))

    @property
    def unplayed_matches(self) -> int:
        """Return how many matches nobody played: every seat failed before its first decision."""
        return sum(self._unplayed)

    @property
    def bots(self) -> Ints:
        """Return the number of the bot on every seat, a row per match that counts."""
        return self.counted(np.frombuffer(self._bots, dtype=np.int64).reshape(-1, self.contest.seats))

    @property
    def ranks(self) -> Ints:
        """Return the rank of every seat, a row per match that counts."""
        return self.counted(np.frombuffer(self._ranks, dtype=np.int64).reshape(-1, self.contest.seats))

    @property
    def clusters(self) -> Ints:
        """Return a number per match that counts. Matches with the same luck have the same number."""
        return self.counted(np.frombuffer(self._blocks, dtype=np.int64) if self.mirrored else np.arange(len(self)))

    def counted(self, column: Ints) -> Ints:
        """Return the rows of a column that belong to matches that count in the ratings."""
        if self.faults_rated and not any(self._unrated):
            return column
        left_out = np.frombuffer(self._unrated, dtype=np.bool_)
        return column[~(left_out if self.faults_rated else left_out | np.frombuffer(self._faulted, dtype=np.bool_))]

    def in_standings(self) -> tuple[Ints, Ints]:
        """Return the bots and ranks of every match in the standings that was played, as rulings left them, a row per
        match."""
        seats = self.contest.seats
        bots = np.frombuffer(self._bots, dtype=np.int64).reshape(-1, seats)
        ranks = np.frombuffer(self._ranks, dtype=np.int64).reshape(-1, seats)
        if not any(self._unrated):
            return bots, ranks
        ranks = ranks.copy()
        for row, given in self._ruled_ranks.items():
            ranks[row] = given
        is_in = ~(np.frombuffer(self._out, dtype=np.bool_) | np.frombuffer(self._unplayed, dtype=np.bool_))
        return bots[is_in], ranks[is_in]

    def matches_of_bots(self) -> dict[str, int]:
        """Return how many matches each bot has, whether they count or not."""
        counts = np.bincount(np.frombuffer(self._bots, dtype=np.int64), minlength=len(self.names))
        return dict(zip(self.names, counts.tolist(), strict=True))

    def unplayed_tables(self) -> Iterator[list[str]]:
        """Yield the bots of every match in the standings that nobody played."""
        bots = np.frombuffer(self._bots, dtype=np.int64).reshape(-1, self.contest.seats)
        for table in bots[np.frombuffer(self._unplayed, dtype=np.bool_)].tolist():
            yield [self.names[bot] for bot in table]

    def left_out(self) -> list[str]:
        """Return the bots of matches that are in no standings, once for each."""
        bots = np.frombuffer(self._bots, dtype=np.int64).reshape(-1, self.contest.seats)
        is_out = np.frombuffer(self._out, dtype=np.bool_)
        return [self.names[bot] for bot in bots[is_out].ravel().tolist()]

    def duel_scores(self) -> Floats:
        """Return, with two bots on two seats, the first one's mean score in every complete cluster."""
        games = 2 if self.mirrored else 1
        first = np.argmin(self.bots, axis=1)
        own, other = (np.take_along_axis(self.ranks, seat[:, None], axis=1)[:, 0] for seat in (first, 1 - first))
        _, place, played = np.unique(self.clusters, return_inverse=True, return_counts=True)
        points = np.bincount(place, 0.5 * (1.0 + np.sign(other - own)), len(played))
        return np.asarray(points[played == games] / games)


def new_rating_input(agreement: Agreement, contest: Contest, ruled: RuledMatches | None = None) -> RatingInput:
    """Return an empty input for the entries that play this game."""
    names = [entry.name for entry in agreement.roster if not entry.games or contest.game in entry.games]
    manifest = agreement.manifest
    return RatingInput(
        contest=contest,
        names=names,
        mirrored=manifest.mirrored,
        faults_allowed=manifest.faults_allowed,
        faults_rated=manifest.rate_faults,
        ruled=RuledMatches() if ruled is None else ruled,
    )
