"""The strategies of the Python sample bots, loaded from their files as the bots load them."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from functools import cache
from types import ModuleType

from server.bots.spec import find_bot
from tortuga_bot import Question

Choose = Callable[[Question], int]


@cache
def load_strategy(name: str) -> ModuleType:
    """The module strategy.py of a sample bot. It is on nobody's path."""
    folder = find_bot(name).folder
    assert folder is not None
    spec = importlib.util.spec_from_file_location(f"{name}_strategy", folder / "strategy.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_choose(name: str) -> Choose:
    """The function with which a sample bot answers."""
    choose: Choose = load_strategy(name).choose
    return choose


def choose_randomly(seed: str) -> Choose:
    """A bot that picks any option, the same ones for the same seed."""
    rng = random.Random(seed)
    return lambda question: rng.randrange(question.option_count)
