"""`tortuga_bot.model(question)`: what the SDK makes of `Question.model`, and bots that use it at every jail level."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import tortuga_bot
from referee.games import GAMES
from referee.match.question import make_question
from referee.rules.course import Course
from referee.wire import WIRES, envelope
from server.jail.level import JailLevel
from support.command import tortuga
from support.jail import need, public_folder
from support.play import start
from tortuga.v1 import referee_pb2 as pb


def ask(game_id: str, *, want_model: bool) -> tuple[Course, tortuga_bot.Question]:
    """The first question of a game, as it comes over the wire."""
    game = GAMES[game_id]
    course = start(game, game.info.min_seats, game.info.read_variant({}), "sdk")
    seat = next(iter(course.asked))
    asked = make_question(course, WIRES[game_id], seat, 1)
    sent = envelope.question(
        1, asked, WIRES[game_id].field, omit_options=False, omit_events=False, want_model=want_model
    )
    message = pb.ToBot.FromString(sent).question
    names = tuple(f"bot {place}" for place in range(course.seats))
    return course, tortuga_bot.Question(tortuga_bot.Match("match", game_id, seat, names, {}), message)


@pytest.mark.parametrize("game_id", GAMES)
def test_a_world_speaks_like_a_question(game_id: str) -> None:
    _, question = ask(game_id, want_model=True)
    model = tortuga_bot.model(question)
    [world] = model.worlds(1)
    assert world.seat == question.match.seat == model.seat
    assert world.options() == list(question.options)
    assert world.observation(model.seat) == question.observation
    assert world.outcome() is None
    world.play(world.option_count - 1)
    world.play_out(random.Random(1))
    outcome = world.outcome()
    assert outcome is not None
    assert len(outcome.ranks) == len(question.match.seat_names)
    assert world.options() == []


@pytest.mark.parametrize("game_id", GAMES)
def test_a_model_lies_outside_the_position_and_is_sent_only_on_request(game_id: str) -> None:
    _, without = ask(game_id, want_model=False)
    _, with_model = ask(game_id, want_model=True)
    assert without.message.model == b""
    assert with_model.message.model != b""
    with_model.message.ClearField("model")
    assert with_model.message == without.message


def test_a_bot_that_did_not_ask_is_told_how() -> None:
    _, question = ask("broadsides", want_model=False)
    with pytest.raises(RuntimeError, match="want_model=True"):
        tortuga_bot.model(question)


def test_the_same_question_gives_the_same_worlds() -> None:
    course, question = ask("pavillon_noir", want_model=True)
    one, two = (tortuga_bot.model(question).worlds(3) for _ in range(2))
    assert [world.state.target_deck for world in one] == [world.state.target_deck for world in two]
    assert len({world.state.target_deck for world in one}) == 3
    assert course.state.target_deck not in {world.state.target_deck for world in one}


def test_the_example_of_the_page_answers() -> None:
    page = (Path(__file__).parents[2] / "docs" / "model.md").read_text()
    found: dict[str, Any] = {"__name__": "example"}
    exec(page.split("```python\n")[1].split("```")[0], found)
    _, question = ask("broadsides", want_model=True)
    assert 0 <= found["choose"](question) < question.option_count


SEER = """
import tortuga_bot


def choose(question):
    world = tortuga_bot.model(question).worlds(1)[0]
    assert world.observation(question.match.seat) == question.observation
    return world.option_count - 1


if __name__ == "__main__":
    tortuga_bot.play(choose, name="seer", want_model=True)
"""
MANIFEST = 'name = "seer"\nlanguage = "python"\nrun = ["python", "{dir}/bot.py"]\n'


@pytest.mark.system
@pytest.mark.parametrize("level", JailLevel)
def test_a_bot_looks_ahead_at_every_jail_level(level: JailLevel) -> None:
    need(level)
    with public_folder() as folder:
        write_bot(folder / "seer")
        words = ("--bot", "seer", "--bot", "random", "--jail", str(level), "--variant", "round_cap=3", "--no-clock")
        done = tortuga(
            folder, "play", "broadsides", *words, "--fail-on-fault", "--record", "match.tortuga", "--seed", "seer"
        )
        if "where only root can look" in done.stderr:
            pytest.skip(f"the level {level} cannot be had with this interpreter: {done.stderr}")
        assert done.returncode == 0, done.stdout + done.stderr
        assert tortuga(folder, "replay", "verify", "match.tortuga").returncode == 0


def write_bot(folder: Path) -> None:
    folder.mkdir()
    (folder / "bot.toml").write_text(MANIFEST)
    (folder / "bot.py").write_text(SEER)
