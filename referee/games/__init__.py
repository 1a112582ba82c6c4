"""The games Tortuga can referee: a plain table, in the order in which they are listed to people."""

from __future__ import annotations

from referee.engine import AnyGame
from referee.errors import ConfigError
from referee.games import broadsides, marauders, pavillon_noir, pirates_cove

GAMES: dict[str, AnyGame] = {
    "pavillon_noir": pavillon_noir.GAME,
    "broadsides": broadsides.GAME,
    "pirates_cove": pirates_cove.GAME,
    "marauders": marauders.GAME,
}


def find_game(game_id: str) -> AnyGame:
    """The game of that id, or an error that names those there are."""
    if game_id not in GAMES:
        raise ConfigError(f"there is no game {game_id!r}; the games are: {', '.join(GAMES)}")
    return GAMES[game_id]
