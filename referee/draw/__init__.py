"""Positions as pictures: what a viewer may know, drawn as keyed shapes.

Each game has one file here that fills a `Drawing`. A picture is made from protobuf Positions alone, so it can show
nothing that was not sent to its viewer. A game without a file here is shown as its text table.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.draw.scene import Drawing, Scene, Shape, ViewedTable
from referee.rules.lazy_table import LazyTable

DRAWINGS: Mapping[str, Drawing] = LazyTable(
    {
        "pavillon_noir": "referee.draw.pavillon_noir:DRAWING",
        "broadsides": "referee.draw.broadsides:DRAWING",
        "pirates_cove": "referee.draw.pirates_cove:DRAWING",
        "marauders": "referee.draw.marauders:DRAWING",
    }
)

__all__ = ["DRAWINGS", "Drawing", "Scene", "Shape", "ViewedTable", "find_drawing"]


def find_drawing(game_id: str) -> Drawing | None:
    """Find the drawing of a game; None if it has no pictures."""
    return DRAWINGS.get(game_id)
