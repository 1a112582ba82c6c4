"""A series: the same bots meet many times, in mirrored blocks.

A block is one secret played in every rotation of the seats: the luck belongs to the seat, the bots rotate. A bot that
remembered the first seating could exploit it in the second, so every rotation has processes of its own, and no process
ever meets the same secret twice.
"""

from __future__ import annotations

import asyncio
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from referee.chance import commitment, derive_secret
from referee.clock import TimeControl
from referee.engine import AnyGame, Options
from referee.match import MatchResult, Terms
from referee.wire import find_wire
from server.config import BotSpec
from server.stage import Stage


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """What all matches of a series have in common."""

    game: AnyGame
    options: Options
    seed: str
    clock: TimeControl = field(default_factory=TimeControl)
    faults_allowed: int = 0

    def terms(self, name: str = "", rotation: int | None = None) -> Terms:
        """One match: its luck follows from the seed and the name, its id also tells the rotation."""
        secret = derive_secret(self.seed, name)
        suffix = "" if rotation is None else f"-{rotation}"
        return Terms(
            match_id=f"{self.game.info.id}-{commitment(secret).hex()[:12]}{suffix}",
            game=self.game,
            wire=find_wire(self.game.info.id),
            options=self.options,
            secret=secret,
            seed=self.seed if not name else "",
            clock=self.clock,
            faults_allowed=self.faults_allowed,
        )


@dataclass(slots=True)
class Standing:
    """One bot's part of a series."""

    bot: str
    points: list[float]
    """Per block, the mean over its seatings: the share of the other seats it beat, ties counting half."""
    seatings: int
    """How many games a block has."""
    wins: float = 0.0
    faults: int = 0

    @property
    def score(self) -> float:
        """The mean over the blocks."""
        return statistics.fmean(self.points) if self.points else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score.

        Blocks are independent of each other, the games of a block are not. So the games are counted as so many
        independent ones as would vary like the blocks do: at least one a block, at most all of them.
        """
        blocks, score = len(self.points), self.score
        if blocks < 2:
            return 0.0, 1.0
        games, variance = blocks * self.seatings, statistics.variance(self.points)
        worth = blocks * score * (1 - score) / variance if variance > 0 else games
        return wilson(score, min(max(worth, blocks), games))


def wilson(share: float, games: float) -> tuple[float, float]:
    """The 95 % interval of a share, sound also near 0 and 1."""
    z = statistics.NormalDist().inv_cdf(0.975)
    centre = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(slots=True)
class SeriesResult:
    """What a series came to."""

    standings: list[Standing]
    matches: int = 0
    void: int = 0
    decisions: int = 0


async def play_series(
    stage: Stage,
    setting: Setting,
    bots: Sequence[BotSpec],
    *,
    blocks: int,
    tables: int,
    finished: Callable[[MatchResult], None] | None = None,
) -> SeriesResult:
    """Play every block in every rotation, up to `tables` matches of each at once, as far as the bots have slots."""
    seats = len(bots)
    series = SeriesResult([Standing(bot.name, [], seats) for bot in bots])
    found: dict[int, list[list[float]]] = {}

    async def play_rotation(rotation: int) -> None:
        order = [(place - rotation) % seats for place in range(seats)]
        contenders = [await stage.start_bot(bots[bot]) for bot in order]
        waiting = iter(range(blocks))

        async def work() -> None:
            for block in waiting:
                result = await stage.play(setting.terms(str(block), rotation), contenders)
                count_match(series, found.setdefault(block, [[] for _ in bots]), order, result)
                if finished:
                    finished(result)

        seconds = None if setting.clock.unlimited else setting.clock.start_seconds
        slots = await asyncio.gather(*(contender.slots(seconds) for contender in contenders))
        await asyncio.gather(*(work() for _ in range(min(tables, *slots))))

    await asyncio.gather(*(play_rotation(rotation) for rotation in range(seats)))
    for block in sorted(found):
        for standing, points in zip(series.standings, found[block], strict=True):
            if points:
                standing.points.append(statistics.fmean(points))
    return series


def count_match(series: SeriesResult, block: list[list[float]], order: Sequence[int], result: MatchResult) -> None:
    """Add one match; `order` says which bot sat where."""
    series.decisions += result.decisions
    for fault in result.faults:
        series.standings[order[fault.seat]].faults += 1
    if result.void:
        series.void += 1
        return
    series.matches += 1
    first = result.ranks.count(1)
    for seat, bot in enumerate(order):
        beaten = [
            1.0 if rank > result.ranks[seat] else 0.5
            for rank in others(result.ranks, seat)
            if rank >= result.ranks[seat]
        ]
        block[bot].append(sum(beaten) / (len(order) - 1))
        if result.ranks[seat] == 1:
            series.standings[bot].wins += 1 / first


def others(ranks: Sequence[int], seat: int) -> list[int]:
    """The ranks of the other seats."""
    return [rank for place, rank in enumerate(ranks) if place != seat]
