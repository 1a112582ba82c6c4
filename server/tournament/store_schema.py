"""The tables of an event's database, and their rows as values. The queries are in store.py.

Some tables and columns are derived: sums per contest and per bot, and the results of a match in its own row, so that a
ladder of a million matches is read in one sweep. Each has its definition in DERIVED: the transaction that adds matches
keeps them up to date, and a test compares them with their definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from server.play.summary import FaultSummary, MatchSummary, SeatSummary
from server.tournament.live_ladder import ChangeColumns, Changes

SEAT_NUMBERS = """
    SELECT json_group_array({column}) FROM (
        SELECT {column} FROM seat WHERE seat.match_id = main.match.match_id ORDER BY seat
    )
"""
"""One number per seat of a match, in seat order."""

RANKS, FAULT_COUNTS = (SEAT_NUMBERS.format(column=column) for column in ("rank", "faults"))

SEAT_BEFORE, SEAT_CHANGE = (f"json_extract({column}, '$[' || seat || ']')" for column in ("before", "change"))
"""A seat's live Elo before a match and its change, where its rows of `seat` and `live_change` are joined."""

DERIVED = {
    "contest_total": """
        SELECT contest, count(*) AS matches, sum(decisions) AS decisions,
            sum((SELECT sum(faults) FROM seat WHERE seat.match_id = main.match.match_id)) AS faults
        FROM main.match GROUP BY contest
    """,
    # Beside max(), SQLite takes the other columns from the row of the maximum.
    "bot_total": """
        SELECT contest, bot, sum(seat.faults > 0) AS failed, sum(answers) AS answers, sum(time_micros) AS time_micros,
            version, coalesce(max(CASE WHEN version <> '' THEN block * 1000 + rotation END), -1) AS version_at
        FROM main.match JOIN seat USING (match_id) GROUP BY contest, bot
    """,
    "live_total": f"""
        SELECT contest, bot, elo, change FROM (
            SELECT contest, bot, {SEAT_BEFORE} + {SEAT_CHANGE} AS elo, {SEAT_CHANGE} AS change,
                max(block * 1000 + rotation)
            FROM live_change JOIN main.match USING (match_id) JOIN seat USING (match_id) GROUP BY contest, bot
        )
    """,
}
"""The sums, as they follow from the rows of the matches."""

QUICK_CHECKS = {
    "there are rows of seats or faults without their match": "PRAGMA foreign_key_check",
    "there are matches without all their seats": """
        SELECT 1 WHERE (SELECT count(*) FROM seat) <> (SELECT coalesce(sum(json_array_length(ranks)), 0) FROM match)
    """,
    "the number of matches is not the one it has noted": """
        WITH counted AS (SELECT contest, count(*) FROM match GROUP BY contest),
            noted AS (SELECT contest, matches FROM contest_total)
        SELECT * FROM (SELECT * FROM counted EXCEPT SELECT * FROM noted)
        UNION ALL SELECT * FROM (SELECT * FROM noted EXCEPT SELECT * FROM counted)
    """,
}
"""By what is wrong a query that finds it: quick enough for every start, a second for a million matches."""

ALL_CHECKS = {
    **QUICK_CHECKS,
    "there are matches without all their seats": """
        SELECT 1 FROM match LEFT JOIN (SELECT match_id, count(*) AS seats FROM seat GROUP BY match_id) USING (match_id)
        WHERE seats IS NOT json_array_length(ranks)
    """,
    "results of matches differ from those of their seats": f"""
        SELECT 1 FROM main.match WHERE ranks <> ({RANKS}) OR fault_counts <> ({FAULT_COUNTS})
    """,
    "faults differ from those of the seats": """
        SELECT 1 FROM seat LEFT JOIN (
            SELECT match_id, seat, count(*) AS listed FROM fault GROUP BY match_id, seat
        ) USING (match_id, seat) WHERE faults <> coalesce(listed, 0)
    """,
    "there are changes of the live ladder without their match": """
        SELECT 1 FROM live_change WHERE match_id NOT IN (SELECT match_id FROM match)
    """,
    **{
        f"the sums in {table} are not those of the matches": f"""
            SELECT * FROM (SELECT * FROM {table} EXCEPT {select})
            UNION ALL SELECT * FROM ({select} EXCEPT SELECT * FROM {table})
        """
        for table, select in DERIVED.items()
    },
}
"""As QUICK_CHECKS, and everything else that follows from something else."""

