"""Rulings as organisers make them: in a running event and in a running arena, which is killed afterwards."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.manifest import make_manifest, write_text
from server.tournament.standings import read_standings
from server.tournament.store import Store
from support.command import start, tortuga
from support.events import dump
from support.ladders import LADDER, make_config
from support.served import PATIENCE_SECONDS, Served, dialled_in, wait_for, wait_for_matches
from tortuga.v1 import arena_pb2 as pb

pytestmark = pytest.mark.timeout(3 * PATIENCE_SECONDS)


def make_event(base: Path, **keys: Any) -> Folder:
    table = {
        "name": "cup",
        "seed": "s",
        "clock": "3600+60/600",
        "start_seconds": 600,
        "games": [{"id": "pavillon_noir", "variant": {"max_rounds": 1}}],
        "bots": [{"spec": "random", "name": name} for name in ("ann", "bob", "cid")],
        **keys,
    }
    folder = Folder(base / "cup")
    folder.path.mkdir()
    folder.manifest.write_text(write_text(make_manifest(table)))
    return folder


def test_a_plan_from_trial_matches(tmp_path: Path) -> None:
    folder = make_event(tmp_path, rounds=50)
    done = tortuga(tmp_path, "tournament", "plan", "cup", "--trials", "4", "--json")
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert plan["matches"] == 300
    assert plan["trial"]["matches"] >= 4
    assert plan["expected_seconds"] > 0
    assert plan["expected_bytes"] > 300 * 1000
    assert [path.name for path in folder.path.iterdir()] == ["tournament.toml"], "nothing of the event was touched"


def test_a_running_event_takes_up_a_ruling_by_itself(tmp_path: Path) -> None:
    folder = make_event(tmp_path, rounds=200, concurrency=2)
    process = start(tmp_path, "tournament", "run", "cup")
    try:
        wait_for(lambda: len(list(folder.records.glob("*.tortuga"))) > 20)
        done = tortuga(tmp_path, "tournament", "disqualify", "cup", "bob", "--reason", "it cheated")
        assert done.returncode == 0, done.stderr
        ruled_at = time.time() * 1000
        _, errors = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0, errors
    finally:
        process.kill()
        process.wait()
    with Store.read_only(folder.database) as store:
        late = [one for one in store.matches() if "bob" in one.seated and one.started_millis > ruled_at + 20_000]
    assert not late
    [ladder] = read_standings(folder)
    assert ladder.placings.lines[-1].bot == "bob"
    assert ladder.placings.lines[-1].losses > 300
    report = folder.report.read_text()
    assert "bob is disqualified from" in report
    stored = dump(folder, measured=True)
    assert rebuild(folder).problems == []
    assert dump(folder, measured=True) == stored


def test_an_arena_follows_a_ruling_and_is_killed(tmp_path: Path) -> None:
    config = make_config(matches_at_once=6, suspend_faults=0, reconnect_seconds=1.0)
    served = Served(tmp_path, config).start()
    folder = Folder(served.path / "ladder")
    try:
        tokens = served.add("ann", "bob", "cid")
        with dialled_in(served.bots, tokens):
            wait_for_matches(served, 20)
            served.admin.DisqualifyBot(pb.DisqualifyBotRequest(name="bob", from_start=True, reason="it cheated"))
            ruled_millis = 1000 * time.time()
            rows = {row.entry: row for row in served.api.GetLadder(pb.GetLadderRequest(name=LADDER)).rows}
            assert rows["bob"].disqualified
            assert rows["bob"].matches == 0
            before = served.status().matches
            wait_for_matches(served, before + 20)
            matches = served.api.ListMatches(pb.ListMatchesRequest(page_size=20)).matches
            later = [match for match in matches if match.started_millis > ruled_millis]  # one may still be running
            assert later
            assert all("bob" not in [seat.entry for seat in match.seats] for match in later)
            served.kill()
        served.start()
        with dialled_in(served.bots, tokens):
            wait_for_matches(served, served.status().matches + 5)
            rows = {row.entry: row for row in served.api.GetLadder(pb.GetLadderRequest(name=LADDER)).rows}
            assert rows["bob"].matches == 0
            served.signal()
            assert served.end() == 0
    finally:
        served.close()
    stored = dump(folder, measured=True)
    [before_rebuild] = read_standings(folder)
    assert rebuild(folder).problems == []
    assert dump(folder, measured=True) == stored
    [again] = read_standings(folder)
    assert again.as_json() == before_rebuild.as_json()
    assert "bob" not in {row[1] for row in stored["live_elo"]}
