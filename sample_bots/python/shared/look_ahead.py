"""What bots that look ahead have in common: a rival's rules of thumb, and a race between options in worlds.

The rules of thumb name a few options. Each is taken in world after world of the forward model and played on, all in the
same worlds, so that luck falls on all alike. An option that can hardly win any more is tried no more.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tortuga_bot
from tortuga_bot import Question
from tortuga_bot.deadline import Deadline

FEWEST_TRIES = 4
"""Before an option is given up."""
BEHIND = 2.0
"""Standard errors that an option which is given up is short of winning."""


def load_rules_of_thumb(folder: Path, rival: str) -> Any:
    """Load a rival's strategy: `build` copies it into the bot's folder; before that, it is in the kit."""
    copied, kit = folder / "strategy.py", folder.parent / rival / "strategy.py"
    spec = importlib.util.spec_from_file_location(f"{rival}_strategy", copied if copied.is_file() else kit)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(slots=True)
class Tried:
    """By how much an option did better than the usual choice, over the worlds in which both were tried."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, lead: float) -> None:
        """Count one more world."""
        self.count += 1
        self.total += lead
        self.squares += lead * lead

    @property
    def mean(self) -> float:
        """Return the lead on average."""
        return self.total / self.count if self.count else 0.0

    @property
    def error(self) -> float:
        """Return the standard error of the mean."""
        if self.count < 2:
            return float("inf")
        spread = max(0.0, self.squares - self.total * self.total / self.count) / (self.count - 1)
        return float((spread / self.count) ** 0.5)


def race(
    question: Question,
    candidates: list[int],
    play_on: Callable[[Any], float | None],
    until: Deadline,
    trust: float,
) -> int:
    """Return the candidate that does best in worlds. The first is the usual choice.

    `play_on` plays a world on and says how well the own seat stands then; None if time ran out. `trust`: by how much
    another option has to be better than the usual one after a single try; after n tries a root of n less.
    """
    usual, *others = candidates
    tried = {index: Tried() for index in others}
    model, running, worlds = tortuga_bot.model(question), others, 0
    while running and not until.is_over():
        [world] = model.worlds(1)
        values: dict[int, float] = {}
        for index in (usual, *running):
            branch = world.clone()
            branch.play(index)
            value = play_on(branch)
            if value is None:
                break  # cut short: it cannot be compared
            until.count_trial()
            values[index] = value
        if len(values) <= len(running):
            break
        worlds += 1
        for index in running:
            tried[index].add(values[index] - values[usual])
        if worlds >= FEWEST_TRIES:
            least = max([trust / worlds**0.5, *[tried[index].mean for index in running]])
            running = [index for index in running if tried[index].mean + BEHIND * tried[index].error >= least]
            if len(running) == 1 and tried[running[0]].mean > BEHIND * tried[running[0]].error:
                break
    leads = {index: tried[index].mean - trust / max(1, tried[index].count) ** 0.5 for index in running}
    ahead = max(leads, key=leads.__getitem__, default=usual)
    return ahead if leads.get(ahead, 0.0) > 0 else usual
