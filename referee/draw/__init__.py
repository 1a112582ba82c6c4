"""Positions as pictures: what a viewer may know, drawn as keyed shapes.

Each of our games has one file here that fills a `Drawing`. A picture is made from protobuf Positions alone, so it can
show nothing that was not sent to its viewer. A game without a drawing is shown as its text table.
"""

from __future__ import annotations

from referee.draw.scene import BOARD_WIDTH, Drawing, Scene, Shape, ViewedTable
from referee.rules.infos import PLUGINS
from referee.rules.lazy_table import LazyTable
from referee.rules.plugins import load

DRAWINGS: LazyTable[Drawing] = LazyTable(
    PLUGINS, lambda plugin: load(plugin.drawing), has=lambda plugin: plugin.drawing
)
"""The drawings of the games that have one."""

__all__ = ["BOARD_WIDTH", "DRAWINGS", "Drawing", "Scene", "Shape", "ViewedTable", "find_drawing"]


def find_drawing(game_id: str) -> Drawing | None:
    """Find the drawing of a game; None if it has no pictures."""
    return DRAWINGS.get(game_id)
