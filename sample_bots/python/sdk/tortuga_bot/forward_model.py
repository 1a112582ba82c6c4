"""Looking ahead: worlds as the referee's own rules play them on. Behind `tortuga_bot.model(question)`.

    def choose(question: Question) -> int:
        worlds = tortuga_bot.model(question).worlds(20)
        ...
    play(choose, games=["broadsides"], want_model=True)

    world.seat            who chooses next; None when the game is over
    world.options()       among what, typed as in a question
    world.play(index)     take an option; seats that choose together are asked one after the other
    world.clone()         the same world, to be played on separately
    world.outcome()       ranks, reason and scores when the game is over
    world.observation(s)  what seat s would be sent

`world.actions` and `world.state` are the same as the rules have them, without messages: much faster to look at.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, TypeAlias

import referee.rules.model
from referee.games import GAMES
from referee.wire import WIRES
from tortuga.v1 import referee_pb2
from tortuga_bot.foreign import TYPED
from tortuga_bot.question import Question

CACHED_OPTIONS = 1 << 14


class World(referee.rules.model.World):
    """One way the table may really lie, and how the game goes on from there."""

    __slots__ = ()

    def options(self) -> list[Any]:
        """What the seat that chooses next can choose, typed as in a question; empty when the game is over."""
        game_id = self.game.info.id
        return [_option(game_id, action) for action in self.actions]

    def observation(self, seat: int) -> Any:
        """What that seat would be sent in this world, typed as in a question."""
        game_id = self.game.info.id
        raw = WIRES[game_id].observation(self.view(seat))
        return json.loads(raw) if game_id not in TYPED else _new_position(game_id).observation.FromString(raw)


Model: TypeAlias = referee.rules.model.Model[World]


def prepare(game_id: str) -> None:
    """Import the rules of a game, if there are any here, before time runs."""
    if game_id in GAMES:
        GAMES[game_id], WIRES[game_id]


def read_model(question: Question) -> Model:
    """The model that came with a question. Asked the same question again, it gives the same worlds."""
    data = question.message.model
    if not data and question.make_model is not None:
        data = question.make_model()
    if not data:
        raise RuntimeError("this question brought no model: pass want_model=True to tortuga_bot.play")
    match = question.match
    seed = f"{match.match_id}/{match.seat}/{question.message.question_id}"
    return referee.rules.model.open_model(data, GAMES, seed, World)


def _new_position(game_id: str) -> Any:
    return getattr(referee_pb2.Question(), game_id if game_id in TYPED else "foreign")


@lru_cache(CACHED_OPTIONS)
def _option(game_id: str, action: object) -> Any:
    position = _new_position(game_id)
    position.options.add().MergeFromString(WIRES[game_id].option(action))
    return position.options[0] if game_id in TYPED else json.loads(position.options[0].json)
