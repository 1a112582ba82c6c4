"""The forward model for bots in other languages: a child process that answers one JSON object per line with another.

A bot starts `python -m tortuga_bot.model_server` (outside of a jail also `tortuga model serve`), which then shares the
bot's jail and its limits. Bytes are in base64: `Question.model`, and messages of the game as they are in questions.

    {"open": MODEL, "seed": TEXT}             -> {"model": 1, "game": "broadsides", "seat": 0}
    {"worlds": 3, "model": 1}                 -> {"worlds": [1, 2, 3]}
    {"look": WORLD}                           -> {"seat": 0, "decision": "PROGRAM", "option_count": 64, "default": 0}
    {"options": WORLD}                        -> {"options": [OPTION, …]}
    {"observation": WORLD, "seat": 0}         -> {"observation": OBSERVATION}
    {"play": WORLD, "index": 5}               -> as `look`, of the position that follows
    {"play_out": WORLD, "most": 50}           -> {"made": 50}; all seats choose at random, "most" may be left out
    {"clone": WORLD}                          -> {"worlds": [4]}
    {"outcome": WORLD}                        -> {"outcome": {"ranks": …, "reason": …, "scores": …}}, or null before
    {"drop": [1, 2]}                          -> {"dropped": 2}; a model is dropped with {"close": 1}

`seat` is null when the game of a world is over. What cannot be done is answered with {"error": TEXT}.
"""

from __future__ import annotations

import base64
import json
import random
import sys
from collections.abc import Callable
from typing import Any, TextIO

import referee.rules.model
from referee.errors import ModelError
from referee.games import GAMES
from referee.wire import WIRES
from tortuga_bot.forward_model import Model, World

MOST_WORLDS = 10_000
"""Worlds that are held at one time: a bot that forgets to drop them is told."""


class ModelServer:
    """The models and worlds of one bot, by number."""

    def __init__(self) -> None:
        self._models: dict[int, Model] = {}
        self._worlds: dict[int, World] = {}
        self._numbers = 0
        self._rng = random.Random(0)
        self._commands: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "open": self._open,
            "close": self._close,
            "look": self._look,
            "options": self._options,
            "observation": self._observation,
            "play_out": self._play_out,
            "play": self._play,
            "clone": self._clone,
            "outcome": self._outcome,
            "drop": self._drop,
            "worlds": self._deal,
        }

    def answer(self, line: str) -> dict[str, Any]:
        """The answer to one line."""
        try:
            asked = json.loads(line)
            [name] = [name for name in self._commands if name in asked]
            return self._commands[name](asked)
        except ModelError as error:
            return {"error": str(error)}
        except KeyError as error:
            return {"error": f"{error} is missing, or is no model or world that is held"}
        except IndexError:
            return {"error": "the game has no such seat"}
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            return {"error": f"expected one JSON object with one of {', '.join(self._commands)}: {error}"}

    def _open(self, asked: dict[str, Any]) -> dict[str, Any]:
        data = base64.b64decode(asked["open"], validate=True)
        model = referee.rules.model.open_model(data, GAMES, str(asked.get("seed", "")), World)
        self._numbers += 1
        self._models[self._numbers] = model
        return {"model": self._numbers, "game": model.game.info.id, "seat": model.seat}

    def _close(self, asked: dict[str, Any]) -> dict[str, Any]:
        del self._models[asked["close"]]
        return {"closed": asked["close"]}

    def _deal(self, asked: dict[str, Any]) -> dict[str, Any]:
        count = int(asked["worlds"])
        self._check_room(count)
        return {"worlds": [self._keep(world) for world in self._models[asked["model"]].worlds(count)]}

    def _clone(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._check_room(1)
        world: Any = self._worlds[asked["clone"]].clone()
        return {"worlds": [self._keep(world)]}

    def _check_room(self, count: int) -> None:
        if not 0 <= count <= MOST_WORLDS - len(self._worlds):
            raise ModelError(f"{len(self._worlds)} worlds are held, at most {MOST_WORLDS} can be: drop some")

    def _keep(self, world: World) -> int:
        self._numbers += 1
        self._worlds[self._numbers] = world
        return self._numbers

    def _drop(self, asked: dict[str, Any]) -> dict[str, Any]:
        for number in asked["drop"]:
            del self._worlds[number]
        return {"dropped": len(asked["drop"])}

    def _look(self, asked: dict[str, Any]) -> dict[str, Any]:
        return _position(self._worlds[asked["look"]])

    def _play(self, asked: dict[str, Any]) -> dict[str, Any]:
        world = self._worlds[asked["play"]]
        world.play(asked["index"])
        return _position(world)

    def _play_out(self, asked: dict[str, Any]) -> dict[str, Any]:
        return {"made": self._worlds[asked["play_out"]].play_out(self._rng, asked.get("most"))}

    def _options(self, asked: dict[str, Any]) -> dict[str, Any]:
        world = self._worlds[asked["options"]]
        wire = WIRES[world.game.info.id]
        return {"options": [_text(wire.option(action)) for action in world.actions]}

    def _observation(self, asked: dict[str, Any]) -> dict[str, Any]:
        world, seat = self._worlds[asked["observation"]], asked["seat"]
        if seat < 0:
            raise ModelError(f"expected a seat from 0 on, not {seat}")
        view = world.view(seat)
        return {"observation": _text(WIRES[world.game.info.id].observation(view))}

    def _outcome(self, asked: dict[str, Any]) -> dict[str, Any]:
        outcome = self._worlds[asked["outcome"]].outcome()
        if outcome is None:
            return {"outcome": None}
        return {"outcome": {"ranks": outcome.ranks, "reason": outcome.reason, "scores": outcome.scores}}


def _position(world: World) -> dict[str, Any]:
    return {
        "seat": world.seat,
        "decision": world.kind,
        "option_count": world.option_count,
        "default": world.default,
    }


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def serve(lines: TextIO, out: TextIO) -> None:
    """Answer line by line until the input ends."""
    server = ModelServer()
    for line in lines:
        print(json.dumps(server.answer(line), separators=(",", ":")), file=out, flush=True)


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
