"""A small policy in numpy: a score for every option, made of what the seat knows and of the option, and its gradient.

    score = v . tanh(A observation + B option + c) + w . option

Inputs are divided by how far they were seen to spread. The choice is drawn by the softmax of the scores.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tortuga_bot.features import Features
from tortuga_bot.pool import Batch

Floats = NDArray[np.float64]
LEAST_SPREAD = 0.2
"""Features that hardly ever change are not blown up beyond this."""


@dataclass(slots=True)
class Decisions:
    """Decisions of one seat in one game, until its reward is known."""

    observations: list[Floats] = field(default_factory=list)
    options: list[Floats] = field(default_factory=list)
    choices: list[int] = field(default_factory=list)


class Policy:
    """Weights, how to play with them, and how to improve them."""

    def __init__(self, features: Features, *, hidden: int, seed: int) -> None:
        dice = np.random.default_rng(seed)
        self.features = features
        self.weights = {
            "A": dice.normal(0, 0.05, (hidden, features.observation_size)),
            "B": dice.normal(0, 0.3, (hidden, features.option_size)),
            "c": np.zeros(hidden),
            "v": np.zeros(hidden),
            "w": np.zeros(features.option_size),
        }
        self.observation_spread = np.ones(features.observation_size)
        self.option_spread = np.ones(features.option_size)
        self._moments = {name: (np.zeros_like(one), np.zeros_like(one)) for name, one in self.weights.items()}
        self._steps = 0

    def fit_spread(self, observations: Floats, options: Floats) -> None:
        """Learn from examples how far the inputs spread."""
        self.observation_spread = np.maximum(observations.std(axis=0), LEAST_SPREAD)
        self.option_spread = np.maximum(options.std(axis=0), LEAST_SPREAD)

    def scaled(self, batch: Batch) -> tuple[Floats, Floats]:
        """The inputs of a batch."""
        return batch.observation / self.observation_spread, batch.options / self.option_spread

    def scores(self, observations: Floats, options: Floats, counts: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """A score per option, and the hidden layer."""
        known = observations @ self.weights["A"].T + self.weights["c"]
        hidden = np.tanh(np.repeat(known, counts, axis=0) + options @ self.weights["B"].T)
        return hidden @ self.weights["v"] + options @ self.weights["w"], hidden

    def chances(self, scores: Floats, counts: NDArray[np.int64]) -> Floats:
        """The softmax within each question."""
        starts = np.cumsum(counts) - counts
        powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), counts))
        return powers / np.repeat(np.add.reduceat(powers, starts), counts)

    def choose(self, batch: Batch, dice: np.random.Generator) -> tuple[NDArray[np.int64], Floats, Floats]:
        """An option drawn for each question, and the inputs it was drawn from."""
        observations, options = self.scaled(batch)
        chances = self.chances(self.scores(observations, options, batch.counts)[0], batch.counts)
        parts = np.split(chances, batch.starts[1:])
        drawn = [int(np.searchsorted(np.cumsum(part), dice.random() * part.sum())) for part in parts]
        return np.minimum(drawn, batch.counts - 1), observations, options

    def improve(self, games: list[tuple[Decisions, float]], *, rate: float, entropy: float) -> None:
        """One step of policy gradient (REINFORCE, by Adam): what was chosen in games that went well becomes likelier.
        A little reward for entropy keeps it trying."""
        games = [(one, reward) for one, reward in games if one.choices]
        observations = np.array([row for one, _ in games for row in one.observations])
        rows = [row for one, _ in games for row in one.options]
        options, counts = np.concatenate(rows), np.array([len(row) for row in rows])
        chosen = np.cumsum(counts) - counts + [choice for one, _ in games for choice in one.choices]
        worth = np.repeat([reward for _, reward in games], [len(one.choices) for one, _ in games])
        scores, hidden = self.scores(observations, options, counts)
        chances = self.chances(scores, counts)
        pull = -chances * np.repeat(worth, counts)
        pull[chosen] += worth
        logs = np.log(chances + 1e-12)
        mean = np.repeat(np.add.reduceat(chances * logs, np.cumsum(counts) - counts), counts)
        pull -= entropy * chances * (logs - mean)
        self._climb(pull / len(counts), observations, options, counts, hidden, rate)

    def _climb(
        self,
        pull: Floats,
        observations: Floats,
        options: Floats,
        counts: NDArray[np.int64],
        hidden: Floats,
        rate: float,
    ) -> None:
        """`pull` is by how much each score should rise."""
        inner = pull[:, None] * self.weights["v"] * (1 - hidden**2)
        per_question = np.add.reduceat(inner, np.cumsum(counts) - counts, axis=0)
        gradient = {
            "A": per_question.T @ observations,
            "B": inner.T @ options,
            "c": per_question.sum(axis=0),
            "v": hidden.T @ pull,
            "w": options.T @ pull,
        }
        self._steps += 1
        for name, slope in gradient.items():
            mean, square = self._moments[name]
            mean += 0.1 * (slope - mean)
            square += 0.01 * (slope**2 - square)
            corrected = np.sqrt(square / (1 - 0.99**self._steps))
            self.weights[name] += rate * (mean / (1 - 0.9**self._steps)) / (corrected + 1e-8)

    def save(self, path: Path) -> None:
        """What the bot needs. The spread is put into the weights, so that it reads plain features."""
        found = {
            "A": self.weights["A"] / self.observation_spread,
            "B": self.weights["B"] / self.option_spread,
            "c": self.weights["c"],
            "v": self.weights["v"],
            "w": self.weights["w"] / self.option_spread,
        }
        told = {
            "game": self.features.game,
            "seats": self.features.seats,
            "features": self.features.version,
            **{name: np.round(one, 6).tolist() for name, one in found.items()},
        }
        path.write_text(json.dumps(told))
