"""Compares samples: with those of another checkout or an older report, and with the speeds that we aim for.

Every ratio has an interval that needs no assumption about the noise. CPU times are divided by what the fixed workload
took around them (workload.py); rates and memory are taken as they are. Samples of one run are taken in pairs, round by
round, and the interval is made of the ordered ratios of the pairs. Against an older report there are no pairs: every
sample is compared with every other one (Hodges and Lehmann's estimate with the interval of Mann and Whitney).
docs/bench.md tells how to read the aims.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from referee.errors import ConfigError

WANTED_COVERAGE = 0.95

Values = npt.NDArray[np.float64]
Samples = Mapping[tuple[str, str], Mapping[str, Values]]
"""By row and game, then by figure: one value per round, CPU times already divided by the workload."""

COMPARED = ("cpu_micros", "cpu_seconds", "per_second", "bytes", "questions_per_write", "start_seconds")
"""The ends of the names of the figures that are compared."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ratio:
    """A ratio and its interval."""

    value: float
    low: float
    high: float
    coverage: float
    """How often such an interval holds the true ratio: 0.95 or more, or less if there were too few rounds."""

    def inverse(self) -> Ratio:
        """Return one divided by it."""
        return Ratio(value=1 / self.value, low=1 / self.high, high=1 / self.low, coverage=self.coverage)


def read_samples(report: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, Values]]:
    """Return the samples of a report, ready to be compared."""
    samples = {}
    for entry in report["samples"]:
        workload = np.array(entry["workload_cpu_seconds"])
        samples[entry["row"], entry["game"]] = {
            name: np.array(values) / (workload if "_cpu_" in f"_{name}" else 1.0)
            for name, values in entry["figures"].items()
        }
    return samples


def read_base(path: Path) -> dict[str, Any]:
    """Read an older report, as `tortuga bench --json` printed it."""
    try:
        report = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} is not a report of `tortuga bench --json`: {error}") from None
    if not isinstance(report, dict) or "samples" not in report:
        raise ConfigError(
            f"{path} holds no samples: an older version wrote it. Pass the folder of its checkout instead"
        )
    return report


def compare(ours: Samples, base: Samples, *, paired: bool) -> list[dict[str, Any]]:
    """Return the ratio of ours to base, for every figure that both have."""
    rows = []
    for (row, game), figures in ours.items():
        for name, values in figures.items():
            other = base.get((row, game), {}).get(name)
            if other is not None and name.endswith(COMPARED) and values.all() and other.all():
                ratio = paired_ratio(values, other) if paired else unpaired_ratio(values, other)
                rows.append({"row": row, "game": game, "figure": name, **asdict(ratio)})
    return rows


def paired_ratio(ours: Values, base: Values) -> Ratio:
    """Return the median of the ratios of samples taken directly after each other, and an interval of their order."""
    count = min(len(ours), len(base))
    ratios = np.sort(ours[:count] / base[:count])
    # Each ratio lies below the true median with probability 1/2: how many do is binomial.
    return _ratio(ratios, list(accumulate(math.comb(count, below) / 2**count for below in range(count + 1))))


def unpaired_ratio(ours: Values, base: Values) -> Ratio:
    """Return the median of all ratios of one sample to another, and the interval of Mann and Whitney."""
    ratios = np.sort(np.divide.outer(ours, base).ravel())
    # How many orders of both samples together give each value of their statistic: Gauss's binomial coefficients.
    counts = np.zeros(len(ratios) + 1)
    counts[0] = 1.0
    for number in range(1, len(ours) + 1):
        shift = len(base) + number
        counts[shift:] -= counts[:-shift].copy() if shift < len(counts) else 0.0
        for start in range(number):
            counts[start::number] = np.cumsum(counts[start::number])
    return _ratio(ratios, list(np.cumsum(counts) / math.comb(len(ours) + len(base), len(ours))))


