"""Games of more than two seats, with real processes: the others finish a real game whoever fails."""

from __future__ import annotations

import json
from pathlib import Path

from support.command import assert_nothing_left, hostile, play_json, tortuga


def test_five_seats_of_which_one_crashes_and_one_hangs_end_with_a_full_ranking(tmp_path: Path) -> None:
    bots = ["random", hostile("crash_in_month_3"), "random", hostile("hang_in_month_6"), "random"]
    words = [word for bot in bots for word in ("--bot", bot)]
    report = play_json(tmp_path, "pirates_cove", *words, "--seed", "5", "--clock", "20+0.1/1")
    assert report["reason"] == "most_fame"
    faults = {seat["seat"]: [fault["kind"] for fault in seat["faults"]] for seat in report["seats"]}
    assert faults == {0: [], 1: ["crash"], 2: [], 3: ["timeout"], 4: []}
    ranks = [seat["rank"] for seat in report["seats"]]
    assert ranks[3] == 4, "who fails later ranks better"
    assert ranks[1] == 5
    assert sorted(ranks[seat] for seat in (0, 2, 4)) in ([1, 2, 3], [1, 1, 3], [1, 2, 2], [1, 1, 1])
    done = tortuga(tmp_path, "replay", "verify", report["record"], "--json")
    assert json.loads(done.stdout)[0]["holds"], done.stdout
    assert_nothing_left(tmp_path)


def test_four_seats_of_marauders_finish_a_match_that_can_be_proven(tmp_path: Path) -> None:
    words = [word for bot in ("trader", "raider", "random", "random") for word in ("--bot", bot)]
    report = play_json(tmp_path, "marauders", *words, "--seed", "4")
    assert [seat["faults"] for seat in report["seats"]] == [[], [], [], []]
    assert tortuga(tmp_path, "replay", "verify", report["record"]).returncode == 0
    assert_nothing_left(tmp_path)
