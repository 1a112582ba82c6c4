"""Python values to protobuf bytes. Only the files of this folder know both sides.

Each game has one file here that fills a `GameWire`; the message a bot gets for a question is put together from its
pieces.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.errors import RulesError
from referee.rules.lazy_table import LazyTable
from referee.wire.game import AnyWire, GameWire

WIRES: Mapping[str, AnyWire] = LazyTable(
    {
        "pavillon_noir": "referee.wire.pavillon_noir:WIRE",
        "broadsides": "referee.wire.broadsides:WIRE",
        "pirates_cove": "referee.wire.pirates_cove:WIRE",
        "marauders": "referee.wire.marauders:WIRE",
    }
)

__all__ = ["WIRES", "AnyWire", "GameWire", "find_wire"]


def find_wire(game_id: str) -> AnyWire:
    """How that game travels."""
    if game_id not in WIRES:
        raise RulesError(f"the game {game_id!r} has no file in referee/wire")
    return WIRES[game_id]
