"""The games Tortuga can referee: a table, in the order in which they are listed to people.

A game is imported when it is first taken from the table.
"""

from __future__ import annotations

from referee.rules.engine import AnyGame
from referee.rules.guard import guard
from referee.rules.infos import PLUGINS, find_info
from referee.rules.lazy_table import LazyTable
from referee.rules.plugins import GamePlugin, content_sha256, load


def _load_game(plugin: GamePlugin) -> AnyGame:
    """Import a game. One that is not ours is guarded: what goes wrong in it names the game and the rule it broke."""
    game = load(plugin.game)
    content_sha256(plugin)  # now: its files may change while it plays
    return guard(game, plugin) if plugin.package else game


GAMES: LazyTable[AnyGame] = LazyTable(PLUGINS, _load_game)


def find_game(game_id: str) -> AnyGame:
    """Return the game of that id, or raise an error that names those there are."""
    return GAMES[find_info(game_id).id]
