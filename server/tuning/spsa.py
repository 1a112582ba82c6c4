"""SPSA: parameters moved by the results of games, as fishtest and OpenBench do it.

At iteration k every parameter is moved up or down by its step c_k, at random: one side plays with these values, the
other with the opposite ones. Each parameter then moves by a_k / c_k times the result, in the direction it was moved:
r = games of a block x (score of the plus side less score of the minus side), wins less losses with two seats.

    c_k = c / k^gamma                  c = step x N^gamma               so that c_N is the step of the manifest
    a_k = a / (A + k)^alpha            a = rate x step^2 x (A + N)^alpha    a_N / c_N is rate x step

with alpha = 0.602, gamma = 0.101 and A = N / 10 (Spall). Nothing here plays: the caller asks for the next trial and
tells its result. All randomness is keyed by the seed and the iteration, so the results alone tell where a run stands.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

ALPHA, GAMMA, STABILITY = 0.602, 0.101, 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """A number of a bot that is to be found."""

    name: str
    start: float
    low: float
    high: float
    step: float
    """By how much it is moved for a trial, at the end of the run."""
    whole: bool = False
    """The bot takes whole numbers only."""

    def bounded(self, value: float) -> float:
        """Return the value, or the end of the range beyond which it lies."""
        return min(max(value, self.low), self.high)

    def told(self, value: float, luck: float) -> str:
        """The value as the bot is told it. Whole numbers are rounded up or down at random, so that steps below 1 show;
        `luck` is from 0 to 1 and the same for both sides."""
        value = self.bounded(value)
        if not self.whole:
            return repr(value)
        return str(int(self.bounded(math.floor(value + luck))))

    def best(self, value: float) -> str:
        """Return the value as one would write it into the bot."""
        return str(round(value)) if self.whole else f"{value:.6g}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """What the two sides of an iteration play with."""

    iteration: int
    plus: tuple[tuple[str, str], ...]
    minus: tuple[tuple[str, str], ...]
    directions: tuple[int, ...]


class Spsa:
    """A run: where the parameters stand after so many iterations."""

    def __init__(self, parameters: Sequence[Parameter], *, iterations: int, rate: float, seed: str) -> None:
        self.parameters = tuple(parameters)
        self.iterations = iterations
        self.rate = rate
        self.done = 0
        self.values = [parameter.start for parameter in parameters]
        self._seed = seed

    def ask(self) -> Trial:
        """Return the next trial."""
        number = self.done + 1
        directions = tuple(1 if self._luck(number, one.name, "way") < 0.5 else -1 for one in self.parameters)
        sides = [
            tuple(
                (
                    one.name,
                    one.told(value + sign * way * self._step(one, number), self._luck(number, one.name, "round")),
                )
                for one, value, way in zip(self.parameters, self.values, directions, strict=True)
            )
            for sign in (1, -1)
        ]
        return Trial(iteration=number, plus=sides[0], minus=sides[1], directions=directions)

    def tell(self, result: float) -> None:
        """Take in how much better the plus side of the trial did: `games of a block x difference of scores`."""
        trial = self.ask()
        for place, (one, way) in enumerate(zip(self.parameters, trial.directions, strict=True)):
            move = self._gain(one, trial.iteration) / self._step(one, trial.iteration) * way * result
            self.values[place] = one.bounded(self.values[place] + move)
        self.done = trial.iteration

    def _step(self, parameter: Parameter, number: int) -> float:
        return parameter.step * math.pow(self.iterations / number, GAMMA)

    def _gain(self, parameter: Parameter, number: int) -> float:
        stability = STABILITY * self.iterations
        decay = math.pow((stability + self.iterations) / (stability + number), ALPHA)
        return self.rate * parameter.step * parameter.step * decay

    def _luck(self, number: int, name: str, purpose: str) -> float:
        """Draw a number from 0 to 1, the same on every machine."""
        digest = hashlib.blake2b(f"{self._seed}/{number}/{name}/{purpose}".encode(), digest_size=8).digest()
        return int.from_bytes(digest) / 2**64
