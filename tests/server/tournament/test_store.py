"""The database: its versions, its transactions, and what it says when it cannot be read."""

from __future__ import annotations

import os
import random
import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from bench import ladders
from referee.errors import ConfigError, TortugaError
from server.play.summary import MatchSummary
from server.system import database
from server.system.files import is_set_aside, set_aside
from server.tournament import store_queries
from server.tournament.agreement import Agreement
from server.tournament.event import load_contests, rebuild
from server.tournament.folder import Folder
from server.tournament.live_ladder import LiveLadder, RatingChange
from server.tournament.rating_input import new_rating_input
from server.tournament.runner import Ending
from server.tournament.standings import make_ladder, read_standings
from server.tournament.status import read_status
from server.tournament.store import Store
from server.tournament.store_schema import DERIVED, DUMPED, FAULT_COUNTS, MIGRATIONS, RANKS
from support.events import Notes, dump, make_event, run
from support.summaries import make_block, make_match

BLOCK = make_block(0, ["ann", "bob"], [[1, 2], [1, 1]], failed=["bob"])


def filled(path: Path) -> Store:
    store = Store.open(path)
    store.add(BLOCK, LiveLadder(1.0).feed(0, BLOCK))
    return store


def test_a_new_file_has_all_tables_and_its_version(tmp_path: Path) -> None:
    with Store.open(tmp_path / "db") as store:
        assert store.dump() == {"match": [], "seat": [], "fault": [], "live_elo": []}
    database = sqlite3.connect(tmp_path / "db")
    assert database.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_query_that_nobody_wants_any_more_is_interrupted_even_if_it_has_just_begun(tmp_path: Path) -> None:
    with filled(tmp_path / "db") as store:
        store.interrupt_when(lambda: False)
        assert store.counts() == (2, 2)
        store.interrupt_when(lambda: True)
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            store._db.execute("WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT max(n) FROM c")


def test_an_empty_file_of_version_0_is_brought_up_to_date(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "db").execute("PRAGMA user_version = 0").connection.close()
    with filled(tmp_path / "db") as store:
        assert store.counts() == (2, 2)