def _ratio(ratios: Values, cumulative: Sequence[float]) -> Ratio:
    """Return the median, and the tightest interval of ordered ratios that is wide enough.

    cumulative[k]: how probable it is that at most k ratios lie below the true one.
    """
    trim = 0
    while 2 * (trim + 1) < len(ratios) and 1 - 2 * cumulative[trim + 1] >= WANTED_COVERAGE:
        trim += 1
    return Ratio(
        value=float(np.median(ratios)),
        low=float(ratios[trim]),
        high=float(ratios[-1 - trim]),
        coverage=max(0.0, 1 - 2 * float(cumulative[trim])),
    )


# The ratios that the referee's speed is judged by, out of one run


@dataclass(frozen=True, kw_only=True, slots=True)
class Aim:
    """One ratio: of two figures of this run, or of the same figure here and in the base."""

    what: str
    upper: tuple[str, str]
    """Row and figure."""
    lower: tuple[str, str] | None
    """Of the same run; None: `upper` in the base."""
    aim: float
    stretch: float
    games: Callable[[str], bool] = lambda game: True
    inverse: bool = False
    """The figure is a cost, the aim a speed."""


MARAUDERS = "marauders"

AIMS = (
    Aim(
        what="event, decisions/s, over the base",
        upper=("event", "decisions_per_second"),
        lower=None,
        aim=2.5,
        stretch=3.5,
    ),
    Aim(
        what="core-µs per decision, event over 32 tables",
        upper=("event", "core_cpu_micros"),
        lower=("tables_32", "core_cpu_micros"),
        aim=1.5,
        stretch=1.3,
    ),
    Aim(
        what="match in process, CPU per decision, over the base",
        upper=("in_process", "cpu_micros"),
        lower=None,
        aim=0.65,
        stretch=0.5,
    ),
    Aim(
        what="engine alone, decisions per CPU second, over the base",
        upper=("engine", "cpu_micros"),
        lower=None,
        aim=1.5,
        stretch=2.0,
        inverse=True,
    ),
    Aim(
        what="one table over echo, decisions/s",
        upper=("one_table", "decisions_per_second"),
        lower=("echo", "decisions_per_second"),
        aim=0.52,
        stretch=0.6,
        games=lambda game: game != MARAUDERS,
    ),
    Aim(
        what="one table over echo, decisions/s",
        upper=("one_table", "decisions_per_second"),
        lower=("echo", "decisions_per_second"),
        aim=0.42,
        stretch=0.5,
        games=lambda game: game == MARAUDERS,
    ),
    Aim(
        what="32 tables, core-µs per decision, over the base",
        upper=("tables_32", "core_cpu_micros"),
        lower=None,
        aim=0.7,
        stretch=0.6,
    ),
    Aim(
        what="event on all cores over one core, decisions/s",
        upper=("event", "decisions_per_second"),
        lower=("event_one_core", "decisions_per_second"),
        aim=1.8,
        stretch=1.9,
    ),
)


def measured_aims(
    ours: Samples, base: Samples, ratio_to_base: Callable[[str, str, str], Ratio | None]
) -> list[dict[str, Any]]:
    """Return every aim for which there are samples, as a ratio; where the base has the same ratio within itself,
    that too."""
    rows = []
    for aim in AIMS:
        row, figure = aim.upper
        for game in games_of(ours, row):
            if not aim.games(game):
                continue
            if aim.lower is None:
                ratio, its = ratio_to_base(row, game, figure), None
            else:
                ratio, its = within(ours, aim, game), within(base, aim, game)
            if ratio is not None:
                ratio = ratio.inverse() if aim.inverse else ratio
                rows.append(
                    {
                        "what": aim.what,
                        "game": game,
                        **asdict(ratio),
                        "base": its.value if its else None,
                        "aim": aim.aim,
                        "stretch": aim.stretch,
                    }
                )
    return rows


def games_of(samples: Samples, row: str) -> Iterator[str]:
    """Yield the games for which a row was measured."""
    return (game for name, game in samples if name == row)


def within(samples: Samples, aim: Aim, game: str) -> Ratio | None:
    """Return the ratio of two figures of the same run, if both were measured."""
    assert aim.lower is not None
    (row, figure), (other, its) = aim.upper, aim.lower
    upper, lower = samples.get((row, game), {}).get(figure), samples.get((other, game), {}).get(its)
    return None if upper is None or lower is None else paired_ratio(upper, lower)
