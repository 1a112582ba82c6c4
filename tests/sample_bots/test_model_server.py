"""`python -m tortuga_bot.model_server`: worlds for bots in other languages, one JSON object per line."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest

from referee.games import GAMES
from referee.rules.engine import Seat
from referee.rules.model import encode_model
from referee.wire import WIRES
from support.command import tortuga
from support.play import start
from tortuga_bot.model_server import MOST_WORLDS, ModelServer, serve


def model_text(game_id: str = "broadsides") -> str:
    game = GAMES[game_id]
    course = start(game, game.info.min_seats, game.info.read_variant({}), "server")
    return base64.b64encode(encode_model(game, course.state, Seat(0))).decode()


def ask(server: ModelServer, **words: Any) -> Any:
    return server.answer(json.dumps(words))


@pytest.mark.parametrize("game_id", GAMES)
def test_a_world_is_looked_at_cloned_and_played_to_its_end(game_id: str) -> None:
    server, wire = ModelServer(), WIRES[game_id]
    opened = ask(server, open=model_text(game_id), seed="7")
    assert opened == {"model": 1, "game": game_id, "seat": 0}
    [first, second] = ask(server, worlds=2, model=1)["worlds"]
    seen = ask(server, look=first)
    assert seen["seat"] == 0
    assert seen["decision"] in wire.decisions
    options = ask(server, options=first)["options"]
    assert len(options) == seen["option_count"] >= 2
    observation = base64.b64decode(ask(server, observation=first, seat=1)["observation"])
    assert observation
    [clone] = ask(server, clone=first)["worlds"]
    after = ask(server, play=clone, index=seen["option_count"] - 1)
    assert after["decision"]
    assert ask(server, look=first) == seen
    assert ask(server, outcome=clone) == {"outcome": None}
    assert ask(server, play_out=clone, most=1) == {"made": 1}
    assert ask(server, play_out=clone)["made"] > 0
    outcome = ask(server, outcome=clone)["outcome"]
    assert len(outcome["ranks"]) == len(outcome["scores"]) == GAMES[game_id].info.min_seats
    assert ask(server, look=clone)["seat"] is None
    assert ask(server, drop=[first, second, clone]) == {"dropped": 3}
    assert ask(server, close=1) == {"closed": 1}
    assert "no model or world" in ask(server, look=first)["error"]
    assert "no model or world" in ask(server, worlds=1, model=1)["error"]


def test_nonsense_is_answered_and_the_conversation_goes_on() -> None:
    out = io.StringIO()
    lines = [
        *("", "nonsense", "[]", "7", '{"dance": 1}', '{"open": "%%"}', '{"open": 7}', '{"open": ""}', "[" * 10_000),
        json.dumps({"open": model_text()}),
        '{"worlds": 1, "model": 1}',
        *('{"worlds": -1, "model": 1}', '{"worlds": 1000000, "model": 1}', '{"play": 2, "index": 99}'),
        *('{"play": 2, "index": "x"}', '{"observation": 2, "seat": 9}', '{"observation": 2, "seat": -1}'),
        *('{"look": [2]}', '{"drop": 2}', '{"play": 2}'),
        '{"look": 2}',
    ]
    serve(io.StringIO("".join(f"{line}\n" for line in lines)), out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(answers) == len(lines)
    fine = {9, 10, len(lines) - 1}
    for number, answer in enumerate(answers):
        assert ("error" in answer) is (number not in fine), (lines[number][:50], answer)
    assert f"at most {MOST_WORLDS}" in answers[12]["error"]


@pytest.mark.system
def test_the_command_line_serves_and_measures(tmp_path: Any) -> None:
    assert tortuga(tmp_path, "model", "serve").returncode == 0  # its input is empty
    done = tortuga(tmp_path, "model", "speed", "broadsides", "--moments", "2", "--json")
    assert done.returncode == 0, done.stderr
    [figures] = json.loads(done.stdout)
    assert figures["game"] == "broadsides"
    assert all(figures[name] > 0 for name in ("clones_per_second", "playouts_per_second", "worlds_per_second"))
