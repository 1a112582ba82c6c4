"""What mirrored blocks are worth: how many times fewer games give the same precision.

A mirrored block plays every rotation of the seats under one chance secret. Whatever luck favours a seat favours each
side once, so the mean of a block scatters less than that of as many games with a secret each. By how much depends on
the game and the bots; this measures it, with bots of nearly equal strength, in this process and without gRPC.

**Both numbers come from the same games.** The games of one rotation, taken over all blocks, have a secret each. So the
variance that a block of independent games would have is the sum of the variances of its rotations, divided by the
square of their number: exactly what comes of shuffling every rotation among the blocks, in all ways at once.

The bots' own luck, blunders included, follows from the match and the seat: it differs between the games of a
mirrored block too, as it does with real bots.

**Luck.** Where a game counts the luck of its seats (`Game.luck`), the same games tell what taking it off saves beyond
that: the variance of scores over that of scores less luck, for mirrored blocks and for single games.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np

from referee.games import find_game
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course, SeatLuck
from referee.rules.engine import Seat, Variant
from server.bots.spec import find_bot
from server.play.simulate import Strategy, make_strategy
from server.ratings.matches import Floats
from server.ratings.scores import block_score, seat_scores

DRAWS = 2000
"""Samples of the bootstrap."""

find_sample = cache(find_bot)


@dataclass(frozen=True, slots=True)
class Side:
    """A sample bot, or one that plays any option in a share of its decisions."""

    bot: str
    blunders: float = 0.0

    def __str__(self) -> str:
        return f"{self.bot} ({self.blunders:.0%} blunders)" if self.blunders else self.bot


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two sides that hold half of the seats each."""

    game: str
    seats: int
    ours: Side
    theirs: Side

    @property
    def sides(self) -> list[Side]:
        """Return by seat in rotation 0. Alternating sides would make every second rotation repeat another."""
        half = self.seats // 2
        return [self.ours] * half + [self.theirs] * half


RANDOM = Side("random")

