"""The statistics of `tortuga bench --compare`, with made-up samples."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.compare import (
    Ratio,
    Values,
    compare,
    measured_aims,
    paired_ratio,
    read_base,
    read_samples,
    unpaired_ratio,
)
from referee.errors import ConfigError

Rng = np.random.RandomState


def report(row: str, workload: list[float], **figures: list[float]) -> dict[str, Any]:
    """A report with the samples of one row."""
    return {"samples": [{"row": row, "game": "chess", "workload_cpu_seconds": workload, "figures": figures}]}


def noisy(rng: Rng, center: float, count: int) -> Values:
    """Samples as a busy machine gives them: some are far too large."""
    return np.asarray(center * np.exp(rng.normal(0, 0.05, count) + rng.exponential(0.1, count)))


def test_a_paired_interval_is_made_of_the_ordered_ratios() -> None:
    five = paired_ratio(np.array([2.0, 4.0, 6.0, 8.0, 10.0]), np.array([1.0, 1.0, 1.0, 1.0, 1.0]))
    assert (five.value, five.low, five.high) == (6.0, 2.0, 10.0)
    assert five.coverage == pytest.approx(1 - 2 / 2**5)
    nine = paired_ratio(np.arange(1.0, 10.0), np.ones(9))
    assert (nine.value, nine.low, nine.high) == (5.0, 2.0, 8.0)
    assert nine.coverage == pytest.approx(1 - 2 * (1 + 9) / 2**9)


def test_one_round_has_no_interval() -> None:
    one = paired_ratio(np.array([3.0]), np.array([2.0]))
    assert (one.value, one.coverage) == (1.5, 0.0)


def test_an_unpaired_interval_covers_as_often_as_all_orders_of_the_samples_say() -> None:
    """By hand: of all orders of 3 and 4 samples, the share in which the statistic is above the trimmed tail."""
    ratio = unpaired_ratio(np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 5.0, 7.0]))
    statistics = [
        sum(1 for ours in places for base in set(range(7)) - set(places) if ours > base)
        for places in combinations(range(7), 3)
    ]
    assert ratio.coverage == pytest.approx(1 - 2 * statistics.count(0) / len(statistics))
    assert (ratio.low, ratio.high) == (1 / 7, 4.0)  # too few to trim any


def test_an_unpaired_interval_is_trimmed_where_there_are_enough_samples() -> None:
    ours, base = np.arange(10.0, 15.0), np.arange(1.0, 6.0)
    ratio, ordered = unpaired_ratio(ours, base), np.sort(np.divide.outer(ours, base).ravel())
    assert (ratio.low, ratio.high) == (ordered[2], ordered[-3])  # two on each side, as tables of Mann and Whitney say
    assert ratio.coverage == pytest.approx(1 - 2 * 4 / 252)


@pytest.mark.parametrize("rounds", [5, 7, 9])
@pytest.mark.parametrize("paired", [True, False])
def test_intervals_hold_the_true_ratio_as_often_as_they_say(rounds: int, paired: bool) -> None:
    rng, held, trials = Rng(rounds), 0, 400
    for _ in range(trials):
        measure = paired_ratio if paired else unpaired_ratio
        ratio = measure(noisy(rng, 0.8, rounds), noisy(rng, 1.0, rounds))
        held += ratio.low <= 0.8 <= ratio.high
    assert held / trials > ratio.coverage - 0.03


def test_a_machine_at_half_its_speed_changes_no_cpu_ratio() -> None:
    ours = read_samples(report("engine", [0.02, 0.02], cpu_micros=[50.0, 52.0], decisions_per_second=[9.0, 9.0]))
    base = read_samples(report("engine", [0.04, 0.04], cpu_micros=[100.0, 104.0], decisions_per_second=[9.0, 9.0]))
    ratios = {row["figure"]: row["value"] for row in compare(ours, base, paired=True)}
    assert ratios == {"cpu_micros": pytest.approx(1.0), "decisions_per_second": 1.0}


def test_only_what_both_have_is_compared_and_no_plain_counts() -> None:
    ours = read_samples(report("event", [1.0], core_cpu_micros=[3.0], matches=[80.0], start_seconds=[2.0]))
    base = read_samples(report("event", [1.0], core_cpu_micros=[2.0], matches=[80.0]))
    assert [(row["figure"], row["value"]) for row in compare(ours, base, paired=False)] == [("core_cpu_micros", 1.5)]
    assert compare(ours, {}, paired=False) == []


def test_the_aims_are_ratios_within_a_run_or_to_the_base() -> None:
    ours = read_samples(report("event", [1.0], core_cpu_micros=[300.0], decisions_per_second=[4000.0]))
    ours |= read_samples(report("tables_32", [1.0], core_cpu_micros=[200.0]))
    ours |= read_samples(report("engine", [1.0], cpu_micros=[20.0]))
    base = read_samples(report("event", [1.0], core_cpu_micros=[800.0]))
    base |= read_samples(report("tables_32", [1.0], core_cpu_micros=[200.0]))
    to_base = {("engine", "chess", "cpu_micros"): Ratio(value=0.5, low=0.4, high=0.8, coverage=0.95)}
    within, engine = measured_aims(ours, base, lambda *key: to_base.get(key))
    assert (within["value"], within["base"], within["aim"]) == (1.5, 4.0, 1.5)
    assert (engine["value"], engine["low"], engine["high"], engine["base"]) == (2.0, 1.25, 2.5, None)


@pytest.mark.parametrize("content", ["", "[]", json.dumps({"games": []})])
def test_a_base_without_samples_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=r"base\.json"):
        read_base(path)
