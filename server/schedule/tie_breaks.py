"""What tells bots apart that have equally many points: each tie-break has a name, a line that explains it, and a value.

A tie-break is computed for a group of bots that are level by everything before it. Where it cannot say anything (bots
that did not all meet have no head-to-head), it gives no values, and the next one decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from server.schedule.points import ContestTally

Value = Fraction | float
Values = Mapping[str, Value]


@dataclass(frozen=True, kw_only=True, slots=True)
class TieBreak:
    """One way to tell level bots apart: more is better."""

    key: str
    name: str
    short: str
    """The name at the head of a column."""
    explained: str
    """One line of explanation, for people."""
    measure: Callable[[ContestTally, Sequence[str]], Values | None]
    """Function that returns the values of a group of level bots. None: it cannot tell them apart."""
    of_group: bool = False
    """Whether the value of a bot depends on the group it is level with."""


def _buchholz(tally: ContestTally, group: Sequence[str]) -> Values:
    return {bot: _opponents(tally, bot) / 2 for bot in group}


def _opponents(tally: ContestTally, bot: str) -> Fraction:
    """Return the half points of all opponents of a bot, once for each block. A table that did not count is one of
    bots with its own points."""
    met = sum(games * tally.points(other) for other, games in tally.games[bot].items())
    empty = tally.byes[bot] * tally.seats + tally.left_out[bot]
    return Fraction(met + empty * (tally.seats - 1) * tally.points(bot), tally.seats)


def _sonneborn_berger(tally: ContestTally, group: Sequence[str]) -> Values:
    return {
        bot: Fraction(sum(points * tally.points(other) for other, points in tally.half_points[bot].items()), 4)
        for bot in group
    }


def _head_to_head(tally: ContestTally, group: Sequence[str]) -> Values | None:
    games = {tally.games[bot][other] for bot in group for other in group if bot != other}
    if len(games) != 1 or 0 in games:
        return None
    return {bot: Fraction(sum(tally.half_points[bot][other] for other in group if other != bot), 2) for bot in group}


def _wins(tally: ContestTally, group: Sequence[str]) -> Values:
    return {bot: Fraction(tally.wins[bot]) for bot in group}


def _margin(tally: ContestTally, group: Sequence[str]) -> Values:
    return {bot: round(tally.margin.get(bot, 0.0), 6) for bot in group}


BUCHHOLZ = TieBreak(
    key="buchholz",
    name="Buchholz",
    short="Buchholz",
    explained="the points of all opponents added up, once for each meeting; a bye counts as opponents with one's own",
    measure=_buchholz,
)
SONNEBORN_BERGER = TieBreak(
    key="sonneborn_berger",
    name="Sonneborn-Berger",
    short="S-B",
    explained="the points made against each opponent times that opponent's points, added up",
    measure=_sonneborn_berger,
)
HEAD_TO_HEAD = TieBreak(
    key="head_to_head",
    name="head-to-head",
    short="h2h",
    explained="the points made in the matches among the level bots alone, if all of them met equally often",
    measure=_head_to_head,
    of_group=True,
)
WINS = TieBreak(key="wins", name="wins", short="wins", explained="the number of matches won", measure=_wins)
MARGIN = TieBreak(
    key="margin",
    name="margin",
    short="margin",
    explained="the score in the game less the mean score of the others at the table, over all matches",
    measure=_margin,
)

OF_FORMAT: Mapping[str, tuple[TieBreak, ...]] = {
    "swiss": (BUCHHOLZ, SONNEBORN_BERGER, HEAD_TO_HEAD, WINS),
    "round-robin": (HEAD_TO_HEAD, SONNEBORN_BERGER, MARGIN),
    "league": (HEAD_TO_HEAD, SONNEBORN_BERGER, MARGIN),
    "gauntlet": (HEAD_TO_HEAD, SONNEBORN_BERGER, MARGIN),
}
"""Tie-breaks in the order in which they decide. A knockout goes by the round reached, and a ladder by the ratings."""
