"""Reads results in bulk, as columns of numbers instead of an object per match: a million in a second."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from server.play.summary import ResultRow
from server.ratings.matches import Ints

TEXTS_KEPT = 10_000
"""Parsed texts that are remembered, since they repeat."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ResultColumns:
    """Consecutive results of one contest in schedule order: a row per match, all matches of each of their blocks."""

    contest: str
    match_ids: Sequence[str]
    names: Sequence[str]
    """Bots are numbers in this list. It has every bot of these matches, and may have others."""
    blocks: Ints
    stages: Ints
    rotations: Ints
    bots: Ints
    """A column per seat, as have the following."""
    ranks: Ints
    faults: Ints

    def __len__(self) -> int:
        return len(self.match_ids)

    @property
    def seats(self) -> int:
        """How many seats a match has."""
        return int(self.bots.shape[1])

    def are_whole_blocks_from(self, block: int) -> bool:
        """Whether these are all matches of consecutive blocks, beginning with that one."""
        places = np.arange(len(self))
        return (
            len(self) % self.seats == 0
            and np.array_equal(self.blocks, block + places // self.seats)
            and np.array_equal(self.rotations, places % self.seats)
        )

    def half_points(self) -> Ints:
        """2 for each seat beaten, 1 for each tied with."""
        found = np.zeros_like(self.ranks)
        for one in range(self.seats):
            for other in range(self.seats):
                if one != other:
                    found[:, one] += 1 + np.sign(self.ranks[:, other] - self.ranks[:, one])
        return found

    def points_of_blocks(self) -> list[tuple[int, ...]]:
        """The points of each bot in whole blocks, in the order of rotation 0."""
        points = self.half_points().reshape(-1, self.seats, self.seats)
        made = sum(np.roll(points[:, rotation], -rotation, axis=1) for rotation in range(self.seats))
        return list(map(tuple, np.asarray(made).tolist()))

    def rows(self) -> Iterator[ResultRow]:
        """The same, match by match."""
        names, count = self.names, self.seats
        columns = (self.blocks, self.stages, self.rotations, self.bots, self.ranks, self.half_points(), self.faults)
        for match_id, block, stage, rotation, bots, *numbers in zip(
            self.match_ids, *(column.tolist() for column in columns), strict=True
        ):
            seated = tuple([names[bot] for bot in bots])
            yield ResultRow(
                self.contest,
                match_id,
                block,
                stage,
                rotation,
                tuple([seated[(place + rotation) % count] for place in range(count)]),
                seated,
                *map(tuple, numbers),
            )


class _Numbers(dict[Any, int]):
    """Numbers values as they come."""

    def __missing__(self, key: Any) -> int:
        self[key] = number = len(self)
        return number


def _column(numbers: Sequence[int]) -> Ints:
    return np.fromiter(numbers, np.int64, len(numbers))


@lru_cache(TEXTS_KEPT)
def _numbers(text: str) -> list[int]:
    return list(json.loads(text))


class ColumnReader:
    """Makes columns from rows of the database. All of one reader number the bots alike."""

    def __init__(self, contest: str, seats: int) -> None:
        self._contest = contest
        self._seats = seats
        self._bots = _Numbers()
        self._team = lru_cache(TEXTS_KEPT)(self._read_team)

    def read(self, rows: Sequence[tuple[Any, ...]]) -> ResultColumns:
        """Rows of match id, block, stage, rotation, bots, ranks and fault counts."""
        match_ids, blocks, stages, rotations, teams, ranks, faults = zip(*rows, strict=True)
        turns = _column(rotations)
        # In rotation k, seat s is held by bot (s - k) of the block.
        places = (np.arange(self._seats) - turns[:, None]) % self._seats
        return ResultColumns(
            contest=self._contest,
            match_ids=match_ids,
            blocks=_column(blocks),
            stages=_column(stages),
            rotations=turns,
            bots=np.take_along_axis(self._parse(teams, self._team), places, axis=1),
            ranks=self._parse(ranks, _numbers),
            faults=self._parse(faults, _numbers),
            names=tuple(self._bots),
        )

    def _read_team(self, text: str) -> list[int]:
        return [self._bots[bot] for bot in text.split(" ")]

    def _parse(self, texts: Sequence[str], parse: Callable[[str], list[int]]) -> Ints:
        """The numbers in each text. Texts repeat, so each is parsed once."""
        numbers = _Numbers()
        places = np.fromiter(map(numbers.__getitem__, texts), np.int64, len(texts))
        return np.asarray(np.array([parse(text) for text in numbers])[places])
