"""A schedule at work: from a plan and the results so far to the blocks that can be played now.

Its answers depend on the plan and the given results, and on nothing else. It remembers what it has drawn, so that a
call after every result is cheap (with a Ledger also after a million); given another history, it starts over.

When a bot joins or leaves, make a new Schedule with the changed plan: stages before the change stay as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from referee.errors import ConfigError, RulesError
from server.schedule.drawing import SeatOrder
from server.schedule.gauntlet import Gauntlet
from server.schedule.knockout import Bracket, Knockout
from server.schedule.league import League
from server.schedule.plan import Block, BracketPlace, Format, HalfPoints, History, Ledger, Plan, PlayedBlock, Results
from server.schedule.points import check_points
from server.schedule.round_robin import round_robin
from server.schedule.swiss import Swiss


def ladder(plan: Plan) -> Format:
    """Make the ladder of a plan. Imports numpy, which other formats do not need."""
    from server.schedule.ladder import Ladder

    return Ladder(plan)


FORMATS: dict[str, Callable[[Plan], Format]] = {
    "round-robin": round_robin,
    "gauntlet": Gauntlet,
    "swiss": Swiss,
    "knockout": Knockout,
    "league": League,
    "ladder": ladder,
}

CLOSED = ("round-robin", "gauntlet", "knockout")
"""Formats that nobody can join once they have begun."""

_FORGOTTEN: list[Block] = []
"""The blocks of a stage that was played."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Withdrawal:
    """What follows when a bot leaves. Store both together: an interruption between them would change the schedule."""

    plan: Plan
    cancelled: tuple[int, ...]
    """The blocks that get the result None."""


def check(plan: Plan) -> None:
    """Refuse a plan that cannot be played, and say what can."""
    if plan.format not in FORMATS:
        raise ConfigError(f"no format {plan.format!r}; there are {', '.join(FORMATS)}")
    if plan.seats < 2:
        raise ConfigError(f"a contest needs at least 2 seats, not {plan.seats}")
    names = [entrant.name for entrant in plan.entrants]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(f"{', '.join(twice)}: entered more than once; a bot cannot play itself")
    late = [entrant.name for entrant in plan.entrants if entrant.joined]
    if late and plan.format in CLOSED:
        raise ConfigError(f"{', '.join(late)}: nobody can join a {plan.format} that has begun")
    count = len(names) - len(late)
    if count < plan.seats:
        raise ConfigError(f"a {plan.format} for {plan.seats} seats needs at least {plan.seats} bots, there are {count}")
    if plan.rounds < 1 and not (plan.format == "ladder" and plan.rounds == 0):
        raise ConfigError(f"a {plan.format} needs at least 1 round, not {plan.rounds}")
    if plan.max_legs < 1:
        raise ConfigError(f"a tie needs at least 1 leg, not {plan.max_legs}")


