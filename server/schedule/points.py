"""Points: what a block can give, what a cancelled block gives, and the sums that placings and tie-breaks are made from.

A cancelled block is a walkover: each bot that stayed beats those that left and ties with the others that stayed, so a
duel is won outright and the sum of points is that of any block. If nobody of it left, all tie.

Points are counted in halves: 2 for each seat beaten, 1 for each tied with. A match is won by the bot that is first
alone, drawn by those who share the first rank, and lost by the others. Matches that a ruling takes out of the standings
are not counted here, except in `left_out`: for tie-breaks they are like rounds in which a bot sat out. A match that
nobody played, because every bot failed before its first decision, is lost by all of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from referee.errors import RulesError
from server.schedule.plan import Entrant, HalfPoints, Plan, PlayedBlock


def full_points(seats: int) -> int:
    """Return the half points of a bot that beats everybody in every match of a block."""
    return 2 * seats * (seats - 1)


def check_points(played: PlayedBlock, seats: int) -> None:
    """Refuse a result that no block can have: all bots of a block together always get the same points."""
    points = played.half_points
    if points is None:
        return
    due = seats * full_points(seats) // 2
    if len(points) != seats or sum(points) != due or not all(0 <= each <= full_points(seats) for each in points):
        raise RulesError(f"block {played.block.number}: half points {points}; {seats} bots share {due}")


class BlockPoints:
    """The points of blocks, with regard to which bots left when."""

    def __init__(self, plan: Plan) -> None:
        self._entrants: Mapping[str, Entrant] = {entrant.name: entrant for entrant in plan.entrants}
        self._seats = plan.seats

    def leavers(self, played: PlayedBlock) -> list[str]:
        """Return the bots because of which a block was cancelled."""
        if played.half_points is not None:
            return []
        # A bot that leaves during a stage is out from the next one on. Later leavers were still there.
        return [bot for bot in played.block.bots if not self._entrants[bot].plays_in(played.block.stage + 1)]

    def points(self, played: PlayedBlock) -> HalfPoints:
        """Return the half points of a block, played or cancelled."""
        if played.half_points is not None:
            return played.half_points
        gone = self.leavers(played)
        if len(gone) in (0, self._seats):
            return (full_points(self._seats) // 2,) * self._seats
        lost = self._seats * (len(gone) - 1)
        won = self._seats * (2 * len(gone) + self._seats - len(gone) - 1)
        return tuple(lost if bot in gone else won for bot in played.block.bots)


def _table() -> defaultdict[str, Counter[str]]:
    return defaultdict(Counter)


@dataclass(kw_only=True, slots=True)
class ContestTally:
    """The sums of one contest: points, games, wins, byes."""

    seats: int
    half_points: defaultdict[str, Counter[str]] = field(default_factory=_table)
    """Half points of each bot against each other one."""
    games: defaultdict[str, Counter[str]] = field(default_factory=_table)
    """How often they sat at one table, walkovers included."""
    wins: Counter[str] = field(default_factory=Counter)
    draws: Counter[str] = field(default_factory=Counter)
    losses: Counter[str] = field(default_factory=Counter)
    margin: dict[str, float] = field(default_factory=dict)
    """The score in the game less the mean score of the others at the table, over all matches."""
    byes: Counter[str] = field(default_factory=Counter)
    """Rounds of a Swiss in which a bot sat out, and was given points for it."""
    missed: Counter[str] = field(default_factory=Counter)
    """Rounds of a Swiss in which a bot was not there."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Matches that a ruling took out of the standings."""
    walkovers: Counter[str] = field(default_factory=Counter)
    """Matches that were decided without play."""
    unplayed: Counter[frozenset[str]] = field(default_factory=Counter)
    """Matches that nobody played, by their bots."""

    def add_match(self, bots: Sequence[str], ranks: Sequence[int]) -> None:
        """Count a match, by seat."""
        for bot, rank in zip(bots, ranks, strict=True):
            for other, theirs in zip(bots, ranks, strict=True):
                if bot != other:
                    self.add_pair(bot, other, 1, 1 + (rank < theirs) - (rank > theirs))
        leaders = [bot for bot, rank in zip(bots, ranks, strict=True) if rank == min(ranks)]
        self._add_outcome(bots, leaders, 1)

    def add_pair(self, bot: str, other: str, games: int, half_points: int) -> None:
        """Count games of a bot with another, from the first one's side only; the other's side is counted apart."""
        self.games[bot][other] += games
        self.half_points[bot][other] += half_points

    def add_walkover(self, bots: Sequence[str], gone: Collection[str], matches: int = 1) -> None:
        """Count matches of a table that were not played: bots that are there beat those that are gone, and tie with
        each other. Where nobody is gone, or all are, all tie."""
        there = [bot for bot in bots if bot not in gone] or list(bots)
        for bot in bots:
            for other in bots:
                if bot != other:
                    won = (bot in there) - (other in there)
                    self.add_pair(bot, other, matches, matches * (1 + won))
        self._add_outcome(bots, there, matches)
        for bot in bots:
            self.walkovers[bot] += matches

    def add_unplayed(self, bots: Sequence[str]) -> None:
        """Count a match that nobody played: all of its bots lose it."""
        for bot in bots:
            self.losses[bot] += 1
            for other in bots:
                if bot != other:
                    self.add_pair(bot, other, 1, 0)
        self.unplayed[frozenset(bots)] += 1

    def never_played(self, bot: str) -> bool:
        """Check whether a bot was to play matches and failed in all of them, as did its opponents, before any play."""
        unplayed = sum(matches for table, matches in self.unplayed.items() if bot in table)
        return 0 < unplayed == self.matches(bot) - self.walkovers[bot]

    def _add_outcome(self, bots: Sequence[str], leaders: Sequence[str], matches: int) -> None:
        for bot in bots:
            count = self.losses if bot not in leaders else self.wins if len(leaders) == 1 else self.draws
            count[bot] += matches

    def points(self, bot: str) -> int:
        """Return all half points of a bot, including those for byes."""
        return self.half_points[bot].total() + self.byes[bot] * self.seats**2

    def possible(self, bot: str) -> int:
        """Return the half points it could have made."""
        return 2 * self.games[bot].total() + (self.byes[bot] + self.missed[bot]) * full_points(self.seats)

    def matches(self, bot: str) -> int:
        """Return the number of its matches, including walkovers."""
        return self.wins[bot] + self.draws[bot] + self.losses[bot]
