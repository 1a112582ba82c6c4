"""What goes after some time, and what never does."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from server.arena.ladders.retention import DAY_MILLIS, RetentionPolicy, delete_expired, find_expired
from server.tournament.folder import Folder
from server.tournament.store import Store
from support.arena import block, fill

NOW = 100 * DAY_MILLIS


@pytest.mark.parametrize(
    ("keep", "logs", "records"),
    [
        (RetentionPolicy(), "", ""),
        (RetentionPolicy(logs=1), "abc", ""),
        (RetentionPolicy(logs=10, records=30), "ab", "a"),
        (RetentionPolicy(records=1000), "", ""),
    ],
)
def test_only_what_is_too_old_goes(keep: RetentionPolicy, logs: str, records: str) -> None:
    times = [("a", NOW - 50 * DAY_MILLIS), ("b", NOW - 20 * DAY_MILLIS), ("c", NOW - 2 * DAY_MILLIS), ("d", NOW)]
    leaving = find_expired(keep, NOW, [(Path(name), at) for name, at in times], times)
    assert "".join(map(str, leaving.logs)) == logs
    assert "".join(leaving.matches) == records


def test_the_day_itself_is_kept() -> None:
    keep = RetentionPolicy(records=1)
    assert find_expired(keep, NOW, [], [("a", NOW - DAY_MILLIS)]).matches == ()
    assert find_expired(keep, NOW, [], [("a", NOW - DAY_MILLIS - 1)]).matches == ("a",)


def test_records_go_and_results_stay(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    old = [replace(match, started_millis=NOW - 9 * DAY_MILLIS) for match in block(0, ["ann", "bob"])]
    new = [replace(match, started_millis=NOW) for match in block(1, ["ann", "bob"])]
    fill(folder, [old, new])
    folder.logs.mkdir()
    for match in (*old, *new):
        folder.record(match.match_id).write_bytes(b"r")
        log = folder.logs / f"{match.match_id}.log"
        log.write_text("words")
        os.utime(log, ns=(0, match.started_millis * 1_000_000))
    (folder.records / "stranger.tortuga").write_bytes(b"not ours")
    with Store.open(folder.database) as store:
        before = store.dump()
        leaving = delete_expired(folder, store, RetentionPolicy(logs=5, records=7), NOW)
        assert sorted(leaving.matches) == [match.match_id for match in old]
        assert [match.kept for match in store.matches()] == [False, False, True, True]
        after = store.dump()
        assert {**after, "match": []} == {**before, "match": []}
        others = [[(*row[:-3], *row[-2:]) for row in one["match"]] for one in (after, before)]  # host, speed
        assert others[0] == others[1]
        folder.record(old[0].match_id).write_bytes(b"r")  # as if killed before it was removed
        assert delete_expired(folder, store, RetentionPolicy(logs=5, records=7), NOW).matches == ()
    kept = sorted([*(f"{match.match_id}.tortuga" for match in new), "stranger.tortuga"])
    assert sorted(path.name for path in folder.records.iterdir()) == kept
    assert sorted(path.stem for path in folder.logs.iterdir()) == [match.match_id for match in new]
