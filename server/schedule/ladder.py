"""Ladder: wave after wave, endless if `rounds` is 0. Each wave plays the tables that tell most of all ratings.

A wave seats every bot once. The bots left over (bots modulo seats) sit out: those that sat out least often so far;
among equals the search chooses, so that the same bots do not always sit out together. A newcomer counts as one that
has just sat out and more often than anybody. **No bot sits out two waves in a row**, whoever joins or leaves.

What tells most is decided by `pair_values`: connectivity, no immediate rematch, then the information of a meeting by
the strengths fitted to all results so far (`strengths.FieldStrengths`). Bots are swapped between tables until no swap
is worth more.

**Newcomers** would need as long as everybody else did. So a bot that joined late plays EXTRA_TABLES more in each wave,
with those who tell most of it, until its rating is no longer provisional.

Wave i is drawn from the results up to wave i - 2: while the last matches of a wave run, the next is already open.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from server.schedule.drawing import DrawCounts, by_lot
from server.schedule.exact_algebra import Floats, Ints
from server.schedule.pair_values import connected_parts, pair_values
from server.schedule.plan import Block, Drawn, History, Pairing, Plan
from server.schedule.seat_search import take_table
from server.schedule.strengths import FieldStrengths, count_games
from server.schedule.wide_search import cheapest_tables

EXTRA_TABLES = 2
"""Tables in a wave that a newcomer plays beyond the first."""

SETTLED_BLOCKS = 8
"""Nobody is a newcomer before the median bot has played this many blocks."""

PROVISIONAL = 0.031
"""A newcomer's strength has a larger variance than this: its rating is less certain than ± 60 Elo."""