def of_version(path: Path, version: int) -> None:
    """A database as the tortuga of then left it, with a block in it. A released script adds columns at the end only."""
    database = sqlite3.connect(path)
    for script in MIGRATIONS[:version]:
        database.executescript(script)
    with filled(path.with_name("now")) as store:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            columns = [name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")]
            rows = store._db.execute(f"SELECT {', '.join(columns)} FROM {DUMPED.get(table, table)}").fetchall()
            database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
    database.execute(f"PRAGMA user_version = {version}")
    database.commit()
    database.close()


def read_all(store: Store) -> list[object]:
    """What the queries answer."""
    contest = BLOCK[0].contest
    answers = [store.counts(), store.match_count(contest), store.decisions(contest), store.live_elo(contest)]
    rows = [row for part in store.results(contest, 2) for row in part.rows()]
    totals = (
        store_queries.bot_totals(store, contest),
        store_queries.history(store, "ann"),
        store.changes(BLOCK[0].match_id),
        store_queries.faults(store, contest),
    )
    return [*answers, rows, *totals, store.dump(), store.latest(1), store.released_records(), list(store.matches())]


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_every_earlier_schema_is_brought_up_to_date_with_what_is_in_it(version: int, tmp_path: Path) -> None:
    of_version(tmp_path / "db", version)
    with filled(tmp_path / "new") as new:
        expected = read_all(new)
        with Store.read_only(tmp_path / "db") as looker:
            assert read_all(looker) == expected, "who only looks reads it as it is"
        with Store.open(tmp_path / "db") as store:
            assert read_all(store) == expected
            assert everything(store) == everything(new)


def everything(store: Store) -> dict[str, object]:
    """All tables with their definitions."""
    tables = store._db.execute("SELECT name, sql FROM sqlite_master ORDER BY 1").fetchall()
    return {
        name: (sql, store._db.execute(f"SELECT * FROM {name}").fetchall())
        for name, sql in tables
        if "TABLE" in (sql or "")
    }


def check_derived(store: Store) -> None:
    """What is derived is what follows from the rows of the matches."""
    for table, select in DERIVED.items():
        kept = store._db.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
        assert kept == store._db.execute(f"SELECT * FROM ({select}) ORDER BY 1, 2").fetchall(), table
    assert not store._db.execute(
        f"SELECT match_id FROM match WHERE ranks <> ({RANKS}) OR fault_counts <> ({FAULT_COUNTS})"
    ).fetchall()


@pytest.mark.parametrize("seed", range(3))
def test_sums_never_depart_from_the_matches_they_are_sums_of(seed: int, tmp_path: Path) -> None:
    luck = random.Random(seed)
    contests = {
        "pavillon_noir-2": (LiveLadder(1.0), ["ann", "bob", "cid"]),
        "broadsides-2": (LiveLadder(1.0), ["ann", "dan"]),
    }
    stored: dict[str, list[MatchSummary]] = {contest: [] for contest in contests}
    with Store.open(tmp_path / "db") as store:
        for _ in range(30):
            matches: list[MatchSummary] = []
            changes: list[RatingChange] = []
            for contest, (ladder, bots) in contests.items():
                for block in range(ladder.next_block, ladder.next_block + luck.randrange(3)):
                    ranks = [[luck.choice((1, 2)) for _ in range(2)] for _ in range(2)]
                    seated, failed = luck.sample(bots, 2), luck.sample(bots, luck.randrange(2))
                    made = [
                        with_version(make_match(block, turn, seated, ranks[turn], failed=failed, contest=contest), luck)
                        for turn in range(2)
                    ]
                    matches += made
                    changes += ladder.feed(block, made)
                    stored[contest] += made
            store.add(matches, changes)
            check_derived(store)
        gone = luck.sample([match for matches in stored.values() for match in matches], 5)
        store.remove_matches([match.match_id for match in gone])
        check_derived(store)
        for contest in contests:
            left = [match for match in stored[contest] if match not in gone]
            ladder = LiveLadder(1.0)
            store.replace_live_elo(contest, [ladder._count(match) for match in left])
            check_derived(store)
            kept = store._db.execute(
                "SELECT count(*) FROM live_change JOIN match USING (match_id) WHERE contest = ?", (contest,)
            )
            assert kept.fetchone() == (len(left),)


def with_version(match: MatchSummary, luck: random.Random) -> MatchSummary:
    """The same match, of bots that report a version or none."""
    return replace(match, seats=tuple(replace(seat, version=luck.choice(("", "1", "2"))) for seat in match.seats))


@pytest.mark.parametrize("case", ["fewer", "more", "other", "none"])
def test_the_live_ladder_is_corrected_from_where_it_is_wrong(case: str, tmp_path: Path) -> None:
    blocks = [make_block(number, ["ann", "bob"], [[1, 2], [2, 1]]) for number in range(5)]
    ladder = LiveLadder(1.0)
    right = [ladder.feed(number, block) for number, block in enumerate(blocks)]
    wrong = {
        "fewer": [change for part in right[:3] for change in part],
        "more": [change for part in right for change in part],
        "other": [change._replace(change=(1, -1)) for part in right for change in part],
        "none": [],
    }[case]
    if case == "more":
        right = right[:2]
    with Store.open(tmp_path / "db") as store:
        store.add([match for block in blocks for match in block], wrong)
        store.replace_live_elo(BLOCK[0].contest, right)
        check_derived(store)
        expected = {
            change.match_id: list(zip(change.before, change.change, strict=True)) for part in right for change in part
        }
        assert {match.match_id: store.changes(match.match_id) for block in blocks for match in block} == {
            match.match_id: expected.get(match.match_id, []) for block in blocks for match in block
        }
        before = store._db.total_changes
        store.replace_live_elo(BLOCK[0].contest, right)
        assert store._db.total_changes == before, "what is right is not written again"


def test_a_migration_that_breaks_off_leaves_the_version_before(tmp_path: Path) -> None:
    of_version(tmp_path / "db", 1)
    connection = database.connect(tmp_path / "db", read_only=False, cure="")
    with pytest.raises(sqlite3.OperationalError):
        database.migrate(connection, tmp_path / "db", [*MIGRATIONS, "CREATE TABLE a (b); SELECT * FROM nowhere"])
    connection.close()
    with Store.open(tmp_path / "db") as store:
        assert list(store.matches()) == BLOCK
        tables = store._db.execute("SELECT name FROM sqlite_master").fetchall()
        assert ("a",) not in tables


def at(match: MatchSummary, millis: int) -> MatchSummary:
    return replace(match, started_millis=millis)


def test_the_latest_matches_come_first_and_every_filter_holds(tmp_path: Path) -> None:
    first = [at(match, 10) for match in make_block(0, ["ann", "bob"], [[1, 2], [1, 1]], failed=["bob"])]
    second = [at(match, 20) for match in make_block(1, ["ann", "cid"], [[1, 2], [2, 1]])]
    other = [at(make_match(0, 0, ["cid", "bob"], [1, 2], contest="broadsides-2"), 30)]
    with Store.open(tmp_path / "db") as store:
        store.add([*first, *second, *other], ())
        everything = [*other, *second[::-1], *first[::-1]]
        assert store.latest(10) == everything
        assert store.latest(2) == everything[:2]
        key = everything[1].started_millis, everything[1].match_id
        assert store.latest(10, before=key) == everything[2:]
        assert store.latest(10, contest="broadsides-2") == other
        assert store.latest(10, bots=["cid"]) == [*other, *second[::-1]]
        assert store.latest(10, bots=["cid", "bob"], contest="pavillon_noir-2", before=key) == everything[2:]
        assert store.latest(10, since_millis=20) == everything[:3]
        assert store.latest(10, bots=[]) == []
        assert store.match(first[0].match_id) == first[0]
        assert store.match("../../x") is None


KEPT = 13
"""The place of that column."""


def test_a_record_that_was_let_go_is_not_missed(tmp_path: Path) -> None:
    folder, notes = make_event(tmp_path), Notes()
    run(folder)
    before = dump(folder, measured=True)
    with Store.open(folder.database) as store:
        gone, there, *_ = [match.match_id for match in store.matches()]
        store.release_records([gone, there])
    folder.record(gone).unlink()  # killed before the second was removed
    expected = {
        **before,
        "match": [(*row[:KEPT], int(row[0] not in (gone, there)), *row[KEPT + 1 :]) for row in before["match"]],
    }
    assert run(folder, notes) is Ending.FINISHED
    assert (notes.finished, notes.warnings) == ([], [])
    assert dump(folder, measured=True) == expected
    assert rebuild(folder).problems == []
    assert dump(folder, measured=True) == expected


def test_a_record_whose_match_was_played_again_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of bots that dial in each playing has luck and a name of its own; a lost record may be found again."""
    monkeypatch.setattr(Agreement, "match_secret", lambda *_: secrets.token_bytes(32))
    monkeypatch.setattr(Agreement, "has_fresh_luck", True)
    folder, notes = make_event(tmp_path), Notes()
    run(folder)
    with Store.read_only(folder.database) as store:
        lost = folder.record(next(store.matches()).match_id)
    aside = lost.rename(tmp_path / "lost")
    assert run(folder) is Ending.FINISHED
    expected = dump(folder, measured=True)
    aside.rename(lost)
    assert run(folder, notes) is Ending.FINISHED
    [warning] = notes.warnings
    assert warning.startswith(f"{lost.name}: ")
    assert "was played again" in warning
    assert dump(folder, measured=True) == expected


def test_a_damaged_database_still_tells_of_records_that_were_let_go(tmp_path: Path) -> None:
    folder, notes = make_event(tmp_path), Notes()
    run(folder)
    with Store.open(folder.database) as store:
        gone = next(store.matches()).match_id
        store.release_records([gone])
        (page,) = store._db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'match_by_time'").fetchone()
    folder.record(gone).unlink()
    expected = dump(folder, measured=True)
    content = bytearray(folder.database.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = bytes(4096)  # an index is in disorder, the rows are not
    folder.database.write_bytes(content)
    assert run(folder, notes) is Ending.FINISHED
    assert ["is damaged" in text for text in notes.warnings] == [True]
    assert (dump(folder, measured=True), notes.finished) == (expected, [])


def test_opening_twice_changes_nothing(tmp_path: Path) -> None:
    with filled(tmp_path / "db") as store:
        before = store.dump()
    with Store.open(tmp_path / "db") as store:
        assert store.dump() == before


def test_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "db"
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    database.close()
    before = path.read_bytes()
    with pytest.raises(ConfigError, match="newer version"):
        Store.open(path)
    assert sqlite3.connect(path).execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)
    assert len(path.read_bytes()) == len(before)


def test_what_was_put_in_comes_out(tmp_path: Path) -> None:
    with filled(tmp_path / "db") as store:
        assert list(store.matches()) == BLOCK
        assert list(store.matches("pavillon_noir-2")) == BLOCK
        assert list(store.matches("broadsides-2")) == []


@pytest.mark.parametrize("table", ["match", "seat", "fault", "live_elo"])
def test_a_block_is_there_whole_or_not_at_all(table: str, tmp_path: Path) -> None:
    """The last row of each table in turn is one that the table refuses."""
    block = make_block(1, ["ann", "bob"], [[1, 2], [1, 1]], failed=["bob"])
    changes = LiveLadder(1.0).feed(0, block)
    match table:
        case "match":
            block[-1] = replace(block[-1], match_id=BLOCK[0].match_id)
        case "seat":
            seat = replace(block[-1].seats[-1], rank=None)  # type: ignore[arg-type]
            block[-1] = replace(block[-1], seats=(block[-1].seats[0], seat))
        case "fault":
            block[-1] = replace(block[-1], faults=(replace(block[-1].faults[0], kind=None),))  # type: ignore[arg-type]
        case _:
            changes.append(changes[-1])
    with filled(tmp_path / "db") as store:
        before = store.dump()
        with pytest.raises(sqlite3.IntegrityError):
            store.add(block, changes)
        assert store.dump() == before
        good = make_block(1, ["ann", "bob"], [[1, 2], [1, 1]])
        store.add(good, [])
        assert store.counts() == (4, 2), "the next transaction is not disturbed"


def test_the_same_match_cannot_be_there_twice(tmp_path: Path) -> None:
    with filled(tmp_path / "db") as store:
        with pytest.raises(sqlite3.IntegrityError):
            store.add(BLOCK, ())
        again = [replace(BLOCK[0], match_id="another-name")]
        with pytest.raises(sqlite3.IntegrityError):
            store.add(again, ())


def test_a_match_goes_with_all_its_rows(tmp_path: Path) -> None:
    with filled(tmp_path / "db") as store:
        store.remove_matches([match.match_id for match in BLOCK])
        assert store.dump() == {"match": [], "seat": [], "fault": [], "live_elo": []}


def test_who_only_looks_cannot_write_and_sees_what_the_writer_commits(tmp_path: Path) -> None:
    with filled(tmp_path / "db") as store, Store.read_only(tmp_path / "db") as looker:
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            looker.remove_matches([BLOCK[0].match_id])
        assert looker.counts() == (2, 2)
        store.add(make_block(1, ["ann", "bob"], [[1, 2], [1, 1]]), ())
        assert looker.counts() == (4, 2)


def test_a_database_that_is_not_there_is_named_with_what_helps(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"`tortuga ladder rebuild {tmp_path}`"):
        Store.read_only(tmp_path / "db")
    assert not (tmp_path / "db").exists(), "looking makes no file"


def test_garbage_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "db").write_bytes(b"garbage" * 1000)
    for way in (Store.open, Store.read_only):
        with pytest.raises(ConfigError, match="ladder rebuild"):
            way(tmp_path / "db")


def test_an_event_whose_database_is_newer_is_refused_and_nothing_is_set_aside(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    run(folder)
    database = sqlite3.connect(folder.database)
    database.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    database.close()
    with pytest.raises(ConfigError, match="newer version"):
        run(folder)
    assert [path.name for path in tmp_path.glob("*.damaged")] == []


@pytest.mark.parametrize("size", [100, 4096, 5000, 8192, 12288, 20480])
def test_a_database_that_was_cut_short_anywhere_is_made_again(size: int, tmp_path: Path) -> None:
    folder, notes = make_event(tmp_path), Notes()
    run(folder)
    expected = dump(folder, measured=True)
    content = folder.database.read_bytes()
    assert len(content) > size
    folder.database.write_bytes(content[:size])
    assert run(folder, notes) is Ending.FINISHED
    assert (dump(folder, measured=True), notes.finished) == (expected, [])
    assert [f"{folder.database} is damaged" in text for text in notes.warnings] == [True]
    assert folder.database.with_name("tortuga.db.damaged").exists()


@pytest.mark.parametrize("size", [4096, 8192, 12288])
def test_who_looks_at_a_damaged_database_is_told_what_helps(size: int, tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    run(folder)
    content = folder.database.read_bytes()
    folder.database.write_bytes(content[:size] + b"\xff" * (len(content) - size))
    with pytest.raises(TortugaError, match=rf"damaged\b.*\bladder rebuild {tmp_path}`"):
        read_status(folder)
    rebuild(folder)
    assert read_status(folder).matches_done == 12


def test_a_database_that_is_locked_is_not_taken_for_damaged(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    run(folder)
    database = sqlite3.connect(folder.database, isolation_level=None)
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    database.execute("BEGIN EXCLUSIVE")
    with pytest.raises(ConfigError, match=r"tortuga\.db .*is locked"):
        run(folder)
    database.close()
    assert run(folder) is Ending.FINISHED
    assert [path.name for path in tmp_path.glob("*.damaged")] == []


BROKEN = {
    "seats without matches": "DELETE FROM match",
    "a seat of another match": "UPDATE seat SET match_id = match_id || 'x' WHERE seat = 1",
    "matches without seats": "DELETE FROM seat",
    "a fault of another match": "INSERT INTO fault VALUES ('x', 0, 0, 'ann', 0, 'crash', '', 1)",
    "sums of nothing": "DELETE FROM contest_total",
    "sums of other matches": "UPDATE contest_total SET matches = matches + 1",
    "ranks that cannot be read": "UPDATE match SET ranks = '['",
}


@pytest.mark.parametrize("script", BROKEN.values(), ids=BROKEN)
def test_a_database_whose_rows_do_not_belong_together_is_made_again_by_itself(script: str, tmp_path: Path) -> None:
    folder, notes = make_event(tmp_path), Notes()
    run(folder)
    expected = dump(folder, measured=True)
    database = sqlite3.connect(folder.database)
    database.executescript(script)
    database.close()
    assert run(folder, notes) is Ending.FINISHED
    assert (dump(folder, measured=True), notes.finished) == (expected, [])
    assert [f"{folder.database} is damaged" in text for text in notes.warnings] == [True]
    assert folder.database.with_name("tortuga.db.damaged").exists()


def test_rows_beside_a_database_that_is_gone_do_not_get_into_the_new_one(tmp_path: Path) -> None:
    folder, notes = make_event(tmp_path), Notes()
    run(folder)
    expected = dump(folder, measured=True)
    with Store.open(folder.database) as store:
        store.remove_matches([expected["match"][0][0]])  # stays beside it while the store is open
        rows = folder.database.with_name("tortuga.db-wal").read_bytes()
    folder.database.unlink()
    folder.database.with_name("tortuga.db-wal").write_bytes(rows)
    assert run(folder, notes) is Ending.FINISHED
    assert (dump(folder, measured=True), notes.finished) == (expected, [])
    assert folder.database.with_name("tortuga.db.damaged-wal").read_bytes() == rows


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_what_is_no_file_in_place_of_the_database_is_set_aside(make: Callable[[Path], None], tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    run(folder)
    expected = dump(folder, measured=True)
    folder.database.unlink()
    make(folder.database)
    assert run(folder) is Ending.FINISHED
    assert dump(folder, measured=True) == expected


def test_a_match_without_its_seats_does_not_shift_those_of_others(tmp_path: Path) -> None:
    with Store.open(tmp_path / "db") as store:
        store.add(make_block(0, ["ann", "bob"], [[1, 2], [1, 1]]), ())
        whole = list(store.matches())
    database = sqlite3.connect(tmp_path / "db")
    database.execute("DELETE FROM seat WHERE match_id = ?", (whole[0].match_id,))
    database.commit()
    database.close()
    with Store.read_only(tmp_path / "db") as store:
        first, second = store.matches()
    assert (first.seats, second) == ((), whole[1])


def test_what_is_set_aside_never_takes_the_place_of_what_was_set_aside_before(tmp_path: Path) -> None:
    for content in "ab":
        (tmp_path / "x").write_text(content)
        aside = set_aside(tmp_path / "x")
        assert aside is not None
        assert is_set_aside(aside)
    assert (tmp_path / "x.damaged").read_text() == "a"
    assert (tmp_path / "x.damaged.2").read_text() == "b"
    assert set_aside(tmp_path / "x") is None
    names = [tmp_path / name for name in ("db.damaged-wal", "db.damaged.2-wal", ".damaged", "x.damaged.old", "x")]
    assert list(map(is_set_aside, names)) == [True, True, False, False, False]


@pytest.mark.few(1)
@pytest.mark.parametrize(("seats", "game"), [(2, "pavillon_noir"), (4, "pirates_cove")])
def test_columns_from_the_database_give_the_same_table_as_the_matches(seats: int, game: str, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    agreement = ladders.synthetic_event(folder, 100 * seats, seats, game)
    (contest,) = agreement.manifest.contests
    with Store.open(folder.database) as store:
        matches = list(store.matches())
        bare = [row for part in store.results(contest.id, seats) for row in part.rows()]
        for result, match in zip(bare, matches, strict=True):
            for name in result._fields:
                assert getattr(result, name) == getattr(match, name)
        load_contests(agreement, store)
        live = store.live_elo(contest.id)
        by_match = {match.match_id: store.changes(match.match_id) for match in matches}
    slow = LiveLadder(1.0)
    whole = [
        change
        for block, group in groupby(matches, key=lambda one: one.block)
        for change in slow.feed(block, list(group))
    ]
    assert by_match == {change.match_id: list(zip(change.before, change.change, strict=True)) for change in whole}
    assert live == {bot: change.of(bot) for change in whole for bot in change.bots}
    sheet = new_rating_input(agreement, contest)
    for match in matches:
        sheet.add(match)
    (read,) = read_standings(folder)
    rated = replace(make_ladder(agreement, sheet, live), placings=read.placings, bracket=read.bracket)
    assert read.as_json() == rated.as_json()
    assert read.decisions == sheet.decisions == sum(match.decisions for match in matches)
