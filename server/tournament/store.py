"""The database of an event: an index of its records, and the live ladder. The records are the truth.

One connection writes, in the one process that holds the event's lock; everybody else opens it read-only. A block is
stored whole or not at all: its records are made durable first, then one transaction adds all its rows. The next start
finds rows whose record is gone, and records without rows (reconcile.py).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any, Self

from referee.errors import ConfigError, RecordError
from server.database import connect, open_to_write
from server.tournament.live_ladder import RatingChange
from server.tournament.store_rows import MEASURED, MIGRATIONS, fault_row, match_row, read_fault, read_match, seat_row
from server.tournament.summary import FaultSummary, MatchSummary, ResultRow


class Store:
    """An open database. `with Store.open(path) as store`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._db = connection

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open to write: makes the tables, or brings old ones up to date."""
        return cls(path, open_to_write(path, MIGRATIONS, cure=_cure(path)))

    @classmethod
    def read_only(cls, path: Path) -> Self:
        """Open to read, also while another process writes."""
        if not path.exists():
            raise ConfigError(
                f"{path} does not exist; `tortuga ladder rebuild {path.parent}` makes it from the records"
            )
        return cls(path, connect(path, read_only=True, cure=_cure(path)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.close()
        if type(error) in (sqlite3.OperationalError, sqlite3.DatabaseError):
            raise RecordError(f"{self._path}: {error}; if it is damaged, {_cure(self._path)}") from None

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

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
            self._insert("live_elo", changes)

    def replace_live_elo(self, changes: Iterable[RatingChange]) -> None:
        """Store these changes of the live ladder and no others. They differ after records were lost or found."""
        rows = sorted(changes)
        with closing(self._db.execute("SELECT * FROM live_elo ORDER BY match_id, seat")) as stored:
            same = all(row == kept for row, kept in zip_longest(rows, stored))
        if not same:
            with self.transaction():
                self._db.execute("DELETE FROM live_elo")
                # Making the index anew takes a third of the time of updating it row by row.
                self._db.execute("DROP INDEX live_elo_of_bot")
                self._insert("live_elo", rows)
                self._db.execute("CREATE INDEX live_elo_of_bot ON live_elo (bot)")

    def remove_match(self, match_id: str) -> None:
        """Remove a match, which has no result any more."""
        self._db.execute("DELETE FROM match WHERE match_id = ?", (match_id,))

    def transaction(self) -> sqlite3.Connection:
        """`with store.transaction():` all of it, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        return self._db

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Everything read inside is of one moment, whoever writes."""
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
        """All matches, or those of a contest, in schedule order."""
        where, values = ("WHERE contest = ?", (contest,)) if contest else ("", ())
        order = "ORDER BY contest, block, rotation"
        seats = self._db.execute(f"SELECT seat.* FROM seat JOIN match USING (match_id) {where} {order}, seat", values)
        faults: dict[str, list[FaultSummary]] = {}
        for row in self._db.execute("SELECT * FROM fault ORDER BY match_id, number"):
            faults.setdefault(row[0], []).append(read_fault(row))
        for row in self._db.execute(f"SELECT * FROM match {where} {order}", values):
            yield read_match(row, [seats.fetchone() for _ in row[6].split(" ")], faults.get(row[0], ()))

    def match(self, match_id: str) -> MatchSummary | None:
        """One match by its id."""
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
        """The latest matches, newest first; of a contest, of some bots, begun before a match and since a time."""
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
        """Per seat the live Elo before a match and its change, in millionths; empty until that is settled."""
        return self._db.execute(
            "SELECT before, change FROM live_elo WHERE match_id = ? ORDER BY seat", (match_id,)
        ).fetchall()

    def release_records(self, match_ids: Iterable[str]) -> None:
        """Note that the records of these matches are deleted on purpose; their rows stay."""
        with self.transaction():
            self._db.executemany("UPDATE match SET kept = 0 WHERE match_id = ?", ((one,) for one in match_ids))

    def kept_records(self) -> Iterator[tuple[str, int]]:
        """Matches whose records are kept, and when they began."""
        yield from self._db.execute("SELECT match_id, started_millis FROM match WHERE kept")

    def released_records(self) -> list[str]:
        """Matches whose records were deleted on purpose."""
        if self._db.execute("PRAGMA user_version").fetchone()[0] < 2:
            return []  # a reader may find a database of version 1
        return [match_id for (match_id,) in self._db.execute("SELECT match_id FROM match WHERE NOT kept")]

    def interrupt(self) -> None:
        """Abort a running query, from another thread."""
        with suppress(sqlite3.ProgrammingError):  # it has just ended, and the database is closed
            self._db.interrupt()

    def results(self, contest: str, seats: int) -> Iterator[ResultRow]:
        """The results of a contest in schedule order, one SQL row each: a million are read quickly."""
        joins = "".join(
            f" JOIN seat AS seat{seat} ON seat{seat}.match_id = match.match_id AND seat{seat}.seat = {seat}"
            for seat in range(seats)
        )
        columns = "".join(f", seat{seat}.rank, seat{seat}.half_points, seat{seat}.faults" for seat in range(seats))
        seatings: dict[tuple[int, str], tuple[tuple[str, ...], tuple[str, ...]]] = {}
        for row in self._db.execute(
            f"SELECT match.match_id, block, stage, rotation, bots{columns} FROM match{joins} "
            "WHERE contest = ? ORDER BY block, rotation",
            (contest,),
        ):
            rotation = row[3]
            seating = seatings.get(row[3:5])
            if seating is None:
                bots = tuple(row[4].split(" "))
                seating = seatings[row[3:5]] = bots, bots[-rotation:] + bots[:-rotation]
            match_id, block, stage = row[:3]
            yield ResultRow(match_id, block, stage, rotation, *seating, row[5::3], row[6::3], row[7::3])

    def bot_totals(self, contest: str) -> dict[str, tuple[int, int, int, str]]:
        """Per bot: matches in which it failed, answers, the time for them in microseconds, and the version it last
        reported."""
        rows = self._db.execute(
            # Beside max(), SQLite takes the other columns from the row of the maximum.
            "SELECT bot, sum(faults > 0), sum(answers), sum(time_micros), version, "
            "max(CASE WHEN version <> '' THEN block * 1000 + rotation END) FROM match JOIN seat USING (match_id) "
            "WHERE contest = ? GROUP BY bot",
            (contest,),
        )
        return {bot: (failed, answers, micros, version) for bot, failed, answers, micros, version, _ in rows}

    def faults(self, contest: str) -> list[tuple[str, FaultSummary]]:
        """All faults of a contest in schedule order, each with its match id."""
        rows = self._db.execute(
            "SELECT fault.* FROM fault JOIN match USING (match_id) WHERE contest = ? ORDER BY block, rotation, number",
            (contest,),
        )
        return [(row[0], read_fault(row)) for row in rows]

    def decisions(self, contest: str) -> int:
        """All decisions of a contest."""
        found = self._db.execute("SELECT sum(decisions) FROM match WHERE contest = ?", (contest,)).fetchone()[0]
        return int(found or 0)

    def live_elo(self, contest: str) -> dict[str, tuple[int, int]]:
        """Per bot its live Elo in millionths, and its last change."""
        found: dict[str, tuple[int, int]] = {}
        (bots,) = self._db.execute("SELECT count(DISTINCT bot) FROM live_elo").fetchone()
        # The last change counts, so read from the end: every bot soon appears, unless it left long ago.
        for bot, before, change in self._db.execute(
            "SELECT live_elo.bot, before, change FROM match CROSS JOIN live_elo USING (match_id) "
            "WHERE contest = ? ORDER BY block DESC, rotation DESC",
            (contest,),
        ):
            found.setdefault(bot, (before + change, change))
            if len(found) == bots:
                break
        return found

    def live_elo_since(self, contest: str, block: int) -> tuple[int, dict[str, tuple[int, int]]]:
        """As `live_elo`, for bots moved by a match after the block; and the last block that moved any."""
        rows = self._db.execute(
            # Beside max(), SQLite takes the other columns from the row of the maximum.
            "SELECT live_elo.bot, max(block * 1000 + rotation), before + change, change "
            "FROM match CROSS JOIN live_elo USING (match_id) WHERE contest = ? AND block > ? GROUP BY live_elo.bot",
            (contest, block),
        ).fetchall()
        return max([block, *(row[1] // 1000 for row in rows)]), {bot: (elo, last) for bot, _, elo, last in rows}

    def history(self, bot: str) -> list[tuple[str, str, int, int, int]]:
        """A bot's matches in schedule order: contest, match, rank, live Elo after it, and its change."""
        return self._db.execute(
            "SELECT contest, match_id, rank, before + change, change FROM live_elo JOIN seat USING (match_id, seat) "
            "JOIN match USING (match_id) WHERE live_elo.bot = ? ORDER BY contest, block, rotation",
            (bot,),
        ).fetchall()

    def match_count(self, contest: str) -> int:
        """Finished matches of a contest."""
        found: int = self._db.execute("SELECT count(*) FROM match WHERE contest = ?", (contest,)).fetchone()[0]
        return found

    def counts(self) -> tuple[int, int]:
        """Finished matches and faults of the event."""
        matches: int = self._db.execute("SELECT count(*) FROM match").fetchone()[0]
        faults: int = self._db.execute("SELECT count(*) FROM fault").fetchone()[0]
        return matches, faults

    def dump(self, *, measured: bool = True) -> dict[str, list[tuple[Any, ...]]]:
        """Every table, row by row, with or without measured values: to compare two databases."""
        found = {}
        for table in ("match", "seat", "fault", "live_elo"):
            columns = [row[1] for row in self._db.execute(f"PRAGMA table_info({table})")]
            kept = [name for name in columns if measured or name not in MEASURED.get(table, ())]
            found[table] = self._db.execute(f"SELECT {', '.join(kept)} FROM {table} ORDER BY 1, 2").fetchall()
        return found


def _cure(path: Path) -> str:
    return f"`tortuga ladder rebuild {path.parent}` makes it anew"