OLD_LIVE_CHANGE = """
    SELECT match_id, json_group_array(before) AS before, json_group_array(change) AS change
    FROM (SELECT match_id, before, change FROM live_elo ORDER BY match_id, seat) GROUP BY match_id
"""
"""The changes of the live ladder as version 2 stored them, a row per seat, in the form of today."""

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
    f"""
    ALTER TABLE match ADD COLUMN ranks TEXT NOT NULL DEFAULT '';         -- in seat order, as JSON
    ALTER TABLE match ADD COLUMN fault_counts TEXT NOT NULL DEFAULT '';  -- likewise: how often each seat failed
    UPDATE match SET ranks = ({RANKS}), fault_counts = ({FAULT_COUNTS});
    CREATE INDEX match_result ON match (contest, block, rotation, stage, bots, ranks, fault_counts);
    CREATE TABLE live_change (           -- what each match did to the live ladder, in millionths
        match_id TEXT PRIMARY KEY,       -- no REFERENCES: checking each row takes as long as writing it
        before TEXT NOT NULL,            -- in seat order, as JSON
        change TEXT NOT NULL             -- likewise; sums to 0
    ) WITHOUT ROWID;
    INSERT INTO live_change {OLD_LIVE_CHANGE};
    DROP TABLE live_elo;
    CREATE TABLE contest_total (
        contest TEXT PRIMARY KEY,
        matches INTEGER NOT NULL,
        decisions INTEGER NOT NULL,
        faults INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE bot_total (
        contest TEXT NOT NULL,
        bot TEXT NOT NULL,
        failed INTEGER NOT NULL,         -- matches in which it failed
        answers INTEGER NOT NULL,
        time_micros INTEGER NOT NULL,
        version TEXT NOT NULL,           -- the one it last reported
        version_at INTEGER NOT NULL,     -- and where: 1000 * block + rotation, -1 if it reported none
        PRIMARY KEY (contest, bot)
    ) WITHOUT ROWID;
    CREATE TABLE live_total (            -- the live ladder as it is now, in millionths
        contest TEXT NOT NULL,
        bot TEXT NOT NULL,
        elo INTEGER NOT NULL,
        change INTEGER NOT NULL,         -- the last one
        PRIMARY KEY (contest, bot)
    ) WITHOUT ROWID;
    INSERT INTO contest_total {DERIVED["contest_total"]};
    INSERT INTO bot_total {DERIVED["bot_total"]};
    INSERT INTO live_total {DERIVED["live_total"]};
    """,
    """
    ALTER TABLE match ADD COLUMN host TEXT NOT NULL DEFAULT '';          -- the machine of a cluster; empty: this one
    ALTER TABLE match ADD COLUMN host_speed INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX match_of_host ON match (host) WHERE host <> '';         -- without a cluster it is empty
    """,
)


def views_of_today(version: int) -> str:
    """A script for a reader of an older database, which it cannot change: temporary views that look like today's."""
    added = {
        2: "1 AS kept",
        3: f"({RANKS}) AS ranks, ({FAULT_COUNTS}) AS fault_counts",
        4: "'' AS host, 0 AS host_speed",
    }
    missing = ", ".join(columns for since, columns in added.items() if since > version)
    views = {"match": f"SELECT match.*, {missing} FROM main.match"}
    if version < 3:
        views |= {"live_change": OLD_LIVE_CHANGE, **DERIVED}
    return ";".join(f"CREATE TEMP VIEW {name} AS {select}" for name, select in views.items())


DUMPED = {
    "match": "match",
    "seat": "seat",
    "fault": "fault",
    "live_elo": (
        f"(SELECT match_id, seat, bot, {SEAT_BEFORE} AS before, {SEAT_CHANGE} AS change "
        "FROM live_change JOIN seat USING (match_id))"
    ),
}
"""What is in a database, as Store.dump shows it."""

