"""The ratios that the referee's speed is judged by, out of one run. docs/bench.md tells how to read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from bench.compare import Ratio, Samples, paired_ratio


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
    found = []
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
                found.append(
                    {
                        "what": aim.what,
                        "game": game,
                        **asdict(ratio),
                        "base": its.value if its else None,
                        "aim": aim.aim,
                        "stretch": aim.stretch,
                    }
                )
    return found


def games_of(samples: Samples, row: str) -> Iterator[str]:
    """Yield the games for which a row was measured."""
    return (game for name, game in samples if name == row)


def within(samples: Samples, aim: Aim, game: str) -> Ratio | None:
    """Return the ratio of two figures of the same run, if both were measured."""
    assert aim.lower is not None
    (row, figure), (other, its) = aim.upper, aim.lower
    upper, lower = samples.get((row, game), {}).get(figure), samples.get((other, game), {}).get(its)
    return None if upper is None or lower is None else paired_ratio(upper, lower)
