"""starting-ratings.jsonl: the starting ratings of the bots in a ladder's season, a line each. Lines are only appended.

It is part of the record: the standings of a season follow from this file and the records of matches, and nothing else.
Each line says where its number comes from, so that it can be checked against the archive of the season before: `season`
is its name, `event` the id of its records, `shrink` how much of its distance from the mean a bot kept
(server/ratings/prior.py).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import ConfigError
from referee.records.files import open_private, read_regular_file

if TYPE_CHECKING:
    from server.ratings.prior import Start

FILE = "starting-ratings.jsonl"
VERSION = 1
MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class StartingRating:
    """The rating of one bot at the start of one ladder: a line of the file."""

    at: str
    """Time of writing, in UTC, for people."""
    contest: str
    bot: str
    version: str
    """The version that earned it."""
    rating: float
    deviation: float
    """One standard deviation, in Elo."""
    season: str
    event: str
    shrink: float

    @property
    def start(self) -> Start:
        """Return it in the form that the ratings take."""
        from server.ratings.prior import Start  # needs numpy, which the start of an event does without

        return Start(rating=self.rating, deviation=self.deviation)


_TEXTS, _NUMBERS = ("at", "contest", "bot", "version", "season", "event"), ("rating", "deviation", "shrink")


def append_starting_ratings(path: Path, ratings: Iterable[StartingRating]) -> None:
    """Append lines, durably."""
    text = "".join(f"{json.dumps({'v': VERSION, **asdict(rating)})}\n" for rating in ratings)
    with os.fdopen(open_private(path, os.O_WRONLY | os.O_APPEND), "ab") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def read_starting_ratings(path: Path) -> tuple[StartingRating, ...]:
    """Return all lines. Raises ConfigError if one cannot be read.

    Without that line the standings would be others, and nobody would know.
    """
    try:
        text = read_regular_file(path, MOST_BYTES).decode()
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    if text and not text.endswith("\n"):
        raise ConfigError(f"{path} is damaged: its last line is not complete")
    return tuple(_read_line(line, f"{path}, line {number}") for number, line in enumerate(text.splitlines(), start=1))


def _read_line(line: str, where: str) -> StartingRating:
    try:
        table = json.loads(line)
        if table.pop("v") != VERSION:
            raise ConfigError(f"{where} was written by another version of tortuga")
        if not all(isinstance(table[name], str) for name in _TEXTS):
            raise TypeError("a text is not text")
        if not all(type(table[name]) in (int, float) and math.isfinite(table[name]) for name in _NUMBERS):
            raise TypeError("a number is not a number")
        if table["deviation"] <= 0:
            raise ValueError("its deviation is not above 0")
        return StartingRating(**table)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ConfigError(f"{where} is damaged: {error!r}") from None
