"""Ratings: who is better, by how much, and how sure that is. Pure: no disk, no clock, no randomness of its own.

- `fit`: the official `RatingTable` of a ladder, from all its matches at once (table.py has what is in it);
- `changes`: the live number, an Elo that moves after every match; `fold`: the same for many matches;
- `duel`: one side against another, from a `Tally` of games or blocks;
- `Sprt`: is B better than A, with as few blocks as possible;
- `wilson`, `seat_scores`, `block_score`: shares, and the scores all the rest is made of.

Each file explains its formulas; tests/server/ratings compares them with the numbers of other tools. The specification
is docs/spec/ratings.md.
"""

from server.ratings.duel import Duel, duel
from server.ratings.fit import fit
from server.ratings.live import MICRO, START, changes, fold
from server.ratings.share import block_score, seat_scores, wilson
from server.ratings.sprt import BIASED, Bounds, Model, Sprt, Verdict, bounds, is_in_reach, llr
from server.ratings.table import Goodness, Pair, Pairs, RatingRow, RatingTable, SeatRecord, SeatTerm
from server.ratings.tally import Tally, of_games, of_pairs, of_scores

__all__ = [
    "BIASED",
    "MICRO",
    "START",
    "Bounds",
    "Duel",
    "Goodness",
    "Model",
    "Pair",
    "Pairs",
    "RatingRow",
    "RatingTable",
    "SeatRecord",
    "SeatTerm",
    "Sprt",
    "Tally",
    "Verdict",
    "block_score",
    "bounds",
    "changes",
    "duel",
    "fit",
    "fold",
    "is_in_reach",
    "llr",
    "of_games",
    "of_pairs",
    "of_scores",
    "seat_scores",
    "wilson",
]
