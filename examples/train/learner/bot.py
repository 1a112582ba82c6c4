"""Plays what examples/train/train.py has learnt: the option with the best score. Needs the SDK alone, not numpy."""

from __future__ import annotations

import json
import math
import sys
from functools import cache
from pathlib import Path

from tortuga_bot import Question, play
from tortuga_bot.features import Features

WEIGHTS = Path(__file__).with_name("weights.json")


class Scorer:
    """The policy of policy.py in plain Python. Most features are 0, and those are left out."""

    def __init__(self, path: Path, seats: int) -> None:
        if not path.is_file():
            sys.exit(f"{path} is missing: train first, with examples/train/train.py")
        told = json.loads(path.read_text())
        self.features = Features(told["game"], seats)
        if told["features"] != self.features.version:
            sys.exit(
                f"{path} was learnt with features {told['features']} for {told['seats']} seats; here they are "
                f"{self.features.version} for {seats} seats: train anew"
            )
        self._by_observation = list(zip(*told["A"], strict=True))
        self._by_option = list(zip(*told["B"], strict=True))
        self._c, self._v, self._w = told["c"], told["v"], told["w"]

    def best(self, question: Question) -> int:
        """The option with the highest score."""
        seat = question.match.seat
        known = self._sum(self._c, self._by_observation, self.features.observation(question.position, seat))
        scores = []
        for option in question.options:
            numbers = self.features.option(option, seat)
            hidden = self._sum(known, self._by_option, numbers)
            score = sum(v * math.tanh(value) for v, value in zip(self._v, hidden, strict=True))
            scores.append(score + sum(w * value for w, value in zip(self._w, numbers, strict=True) if value))
        return scores.index(max(scores))

    def _sum(self, start: list[float], columns: list[tuple[float, ...]], numbers: object) -> list[float]:
        found = list(start)
        for column, value in zip(columns, numbers, strict=True):  # type: ignore[call-overload]
            if value:
                found = [one + value * weight for one, weight in zip(found, column, strict=True)]
        return found


@cache
def scorer(seats: int) -> Scorer:
    """The policy, read once."""
    return Scorer(WEIGHTS, seats)


def choose(question: Question) -> int:
    """The best option."""
    return scorer(len(question.match.seat_names)).best(question)


if __name__ == "__main__":
    play(choose, name="learner", games=["pirates_cove"])