MEETINGS = (
    Meeting("pavillon_noir", 2, Side("gunner"), Side("gunner", 0.05)),
    Meeting("pavillon_noir", 2, RANDOM, RANDOM),
    Meeting("broadsides", 2, Side("privateer"), Side("privateer", 0.1)),
    Meeting("broadsides", 2, RANDOM, RANDOM),
    Meeting("pirates_cove", 2, Side("buccaneer"), Side("buccaneer", 0.1)),
    Meeting("pirates_cove", 2, RANDOM, RANDOM),
    Meeting("marauders", 2, Side("raider"), Side("raider", 0.05)),
    Meeting("marauders", 2, Side("trader"), Side("raider")),
    Meeting("marauders", 2, RANDOM, RANDOM),
    Meeting("pirates_cove", 4, Side("buccaneer"), Side("buccaneer", 0.1)),
    Meeting("pirates_cove", 4, RANDOM, RANDOM),
    Meeting("marauders", 4, Side("raider"), Side("raider", 0.05)),
    Meeting("marauders", 4, Side("trader"), Side("raider")),
    Meeting("marauders", 4, RANDOM, RANDOM),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Gain:
    """What came of a meeting."""

    blocks: int
    mean: float
    """What our side scored, 0 to 1."""
    mirrored: float
    """The variance of the mean of a block: all its games under one secret."""
    independent: float
    """The same with a secret for every game."""
    ratio: float | None
    """Independent over mirrored: the factor by which fewer games give the same precision. None: no block differs."""
    low: float | None
    high: float | None
    """Its 95 % interval."""
    luck: tuple[float, float, float] | None = None
    """The further factor if luck is taken off the scores of mirrored blocks, and its interval. None: not counted."""
    luck_single: tuple[float, float, float] | None = None
    """The same for games with a secret each."""


def measure_mirrors(meetings: Sequence[Meeting], count: int, advance: Callable[[], None]) -> list[dict[str, Any]]:
    """Measure the mirrors, a row per meeting. The seed is always the same: so are the rows, for the same rules and
    bots."""
    rows = []
    for meeting in meetings:
        began = time.process_time()
        gain = weigh(*play(meeting, max(2, count // meeting.seats), advance))
        rows.append(as_row(meeting, gain, time.process_time() - began))
    return rows


def find_meetings(games: Sequence[str]) -> list[Meeting]:
    """Return the meetings in these games, or in all."""
    wanted = {find_game(name).info.id for name in games}
    return [meeting for meeting in MEETINGS if not wanted or meeting.game in wanted]


def play(meeting: Meeting, blocks: int, advance: Callable[[], None] = lambda: None) -> tuple[Floats, Floats]:
    """Play blocks; return our side's score in every game and its luck, a row per block and a column per rotation."""
    results = []
    for block in range(blocks):
        results.append(play_block(meeting, f"mirrors/{meeting.game}-{meeting.seats}/{block}"))
        for _ in results[-1]:
            advance()
    scores, luck = np.moveaxis(np.array(results), -1, 0)
    return scores, luck


def play_block(meeting: Meeting, name: str) -> list[tuple[float, float]]:
    """Return what our side scored in every rotation, all under one secret, and its luck."""
    return [
        play_game(meeting, rotation, f"{name}-{rotation}", derive_secret(name)) for rotation in range(meeting.seats)
    ]


def play_game(meeting: Meeting, rotation: int, match_id: str, secret: bytes) -> tuple[float, float]:
    """Return what our side scored in one game, and how much of that it owes to luck."""
    game, count = find_game(meeting.game), meeting.seats
    variant = game.info.read_variant({})
    course = Course(game, count, variant, SeededChance(secret))
    luck = SeatLuck(course)
    places = [(seat - rotation) % count for seat in range(count)]
    strategies = [
        make_side(meeting.sides[place], course, variant, Seat(seat), match_id) for seat, place in enumerate(places)
    ]
    while course.outcome is None:
        course.choose({seat: strategies[seat](course, seat) for seat in course.asked})
        luck.follow(course)
    score, given = (
        block_score(
            [share for place, share in zip(places, each, strict=True) if place < count // 2],
            [share for place, share in zip(places, each, strict=True) if place >= count // 2],
        )
        for each in (seat_scores(course.outcome.ranks), luck.given)
    )
    return score, given - 0.5


def make_side(side: Side, course: Course, variant: Variant, seat: Seat, match_id: str) -> Strategy:
    """Make a bot for one game; its blunders follow from the match and the seat."""
    strategy = make_strategy(find_sample(side.bot), course, variant, seat, match_id)
    if not side.blunders:
        return strategy
    luck = random.Random(f"{match_id}/{seat}/blunders")

    def blunder_now_and_then(course: Course, seat: Seat) -> int:
        meant = strategy(course, seat)  # asked in any case: it remembers what it was told
        return luck.randrange(len(course.asked[seat])) if luck.random() < side.blunders else meant

    return blunder_now_and_then


def weigh(scores: Floats, luck: Floats | None = None) -> Gain:
    """Compare mirrored with independent games, and scores with scores less luck; intervals are a bootstrap over
    whole blocks."""
    mirrored, independent = variances(scores)
    dice = np.random.RandomState(0)
    draws = [dice.randint(len(scores), size=len(scores)) for _ in range(DRAWS)]
    drawn = [variances(scores[draw]) for draw in draws]
    ratios = [single / block for block, single in drawn if block > 0]
    known = mirrored > 0 and len(ratios) == DRAWS
    low, high = _interval(ratios) if known else (None, None)
    blocks = singles = None
    if known and luck is not None and luck.any():
        less, less_drawn = variances(scores - luck), [variances((scores - luck)[draw]) for draw in draws]
        whole = mirrored, independent
        blocks, singles = (
            (
                whole[at] / less[at],
                *_interval([drawn_pair[at] / other[at] for drawn_pair, other in zip(drawn, less_drawn, strict=True)]),
            )
            for at in (0, 1)
        )
    return Gain(
        blocks=len(scores),
        mean=float(scores.mean()),
        mirrored=mirrored,
        independent=independent,
        ratio=independent / mirrored if known else None,
        low=low,
        high=high,
        luck=blocks,
        luck_single=singles,
    )


def _interval(drawn: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval, from bootstrap samples."""
    low, high = np.percentile(drawn, [2.5, 97.5]).tolist()
    return low, high


def variances(scores: Floats) -> tuple[float, float]:
    """Return the variance of a block's mean: as it was played, and if its games had been independent."""
    return float(scores.mean(axis=1).var(ddof=1)), float(scores.var(axis=0, ddof=1).sum()) / scores.shape[1] ** 2


def as_row(meeting: Meeting, gain: Gain, cpu_seconds: float) -> dict[str, Any]:
    """Return a meeting for programs."""
    sides = {"ours": str(meeting.ours), "theirs": str(meeting.theirs)}
    return {"game": meeting.game, "seats": meeting.seats, **sides, **asdict(gain), "cpu_seconds": cpu_seconds}
