"""Knockout: a seeded bracket of ties, until one bot is left at the top.

A tie is a table of bots and how many of them advance: with two seats the winner, with more the better half, rounded up.
It is played in legs: first `rounds` blocks, then one more at a time while the cut is level, up to `max_legs`, then the
better seed advances. The final decides the first place in the same way; with two seats the losers of the semi-finals
meet for the third place.

Every table is full. How many bots a round eliminates is chosen so that there are as few rounds as possible, then as few
uneven tables (one that eliminates fewer than the others), then as few byes after the first round as possible. Two seats
give the usual bracket. Byes go to the top seeds. Those who advance take over the best seeds of their table, in the
order of the table, so the bracket stays: with two seats a winner stands where the better seed was expected.

A bot that leaves loses its tie; between rounds it is taken out, and the round is drawn from those who are left. If they
no longer fill a table, the last to go out come back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from server.schedule.plan import BracketPlace, Drawn, History, Pairing, Plan, PlayedBlock
from server.schedule.points import BlockPoints


class Cut(NamedTuple):
    """How one round reduces a field. Smaller is better."""

    rounds: int
    """Number of rounds to the final table, including this one."""
    uneven: int
    late_byes: int
    byes: int
    out: int
    """Number of bots that this round eliminates."""


@lru_cache(maxsize=16)
def cuts(bots: int, seats: int) -> dict[int, Cut]:
    """Find the best round for every size of field up to `bots`."""
    most = seats // 2
    best = {seats: Cut(0, 0, 0, 0, 0)}
    for size in range(seats + 1, bots + 1):
        choices = []
        for out in range(1, min(size - seats, most * (size // seats)) + 1):
            after = best[size - out]
            byes = size - seats * tables_for(out, seats)
            uneven = after.uneven + (out % most > 0)
            choices.append(Cut(after.rounds + 1, uneven, after.late_byes + after.byes, byes, out))
        best[size] = min(choices)
    return best


def tables_for(out: int, seats: int) -> int:
    """Return how many tables it takes to eliminate this many bots."""
    return -(-out // (seats // 2))


@dataclass(kw_only=True, slots=True)
class Tie:
    """The bots at one table, best seed first, and how far their tie has come."""

    name: str
    bots: list[str]
    advancing: int
    points: dict[str, int] = field(default_factory=dict)
    legs: int = 0
    gone: set[str] = field(default_factory=set)
    decided: bool = False

    def order(self) -> list[str]:
        """Sort best first: by points over all legs, then by seed; those who left come last."""
        return sorted(self.bots, key=lambda bot: (bot in self.gone, -self.points.get(bot, 0)))

    def is_level(self) -> bool:
        """Check that the last to advance and the first to go out have equal points."""
        order = self.order()
        return self.points.get(order[self.advancing - 1], 0) == self.points.get(order[self.advancing], 0)


class Bracket:
    """The state of a knockout, made from its history stage by stage."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._block_points = BlockPoints(plan)
        self.field = [entrant.name for entrant in plan.entrants]
        """Bots still in, best seed first."""
        self.ties: list[Tie] = []
        self.out: list[tuple[str, list[str]]] = []
        """Groups of bots that went out together, with the name of the round; the last group is the best."""
        self.podium: list[tuple[str, list[str]]] = []
        """The order of the final, then of the match for the third place, once it is over."""
        self.over = False
        self.rounds: list[list[Tie]] = []
        """The ties of every round so far."""
        self._round = 0
        self._losers: list[str] = []

    def open_stage(self, stage: int) -> list[Pairing]:
        """Return the legs of one stage; begin a new round once the last one is decided."""
        here = set(self._plan.active(stage))
        for tie in self.ties:
            if not tie.decided and not here.issuperset(tie.bots):
                tie.gone.update(bot for bot in tie.bots if bot not in here)
                tie.decided = True
        if all(tie.decided for tie in self.ties):
            self._close_round()
            self._open_round(here)
        return [self._table(tie, leg) for tie, leg in self._legs()]

    def take(self, stage: list[PlayedBlock]) -> None:
        """Count the results of the stage that was opened last."""
        for (tie, _), played in zip(self._legs(), stage, strict=True):
            tie.gone.update(self._block_points.leavers(played))
            for bot, points in zip(played.block.bots, self._block_points.points(played), strict=True):
                tie.points[bot] = tie.points.get(bot, 0) + points
        for tie in self.ties:
            if not tie.decided:
                tie.legs += self._legs_at_once(tie)
                enough = tie.legs >= max(self._plan.max_legs, self._plan.rounds)
                tie.decided = bool(tie.gone) or enough or not tie.is_level()

    def places(self) -> list[BracketPlace]:
        """Return the podium, then those who went out together, the last first. Before the end, those still in lead."""
        places: list[BracketPlace] = []

        def add(note: str, bots: list[str], shared: bool) -> None:
            first = len(places) + 1
            fresh = [bot for bot in bots if bot not in {place.bot for place in places}]
            for at, bot in enumerate(fresh):
                places.append(BracketPlace(rank=first if shared else first + at, bot=bot, note=note))

        for note, bots in self.podium or [("still in", self.field)]:
            add(note, bots, not self.podium)
        for note, bots in reversed(self.out):
            add(note, bots, True)
        return places

    def least_blocks(self) -> int:
        """Return the least number of blocks in the rounds after this one."""
        if self.over or not self.ties or self.ties[0].name == "final":
            return 0
        seats = self._plan.seats
        size = len(self.field) - sum(len(tie.bots) - tie.advancing for tie in self.ties)
        ties = 1 + (seats == 2 and self._plan.third_place and len(self.field) > 3)
        if size >= seats:
            table = cuts(len(self._plan.entrants), seats)
            while size > seats:
                ties += tables_for(table[size].out, seats)
                size -= table[size].out
        return ties * self._plan.rounds

    def _legs_at_once(self, tie: Tie) -> int:
        return 1 if tie.legs else self._plan.rounds

    def _legs(self) -> list[tuple[Tie, int]]:
        waiting = [tie for tie in self.ties if not tie.decided]
        return [(tie, leg) for leg in range(self._plan.rounds) for tie in waiting if leg < self._legs_at_once(tie)]

    def _table(self, tie: Tie, leg: int) -> Pairing:
        number = tie.legs + leg + 1
        return Pairing(
            tuple(tie.bots), f"{tie.name}, leg {number}" if number > 1 or self._plan.rounds > 1 else tie.name
        )

    def _close_round(self) -> None:
        if not self.ties:
            return
        if self.ties[0].name == "final":
            self.podium = [(tie.name, tie.order()) for tie in self.ties]
            self.over = True
            return
        seeds = {bot: seed for seed, bot in enumerate(self.field)}
        losers: list[tuple[int, int, str]] = []
        for tie in self.ties:
            order = tie.order()
            losers += [(place, seeds[bot], bot) for place, bot in enumerate(order) if place >= tie.advancing]
            places = sorted(seeds.pop(bot) for bot in tie.bots)
            seeds.update(zip(order[: tie.advancing], places, strict=False))
        self._losers = [bot for _, _, bot in sorted(losers)]
        self.field = sorted(seeds, key=lambda bot: seeds[bot])
        self.out.append((self._round_name(), self._losers))

    def _open_round(self, here: set[str]) -> None:
        if self.over:
            return
        left = [bot for bot in self.field if bot not in here]
        if left:
            self.out.append(("left", left))
        self.field = [bot for bot in self.field if bot in here]
        if len(self.field) > 1:
            self._call_back(here)
        seats = self._plan.seats
        if len(self.field) < seats:
            self.podium = [("final", self.field)]
            self.over = True
            return
        self._round += 1
        if len(self.field) == seats:
            self.ties = [Tie(name="final", bots=self.field, advancing=1)]
            losers = [bot for bot in self._losers if bot in here and bot not in self.field]
            if seats == 2 and self._plan.third_place and len(losers) == 2:
                self.ties.append(Tie(name="third place", bots=losers, advancing=1))
        else:
            self._seat()
        self.rounds.append(self.ties)

    def _seat(self) -> None:
        """Seat all but the byes, in a snake: 1, 4, 5 against 2, 3, 6."""
        seats, size = self._plan.seats, len(self.field)
        out = cuts(len(self._plan.entrants), seats)[size].out
        count = tables_for(out, seats)
        playing = self.field[size - count * seats :]
        tables: list[list[str]] = [[] for _ in range(count)]
        for at in range(0, len(playing), count):
            row = playing[at : at + count]
            for table, bot in zip(tables, row if at // count % 2 == 0 else row[::-1], strict=True):
                table.append(bot)
        most = seats // 2
        # If one table eliminates fewer, it is that of the best seed.
        put_out = [out - most * (count - 1)] + [most] * (count - 1)
        self.ties = [
            Tie(name=f"{self._round_name(size)} {number}", bots=table, advancing=seats - fewer)
            for number, (table, fewer) in enumerate(zip(tables, put_out, strict=True), 1)
        ]

    def _call_back(self, here: set[str]) -> None:
        """Fill the table with the last to go out."""
        for _, bots in reversed(self.out):
            for bot in [bot for bot in bots if bot in here]:
                if len(self.field) < self._plan.seats:
                    bots.remove(bot)
                    self.field.append(bot)

    def _round_name(self, size: int | None = None) -> str:
        if size is None:
            return self.ties[0].name.rpartition(" ")[0].removesuffix(", table").removesuffix(", match")
        if self._plan.seats > 2:
            return f"round {self._round}, table"
        places = 1 << (size - 1).bit_length()
        return {4: "semi-final", 8: "quarter-final"}.get(places, f"round of {places}, match")


class Knockout:
    """A knockout as a format: a stage is a leg of all ties of a round that are still level."""

    lag = 1
    reads_drawn = True

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def stage(self, index: int, drawn: Drawn, history: History) -> list[Pairing] | None:
        """Return the next leg of the ties that need one, or the first of the next round."""
        bracket = self._replay(history)
        tables = bracket.open_stage(index)
        return None if bracket.over else tables

    def remaining(self, index: int, drawn: Drawn, history: History) -> int | None:
        """Count the ties to come, each decided as soon as can be."""
        bracket = self._replay(history[:index])
        # The stage before may still be played: what it leads to is counted as if it decided its ties.
        tables = bracket.open_stage(len(history))
        return bracket.least_blocks() + (len(tables) if len(history) == index else 0)

    def bracket(self, history: History) -> Bracket:
        """Return the bracket after these stages."""
        bracket = self._replay(history)
        bracket.open_stage(len(history))
        return bracket

    def _replay(self, history: History) -> Bracket:
        bracket = Bracket(self._plan)
        for index, stage in enumerate(history):
            bracket.open_stage(index)
            bracket.take(list(stage))
        return bracket
