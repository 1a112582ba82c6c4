"""Ratings: who is better, by how much, and how certain that is. Pure: no disk, no clock, no randomness of its own.

    fit      the official `FittedRatings` of a ladder, from all its matches at once; `fitted_ratings` has what is in it
    live     the live number, an Elo that moves after every match
    duel     one side against another, from a `tally` of games or blocks
    sprt     is B better than A, with as few blocks as possible
    share    shares, and the scores all the rest is made of

Import from these modules: an event needs `live` before its first match, and should not wait for numpy.
Each file explains its formulas; tests/server/ratings compares them with the numbers of other tools. The specification
is docs/spec/ratings.md.
"""