class Schedule:
    """The blocks of one contest."""

    def __init__(self, plan: Plan) -> None:
        check(plan)
        self.plan = plan
        self._drawn: list[list[Block]] = []
        """Blocks of every stage. The first `_forgotten` are empty, if the format does not need them."""
        self._forgotten = 0
        self._block_count = 0
        self._ended = False
        self._history: list[list[PlayedBlock]] = []
        self._settled: list[HalfPoints | None] = []
        """The results in `_history`, flat: by block number."""
        self._known: Ledger | None = None
        """The ledger they were taken from, if any."""
        self._bookmark = 0
        self._order = SeatOrder()
        self._format = FORMATS[self.plan.format](self.plan)

    @property
    def lag(self) -> int | None:
        """Stage i is drawn from the results of the stages up to i - lag. None: no stage needs a result."""
        return self._format.lag

    def open_blocks(self, results: Results, limit: int | None = None) -> list[Block]:
        """Return the blocks that can be played now and have no result, in order; at most `limit` of them."""
        self._take_in(results)
        blocks: list[Block] = []
        stage = self._first_open(results)
        while limit is None or len(blocks) < limit:
            if stage == len(self._drawn) and not self._draw_next():
                break
            blocks += [block for block in self._drawn[stage] if block.number not in results]
            stage += 1
        return blocks[:limit]

    def blocks(self, results: Results) -> list[Block]:
        """Return all blocks that follow from these results, played or not, in order."""
        if self._forgotten:
            return Schedule(self.plan).blocks(results)
        self._take_in(results)
        while self._draw_next():
            pass
        return [block for stage in self._drawn for block in stage]

    def block(self, number: int, results: Results) -> Block:
        """Return the block of that number."""
        blocks = self.blocks(results)
        if number >= len(blocks):
            raise RulesError(f"block {number}: these results lead to {len(blocks)} blocks only")
        return blocks[number]

    def is_over(self, results: Results) -> bool:
        """Check that everything is played."""
        return not self.open_blocks(results, limit=1) and self._ended

    def planned(self, results: Results) -> int | None:
        """Return how many blocks are played in all; in a knockout the least number. None: there is no end."""
        self._take_in(results)
        if not self._ended and self._format.lag is not None:
            while self._draw_next():
                pass
        cancelled = (
            results.cancelled if isinstance(results, Ledger) else sum(result is None for result in results.values())
        )
        if self._ended:
            return self._block_count - cancelled
        left = self._format.remaining(len(self._drawn), self._drawn, self._history)
        return None if left is None else self._block_count - cancelled + left

    def played_stages(self, results: Results) -> History:
        """Return the blocks of all complete stages with their results; none where no stage is drawn from results."""
        self._take_in(results)
        return self._history

    def bracket(self, results: Results) -> Bracket | None:
        """Return the bracket of a knockout after all complete stages. None: the format has none."""
        if not isinstance(self._format, Knockout):
            return None  # before anything is drawn: waves of a ladder take seconds
        self._take_in(results)
        return self._format.bracket(self._history)

    def placing(self, results: Results) -> list[BracketPlace] | None:
        """Return the places of a knockout, by the round reached. None: other formats are ordered by placings.py."""
        bracket = self.bracket(results)
        return None if bracket is None else bracket.places()

    def next_stage(self, results: Results, running: Collection[int] = ()) -> int:
        """Return the first stage in which no block has a result or is running: where a change of the field takes
        effect."""
        touched = max((*results, *running), default=-1)
        return 0 if touched < 0 else self.block(touched, results).stage + 1

    def withdraw(self, bot: str, results: Results, running: Collection[int] = ()) -> Withdrawal:
        """Take a bot out. Blocks that are running may be finished; if not, cancel them too.

        The bot's other blocks up to the stage that is being played are cancelled; later stages are drawn without it,
        so queued blocks of later stages must be requested again.
        """
        left = self.next_stage(results, running)
        if bot not in {entrant.name for entrant in self.plan.entrants}:
            raise ConfigError(f"{bot}: no such bot in this contest")
        cancelled = [
            block.number
            for stage in self._drawn[:left]
            for block in stage
            if bot in block.bots and block.number not in results and block.number not in running
        ]
        entrants = tuple(
            replace(entrant, left=left) if entrant.name == bot and entrant.left is None else entrant
            for entrant in self.plan.entrants
        )
        return Withdrawal(plan=replace(self.plan, entrants=entrants), cancelled=tuple(cancelled))

    def _first_open(self, results: Results) -> int:
        """Return a stage before which every block has a result: where to start looking for open ones."""
        if self._format.lag is not None:
            return len(self._history)
        # Nothing is drawn from results here, so this is only a bookmark; for other results it starts anew.
        if not self._trusts(results):
            self._bookmark = 0
            if self._forgotten:
                self._start_over()
        forget = isinstance(results, Ledger) and not self._format.reads_drawn
        while self._bookmark < len(self._drawn) or self._draw_next():
            if any(block.number not in results for block in self._drawn[self._bookmark]):
                break
            if forget:
                self._drawn[self._bookmark] = _FORGOTTEN
                self._forgotten = self._bookmark + 1
            self._bookmark += 1
        return self._bookmark

    def _start_over(self) -> None:
        self._history, self._settled, self._drawn = [], [], []
        self._forgotten = self._block_count = self._bookmark = 0
        self._ended = False
        self._order = SeatOrder()
        self._format = FORMATS[self.plan.format](self.plan)

    def _draw_next(self) -> bool:
        """Draw one more stage, if the results that are settled allow it."""
        lag = self._format.lag
        index = len(self._drawn)
        if self._ended or (lag is not None and index - lag >= len(self._history)):
            return False
        history = [] if lag is None else self._history[: max(0, index - lag + 1)]
        tables = self._format.stage(index, self._drawn, history)
        if tables is None:
            self._ended = True
            return False
        first = self._block_count
        stage = [
            Block(number=first + table, stage=index, table=table, bots=self._order.arrange(bots), label=label)
            for table, (bots, label) in enumerate(tables)
        ]
        self._drawn.append(stage)
        self._block_count += len(stage)
        return True

    def _take_in(self, results: Results) -> None:
        """Take in complete stages. Start over if these results contradict those taken in before."""
        if self._format.lag is None:
            return
        if not self._fits(results):
            self._start_over()
        while True:
            at = len(self._history)
            if at == len(self._drawn) and not self._draw_next():
                return
            stage = self._drawn[at]
            if any(block.number not in results for block in stage):
                return
            played = [PlayedBlock(block=block, half_points=results[block.number]) for block in stage]
            for each in played:
                check_points(each, self.plan.seats)
            self._history.append(played)
            self._settled += [each.half_points for each in played]

    def _trusts(self, results: Results) -> bool:
        """Check that everything taken in came from this very ledger."""
        known, self._known = self._known, results if isinstance(results, Ledger) else None
        return known is not None and known is results

    def _fits(self, results: Results) -> bool:
        if self._trusts(results):
            return True
        try:
            return list(map(results.__getitem__, range(len(self._settled)))) == self._settled
        except KeyError:
            return False
