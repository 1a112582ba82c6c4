"""Rows of tables as messages. Used by the table maker."""

from __future__ import annotations

import math

from server.ratings.scores import wilson
from server.ratings.table import RatingTable
from server.tournament.agreement import Agreement
from server.tournament.standings import Standings, finite
from tortuga.v1 import arena_pb2 as pb

MAX_CROSS = 64
"""A cross table of more entries is not sent: it has a cell for every pair."""


def ladder_rows(standings: Standings, bots: dict[str, str]) -> list[pb.LadderRow]:
    """The rows of a table as messages; `bots` gives the bot of each entry."""
    rows = []
    for line in standings.lines:
        row = line.row
        found = pb.LadderRow(
            entry=line.bot,
            bot=bots[line.bot],
            version=line.version,
            ancestor=line.ancestor,
            rank_best=row.rank_best,
            rank_worst=row.rank_worst,
            live_elo=line.live_elo,
            live_change=line.live_change,
            rating=row.rating if math.isfinite(row.plus_minus) else None,
            plus_minus=finite(row.mean_plus_minus),
            rating_plus_minus=finite(row.plus_minus) or None,
            surely_better_than=row.surely_better_than,
            provisional=row.provisional,
            matches=row.matches,
            score=row.score,
            faults=line.faults,
            disqualified=line.disqualified,
        )
        rows.append(found)
    return rows


def bots_by_entry(agreement: Agreement) -> dict[str, str]:
    """The bot of each entry."""
    return {one.name: one.bot for one in agreement.roster}


def cross_table(standings: Standings) -> list[pb.PairScore]:
    """Every entry against every other one that it met, as the rows are sorted."""
    names = [line.bot for line in standings.lines]
    if len(names) > MAX_CROSS:
        return []
    pairs = (pair_score(standings.table, one, other) for one in names for other in names if one != other)
    return [pair for pair in pairs if pair.matches]


def pair_score(table: RatingTable, first: str, second: str) -> pb.PairScore:
    """What the first did against the second, with the interval of its share."""
    pair = table.pair(first, second)
    low, high = wilson(pair.score, pair.games)
    return pb.PairScore(
        first=first, second=second, matches=pair.games, score=pair.score, score_low=low, score_high=high
    )
