"""The database of an event: an index of its records, and the live ladder. The records are the truth.

One connection writes, in one process that holds the event's lock; everybody else opens it read-only. A block is there
whole or not at all: its records are written, made durable and given their names first, then one transaction takes all
its rows. Rows whose record is gone, and records without rows, are found at the next start (reconcile.py).
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
from server.tournament.summary import FaultSummary, MatchSummary, ResultRow, SeatSummary

MIGRATIONS = (
    """
    CREATE TABLE match (
        match_id TEXT PRIMARY KEY,
        event TEXT NOT NULL,
        contest TEXT NOT NULL,
        block INTEGER NOT NULL,
        stage INTEGER NOT NULL,
        label TEXT NOT NULL,
        bots TEXT NOT NULL,              -- in the order of rotation 0, a space between
        rotation INTEGER NOT NULL,
        reason TEXT NOT NULL,
        decisions INTEGER NOT NULL,
        started_millis INTEGER NOT NULL,
        record_sha256 BLOB NOT NULL,
        record_bytes INTEGER NOT NULL,
        UNIQUE (contest, block, rotation)
    ) WITHOUT ROWID;
    CREATE TABLE seat (
        match_id TEXT NOT NULL REFERENCES match ON DELETE CASCADE,
        seat INTEGER NOT NULL,
        bot TEXT NOT NULL,
        version TEXT NOT NULL,
        language TEXT NOT NULL,
        rank INTEGER NOT NULL,
        score REAL NOT NULL,
        half_points INTEGER NOT NULL,
        faults INTEGER NOT NULL,
        answers INTEGER NOT NULL,
        time_micros INTEGER NOT NULL,
        PRIMARY KEY (match_id, seat)
    ) WITHOUT ROWID;
    CREATE TABLE fault (
        match_id TEXT NOT NULL REFERENCES match ON DELETE CASCADE,
        number INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        bot TEXT NOT NULL,
        decision INTEGER NOT NULL,
        kind TEXT NOT NULL,
        message TEXT NOT NULL,
        out INTEGER NOT NULL,
        PRIMARY KEY (match_id, number)
    ) WITHOUT ROWID;
    CREATE TABLE live_elo (              -- what each match did, in millionths; sums to 0 over a match
        match_id TEXT NOT NULL REFERENCES match ON DELETE CASCADE,
        seat INTEGER NOT NULL,
        bot TEXT NOT NULL,
        before INTEGER NOT NULL,
        change INTEGER NOT NULL,
        PRIMARY KEY (match_id, seat)
    ) WITHOUT ROWID;
    CREATE INDEX live_elo_of_bot ON live_elo (bot);
    """,
    """
    ALTER TABLE match ADD COLUMN kept INTEGER NOT NULL DEFAULT 1;  -- 0: the record was let go, the row stays
    CREATE INDEX match_by_time ON match (started_millis, match_id);
    CREATE INDEX match_of_contest ON match (contest, started_millis, match_id);
    CREATE INDEX seat_of_bot ON seat (bot);
    """,
)

MEASURED = {"match": {"started_millis", "record_sha256", "record_bytes"}, "seat": {"time_micros"}}
"""What a second playing of the same match would not repeat: times, and the hash of a record that holds them."""


class Store:
    """An open database. `with Store.open(path) as store`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._db = connection

    @classmethod
    def open(cls, path: Path) -> Self:
        """To write: makes the tables, or brings old ones up to date."""
        return cls(path, open_to_write(path, MIGRATIONS, cure=_cure(path)))

    @classmethod
    def read_only(cls, path: Path) -> Self:
        """To read only, also while another process writes."""
        if not path.exists():
            raise ConfigError(f"{path} is not there; `tortuga ladder rebuild {path.parent}` makes it from the records")
        return cls(path, connect(path, read_only=True, cure=_cure(path)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.close()
        if type(error) in (sqlite3.OperationalError, sqlite3.DatabaseError):
            raise RecordError(f"{self._path}: {error}; if it is damaged, {_cure(self._path)}") from None

    def close(self) -> None:
        """Done with it."""
        self._db.close()

    def add(self, matches: Iterable[MatchSummary], changes: Iterable[RatingChange]) -> None:
        """Whole blocks and what follows from them, in one transaction."""
        matches = list(matches)
        with self.transaction():
            self._insert("match", (_match_row(match) for match in matches))
            self._insert(
                "seat",
                ((match.match_id, *_seat_row(match, seat)) for match in matches for seat in range(len(match.seats))),
            )
            self._insert(
                "fault",
                (
                    (match.match_id, number, *_fault_row(fault))
                    for match in matches
                    for number, fault in enumerate(match.faults)
                ),
            )
            self._insert("live_elo", changes)

    def keep_changes(self, changes: Iterable[RatingChange]) -> None:
        """See to it that the live ladder is just this. It differs after records were lost or found."""
        rows = sorted(changes)
        with closing(self._db.execute("SELECT * FROM live_elo ORDER BY match_id, seat")) as stored:
            same = all(row == kept for row, kept in zip_longest(rows, stored))
        if not same:
            with self.transaction():
                self._db.execute("DELETE FROM live_elo")
                # An index is made in a third of the time that it takes to keep it up to date row by row.
                self._db.execute("DROP INDEX live_elo_of_bot")
                self._insert("live_elo", rows)
                self._db.execute("CREATE INDEX live_elo_of_bot ON live_elo (bot)")

    def remove_match(self, match_id: str) -> None:
        """A match has no result any more."""
        self._db.execute("DELETE FROM match WHERE match_id = ?", (match_id,))

    def transaction(self) -> sqlite3.Connection:
        """`with store.transaction():` all of it, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        return self._db

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Everything that is read meanwhile is of one moment, whoever writes."""
        self._db.execute("BEGIN")
        try:
            self._db.execute("SELECT 1 FROM match LIMIT 1").fetchone()  # the moment is that of the first look
            yield
        finally:
            self._db.execute("ROLLBACK")

    def _insert(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        rows = list(rows)
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def matches(self, contest: str | None = None) -> Iterator[MatchSummary]:
        """All of them in schedule order, as they were put in."""
        where, values = ("WHERE contest = ?", (contest,)) if contest else ("", ())
        order = "ORDER BY contest, block, rotation"
        seats = self._db.execute(f"SELECT seat.* FROM seat JOIN match USING (match_id) {where} {order}, seat", values)
        faults: dict[str, list[FaultSummary]] = {}
        for row in self._db.execute("SELECT * FROM fault ORDER BY match_id, number"):
            faults.setdefault(row[0], []).append(_read_fault(row))
        for row in self._db.execute(f"SELECT * FROM match {where} {order}", values):
            yield _read_match(row, [seats.fetchone() for _ in row[6].split(" ")], faults.get(row[0], ()))

    def match(self, match_id: str) -> MatchSummary | None:
        """One of them."""
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
        """The last ones to begin, the latest first: those of a contest, with one of some bots, begun before a match
        (by time and name) and not before a time."""
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
        return _read_match(row, seats, [_read_fault(fault) for fault in faults])

    def changes(self, match_id: str) -> list[tuple[int, int]]:
        """Per seat the live Elo before a match and what it did to it, in millionths; empty until that is settled."""
        return self._db.execute(
            "SELECT before, change FROM live_elo WHERE match_id = ? ORDER BY seat", (match_id,)
        ).fetchall()

    def let_go(self, match_ids: Iterable[str]) -> None:
        """From now on nobody misses the records of these matches; their rows stay."""
        with self.transaction():
            self._db.executemany("UPDATE match SET kept = 0 WHERE match_id = ?", ((one,) for one in match_ids))

    def kept(self) -> Iterator[tuple[str, int]]:
        """Matches whose records are kept, and when they began."""
        yield from self._db.execute("SELECT match_id, started_millis FROM match WHERE kept")

    def released(self) -> list[str]:
        """Matches whose records were let go."""
        if self._db.execute("PRAGMA user_version").fetchone()[0] < 2:
            return []  # who only looks may find a database of version 1
        return [match_id for (match_id,) in self._db.execute("SELECT match_id FROM match WHERE NOT kept")]

    def interrupt(self) -> None:
        """From another thread: nobody waits for the answer any more."""
        with suppress(sqlite3.ProgrammingError):  # it was given in this very moment, and the database closed
            self._db.interrupt()

    def results(self, contest: str, seats: int) -> Iterator[ResultRow]:
        """The bare results of a contest in schedule order: a row each, so that a million of them are soon read."""
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
        """Per bot: matches in which it failed, answers, the time it took for them in millionths of a second, and the
        version it last said that it is."""
        rows = self._db.execute(
            # Beside max(), SQLite takes the other columns from the row of the maximum.
            "SELECT bot, sum(faults > 0), sum(answers), sum(time_micros), version, "
            "max(CASE WHEN version <> '' THEN block * 1000 + rotation END) FROM match JOIN seat USING (match_id) "
            "WHERE contest = ? GROUP BY bot",
            (contest,),
        )
        return {bot: (failed, answers, micros, version) for bot, failed, answers, micros, version, _ in rows}

    def faults(self, contest: str) -> list[tuple[str, FaultSummary]]:
        """All faults of a contest in schedule order, with the names of their matches."""
        rows = self._db.execute(
            "SELECT fault.* FROM fault JOIN match USING (match_id) WHERE contest = ? ORDER BY block, rotation, number",
            (contest,),
        )
        return [(row[0], _read_fault(row)) for row in rows]

    def decisions(self, contest: str) -> int:
        """How many there were in all."""
        found = self._db.execute("SELECT sum(decisions) FROM match WHERE contest = ?", (contest,)).fetchone()[0]
        return int(found or 0)

    def live(self, contest: str) -> dict[str, tuple[int, int]]:
        """Per bot its live Elo in millionths, and its last change."""
        found: dict[str, tuple[int, int]] = {}
        (bots,) = self._db.execute("SELECT count(DISTINCT bot) FROM live_elo").fetchone()
        # The last change is what counts, so from the end: soon everybody was there, unless somebody left long ago.
        for bot, before, change in self._db.execute(
            "SELECT live_elo.bot, before, change FROM match CROSS JOIN live_elo USING (match_id) "
            "WHERE contest = ? ORDER BY block DESC, rotation DESC",
            (contest,),
        ):
            found.setdefault(bot, (before + change, change))
            if len(found) == bots:
                break
        return found

    def live_since(self, contest: str, block: int) -> tuple[int, dict[str, tuple[int, int]]]:
        """As `live`, of bots that a match after the block has moved; and the last block that moved anybody."""
        rows = self._db.execute(
            # Beside max(), SQLite takes the other columns from the row of the maximum.
            "SELECT live_elo.bot, max(block * 1000 + rotation), before + change, change "
            "FROM match CROSS JOIN live_elo USING (match_id) WHERE contest = ? AND block > ? GROUP BY live_elo.bot",
            (contest, block),
        ).fetchall()
        return max([block, *(row[1] // 1000 for row in rows)]), {bot: (elo, last) for bot, _, elo, last in rows}

    def history(self, bot: str) -> list[tuple[str, str, int, int, int]]:
        """A bot's way: contest, match, rank, live Elo after it and the change, in schedule order."""
        return self._db.execute(
            "SELECT contest, match_id, rank, before + change, change FROM live_elo JOIN seat USING (match_id, seat) "
            "JOIN match USING (match_id) WHERE live_elo.bot = ? ORDER BY contest, block, rotation",
            (bot,),
        ).fetchall()

    def played(self, contest: str) -> int:
        """Matches of a contest that are done."""
        found: int = self._db.execute("SELECT count(*) FROM match WHERE contest = ?", (contest,)).fetchone()[0]
        return found

    def counts(self) -> tuple[int, int]:
        """Matches done, and faults."""
        matches: int = self._db.execute("SELECT count(*) FROM match").fetchone()[0]
        faults: int = self._db.execute("SELECT count(*) FROM fault").fetchone()[0]
        return matches, faults

    def dump(self, *, measured: bool = True) -> dict[str, list[tuple[Any, ...]]]:
        """Every table, row by row, with or without what was measured: to compare two databases."""
        found = {}
        for table in ("match", "seat", "fault", "live_elo"):
            columns = [row[1] for row in self._db.execute(f"PRAGMA table_info({table})")]
            kept = [name for name in columns if measured or name not in MEASURED.get(table, ())]
            found[table] = self._db.execute(f"SELECT {', '.join(kept)} FROM {table} ORDER BY 1, 2").fetchall()
        return found


def _cure(path: Path) -> str:
    return f"`tortuga ladder rebuild {path.parent}` makes it anew"


def _match_row(match: MatchSummary) -> tuple[Any, ...]:
    return (
        match.match_id,
        match.event,
        match.contest,
        match.block,
        match.stage,
        match.label,
        " ".join(match.bots),
        match.rotation,
        match.reason,
        match.decisions,
        match.started_millis,
        match.record_sha256,
        match.record_bytes,
        int(match.kept),
    )


def _seat_row(match: MatchSummary, number: int) -> tuple[Any, ...]:
    seat = match.seats[number]
    return (
        number,
        seat.bot,
        seat.version,
        seat.language,
        seat.rank,
        seat.score,
        seat.half_points,
        seat.faults,
        seat.answers,
        seat.time_micros,
    )


def _read_match(row: Sequence[Any], seats: Iterable[Sequence[Any]], faults: Iterable[FaultSummary]) -> MatchSummary:
    return MatchSummary(
        match_id=row[0],
        event=row[1],
        contest=row[2],
        block=row[3],
        stage=row[4],
        label=row[5],
        bots=tuple(row[6].split(" ")),
        rotation=row[7],
        reason=row[8],
        decisions=row[9],
        started_millis=row[10],
        record_sha256=row[11],
        record_bytes=row[12],
        # Who only looks may find a database of version 1.
        kept=bool(row[13]) if len(row) > 13 else True,
        seats=tuple(map(_read_seat, seats)),
        faults=tuple(faults),
    )


def _read_seat(row: Sequence[Any]) -> SeatSummary:
    names = ("bot", "version", "language", "rank", "score", "half_points", "faults", "answers", "time_micros")
    return SeatSummary(**dict(zip(names, row[2:], strict=True)))


def _read_fault(row: Sequence[Any]) -> FaultSummary:
    seat, bot, decision, kind, message, out = row[2:]
    return FaultSummary(seat=seat, bot=bot, decision=decision, kind=kind, message=message, out=bool(out))


def _fault_row(fault: FaultSummary) -> tuple[Any, ...]:
    return fault.seat, fault.bot, fault.decision, fault.kind, fault.message, int(fault.out)
