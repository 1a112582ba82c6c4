"""The games Tortuga can referee: a table, in the order in which they are listed to people.

A game is imported when it is first taken from the table.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.rules.engine import AnyGame
from referee.rules.infos import find_info
from referee.rules.lazy_table import LazyTable

GAMES: Mapping[str, AnyGame] = LazyTable(
    {
        "pavillon_noir": "referee.games.pavillon_noir:GAME",
        "broadsides": "referee.games.broadsides:GAME",
        "pirates_cove": "referee.games.pirates_cove:GAME",
        "marauders": "referee.games.marauders:GAME",
    }
)


def find_game(game_id: str) -> AnyGame:
    """Return the game of that id, or raise an error that names those there are."""
    return GAMES[find_info(game_id).id]