NOT_DUMPED = {"match": {"ranks", "fault_counts"}}
"""Columns that repeat what is elsewhere."""

MEASURED = {
    "match": {"started_millis", "record_sha256", "record_bytes", "host", "host_speed"},
    "seat": {"time_micros"},
}
"""Columns that differ when the same match is played twice: times, hosts, and the hash of a record that holds them."""


def match_row(match: MatchSummary) -> tuple[Any, ...]:
    """The row of a match."""
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
        number_list(match.ranks),
        number_list(match.faults_by_seat),
        match.host,
        match.host_speed,
    )


def number_list(numbers: Sequence[int]) -> str:
    """Numbers as JSON, in the form that SQLite gives it."""
    return f"[{','.join(map(str, numbers))}]"


def seat_row(match: MatchSummary, number: int) -> tuple[Any, ...]:
    """The row of one seat, without the match id."""
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


def change_rows(changes: Changes) -> list[tuple[str, str, str]]:
    """The rows of changes of the live ladder."""
    if not isinstance(changes, ChangeColumns):
        return [(one.match_id, number_list(one.before), number_list(one.change)) for one in changes]
    form = f"[{','.join(['%d'] * changes.results.seats)}]"
    before, change = (
        [form % numbers for numbers in zip(*seats, strict=True)] for seats in (changes.before, changes.change)
    )
    return list(zip(changes.results.match_ids, before, change, strict=True))


def last_changes(changes: Changes) -> dict[tuple[str, str], tuple[int, int]]:
    """By contest and bot its live Elo after the last of these matches, and its last change."""
    if isinstance(changes, ChangeColumns):
        return {(changes.results.contest, bot): live for bot, live in changes.last().items()}
    return {(change.contest, bot): change.of(bot) for change in changes for bot in change.bots}


def sum_contests(matches: Iterable[MatchSummary]) -> list[tuple[Any, ...]]:
    """What these matches add to the sums of their contests."""
    found: dict[str, list[int]] = {}
    for match in matches:
        total = found.setdefault(match.contest, [0, 0, 0])
        total[0] += 1
        total[1] += match.decisions
        total[2] += sum(match.faults_by_seat)
    return [(contest, *total) for contest, total in found.items()]


def sum_bots(matches: Iterable[MatchSummary]) -> list[tuple[Any, ...]]:
    """What these matches add to the sums of their bots."""
    found: dict[tuple[str, str], tuple[int, int, int, str, int]] = {}
    for match in matches:
        place = match.block * 1000 + match.rotation
        for seat in match.seats:
            key = match.contest, seat.bot
            failed, answers, micros, version, at = found.get(key, (0, 0, 0, "", -1))
            if seat.version and place > at:
                version, at = seat.version, place
            counts = failed + (seat.faults > 0), answers + seat.answers, micros + seat.time_micros
            found[key] = *counts, version, at
    return [(*key, *total) for key, total in found.items()]


def read_match(row: Sequence[Any], seats: Iterable[Sequence[Any]], faults: Iterable[FaultSummary]) -> MatchSummary:
    """A match from its rows."""
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
        kept=bool(row[13]),
        seats=tuple(map(_read_seat, seats)),
        faults=tuple(faults),
        host=row[16],
        host_speed=row[17],
    )


def _read_seat(row: Sequence[Any]) -> SeatSummary:
    names = ("bot", "version", "language", "rank", "score", "half_points", "faults", "answers", "time_micros")
    return SeatSummary(**dict(zip(names, row[2:], strict=True)))


def read_fault(row: Sequence[Any]) -> FaultSummary:
    """A fault from its row."""
    seat, bot, decision, kind, message, out = row[2:]
    return FaultSummary(seat=seat, bot=bot, decision=decision, kind=kind, message=message, out=bool(out))


def fault_row(fault: FaultSummary) -> tuple[Any, ...]:
    """The row of a fault, without match id and number."""
    return fault.seat, fault.bot, fault.decision, fault.kind, fault.message, int(fault.out)
