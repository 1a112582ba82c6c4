"""Python values to protobuf bytes. Only the files of this folder know both sides.

Each of our games has one file here that fills a `GameWire`; the message a bot gets for a question is put together from
its pieces. Games of other packages share one, foreign.py.
"""

from __future__ import annotations

from referee.errors import RulesError
from referee.games import GAMES
from referee.match.clock import TimeControl
from referee.match.match import Terms
from referee.rules.engine import AnyGame, Variant
from referee.rules.infos import PLUGINS
from referee.rules.lazy_table import LazyTable
from referee.rules.plugins import GamePlugin, load
from referee.wire.foreign import FOREIGN, foreign_wire
from referee.wire.game import AnyWire, GameWire


def _load_wire(plugin: GamePlugin) -> AnyWire:
    if plugin.wire:
        wire: AnyWire = load(plugin.wire)
        return wire
    return foreign_wire(GAMES[plugin.info.id], plugin.messages_version)


WIRES: LazyTable[AnyWire] = LazyTable(PLUGINS, _load_wire)

__all__ = ["WIRES", "AnyWire", "GameWire", "find_wire", "make_terms", "position_member"]


def find_wire(game_id: str) -> AnyWire:
    """Find the wire of a game."""
    if game_id not in WIRES:
        raise RulesError(f"there is no game {game_id!r}")
    return WIRES[game_id]


def position_member(game_id: str) -> str:
    """Return the name of the game's Position in `Question.position` and `Scene.position`."""
    return game_id if PLUGINS[game_id].wire else FOREIGN


def make_terms(
    game: AnyGame,
    variant: Variant,
    secret: bytes,
    *,
    match_id: str,
    seed: str = "",
    clock: TimeControl | None = None,
    faults_allowed: int = 0,
) -> Terms:
    """Make the terms of a match of this game, with the default clock unless one is given. `match/ids.py` makes ids."""
    return Terms(
        match_id=match_id,
        game=game,
        wire=find_wire(game.info.id),
        variant=variant,
        secret=secret,
        seed=seed,
        clock=clock or TimeControl(),
        faults_allowed=faults_allowed,
    )
