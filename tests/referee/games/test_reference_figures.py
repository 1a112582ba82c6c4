"""The engines against the figures "measured on the reference simulation" in the specifications.

An independent simulation of the same text gave these numbers, so an engine that plays the same game shows them within
sampling error. The seeds are fixed: a change of rules that moves a figure shows here. `tortuga simulate GAME --games
2000` is the same comparison with more games.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field

import pytest

from referee.games import GAMES
from server.play.simulate import simulate
from server.play.simulation_tally import Tally
from support import sizes


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What random bots came to on the reference simulation."""

    game: str
    seats: int
    games: int
    """How many the reference played."""
    decisions: float
    ends: dict[str, float] = field(default_factory=dict)
    """Share of games by the reason of their end."""
    wins: tuple[float, ...] = ()
    """Share of wins by seat; draws count half."""
    variant: dict[str, str] = field(default_factory=dict)


FIGURES = [
    # pavillon_noir, section 8.3
    Figures(
        game="pavillon_noir", seats=2, games=1000, decisions=348, ends={"sink": 0, "officers": 0.027, "cap_draw": 0.152}
    ),
    Figures(
        game="pavillon_noir",
        seats=2,
        games=1000,
        decisions=354,
        ends={"sink": 0, "officers": 0.029, "cap_draw": 0.161},
        variant={"variant": "reputation"},
    ),
    Figures(
        game="pavillon_noir",
        seats=2,
        games=1000,
        decisions=351,
        ends={"sink": 0, "officers": 0.067, "cap_draw": 0.090},
        variant={"variant": "tricks"},
    ),
    Figures(
        game="pavillon_noir",
        seats=2,
        games=1000,
        decisions=360,
        ends={"sink": 0, "officers": 0.062, "cap_draw": 0.098},
        variant={"variant": "full"},
    ),
    # broadsides, section 11
    Figures(
        game="broadsides",
        seats=2,
        games=6000,
        decisions=157,
        ends={"SURRENDER": 0.504, "CAPTAIN_SLAIN": 0.308, "SUNK": 0.047, "BOARD_QUIET": 0.095},
        wins=(0.4985, 0.5005),
    ),
    # pirates_cove, section 9.4
    Figures(game="pirates_cove", seats=2, games=4000, decisions=76, wins=(0.491, 0.508)),
    Figures(game="pirates_cove", seats=3, games=4000, decisions=121, wins=(0.323, 0.335, 0.342)),
    Figures(game="pirates_cove", seats=4, games=4000, decisions=165, wins=(0.244, 0.259, 0.246, 0.252)),
    Figures(game="pirates_cove", seats=5, games=4000, decisions=217, wins=(0.207, 0.192, 0.203, 0.199, 0.199)),
    # marauders, section 11
    Figures(game="marauders", seats=2, games=2000, decisions=266, ends={"events": 0.97}, wins=(0.516, 0.483)),
    Figures(game="marauders", seats=3, games=1000, decisions=342, ends={"events": 0.30}, wins=(0.33, 0.34, 0.33)),
    Figures(
        game="marauders", seats=4, games=1000, decisions=318, ends={"events": 0.004}, wins=(0.24, 0.24, 0.26, 0.26)
    ),
]
ENOUGH = sizes.pick(quick=25, ci=50, full=240)
"""Games per row."""


def played(figures: Figures) -> Tally:
    game = GAMES[figures.game]
    options = game.info.read_variant(figures.variant)
    return simulate(game, options, seats=figures.seats, games=ENOUGH, seed="reference")


def agree(share: float, expected: float, games: int) -> bool:
    """Within 3.3 standard errors of the difference of both samples: one comparison in a thousand fails by chance."""
    pooled = (share * ENOUGH + expected * games) / (ENOUGH + games)
    error = math.sqrt(max(pooled * (1 - pooled), 1 / ENOUGH) * (1 / ENOUGH + 1 / games))
    return abs(share - expected) <= 3.3 * error


@pytest.mark.few(4)
@sizes.sized
@pytest.mark.parametrize("figures", FIGURES, ids=lambda f: "-".join([f.game, str(f.seats), *f.variant.values()]))
def test_random_games_are_those_of_the_reference_simulation(figures: Figures) -> None:
    tally = played(figures)
    mean, error = statistics.fmean(tally.decisions), statistics.stdev(tally.decisions) / math.sqrt(tally.games)
    assert abs(mean - figures.decisions) <= max(0.03 * figures.decisions, 3.3 * error)
    for reason, expected in figures.ends.items():
        share = tally.ends[reason] / tally.games
        assert agree(share, expected, figures.games), f"{reason}: {share:.3f}, expected {expected}"
    for seat, expected in enumerate(figures.wins):
        share = tally.wins[seat] / tally.games
        assert agree(share, expected, figures.games), f"seat {seat}: {share:.3f}, expected {expected}"
