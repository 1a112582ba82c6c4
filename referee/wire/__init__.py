"""Python values to protobuf bytes. Only the files of this folder know both sides.

Each game has one file here that fills a `GameWire`; the message a bot gets for a question is put together from its
pieces.
"""

from __future__ import annotations

from referee.errors import RulesError
from referee.wire import broadsides, marauders, pavillon_noir, pirates_cove
from referee.wire.game import AnyWire, GameWire

WIRES: dict[str, AnyWire] = {
    "pavillon_noir": pavillon_noir.WIRE,
    "broadsides": broadsides.WIRE,
    "pirates_cove": pirates_cove.WIRE,
    "marauders": marauders.WIRE,
}

__all__ = ["WIRES", "AnyWire", "GameWire", "find_wire"]


def find_wire(game_id: str) -> AnyWire:
    """How that game travels."""
    if game_id not in WIRES:
        raise RulesError(f"the game {game_id!r} has no file in referee/wire")
    return WIRES[game_id]
