"""The large measurements, made small: what they count is right. How long it takes is no test's business."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from bench.simulated import claims as statistics
from bench.simulated import mirrors
from bench.simulated import pairing as pairing_statistics
from bench.simulated.mirrors import Meeting, Side, play, play_block, variances, weigh
from bench.simulated.pairing import Field
from bench.simulated.stopping import StoppedPool
from server.cli.main import main


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
    monkeypatch.setattr(statistics, "STOPPED_POOLS", (StoppedPool(elo1=80, gap=300.0),))
    monkeypatch.setattr(statistics, "DUEL_BLOCKS", (4,))
    monkeypatch.setattr(statistics, "EXTREMES", ((1200.0, 2, 20),))
    monkeypatch.setattr(statistics, "TRIOS", ((3, 0.3, 20),))
    monkeypatch.setattr(statistics, "DISJOINT", (60,))
    monkeypatch.setattr(statistics, "SPREADS", (150.0,))
    monkeypatch.setattr(statistics, "FORECAST_FIELDS", ("8 that scatter by 300",))
    monkeypatch.setattr(statistics, "POWERS", ((2, 2, 8),))
    monkeypatch.setattr(pairing_statistics, "FIELDS", (Field(bots=4, seats=2, spread=600, games=8),))
    monkeypatch.setattr(pairing_statistics, "SECONDS", 0.01)
    told = CliRunner(env={"COLUMNS": "200"}).invoke(main, ["bench", "--statistics", "--events", "10"])
    assert told.exit_code == 0, told.output
    for words in (
        "± contains the true Elo",
        "among equals",
        "named beforehand",
        "after a sequential test",
        "duel line",
        "far from six near equals",
        "that are a cycle",
        "disjoint opponents",
        "more blocks would tell",
        "over three games",
        "should be told",
        "relative to a round-robin",
        "until a newcomer is known",
        "10 simulated events",
    ):
        assert words in " ".join(told.output.split())  # a title wider than its rows is broken
    found = json.loads(CliRunner().invoke(main, ["bench", "--statistics", "--events", "10", "--json"]).output)
    assert {
        "coverage",
        "false_claims",
        "calibration",
        "sprt",
        "duels",
        "extremes",
        "forecasts",
        "overall",
        "power",
        "pairing",
        "newcomers",
    } <= set(found)
    assert found["coverage"][0]["pool"] == "even steps"
    assert found["pairing"][0]["bound"] < 1
