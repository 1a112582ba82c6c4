"""Computes the live Elo: an Elo that moves after every match, in integers.

**What it is, and where it is shown.** A number to follow, as every ladder on the web has one; no claim rests on it, and
no listing is sorted by it. People see it on the page of a match (before the match, and the change by it) and with
`tortuga ladder history BOT`. Programs find it as `live_elo` and `live_change` in the rows of a ladder (`--json`,
LadderRow), as `elo_before` and `elo_change` of the seats of a match, and as `live_elo` in events.jsonl. Everything else
shows the Elo of the fit, with its interval (fit.py). server/tournament/live_ladder.py adds up the matches.

**How.** docs/spec/ratings.md, sections 1 and 3. A match of m seats is m(m-1)/2 pairs, each worth K/(m-1), all computed
from the ratings before the match. Ratings are integers of 1e-6 Elo: a pair's change is rounded once and given to one
seat, taken from the other, so the changes of a match sum to exactly 0 and a ladder never gains or loses points.

**Start.** Everybody starts at 1000, so 1000 is the mean of the live ladder for ever. The fit without an anchor
has the same mean, and the numbers compare directly. With an anchor the fit is the same scale moved by one constant
(its mean less 1000), which may be added where both are printed. The anchor itself is not held at 1000 here: every
match of it would then add points to the ladder or take them away.

**The same on every machine.** 10**x of two C libraries may differ in the last bit, and a rounding near a half would
carry that into the ladder and on through all later matches. So the expectation comes from the four basic operations
only, which IEEE 754 defines to the last bit: a table of whole Elo, and three terms of Taylor's series from the nearest
one. It is within 1e-9 of the formula, which is 4e-8 Elo at most: below the 1e-6 Elo that are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

MICRO = 1_000_000
"""One Elo, in the integers used here."""

START = 1000 * MICRO
"""Rating of a bot before its first match."""

NEWCOMER_MATCHES = 20
"""Matches for which a bot has a newcomer's K."""

K_NEWCOMER, K_SETTLED = 40, 16

_FARTHEST = 4000
"""A larger gap in Elo counts as this one."""


def _expectations() -> tuple[tuple[float, float, float], ...]:
    """Return the weaker seat's expectation by whole Elo of the gap: Taylor's three terms, per micro-Elo."""
    log = 5.756462732485115e-09  # ln 10 / 400, per micro-Elo
    power, rows = 1.0, []
    for _ in range(_FARTHEST + 1):
        value = 1.0 / (1.0 + power)
        slope = -log * value * (1.0 - value)
        rows.append((value, slope, -log * slope * (1.0 - 2.0 * value) / 2.0))
        power *= 1.0057730630017383  # 10 ** (1 / 400), multiplied: a power function would be the C library's
    return tuple(rows)


_EXPECTATIONS = _expectations()


def changes(ratings: Sequence[int], played: Sequence[int], ranks: Sequence[int]) -> tuple[int, ...]:
    """Return the changes of one match, in seat order, as are the ratings before it, in micro-Elo.

    `played` is how many matches each seat's bot had played before; rank 1 is best, and ties share a rank. The bots
    of a match are distinct.
    """
    seats = len(ratings)
    if not seats == len(played) == len(ranks) > 1:
        raise ValueError(f"{seats} ratings, {len(played)} counts of matches, {len(ranks)} ranks")
    deltas = [0] * seats
    worth = MICRO / (2 * (seats - 1))
    k = [K_NEWCOMER if count < NEWCOMER_MATCHES else K_SETTLED for count in played]
    for first in range(seats - 1):
        for second in range(first + 1, seats):
            # Always seen from the weaker seat, so that the order of the seats cannot change the rounding.
            gap = ratings[second] - ratings[first]
            weak, strong = first, second
            if gap < 0:
                gap, weak, strong = -gap, second, first
            whole = (gap + MICRO // 2) // MICRO
            if whole > _FARTHEST:
                whole, gap = _FARTHEST, _FARTHEST * MICRO
            value, slope, bend = _EXPECTATIONS[whole]
            rest = gap - whole * MICRO
            value += rest * (slope + rest * bend)
            if ranks[weak] < ranks[strong]:
                value -= 1.0
            elif ranks[weak] == ranks[strong]:
                value -= 0.5
            change = round(value * worth * (k[weak] + k[strong]))
            deltas[weak] -= change
            deltas[strong] += change
    return tuple(deltas)


Columns = list[list[int]]
"""One list per seat, with a number per match."""


def fold(elo: list[int], played: list[int], bots: Columns, ranks: Columns) -> tuple[Columns, Columns]:
    """Go through matches in order and return the ratings before each, and its `changes`.

    `elo` and `played` have what each bot had before the first match, and are moved along; `bots` are numbers in
    them.
    """
    if len(bots) == 2:
        return _fold_duels(elo, played, bots, ranks)
    before: Columns = [[] for _ in bots]
    moved: Columns = [[] for _ in bots]
    for seated, placed in zip(zip(*bots, strict=True), zip(*ranks, strict=True), strict=True):
        ratings = [elo[bot] for bot in seated]
        deltas = changes(ratings, [played[bot] for bot in seated], placed)
        for seat, bot in enumerate(seated):
            before[seat].append(ratings[seat])
            moved[seat].append(deltas[seat])
            elo[bot] += deltas[seat]
            played[bot] += 1
    return before, moved


def _fold_duels(elo: list[int], played: list[int], bots: Columns, ranks: Columns) -> tuple[Columns, Columns]:
    """Do what `fold` does, with the one pair of `changes` written out: a million matches of two take one second, not
    three."""
    firsts, seconds, moved = [], [], []
    for this, other, rank, other_rank in zip(*bots, *ranks, strict=True):
        first, second = elo[this], elo[other]
        k = K_NEWCOMER if played[this] < NEWCOMER_MATCHES else K_SETTLED
        k += K_NEWCOMER if played[other] < NEWCOMER_MATCHES else K_SETTLED
        gap, lead = second - first, other_rank - rank
        if gap < 0:
            gap, lead = -gap, -lead
        whole = (gap + MICRO // 2) // MICRO
        if whole > _FARTHEST:
            whole, gap = _FARTHEST, _FARTHEST * MICRO
        value, slope, bend = _EXPECTATIONS[whole]
        rest = gap - whole * MICRO
        value += rest * (slope + rest * bend)
        if lead > 0:
            value -= 1.0
        elif lead == 0:
            value -= 0.5
        change = round(value * (MICRO / 2) * k)
        if first <= second:
            change = -change
        elo[this], elo[other] = first + change, second - change
        played[this] += 1
        played[other] += 1
        firsts.append(first)
        seconds.append(second)
        moved.append(change)
    return [firsts, seconds], [moved, [-change for change in moved]]
