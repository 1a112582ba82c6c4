"""SPSA finds the optimum of a function that is known, and its gains are those of fishtest."""

from __future__ import annotations

import numpy as np
import pytest

from server.tuning.spsa import Parameter, Spsa

OPTIMUM = {"x": 0.7, "y": -2.0, "n": 14.0}
PARAMETERS = [
    Parameter(name="x", start=0.2, low=0.0, high=1.0, step=0.05),
    Parameter(name="y", start=3.0, low=-5.0, high=5.0, step=0.5),
    Parameter(name="n", start=4.0, low=0.0, high=20.0, step=1.0, whole=True),
]


def strength(values: tuple[tuple[str, str], ...]) -> float:
    """In logits: best at OPTIMUM, a parabola in units of each range."""
    ranges = {one.name: one.high - one.low for one in PARAMETERS}
    return -8 * sum(((float(text) - OPTIMUM[name]) / ranges[name]) ** 2 for name, text in values)


def play_blocks(run: Spsa, dice: np.random.RandomState, blocks: int) -> float:
    """Pairs of games whose results follow from the strengths by chance: the mean of wins less losses."""
    trial = run.ask()
    chance = 1 / (1 + np.exp(strength(trial.minus) - strength(trial.plus)))
    wins = dice.binomial(2 * blocks, chance)
    return float(2 * wins - 2 * blocks) / blocks


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_the_optimum_of_a_known_function_is_found_by_noisy_games(seed: str) -> None:
    run = Spsa(PARAMETERS, iterations=800, rate=30 / 800, seed=seed)
    dice = np.random.RandomState(1)
    for _ in range(800):
        run.tell(play_blocks(run, dice, blocks=4))
    found = {one.name: value for one, value in zip(PARAMETERS, run.values, strict=True)}
    for one in PARAMETERS:
        assert abs(found[one.name] - OPTIMUM[one.name]) < 0.12 * (one.high - one.low), found
    start = strength(tuple((one.name, str(one.start)) for one in PARAMETERS))
    assert strength(tuple((name, str(value)) for name, value in found.items())) > start / 20


def test_games_that_tell_nothing_move_little() -> None:
    run = Spsa(PARAMETERS, iterations=800, rate=30 / 800, seed="a")
    dice = np.random.RandomState(2)
    for _ in range(800):
        run.tell(float(dice.binomial(8, 0.5) * 2 - 8) / 4)
    for one, value in zip(PARAMETERS, run.values, strict=True):
        assert abs(value - one.start) < 0.25 * (one.high - one.low)


def test_the_gains_are_those_of_fishtest() -> None:
    """c_end = step, a_end / c_end = rate x step, and both decay by Spall's exponents."""
    one = Parameter(name="x", start=0.0, low=-100.0, high=100.0, step=2.0)
    run = Spsa([one], iterations=100, rate=0.002, seed="s")
    first = run.ask()
    plus, minus = float(first.plus[0][1]), float(first.minus[0][1])
    assert abs(plus) == pytest.approx(2.0 * 100**0.101)
    assert plus == -minus == first.directions[0] * abs(plus)
    run.tell(1.0)
    a_first = 0.002 * 2.0**2 * (110 / 11) ** 0.602
    assert run.values[0] == pytest.approx(first.directions[0] * a_first / abs(plus))
    for _ in range(98):
        run.tell(0.0)
    before, last = run.values[0], run.ask()
    run.tell(1.0)
    assert run.values[0] - before == pytest.approx(last.directions[0] * 0.002 * 2.0)


def test_values_stay_in_their_range() -> None:
    run = Spsa(PARAMETERS, iterations=50, rate=5.0, seed="s")
    for _ in range(50):
        for side in (run.ask().plus, run.ask().minus):
            for one, (name, text) in zip(PARAMETERS, side, strict=True):
                assert (one.name, one.low <= float(text) <= one.high) == (name, True)
                assert not one.whole or text == str(int(text))
        run.tell(2.0)
        assert all(one.low <= value <= one.high for one, value in zip(PARAMETERS, run.values, strict=True))


def test_directions_are_even_and_follow_from_the_seed() -> None:
    def directions(seed: str) -> list[tuple[int, ...]]:
        run = Spsa(PARAMETERS, iterations=1000, rate=0.1, seed=seed)
        found = []
        for _ in range(1000):
            found.append(run.ask().directions)
            run.tell(0.0)
        return found

    one = directions("s")
    assert one == directions("s") != directions("t")
    assert np.abs(np.array(one).mean(axis=0)).max() < 0.1
    assert abs(np.corrcoef(np.array(one).T)[0, 1]) < 0.1


def test_whole_numbers_are_rounded_so_that_small_steps_show() -> None:
    one = Parameter(name="n", start=3.0, low=0.0, high=9.0, step=0.2, whole=True)
    told = [int(one.told(3.3, luck / 100)) for luck in range(100)]
    assert set(told) == {3, 4}
    assert np.mean(told) == pytest.approx(3.3, abs=0.02)
