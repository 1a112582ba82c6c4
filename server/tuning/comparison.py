"""Two sides on the same luck: which games a block has, and what it came to.

Against a field, each side plays the same games: on every seat, against the same opponents, under the same luck and the
same match id, so that an opponent that draws its choices from the id (as `random` does) draws the same ones. Without a
field the two sides meet each other, with seats exchanged. A block is one item of evidence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from referee.errors import ConfigError
from referee.rules.engine import Variant
from referee.rules.infos import find_info
from server.bots.spec import BotSpec
from server.ratings.scores import seat_scores

FIRST, SECOND, FIELD = 0, 1, 2
"""Who sits on a seat: a side, or from FIELD on the number of an opponent."""

PREFIX = "TORTUGA_PARAM_"
"""What the names of parameters begin with in a bot's environment."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """A bot, with the values of its parameters as texts."""

    bot: BotSpec
    values: tuple[tuple[str, str], ...] = ()
    by_arguments: bool = False
    """Parameters come as `--name=value` at the end of its command line, not in its environment."""

    @property
    def environment(self) -> dict[str, str]:
        """Return what the bot's environment holds for it."""
        return {} if self.by_arguments else {f"{PREFIX}{name}": value for name, value in self.values}

    @property
    def arguments(self) -> tuple[str, ...]:
        """Return what its command line ends in."""
        return tuple(f"--{name}={value}" for name, value in self.values) if self.by_arguments else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Seating:
    """One game of a block: who sits where."""

    rotation: int
    occupants: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """How a game of a block ended."""

    ranks: tuple[int, ...]
    points: tuple[float, ...]
    faults: tuple[tuple[int, str], ...] = ()
    """Whose, and what happened."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockScore:
    """What a block came to, for either side."""

    scores: tuple[float, float]
    """The mean share of the other seats beaten, ties counting half."""
    margins: tuple[float, float]
    """The mean lead in points over the best other seat."""
    games: int
    faults: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Two sides, and whom they meet."""

    game: str
    variant: Variant
    seats: int
    seed: str
    sides: tuple[Side, Side]
    field: tuple[BotSpec, ...] = ()
    """Their opponents, who take turns; empty: the sides meet each other."""

    def __post_init__(self) -> None:
        find_info(self.game).check_seats(self.seats)
        if not self.field and self.seats != 2:
            raise ConfigError(f"with {self.seats} seats, the other seats need players: name opponents")
        for bot in self.bots:
            bot.check_game(self.game)

    @property
    def bots(self) -> tuple[BotSpec, ...]:
        """Return all of them, by the number of an occupant."""
        return *(side.bot for side in self.sides), *self.field

    @property
    def games_per_block(self) -> int:
        """Return how many games a block has."""
        return 2 * self.seats if self.field else 2

    def seatings(self, block: int) -> list[Seating]:
        """Return the games of a block. Opponents take turns from block to block."""
        if not self.field:
            return [Seating(rotation=0, occupants=(FIRST, SECOND)), Seating(rotation=1, occupants=(SECOND, FIRST))]
        others, count = self.seats - 1, len(self.field)
        opponents = [FIELD + (block * others + place) % count for place in range(others)]
        return [
            Seating(
                rotation=rotation,
                occupants=tuple([side, *opponents][(seat - rotation) % self.seats] for seat in range(self.seats)),
            )
            for rotation in range(self.seats)
            for side in (FIRST, SECOND)
        ]

    def count(self, games: Sequence[tuple[Seating, Finished]]) -> BlockScore:
        """Return what the games of a block came to."""
        scores: tuple[list[float], list[float]] = ([], [])
        margins: tuple[list[float], list[float]] = ([], [])
        for seating, finished in games:
            shares = seat_scores(finished.ranks)
            for seat, who in enumerate(seating.occupants):
                if who < FIELD:
                    others = finished.points[:seat] + finished.points[seat + 1 :]
                    scores[who].append(shares[seat])
                    margins[who].append(finished.points[seat] - max(others))
        return BlockScore(
            scores=(mean(scores[FIRST]), mean(scores[SECOND])),
            margins=(mean(margins[FIRST]), mean(margins[SECOND])),
            games=len(games),
            faults=tuple(fault for _, finished in games for fault in finished.faults),
        )


def mean(values: Sequence[float]) -> float:
    """Return the mean."""
    return math.fsum(values) / len(values)