class Ladder:
    """The most informative tables; newcomers play more than others; no bot starves."""

    lag = 2
    reads_drawn = True

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._counts = DrawCounts(plan)
        self._field = _Field(plan)
        self._teams = {entrant.name: entrant.team for entrant in plan.entrants}
        self._late = {entrant.name for entrant in plan.entrants if entrant.joined}
        self._credit: dict[str, int] = {}
        """What each bot's turns to sit out began at."""

    def stage(self, index: int, drawn: Drawn, history: History) -> list[Pairing] | None:
        """Draw one wave."""
        plan, seats = self._plan, self._plan.seats
        bots = by_lot(plan.seed, f"wave {index}", plan.active(index))
        if (plan.rounds and index >= plan.rounds) or len(bots) < seats:
            return None
        self._counts.follow(drawn)
        self._field.follow(index, bots, drawn, history)
        seated, bench, free = self._bench(index, bots)
        values = self._values(bots, drawn)
        tables = cheapest_tables(seated, seats, -values, bench, free)
        wave = [tuple(bots[at] for at in table) for table in tables]
        wave += self._extra(index, bots, wave)
        return [Pairing(table, f"wave {index + 1}, table {number}") for number, table in enumerate(wave, 1)]

    def remaining(self, index: int, drawn: Drawn, history: History) -> int | None:
        """Count the tables of the waves to come, if they end, without the newcomers' further ones."""
        if not self._plan.rounds:
            return None
        return sum(len(self._plan.active(each)) // self._plan.seats for each in range(index, self._plan.rounds))

    def _bench(self, index: int, bots: list[str]) -> tuple[list[int], list[int], set[int]]:
        """Return who plays, the least certain first; who sits out; and who may be swapped between the two."""
        counts = self._counts
        places = range(len(bots))
        rested = {at for at in places if counts.last_out.get(bots[at], -1) == index - 1 >= 0}
        turns = self._turns(index, bots)
        size = len(bots) % self._plan.seats
        order = sorted(places, key=lambda at: (at in rested, turns[at]))
        bench = order[:size]
        # One turn more than the others' is allowed: otherwise those who sat out together would always do so again.
        last = turns[bench[-1]] if bench else 0
        free = {at for at in places if at not in rested and last <= turns[at] <= min(turns) + 1}
        seated = sorted(order[size:], key=lambda at: counts.blocks[bots[at]])
        return seated, bench, free

    def _turns(self, index: int, bots: Sequence[str]) -> list[int]:
        """Return how often each bot sat out; a newcomer counts once more than anybody."""
        known = [self._credit[bot] + self._counts.sat_out[bot] for bot in bots if bot in self._credit]
        for bot in bots:
            self._credit.setdefault(bot, 1 + max(known, default=0) if index else 0)
        return [self._credit[bot] + self._counts.sat_out[bot] for bot in bots]

    def _values(self, bots: list[str], drawn: Drawn) -> Ints:
        place = {bot: at for at, bot in enumerate(bots)}
        just_met = [
            (place[bot], place[other])
            for block in (drawn[-1] if drawn else ())
            for at, bot in enumerate(block.bots)
            for other in block.bots[:at]
            if bot in place and other in place
        ]
        teams = [self._teams[bot] for bot in bots]
        return pair_values(
            self._field.gains(bots), self._field.parts(bots), just_met=just_met, teams=teams if any(teams) else ()
        )

    def _extra(self, index: int, bots: list[str], wave: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Return the newcomers' further tables."""
        field, seats = self._field, self._plan.seats
        newcomers = self._newcomers(bots)
        tables: list[tuple[str, ...]] = []
        if not newcomers:
            return tables
        met = {frozenset((bot, other)) for table in wave for bot in table for other in table}
        for table in wave:
            field.add_games(table, seats)
        for newcomer in newcomers * EXTRA_TABLES:
            first = bots.index(newcomer)
            just_met = [(first, at) for at, bot in enumerate(bots) if frozenset((newcomer, bot)) in met]
            teams = [self._teams[bot] for bot in bots]
            values = pair_values(field.gains(bots), field.parts(bots), just_met=just_met, teams=teams)
            rest = [at for at in range(len(bots)) if at != first]
            names = tuple(bots[at] for at in take_table([first, *rest], seats, (-values).tolist()))
            met |= {frozenset((bot, other)) for bot in names for other in names}
            field.add_games(names, seats)
            tables.append(names)
        return tables

    def _newcomers(self, bots: Sequence[str]) -> list[str]:
        """Return late-comers with a provisional rating who played less than most, newest first; at most a bot in ten.

        There are none while nobody has played much.
        """
        blocks = self._counts.blocks
        usual = sorted(blocks[bot] for bot in bots)[len(bots) // 2]
        if usual < SETTLED_BLOCKS:
            return []
        variances = self._field.variances(bots)
        newcomers = [bot for bot in bots if bot in self._late and blocks[bot] < usual and variances[bot] > PROVISIONAL]
        return sorted(newcomers, key=lambda bot: blocks[bot])[: max(1, len(bots) // 10)]


class _Field:
    """The strengths of those present, by all blocks among them and those who left lately."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        absences = ((entrant.name, entrant.first_absence) for entrant in plan.entrants)
        self._lefts = {name: left for name, left in absences if left is not None}
        self._names: list[str] = []
        self._place: dict[str, int] = {}
        self._points = np.zeros(0)
        self._played = np.zeros((0, 0))
        self._drawn = np.zeros((0, 0))
        self._stages_played = self._stages_drawn = 0
        self._strengths = FieldStrengths(0)

    def follow(self, index: int, bots: Sequence[str], drawn: Drawn, history: History) -> None:
        """Count what is new, and fit."""
        names = self._modelled(index, bots)
        if names != self._names:
            self._start_over(names)
        blocks = [block for stage in drawn[self._stages_drawn :] for block in stage]
        count_games(self._drawn, [self._at(block) for block in blocks if self._counts(block, index)])
        settled = [
            entry for stage in history[self._stages_played :] for entry in stage if self._counts(entry.block, index)
        ]
        count_games(
            self._drawn,
            [self._at(entry.block) for entry in settled if entry.half_points is None],
            -1,
        )
        played = [(self._at(entry.block), entry.half_points) for entry in settled if entry.half_points is not None]
        if played:
            tables, points = zip(*played, strict=True)
            count_games(self._played, tables)
            np.add.at(self._points, np.array(tables), np.array(points) / 2)
        self._stages_drawn, self._stages_played = len(drawn), len(history)
        self._strengths.fit(self._points, self._played, self._plan.seats)
        self._strengths.plan(self._drawn)

    def gains(self, bots: Sequence[str]) -> Floats:
        """Return how much a game of each pair of these would tell."""
        return self._strengths.gains([self._place[bot] for bot in bots])

    def parts(self, bots: Sequence[str]) -> Ints:
        """Return the connected part of each of these."""
        return np.asarray(connected_parts(self._drawn)[[self._place[bot] for bot in bots]])

    def variances(self, bots: Sequence[str]) -> dict[str, float]:
        """Return how uncertain the strength of each of these is."""
        variances = self._strengths.variances()
        return {bot: float(variances[self._place[bot]]) for bot in bots}

    def add_games(self, bots: Sequence[str], count: int) -> None:
        """Count a table of this wave."""
        self._strengths.add_games([self._place[bot] for bot in bots], count)

    def _counts(self, block: Block, index: int) -> bool:
        """Check that all bots of a block are modelled (its points cannot be shared out otherwise) and none left
        while the block was open. Whether it was still played is chance, and no table may depend on that: an event
        that has to play a lost match again could draw other ones."""
        if not all(bot in self._place for bot in block.bots):
            return False
        lefts = (self._lefts[bot] for bot in block.bots if bot in self._lefts)
        return not any(left <= index and block.stage > left - Ladder.lag for left in lefts)

    def _at(self, block: Block) -> list[int]:
        return [self._place[bot] for bot in block.bots]

    def _modelled(self, index: int, bots: Sequence[str]) -> list[str]:
        """Return those present, and as many of those who left lately: games with them tell of the present ones too."""
        gone = [
            (entrant.left, entrant.name)
            for entrant in self._plan.entrants
            if entrant.left is not None and entrant.joined < entrant.left <= index
        ]
        return sorted(bots) + [name for _, name in sorted(gone, reverse=True)[: len(bots)]]

    def _start_over(self, names: list[str]) -> None:
        before = dict(zip(self._names, self._strengths.values.tolist(), strict=True))
        self._names = names
        self._place = {name: at for at, name in enumerate(names)}
        count = len(names)
        self._points = np.zeros(count)
        self._played, self._drawn = np.zeros((count, count)), np.zeros((count, count))
        self._stages_played = self._stages_drawn = 0
        self._strengths = FieldStrengths(count)
        self._strengths.values = np.array([before.get(name, 0.0) for name in names])
