"""The raider's plan. marauders_tactics carries it out."""

from __future__ import annotations

import sys
from pathlib import Path

from tortuga.v1.marauders_pb2 import Marauders
from tortuga_bot import Question

# `build` copies marauders_tactics into this folder; before that, it is found in the kit.
sys.path.append(str(Path(__file__).parents[1] / "shared"))
import marauders_tactics

PLAN = marauders_tactics.Plan(
    first_ship=Marauders.SHIP_TYPE_SLOOP,
    big_ship=Marauders.SHIP_TYPE_FRIGATE,
    trades=False,
    raids=True,
    reserve=4,
)


def choose(question: Question) -> int:
    """Return the index of the answer."""
    return marauders_tactics.choose(question, PLAN)
