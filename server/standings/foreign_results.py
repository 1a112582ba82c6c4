"""Reads results from elsewhere: CSV or JSON lines with a row per seat, or PGN with a game of two.

Whoever wrote the file is a stranger. What cannot be understood is refused with the file, the line, what came and what
was expected: a column that is left out silently would change the ratings without a word. What `tortuga tournament
export --csv` writes is understood, too.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np

from referee.errors import ConfigError
from referee.text import harmless, listed
from server.ratings.matches import Ints
from server.standings.export import COLUMNS as EXPORTED
from server.standings.pgn import read_pgn

REQUIRED = ("match", "seat", "bot")
OPTIONAL = ("rank", "score", "block", "contest", "ruling")
IGNORED = tuple(name for name in EXPORTED if name not in (*REQUIRED, *OPTIONAL))
"""What our own exports have besides."""
EXPECTED = "the columns match, seat, bot, and rank or score; and, if you like, block, contest"

LONGEST_LINE = 1 << 16
LONGEST_NAME = 200
MOST_SEATS = 16
MOST_BOTS = 2_000
"""The ratings need the square of this in memory, several times."""
MOST_MATCHES = 1_000_000
"""A match takes some 500 bytes while the file is read."""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """One seat of a match, and the line that says so."""

    line: int
    seat: int
    bot: str
    rank: float
    """Lower is better: a rank, or a score with its sign turned round."""


@dataclass(kw_only=True, slots=True)
class ForeignContest:
    """The results of one contest, all with the same number of seats, as the ratings want them."""

    name: str
    seats: int
    names: dict[str, int] = field(default_factory=dict)
    """The number of each bot, as they come."""
    _bots: list[int] = field(default_factory=list)
    _ranks: list[int] = field(default_factory=list)
    _blocks: list[int] = field(default_factory=list)
    _block_numbers: dict[str, int] = field(default_factory=dict)

    def add(self, block: str, seats: Sequence[SeatResult]) -> None:
        """Add a match, its seats in order. An empty block: it is one of its own."""
        self._bots += [self.names.setdefault(seat.bot, len(self.names)) for seat in seats]
        self._ranks += [1 + sum(other.rank < seat.rank for other in seats) for seat in seats]
        key = f"block {block}" if block else f"match {len(self._blocks)}"
        self._blocks.append(self._block_numbers.setdefault(key, len(self._block_numbers)))

    @property
    def title(self) -> str:
        """Return what the standings of this contest are called."""
        return f"{self.name}, {self.seats} seats" if self.name else f"{self.seats} seats"

    @property
    def bots(self) -> Ints:
        """Return the number of the bot on every seat, a row per match."""
        return np.array(self._bots, dtype=np.int64).reshape(-1, self.seats)

    @property
    def ranks(self) -> Ints:
        """Return the rank of every seat, a row per match."""
        return np.array(self._ranks, dtype=np.int64).reshape(-1, self.seats)

    @property
    def clusters(self) -> Ints:
        """Return a number per match; matches of a block have the same one."""
        return np.array(self._blocks, dtype=np.int64)


@dataclass(kw_only=True, slots=True)
class _OpenMatch:
    """A match of which not all rows have come."""

    contest: str
    block: str
    ruling: str
    seats: list[SeatResult] = field(default_factory=list)


@dataclass(slots=True)
class ForeignResults:
    """All contests of a file, and what was left out of it."""

    source: str
    contests: dict[tuple[str, int], ForeignContest] = field(default_factory=dict)
    unrated: int = 0
    """Matches with a ruling, and games of PGN without a result."""
    _matches: dict[tuple[str, str], _OpenMatch] = field(default_factory=dict)

    def refuse(self, line: int, what: str) -> NoReturn:
        """Say what is wrong with a line."""
        raise ConfigError(f"{self.source}, line {line}: {harmless(what)}")

    def take_row(self, line: int, row: Mapping[str, Any]) -> None:
        """Take in one seat of a match."""
        name = self._text(line, row, "match")
        bot = sys.intern(self._text(line, row, "bot"))
        result = SeatResult(line, self._seat(line, row), bot, self._rank(line, row))
        contest, block, ruling = (self._text(line, row, key, optional=True) for key in ("contest", "block", "ruling"))
        known = self._matches.get((contest, name))
        if known is None:
            if len(self._matches) >= MOST_MATCHES:
                self.refuse(line, f"match {MOST_MATCHES + 1}; expected at most {MOST_MATCHES}")
            known = self._matches[contest, name] = _OpenMatch(contest=contest, block=block, ruling=ruling)
        if known.block != block:
            self.refuse(line, f"match {name} is in block {block!r}, but was in {known.block!r} before")
        for other in known.seats:
            if other.seat == result.seat:
                self.refuse(line, f"seat {result.seat} of match {name} for the second time; first in line {other.line}")
            if other.bot == result.bot:
                where = f"on seat {other.seat} in line {other.line}"
                self.refuse(line, f"{result.bot} sits twice in match {name}: {where}; expected every bot once")
        known.seats.append(result)
        if len(known.seats) > MOST_SEATS:
            self.refuse(line, f"seat {len(known.seats)} of match {name}; expected at most {MOST_SEATS} seats")

    def _text(self, line: int, row: Mapping[str, Any], key: str, *, optional: bool = False) -> str:
        value = row.get(key)
        text = "" if value is None else str(value).strip() if isinstance(value, str | int) else None
        if text is None or isinstance(value, bool):
            self.refuse(line, f"{key} is {value!r}, expected a text")
        if not text and not optional:
            self.refuse(line, f"{key} is empty, expected a text")
        if len(text) > LONGEST_NAME:
            self.refuse(line, f"{key} has {len(text)} characters; expected at most {LONGEST_NAME}")
        return text

    def _number(self, line: int, row: Mapping[str, Any], key: str) -> float:
        value = row.get(key)
        try:
            number = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            self.refuse(line, f"{key} is {value!r}, expected a number")
        return number

    def _seat(self, line: int, row: Mapping[str, Any]) -> int:
        number = self._number(line, row, "seat")
        if number != int(number) or not 0 <= number <= MOST_SEATS:
            self.refuse(line, f"seat is {row['seat']!r}, expected a whole number, counted from 0 or from 1")
        return int(number)

    def _rank(self, line: int, row: Mapping[str, Any]) -> float:
        if "rank" not in row:
            if "score" not in row:
                self.refuse(line, "neither rank nor score; expected one of them")
            return -self._number(line, row, "score")
        rank = self._number(line, row, "rank")
        if rank != int(rank) or rank < 1:
            self.refuse(line, f"rank is {row['rank']!r}, expected a whole number from 1 on, the best")
        return rank

    def take_match(self, contest: str, block: str, seats: Sequence[SeatResult]) -> None:
        """Take in a whole match, its seats in order."""
        place = self.contests.setdefault((contest, len(seats)), ForeignContest(name=contest, seats=len(seats)))
        place.add(block, seats)
        if len(place.names) > MOST_BOTS:
            self.refuse(seats[0].line, f"bot {MOST_BOTS + 1} of one contest; expected at most {MOST_BOTS}")

    def close(self) -> None:
        """Take in the matches, whose rows may have come in any order. Refuse a file without any."""
        for (_, name), match in self._matches.items():
            seats = sorted(match.seats, key=lambda result: result.seat)
            numbers = [result.seat for result in seats]
            last = max(result.line for result in seats)
            if len(seats) < 2:
                self.refuse(last, f"match {name} has one seat; expected a row for each of its seats, 2 or more")
            if numbers != list(range(numbers[0], numbers[0] + len(seats))) or numbers[0] > 1:
                seen = ", ".join(map(str, numbers))
                self.refuse(last, f"match {name} has the seats {seen}; expected all of them, counted from 0 or from 1")
            if match.ruling:
                self.unrated += 1
            else:
                self.take_match(match.contest, match.block, seats)
        self._matches.clear()
        if not self.contests:
            left = f": {self.unrated} are not rated" if self.unrated else ""
            raise ConfigError(f"{self.source} has no match with a result{left}; expected at least one")


def read_results(file: IO[bytes], source: str, form: str) -> ForeignResults:
    """Read a file of results. `source` is what errors call it."""
    results = ForeignResults(source)
    READERS[form](results, file)
    results.close()
    return results


def _read_csv(results: ForeignResults, file: IO[bytes]) -> None:
    reader = csv.reader(_lines(results, file), strict=True)
    csv.field_size_limit(LONGEST_LINE)
    head: list[str] | None = None
    while True:
        line = reader.line_num + 1  # a row may go over several lines; this is its first
        try:
            row = next(reader, None)
        except csv.Error as error:
            results.refuse(
                line, f"this is no CSV ({error}); expected a line for each seat, with commas between columns"
            )
        if row is None:
            break
        if not row:
            continue
        if head is None:
            head = [name.strip().lower() for name in row]
            _check_columns(results, line, head)
        elif len(row) != len(head):
            results.refuse(line, f"{len(row)} columns; expected {len(head)}, as in the first line")
        else:
            results.take_row(line, dict(zip(head, row, strict=True)))
    if head is None:
        raise ConfigError(f"{results.source} is empty; expected a line with {EXPECTED}")


def _check_columns(results: ForeignResults, line: int, head: Sequence[str]) -> None:
    """Refuse columns that we do not know, and the absence of those that we need."""
    if len(head) == 1 and (";" in head[0] or "\t" in head[0]):
        sign = "semicolons" if ";" in head[0] else "tabs"
        results.refuse(line, f"columns seem to be separated by {sign}; expected commas")
    if twice := sorted({name for name in head if head.count(name) > 1}):
        results.refuse(line, f"two columns {twice[0]!r}; expected every column once")
    if missing := [name for name in REQUIRED if name not in head]:
        results.refuse(line, f"no column {listed(missing)}; expected {EXPECTED}")
    if "rank" not in head and "score" not in head:
        results.refuse(line, f"neither a column rank nor score; expected {EXPECTED}")
    if unknown := [name for name in head if name not in (*REQUIRED, *OPTIONAL, *IGNORED)]:
        results.refuse(line, f"unknown column {unknown[0]!r}; expected {EXPECTED}")


def _read_json_lines(results: ForeignResults, file: IO[bytes]) -> None:
    for line, text in enumerate(_lines(results, file), start=1):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            results.refuse(line, f"this is no JSON ({error}); expected one object on each line, for a seat each")
        if not isinstance(row, dict):
            results.refuse(line, f"{text.strip()[:60]!r}; expected an object with {EXPECTED}")
        if unknown := [key for key in row if key not in (*REQUIRED, *OPTIONAL, *IGNORED)]:
            results.refuse(line, f"unknown key {unknown[0]!r}; expected {EXPECTED}")
        results.take_row(line, row)


def _read_pgn(results: ForeignResults, file: IO[bytes]) -> None:
    for game in read_pgn(_lines(results, file, other="latin-1"), results.refuse):
        for colour, bot in (("White", game.white), ("Black", game.black)):
            if not bot:
                results.refuse(game.line, f'a game without {colour}; expected a tag [{colour} "NAME"]')
            if len(bot) > LONGEST_NAME:
                results.refuse(game.line, f"{colour} has {len(bot)} characters; expected at most {LONGEST_NAME}")
        if game.white == game.black:
            results.refuse(game.line, f"{game.white} plays against itself; expected two bots")
        if game.scores is None:
            if game.result not in ("*", ""):
                results.refuse(game.line, f"the result is {game.result!r}, expected 1-0, 0-1, 1/2-1/2 or *")
            results.unrated += 1
            continue
        pair = zip((game.white, game.black), game.scores, strict=True)
        results.take_match("", "", [SeatResult(game.line, seat, bot, -score) for seat, (bot, score) in enumerate(pair)])


READERS: Mapping[str, Callable[[ForeignResults, IO[bytes]], None]] = {
    "csv": _read_csv,
    "jsonl": _read_json_lines,
    "pgn": _read_pgn,
}
"""By the name of the form, which is also how such files usually end."""
ENDINGS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".pgn": "pgn"}


def form_of(path: Path, form: str | None) -> str:
    """Return the form of a file, by its name unless the user says it."""
    found = form or ENDINGS.get(path.suffix.lower())
    if found is None:
        raise ConfigError(f"{path} is of no known kind; expected {listed(ENDINGS)} at its end, or pass --format")
    return found


def _lines(results: ForeignResults, file: IO[bytes], *, other: str = "") -> Iterator[str]:
    """Yield the lines as text. `other`: an older encoding that such files may have."""
    for number, raw in enumerate(_raw_lines(file), start=1):
        if number == 1 and raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
            results.refuse(number, "this file is in UTF-16; expected UTF-8")
        if len(raw) > LONGEST_LINE:
            results.refuse(number, f"a line of more than {LONGEST_LINE} bytes; expected shorter ones")
        if 0 in raw:
            results.refuse(number, "a NUL byte; expected text in UTF-8")
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            if not other:
                results.refuse(number, f"byte {error.start + 1} is no UTF-8; expected text in UTF-8")
            text = raw.decode(other)
        yield text


def _raw_lines(file: IO[bytes]) -> Iterable[bytes]:
    """Read lines, but of one that has no end no more than it takes to see that."""
    return iter(lambda: file.readline(LONGEST_LINE + 1), b"")
