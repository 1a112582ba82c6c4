"""Chooses how many matches a worker plays at once, unless the user does: as many as its bots can serve without waiting.

Bots that decide instantly gain from many tables, because a process answers many questions at a time. Bots that think
gain nothing: they need a processor, and with many tables their questions wait for each other while the clocks run. So
we measure the processor time each bot takes to decide. The time until it answers would not do: that rises with the very
load that is chosen here, and a bot that sleeps needs no processor.

There are as many workers as cores, so a worker's bots are assumed to share one core with it. No bot plays at many
tables before it was measured. The results of an event do not depend on any of this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from referee.match.clock import TimeControl
from server.play.block_jobs import BlockJob

FIRST_TABLES = 1
"""Tables of a worker while a bot of a running match is not measured yet."""

MOST_TABLES = 32
"""For each lane, whose tables share a process. More gain little: it answers half of them at a time."""

FEW_TABLES = 4
"""Tables even for bots that play one match at a time, each in a process of its own."""

WAIT_SECONDS = 0.02
CLOCK_SHARE = 0.05
USUAL_DECISIONS = 200
"""A question should not wait longer than this for the answers to others, nor longer than this share of the time that
a seat has for a decision, in a match with so many."""

ENOUGH_QUESTIONS, ENOUGH_MATCHES = 20, 3
"""A bot is measured after this many questions, or this many matches: a bot that fails at once is asked nothing."""

RECENT_QUESTIONS = 1000
"""Older ones lose their weight: a bot may be slow until it is warm."""

BotInGame = tuple[str, str]
"""A game's id and a bot's name."""


@dataclass(frozen=True, slots=True)
class BotCost:
    """What a bot took to decide."""

    matches: int
    questions: float
    cpu_seconds: float
    slots: int
    """Matches that one process of it plays at once."""

    @property
    def is_measured(self) -> bool:
        """Check whether it is enough to judge by."""
        return self.questions >= ENOUGH_QUESTIONS or self.matches >= ENOUGH_MATCHES

    @property
    def per_question(self) -> float:
        """Return seconds of processor time."""
        return self.cpu_seconds / max(1.0, self.questions)

    def with_newer(self, newer: BotCost) -> BotCost:
        """Return both together, the older ones with less weight."""
        questions = self.questions + newer.questions
        weight = min(1.0, RECENT_QUESTIONS / max(1.0, questions))
        return BotCost(
            matches=self.matches + newer.matches,
            questions=questions * weight,
            cpu_seconds=(self.cpu_seconds + newer.cpu_seconds) * weight,
            slots=newer.slots,
        )


class TableChoice:
    """Chooses the tables of each worker from what all of them measured."""

    def __init__(self) -> None:
        self._costs: dict[BotInGame, BotCost] = {}
        self._regarded: set[BotInGame] = set()
        self.reason = ""
        """Why the last choice was made; empty while a bot is not measured."""

    def add(self, costs: Mapping[BotInGame, BotCost]) -> None:
        """Take in what a worker measured."""
        for key, cost in costs.items():
            self._costs[key] = self._costs[key].with_newer(cost) if key in self._costs else cost

    def has_regarded(self, job: BlockJob) -> bool:
        """Check whether the last choice was made for these bots too."""
        return all((job.game, bot.name) in self._regarded for bot in job.bots)

    def choose(self, jobs: Collection[BlockJob], workers: int) -> int:
        """Return how many tables each of the workers that share these should have."""
        self._regarded = bots = {(job.game, bot.name) for job in jobs for bot in job.bots}
        costs = {bot: self._costs[key] for key in bots if key in self._costs for bot in [key[1]]}
        if len(costs) < len({bot for _, bot in bots}) or not all(cost.is_measured for cost in costs.values()):
            self.reason = ""
            return FIRST_TABLES
        slowest = max(costs, key=lambda bot: costs[bot].per_question)
        seconds = costs[slowest].per_question
        slots = min(cost.slots for cost in costs.values())
        most = max(FEW_TABLES, min(MOST_TABLES, slots) * lane_count(jobs, workers))
        tables = max(1, min(most, int(longest_wait(job.clock for job in jobs) / max(seconds, 1e-6))))
        self.reason = f"{slowest} takes {1e3 * seconds:.2g} ms of processor time to decide"
        if tables == most and slots < MOST_TABLES:
            self.reason += f", and a process plays {slots} matches at once"
        return tables


def lane_count(jobs: Iterable[BlockJob], workers: int) -> int:
    """Return how many lanes each of the workers has: rotations with the same luck that it has to play."""
    same = max(max(Counter(job.secrets).values()) for job in jobs)
    return -(-same // workers)


def longest_wait(clocks: Iterable[TimeControl]) -> float:
    """Return how long a question may wait for the answers to others, in seconds."""
    times = [
        min(clock.cap_seconds, clock.increment_seconds + clock.bank_seconds / USUAL_DECISIONS)
        for clock in clocks
        if not clock.unlimited
    ]
    return min([WAIT_SECONDS, *(CLOCK_SHARE * seconds for seconds in times)])
