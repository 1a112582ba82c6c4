"""The database of an event: an index of its records, and the live ladder. The records are the truth.

One connection writes, in the one process that holds the event's lock; everybody else opens it read-only. A block is
stored whole or not at all: its records are made durable first, then one transaction adds all its rows. The next start
finds rows whose record is gone, and records without rows (reconcile.py).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from referee.errors import ConfigError, RecordError
from server.play.summary import MatchSummary
from server.system.database import DamagedDatabase, connect, is_sound, open_to_write, opening_error
from server.tournament.live_ladder import Changes, RatingChange
from server.tournament.store_schema import (
    DERIVED,
    DUMPED,
    MEASURED,
    MIGRATIONS,
    NOT_DUMPED,
    QUICK_CHECKS,
    change_rows,
    fault_row,
    last_changes,
    match_row,
    read_fault,
    read_match,
    seat_row,
    sum_bots,
    sum_contests,
    views_of_today,
)

if TYPE_CHECKING:
    from server.tournament.result_columns import ResultColumns

READ_AT_ONCE = 2000
"""Results held in memory while a contest is read. Many more would be slower: the garbage collector walks over them."""


class Store:
    """An open database. `with Store.open(path) as store`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._db = connection

    @classmethod
    def open(cls, path: Path, *, checked: bool = True) -> Self:
        """Open to write: makes the tables, or brings old ones up to date. DamagedDatabase also if rows are missing.

        `checked` is false for who checks the rows more thoroughly.
        """
        store = cls(path, open_to_write(path, MIGRATIONS, cure=_cure(path)))
        try:
            why = next(store.contradictions(QUICK_CHECKS), "") if checked else ""
            if why:
                raise DamagedDatabase(f"{path} is damaged: {why}; {_cure(path)}")
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def read_only(cls, path: Path) -> Self:
        """Open to read, also while another process writes."""
        if not path.exists():
            raise ConfigError(
                f"{path} does not exist; `tortuga ladder rebuild {path.parent}` rebuilds it from the records"
            )
        connection = connect(path, read_only=True, cure=_cure(path))
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        if 0 < version < len(MIGRATIONS):
            connection.executescript(views_of_today(version))
        return cls(path, connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.close()
        if type(error) in (sqlite3.OperationalError, sqlite3.DatabaseError):
            raise RecordError(f"{self._path}: {error}; if it is damaged, {_cure(self._path)}") from None

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    def is_sound(self) -> bool:
        """Check that SQLite's own check passes."""
        return is_sound(self._db)

    def change_count(self) -> int:
        """Return how many rows were changed since this was opened."""
        return self._db.total_changes

    def contradictions(self, checks: Mapping[str, str]) -> Iterator[str]:
        """Return the checks that fail: they find rows that do not belong together, which SQLite's own does not."""
        for what, query in checks.items():
            try:
                if self._db.execute(query).fetchone() is not None:
                    yield what
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError) and "malformed JSON" not in str(error):
                    raise opening_error(self._path, error) from None  # no damage
                yield f"{what} ({error})"

    def add(self, matches: Iterable[MatchSummary], changes: Iterable[RatingChange]) -> None:
        """Add whole blocks and the changes of the live ladder, in one transaction."""
        matches = list(matches)
        with self.transaction():
            self._insert("match", (match_row(match) for match in matches))
            self._insert(
                "seat",
                ((match.match_id, *seat_row(match, seat)) for match in matches for seat in range(len(match.seats))),
            )
            self._insert(
                "fault",
                (
                    (match.match_id, number, *fault_row(fault))
                    for match in matches
                    for number, fault in enumerate(match.faults)
                ),
            )
            self._db.executemany(
                "INSERT INTO contest_total VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "matches = matches + excluded.matches, decisions = decisions + excluded.decisions, "
                "faults = faults + excluded.faults",
                sum_contests(matches),
            )
            self._db.executemany(
                "INSERT INTO bot_total VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "failed = failed + excluded.failed, answers = answers + excluded.answers, "
                "time_micros = time_micros + excluded.time_micros, "
                "version = iif(excluded.version_at > version_at, excluded.version, version), "
                "version_at = max(version_at, excluded.version_at)",
                sum_bots(matches),
            )
            changes = list(changes)
            self._insert("live_change", change_rows(changes))
            self._set_live(last_changes(changes))

    def replace_live_elo(self, contest: str, parts: Iterable[Changes]) -> None:
        """Store these changes of a contest's live ladder and no others; they come in schedule order, in parts.

        They are the stored ones, unless records were lost or found.
        """
        last: dict[tuple[str, str], tuple[int, int]] = {}
        same = True
        with self.transaction():
            stored = self._db.execute(
                "SELECT match_id, before, change FROM match CROSS JOIN live_change USING (match_id) "
                "WHERE contest = ? ORDER BY block, rotation",
                (contest,),
            )
            for changes in parts:
                last |= last_changes(changes)
                rows = change_rows(changes)
                known = stored.fetchmany(len(rows)) if same and rows else []
                if same and known != rows:
                    same = False
                    stored.close()
                    if known:
                        self._remove_live_from(known[0][0])
                if not same:
                    self._insert("live_change", rows)
            more = stored.fetchone() if same else None
            if more is not None:
                stored.close()
                self._remove_live_from(more[0])
            if not same or more is not None:
                self._db.execute("DELETE FROM live_total WHERE contest = ?", (contest,))
                self._set_live(last)

    def _remove_live_from(self, match_id: str) -> None:
        """Remove the changes of the live ladder from a match on, in schedule order."""
        self._db.execute(
            "DELETE FROM live_change WHERE match_id IN (SELECT later.match_id FROM match JOIN match AS later "
            "ON later.contest = match.contest AND (later.block, later.rotation) >= (match.block, match.rotation) "
            "WHERE match.match_id = ?)",
            (match_id,),
        )

    def _set_live(self, last: Mapping[tuple[str, str], tuple[int, int]]) -> None:
        """Set the live Elo and the last change of bots, by contest and name."""
        self._db.executemany(
            "INSERT OR REPLACE INTO live_total VALUES (?, ?, ?, ?)", ((*key, *live) for key, live in last.items())
        )

    def remove_matches(self, match_ids: Iterable[str]) -> None:
        """Remove matches that have no result any more."""
        gone = [(match_id,) for match_id in match_ids]
        with self.transaction():
            self._db.executemany("DELETE FROM match WHERE match_id = ?", gone)
            self._db.executemany("DELETE FROM live_change WHERE match_id = ?", gone)
            for table, select in DERIVED.items():
                self._db.execute(f"DELETE FROM {table}")
                self._db.execute(f"INSERT INTO {table} {select}")

    def query(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Read rows; store_queries.py has what is asked of them."""
        return self._db.execute(sql, values)

    def transaction(self) -> sqlite3.Connection:
        """`with store.transaction():` all of it, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        return self._db

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read everything inside as of one moment, whoever writes."""
        self._db.execute("BEGIN")
        try:
            self._db.execute("SELECT 1 FROM match LIMIT 1").fetchone()  # the snapshot begins with the first read
            yield
        finally:
            self._db.execute("ROLLBACK")

    def _insert(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        rows = list(rows)
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def matches(self, contest: str | None = None) -> Iterator[MatchSummary]:
        """Read all matches, or those of a contest, in schedule order."""
        where, values = ("WHERE contest = ?", (contest,)) if contest else ("", ())
        order = "ORDER BY contest, block, rotation"
        seats, faults = (
            _rows_by_match(
                self._db.execute(
                    f"SELECT {table}.* FROM {table} JOIN match USING (match_id) {where} {order}, {number}", values
                )
            )
            for table, number in (("seat", "seat"), ("fault", "number"))
        )
        for row in self._db.execute(f"SELECT * FROM match {where} {order}", values):
            yield read_match(row, seats(row[0]), map(read_fault, faults(row[0])))

    def record_sums(self) -> Iterator[tuple[str, bool, int, bytes]]:
        """Read of all matches, in schedule order, whether the record is kept, its size, and its SHA-256."""
        yield from self._db.execute(
            "SELECT match_id, kept, record_bytes, record_sha256 FROM match ORDER BY contest, block, rotation"
        )

    def match_ids(self) -> Iterator[str]:
        """Read the ids of all matches, in schedule order."""
        for (match_id,) in self._db.execute("SELECT match_id FROM match ORDER BY contest, block, rotation"):
            yield match_id

    def has_match(self, match_id: str) -> bool:
        """Check whether a match of this id is stored."""
        return self._db.execute("SELECT 1 FROM match WHERE match_id = ?", (match_id,)).fetchone() is not None

    def has_match_at(self, contest: str, block: int, rotation: int) -> bool:
        """Check whether the match of this place in the schedule is stored."""
        rows = self._db.execute(
            "SELECT 1 FROM match WHERE contest = ? AND block = ? AND rotation = ?", (contest, block, rotation)
        )
        return rows.fetchone() is not None

    def match(self, match_id: str) -> MatchSummary | None:
        """Return a match by its id."""
        row = self._db.execute("SELECT * FROM match WHERE match_id = ?", (match_id,)).fetchone()
        return None if row is None else self._whole(row)

    def latest(
        self,
        limit: int,
        *,
        before: tuple[int, str] | None = None,
        contest: str = "",
        bots: Collection[str] | None = None,
        since_millis: int = 0,
    ) -> list[MatchSummary]:
        """Return the latest matches, newest first; of a contest, of some bots, begun before a match, since a time."""
        where, values = ["started_millis >= ?"], [since_millis, *(before or ())]
        if before is not None:
            where.append("(started_millis, match_id) < (?, ?)")
        if contest:
            where.append("contest = ?")
            values.append(contest)
        if bots is not None:
            where.append(f"match_id IN (SELECT match_id FROM seat WHERE bot IN ({', '.join('?' * len(bots))}))")
            values += bots
        rows = self._db.execute(
            f"SELECT * FROM match WHERE {' AND '.join(where)} ORDER BY started_millis DESC, match_id DESC LIMIT ?",
            (*values, limit),
        ).fetchall()
        return [self._whole(row) for row in rows]

    def _whole(self, row: Sequence[Any]) -> MatchSummary:
        seats = self._db.execute("SELECT * FROM seat WHERE match_id = ? ORDER BY seat", (row[0],)).fetchall()
        faults = self._db.execute("SELECT * FROM fault WHERE match_id = ? ORDER BY number", (row[0],)).fetchall()
        return read_match(row, seats, [read_fault(fault) for fault in faults])

    def changes(self, match_id: str) -> list[tuple[int, int]]:
        """Return per seat the live Elo before a match and its change, in millionths; empty until that is settled."""
        row = self._db.execute("SELECT before, change FROM live_change WHERE match_id = ?", (match_id,)).fetchone()
        return [] if row is None else list(zip(*map(json.loads, row), strict=True))

    def release_records(self, match_ids: Iterable[str]) -> None:
        """Note that the records of these matches are deleted on purpose; their rows stay."""
        with self.transaction():
            self._db.executemany(
                "UPDATE match SET kept = 0 WHERE match_id = ?", ((match_id,) for match_id in match_ids)
            )

    def kept_records(self) -> Iterator[tuple[str, int]]:
        """Read the matches whose records are kept, and when they began."""
        yield from self._db.execute("SELECT match_id, started_millis FROM match WHERE kept")

    def released_records(self) -> list[str]:
        """Return the matches whose records were deleted on purpose."""
        return [match_id for (match_id,) in self._db.execute("SELECT match_id FROM match WHERE NOT kept")]

    def interrupt_when(self, is_unwanted: Callable[[], bool]) -> None:
        """Abort queries whose answer nobody wants any more.

        SQLite asks every few thousand steps; its own interrupt() is lost if it comes just before a query begins.
        """
        self._db.set_progress_handler(is_unwanted, 10_000)

    def results(self, contest: str, seats: int) -> Iterator[ResultColumns]:
        """Read the results of a contest in schedule order, in parts of whole blocks."""
        if not self.match_count(contest):
            return
        # Lazily: an event that begins has no results, and should not wait for numpy.
        from server.tournament.result_columns import ColumnReader

        reader = ColumnReader(contest, seats)
        rows = self._db.execute(
            "SELECT match_id, block, stage, rotation, bots, ranks, fault_counts FROM match "
            "WHERE contest = ? ORDER BY block, rotation",
            (contest,),
        )
        waiting: list[tuple[Any, ...]] = []
        while more := rows.fetchmany(READ_AT_ONCE):
            more = waiting + more
            waiting = [row for row in more[-seats:] if row[1] == more[-1][1]]  # the next part begins with this block
            if len(more) > len(waiting):
                yield reader.read(more[: len(more) - len(waiting)])
        if waiting:
            yield reader.read(waiting)

    def decisions(self, contest: str) -> int:
        """Return how many decisions a contest had."""
        return self._total("decisions", contest)

    def live_elo(self, contest: str) -> dict[str, tuple[int, int]]:
        """Return per bot its live Elo in millionths, and its last change."""
        rows = self._db.execute("SELECT bot, elo, change FROM live_total WHERE contest = ?", (contest,))
        return {bot: (elo, change) for bot, elo, change in rows}

    def match_count(self, contest: str) -> int:
        """Return how many matches of a contest are finished."""
        return self._total("matches", contest)

    def _total(self, column: str, contest: str) -> int:
        row = self._db.execute(f"SELECT {column} FROM contest_total WHERE contest = ?", (contest,)).fetchone()
        return 0 if row is None else int(row[0])

    def counts(self) -> tuple[int, int]:
        """Return how many finished matches and faults the event has."""
        sums = self._db.execute("SELECT coalesce(sum(matches), 0), coalesce(sum(faults), 0) FROM contest_total")
        matches, faults = sums.fetchone()
        return matches, faults

    def dump(self, *, measured: bool = True) -> dict[str, list[tuple[Any, ...]]]:
        """Return everything stored, row by row, with or without measured values: to compare two databases."""
        tables = {}
        for table, source in DUMPED.items():
            cursor = self._db.execute(f"SELECT * FROM {source} LIMIT 0")
            left_out = NOT_DUMPED.get(table, set()) | (set() if measured else MEASURED.get(table, set()))
            kept = [name for name, *_ in cursor.description if name not in left_out]
            tables[table] = self._db.execute(f"SELECT {', '.join(kept)} FROM {source} ORDER BY 1, 2").fetchall()
        return tables


def _rows_by_match(rows: Iterable[Sequence[Any]]) -> Callable[[str], list[Sequence[Any]]]:
    """Return a reader of rows in the order of their matches: call it with one match after another.

    Some matches may have no row.
    """
    groups = groupby(rows, key=itemgetter(0))
    next_match, next_rows = next(groups, ("", iter(())))

    def take(match_id: str) -> list[Sequence[Any]]:
        nonlocal next_match, next_rows
        if match_id != next_match:
            return []
        taken = list(next_rows)
        next_match, next_rows = next(groups, ("", iter(())))
        return taken

    return take


def _cure(path: Path) -> str:
    return f"`tortuga ladder rebuild {path.parent}` rebuilds it"
