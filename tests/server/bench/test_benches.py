"""The large measurements, made small: what they count is right. How long it takes is no test's business."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from server.bench import (
    growth,
    ladders,
    long_event,
    mirrors,
    pairing_statistics,
    schedules,
    statistics,
    table_chooser,
)
from server.bench.mirrors import Meeting, Side, play, play_block, variances, weigh
from server.bench.pairing_statistics import Field
from server.cli.main import main
from server.tournament import dispatch
from server.tournament.event import load_contests
from server.tournament.folder import Folder
from server.tournament.live_ladder import LiveLadder
from server.tournament.rating_input import new_rating_input
from server.tournament.runner import Ending
from server.tournament.standings import make_ladder, read_standings
from server.tournament.store import Store
from support.events import dump, make_event, run


def test_mirrors_that_cancel_all_luck_make_blocks_certain() -> None:
    """Whoever holds the lucky seat wins: independent games scatter, mirrored ones do not."""
    lucky = np.random.RandomState(1).randint(2, size=400).astype(np.float64)
    mirrored, independent = variances(np.stack([lucky, 1 - lucky], axis=1))
    assert mirrored == pytest.approx(0, abs=1e-12)
    assert independent == pytest.approx(0.125, rel=0.02)


def test_games_without_common_luck_gain_nothing() -> None:
    gain = weigh(np.random.RandomState(1).randint(2, size=(4000, 2)).astype(np.float64))
    assert gain.low is not None
    assert gain.high is not None
    assert gain.low < 1 < gain.high
    assert gain.ratio == pytest.approx(1, abs=0.1)


def test_luck_that_is_taken_off_makes_blocks_more_certain() -> None:
    dice = np.random.RandomState(1)
    skill, luck = dice.normal(0.5, 0.1, (4000, 2)), dice.normal(0, 0.1, (4000, 2))
    gain = weigh(skill + luck, luck)
    assert gain.luck is not None
    assert gain.luck_single is not None
    assert gain.luck[1] < 2 < gain.luck[2]
    assert gain.luck[0] == pytest.approx(gain.luck_single[0], rel=0.1)
    assert weigh(skill, 0 * luck).luck is None, "where no luck is counted there is no figure"


def test_a_pair_that_always_splits_has_no_ratio() -> None:
    assert weigh(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])).ratio is None


def test_sides_sit_so_that_no_rotation_repeats_another() -> None:
    sides = Meeting("marauders", 4, Side("trader"), Side("raider")).sides
    rotations = {tuple(str(sides[(seat - turn) % 4]) for seat in range(4)) for turn in range(4)}
    assert len(rotations) == 4


def test_a_block_is_played_alike_every_time_and_blunders_differ_between_its_games() -> None:
    wild = Meeting("broadsides", 2, Side("random"), Side("random", 1.0))
    scores, luck = play(wild, 3)
    assert scores.shape == luck.shape == (3, 2)
    assert np.array_equal(scores, play(wild, 3)[0])
    # The same bot on both sides under one secret: only its own luck can tell the two games of a block apart.
    even = Meeting("broadsides", 2, Side("random"), Side("random"))
    splits = [sum(score for score, _ in play_block(even, f"b{n}")) for n in range(8)]
    assert any(total != 1.0 for total in splits)


def test_the_mirrors_are_printed_for_people_and_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirrors, "MEETINGS", (Meeting("broadsides", 2, Side("random"), Side("random")),))
    told = CliRunner().invoke(main, ["bench", "--mirrors", "--games", "8"])
    assert told.exit_code == 0, told.output
    assert "times fewer games" in told.output
    (row,) = json.loads(CliRunner().invoke(main, ["bench", "--mirrors", "--games", "8", "--json"]).output)["meetings"]
    assert (row["game"], row["seats"], row["blocks"]) == ("broadsides", 2, 4)


def test_the_statistics_are_printed_for_people_and_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coverage, claims among equals, calibration, sequential tests, pairing and newcomers, all made small."""
    monkeypatch.setattr(statistics, "BLOCKS", (12,))
    monkeypatch.setattr(statistics, "COVERED", (("even steps", "one anchor"),))
    monkeypatch.setattr(statistics, "EQUALS", ((6, 2, 15),))
    monkeypatch.setattr(statistics, "GAPS", (20.0,))
    monkeypatch.setattr(pairing_statistics, "FIELDS", (Field(bots=4, seats=2, spread=600, games=8),))
    monkeypatch.setattr(pairing_statistics, "SECONDS", 0.01)
    told = CliRunner(env={"COLUMNS": "200"}).invoke(main, ["bench", "--statistics", "--events", "10"])
    assert told.exit_code == 0, told.output
    for words in (
        "± contains the true Elo",
        "some bot surely better among equals",
        "probability that the one of a pair named beforehand is better",
        "sequential tests of 0 against 20 normalized Elo",
        "matches for the same error, relative to a round-robin",
        "matches until a newcomer is known",
        "10 simulated events per row",
    ):
        assert words in told.output
    found = json.loads(CliRunner().invoke(main, ["bench", "--statistics", "--events", "10", "--json"]).output)
    assert {"coverage", "false_claims", "calibration", "sprt", "pairing", "newcomers"} <= set(found)
    assert found["coverage"][0]["pool"] == "even steps"
    assert found["pairing"][0]["bound"] < 1


def test_the_chooser_of_an_arena_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_chooser, "TABLES", 2)
    found = table_chooser.measure_chooser(12, 2)
    assert (found["bots"], found["seats"]) == (12, 2)
    assert all(found[name] >= 0 for name in found)


@pytest.mark.parametrize("name", ["round-robin", "swiss", "ladder"])
def test_a_schedule_is_measured_to_its_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedules, "ENTRANTS", 8)
    monkeypatch.setitem(schedules.ROUNDS, name, 2)
    assert schedules.measure_schedule(name, 4)["blocks"] >= 4


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


def test_a_short_event_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_event, "PART", 6)
    shown: list[int] = []
    report = long_event.measure_event(12, lambda ladders: shown.append(ladders[0].table.matches))
    assert (report["finished"], report["matches"], report["faults"]) == (True, 12, 0)
    assert [part["matches"] for part in report["parts"]] == [6, 12]
    assert shown == [12]
    assert all(report["reads"][name]["cpu_seconds"] > 0 for name in growth.READS)
    assert all(part["parent_bytes"] > 0 and min(part["worker_bytes"]) > 0 for part in report["parts"])


@pytest.mark.parametrize("name", ["round-robin", "swiss", "knockout", "ladder"])
def test_however_few_blocks_are_made_ready_the_event_is_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dumps = []
    for queue in (1, 256):
        monkeypatch.setattr(dispatch, "QUEUE", queue)
        folder = make_event(tmp_path / str(queue), format=name, bots=("ann", "bob", "cid", "dan", "eva"), rounds=3)
        assert run(folder) is Ending.FINISHED
        dumps.append(dump(folder))
    assert dumps[0] == dumps[1]
