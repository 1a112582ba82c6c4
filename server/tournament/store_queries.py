"""What standings, reports and rulings read of an event's database, besides the matches themselves."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from server.play.summary import BotTotals, FaultSummary
from server.tournament.store import Store
from server.tournament.store_schema import SEAT_BEFORE, SEAT_CHANGE, read_fault

if TYPE_CHECKING:
    from server.ratings.matches import Ints


def started_millis(store: Store, contest: str) -> Ints:
    """Return when each match of a contest began, in schedule order."""
    import numpy as np  # here: a page of text needs no numpy

    rows = store.query("SELECT started_millis FROM match WHERE contest = ? ORDER BY block, rotation", (contest,))
    return np.fromiter((millis for (millis,) in rows), dtype=np.int64)


def hosts(store: Store) -> dict[str, int]:
    """Return the machines of a cluster that played, and the speed of each."""
    rows = store.query("SELECT host, max(host_speed) FROM match WHERE host <> '' GROUP BY host")
    return dict(rows.fetchall())


def hosts_of(store: Store, contest: str) -> list[str]:
    """Return the machine that played each match of a contest, in schedule order."""
    rows = store.query("SELECT host FROM match WHERE contest = ? ORDER BY block, rotation", (contest,))
    return [host for (host,) in rows]


def first_millis(store: Store) -> int:
    """Return when the first match began. 0: there is none."""
    (millis,) = store.query("SELECT min(started_millis) FROM match").fetchone()
    return int(millis or 0)


def bot_identities(store: Store) -> dict[str, tuple[str, str, int]]:
    """Return per bot the version and language of its latest match, and when that began."""
    # Beside max(), SQLite takes the other columns from the row of the maximum.
    rows = store.query(
        "SELECT bot, version, language, max(started_millis) FROM seat JOIN match USING (match_id) GROUP BY bot"
    )
    return {bot: (version, language, millis) for bot, version, language, millis in rows}


def ruled_on(
    store: Store, contest: str, bots: Collection[str], match_ids: Collection[str]
) -> Iterator[tuple[str, list[str], int]]:
    """Read the matches of these bots, and these matches, of a contest: their bots, and when they began."""
    rows = store.query(
        "SELECT match_id, bots, started_millis FROM match WHERE contest = ? AND (match_id IN (SELECT value FROM "
        "json_each(?)) OR match_id IN (SELECT match_id FROM seat WHERE bot IN (SELECT value FROM json_each(?))))",
        (contest, json.dumps([*match_ids]), json.dumps([*bots])),
    )
    for match_id, seated, started in rows:
        yield match_id, seated.split(" "), started


def unplayed(store: Store, contest: str) -> set[str]:
    """Return the matches of a contest that nobody played: see MatchSummary.is_unplayed."""
    rows = store.query(
        "SELECT match_id FROM match WHERE contest = ? AND match_id IN (SELECT match_id FROM fault) AND NOT EXISTS ("
        "SELECT 1 FROM seat WHERE seat.match_id = match.match_id AND (faults = 0 OR answers > 0))",
        (contest,),
    )
    return {match_id for (match_id,) in rows}


def margins(store: Store, contest: str) -> Iterator[tuple[str, str, float]]:
    """Read for every seat of a contest the match, the bot, and its score less the mean score of the others."""
    return store.query(
        "SELECT match_id, bot, score - (total - score) / (seats - 1) FROM seat JOIN ("
        "SELECT match_id, sum(score) AS total, count(*) AS seats FROM seat JOIN match USING (match_id) "
        "WHERE contest = ? GROUP BY match_id) USING (match_id)",
        (contest,),
    )


def block_matches(store: Store, contest: str, block: int) -> list[str]:
    """Return the matches of a block, by rotation."""
    rows = store.query("SELECT match_id FROM match WHERE contest = ? AND block = ? ORDER BY rotation", (contest, block))
    return [match_id for (match_id,) in rows]


def last_stage(store: Store, contest: str) -> int:
    """Return the last stage of which a match was played; -1: none was."""
    row = store.query("SELECT stage FROM match WHERE contest = ? ORDER BY block DESC LIMIT 1", (contest,)).fetchone()
    return -1 if row is None else int(row[0])


def bot_totals(store: Store, contest: str) -> dict[str, BotTotals]:
    """Return per bot what it did in all its matches."""
    rows = store.query("SELECT bot, failed, answers, time_micros, version FROM bot_total WHERE contest = ?", (contest,))
    return {bot: BotTotals(*totals) for bot, *totals in rows}


def faults(store: Store, contest: str) -> list[tuple[str, FaultSummary]]:
    """Return all faults of a contest in schedule order, each with its match id."""
    rows = store.query(
        "SELECT fault.* FROM fault JOIN match USING (match_id) WHERE contest = ? ORDER BY block, rotation, number",
        (contest,),
    )
    return [(row[0], read_fault(row)) for row in rows]


def history(store: Store, bot: str) -> list[tuple[str, str, int, int, int]]:
    """Return a bot's matches in schedule order: contest, match, rank, live Elo after it, and its change."""
    return store.query(
        f"SELECT contest, match_id, rank, {SEAT_BEFORE} + {SEAT_CHANGE}, {SEAT_CHANGE} FROM seat "
        "JOIN live_change USING (match_id) JOIN match USING (match_id) "
        "WHERE seat.bot = ? ORDER BY contest, block, rotation",
        (bot,),
    ).fetchall()


def changes_of(store: Store, match_ids: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """Return what `Store.changes` does, for many matches at once."""
    changes = {}
    for start in range(0, len(match_ids), 500):
        part = match_ids[start : start + 500]
        rows = store.query(
            f"SELECT match_id, before, change FROM live_change WHERE match_id IN ({', '.join('?' * len(part))})",
            part,
        )
        for match_id, before, change in rows:
            changes[match_id] = list(zip(json.loads(before), json.loads(change), strict=True))
    return changes
