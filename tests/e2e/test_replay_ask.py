"""Time travel: a bot of today before a question of a record, and the question as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.command import assert_nothing_left, hostile, play_json, tortuga

BOT_TOML = 'name = "diary"\nlanguage = "python"\nslots = 1\nrun = ["python", "{dir}/bot.py"]\n'
BOT = """
import os
from google.protobuf.json_format import MessageToJson
from tortuga_bot import play

heard = []

def choose(question):
    heard.append(question.message.question_id)
    with open(os.path.join(os.path.dirname(__file__), "diary.jsonl"), "a") as diary:
        print(MessageToJson(question.message, preserving_proto_field_name=True, indent=None), file=diary)
    return len(heard) % question.option_count

play(choose, slots=1)
"""


def make_diary(folder: Path) -> Path:
    """A bot that answers by how many questions it has heard, and writes each of them down."""
    bot = folder / "diary"
    bot.mkdir()
    (bot / "bot.toml").write_text(BOT_TOML)
    (bot / "bot.py").write_text(BOT)
    return bot / "diary.jsonl"


def read(diary: Path) -> list[dict[str, Any]]:
    questions = [json.loads(line) for line in diary.read_text().splitlines()]
    diary.unlink()
    return questions


def ask(folder: Path, *words: str) -> dict[str, Any]:
    done = tortuga(folder, "replay", "ask", "x.tortuga", *words, "--jail", "none", "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("game", ["pavillon_noir", "broadsides"])
def test_a_bot_hears_the_very_questions_of_the_record_again(game: str, tmp_path: Path) -> None:
    diary = make_diary(tmp_path)
    play_json(
        tmp_path, game, "--bot", "random", "--bot", "diary", "--seed", "d", "--record", "x.tortuga", "--jail", "none"
    )
    asked = read(diary)
    scenes = json.loads(tortuga(tmp_path, "replay", "show", "x.tortuga", "--seat", "1", "--json").stdout)
    timeless = [{key: value for key, value in one.items() if not key.endswith("_left_millis")} for one in asked]
    assert [scene["question"] for scene in scenes] == timeless  # `show --seat` gives the exact question
    decisions = [scene["answers"][0]["decision"] for scene in scenes]

    found = ask(tmp_path, "--at", str(decisions[9]), "--seat", "1", "--bot", "diary")
    again = read(diary)
    assert len(again) == 10
    for then, now in zip(asked, again, strict=False):
        for key in ("time_left_millis", "bank_left_millis"):  # the clock is told again, to the rounding
            assert abs(then.pop(key, 0) - now.pop(key, 0)) <= 1
        assert then == now
    assert found["same"]  # its answers follow from how much it has heard
    assert found["earlier"] == {"asked": 9, "same": 9}
    assert found["then"]["option"] == found["now"]["option"] == found["options"][found["now"]["option_index"]]
    shown = json.loads(
        tortuga(tmp_path, "replay", "show", "x.tortuga", "--at", str(decisions[9]), "--seat", "1", "--json").stdout
    )
    assert shown["answers"][0]["option"] == found["then"]["option"]
    assert shown["answers"][0]["options"] == found["options"]

    cold = ask(tmp_path, "--at", str(decisions[9]), "--bot", "diary", "--cold")  # whose decision it was, is known
    assert len(read(diary)) == 1
    assert (cold["seat"], cold["earlier"]["asked"]) == (1, 0)
    assert cold["now"]["option_index"] == 1 % len(cold["options"])
    assert_nothing_left(tmp_path)


def test_the_answers_stand_side_by_side(tmp_path: Path) -> None:
    play_json(tmp_path, "pavillon_noir", "--bot", "gunner", "--bot", "random", "--seed", "d", "--record", "x.tortuga")
    done = tortuga(tmp_path, "replay", "ask", "x.tortuga", "--at", "20", "--bot", "gunner", "--seat", "0")
    if done.returncode == 2:  # decision 20 was the other one's
        done = tortuga(tmp_path, "replay", "ask", "x.tortuga", "--at", "20", "--bot", "random", "--seat", "1")
    assert done.returncode == 0, done.stderr
    then, now = (next(line for line in done.stdout.splitlines() if line.startswith(word)) for word in ("then:", "now:"))
    assert then.split(" (")[0].removeprefix("then: ") == now.split(" (")[0].removeprefix("now:  ")
    assert now.endswith("; the same")
    for words, answer in {
        ("--at", "9999", "--bot", "random"): "decisions 1 to ",
        ("--at", "1", "--seat", "7", "--bot", "random"): "seats 0 to 1",
        ("--at", "20", "--bot", "privateer"): "not play pavillon_noir",
    }.items():
        done = tortuga(tmp_path, "replay", "ask", "x.tortuga", *words)
        assert (done.returncode, answer in done.stderr) == (2, True), done.stderr


def test_a_bot_that_fails_is_told_of(tmp_path: Path) -> None:
    words = ("--bot", "random", "--bot", "random", "--seed", "d", "--record", "x.tortuga", "--clock", "9+0.1/0.5")
    play_json(tmp_path, "pavillon_noir", *words)
    scenes = json.loads(tortuga(tmp_path, "replay", "show", "x.tortuga", "--seat", "0", "--json").stdout)
    third = str(scenes[2]["answers"][0]["decision"])
    for mode, code, answer in [
        ("negative", 1, "question 3: option -1 of "),
        ("hang", 1, "3: no answer within 0.5 s"),
        ("resign", 1, "resign: resigned"),
        ("crash_before_hello", 1, "exited with code 3"),
    ]:
        done = tortuga(tmp_path, "replay", "ask", "x.tortuga", "--at", third, "--bot", hostile(mode))
        assert done.returncode == code
        assert answer in done.stdout + done.stderr
    assert_nothing_left(tmp_path)
