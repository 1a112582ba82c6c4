"""The sample bot `chat`, against a server that is slow, rate-limited, verbose, wrong, cut off and hostile."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from referee.records.record import read_record
from support.chat_server import (
    Step,
    be_silent,
    chat_server,
    completion,
    drip,
    flood,
    hang_up,
    play_legally,
    reply,
    say,
)
from support.command import ROOT
from tortuga.v1 import referee_pb2 as pb
from tortuga_bot import Match, Question

GOOD = say('{"choice": 2, "why": "it is good"}')
OPTIONS = 4


@pytest.fixture(scope="module")
def bot() -> Iterator[ModuleType]:
    """The bot's modules, imported as its folder has them."""
    sys.path.insert(0, str(ROOT / "sample_bots/python/chat"))
    try:
        sys.modules.pop("bot", None)
        yield import_module("bot")
    finally:
        sys.path.pop(0)
        for name in ("bot", "endpoint"):
            sys.modules.pop(name, None)


class Played(NamedTuple):
    """What the bot did with a question."""

    choice: int | None
    note: str
    requests: list[dict[str, Any]]
    waits: list[float]


def play(bot: ModuleType, *steps: Step, millis: int = 20_000, attempts: int = 3, key: str = "") -> Played:
    """Put one question to the bot, whose model answers with these steps."""
    waits: list[float] = []
    start = pb.MatchStart(match_id="m", game="broadsides", seat_names=["a", "b"], rules_text="Sink the enemy.")
    limits = pb.Limits(max_note_bytes=200, max_notes_bytes=10_000)
    match = Match.read(start, limits)
    message = pb.Question(question_id=1, option_count=OPTIONS, time_left_millis=millis, text="Your options, 0 to 3:")
    with chat_server(*steps) as server:
        endpoint = bot.Endpoint.read({"BOT_CHAT_URL": server.address, "BOT_CHAT_MODEL": "m1", "BOT_CHAT_KEY": key})
        index = bot.Chat(endpoint, attempts, waits.append).choose(Question(match, message))
        return Played(index, b"".join(note.text for note in match.notes.take()).decode(), list(server.requests), waits)


def test_rules_question_model_and_key_are_sent_and_the_choice_is_taken(bot: ModuleType) -> None:
    played = play(bot, GOOD, key="secret")
    assert (played.choice, played.note) == (2, "attempt 1: it is good")
    [request] = played.requests
    assert (request["model"], request["path"]) == ("m1", "/v1/chat/completions")
    assert request["headers"]["authorization"] == "Bearer secret"
    system, user = request["messages"]
    assert "Sink the enemy." in system["content"]
    assert user["content"] == "Your options, 0 to 3:"


READABLE: dict[str, Step] = {
    "verbose": say("I think.\n" * 5000 + '```json\n{"choice": 2, "why": "it is good"}\n```\nGood luck!'),
    "said twice": say('{"choice": 2}\n{"choice": 2, "why": "it is good"}'),
    "other lines of JSON": say('[1]\n{"plan": 3}\n7\n{"choice": 2, "why": "it is good"}'),
    "without a length": lambda connection, over: connection.sendall(
        b"HTTP/1.0 200 OK\r\n\r\n" + completion('{"choice": 2, "why": "it is good"}')
    ),
}


@pytest.mark.parametrize("case", READABLE)
def test_a_choice_is_found_in_whatever_else_is_said(bot: ModuleType, case: str) -> None:
    played = play(bot, READABLE[case])
    assert (played.choice, played.note) == (2, "attempt 1: it is good")


TROUBLES: dict[str, tuple[Step, str]] = {
    # wrong
    "no JSON": (say("I fire at C."), "no line of JSON"),
    "an option that is not there": (say('{"choice": 4}'), "option 4 of 4"),
    "a negative option": (say('{"choice": -1}'), "option -1 of 4"),
    "a word": (say('{"choice": "two"}'), "not a whole number"),
    "true": (say('{"choice": true}'), "not a whole number"),
    "a fraction": (say('{"choice": 1.5}'), "not a whole number"),
    "two answers": (say('{"choice": 1}\n{"choice": 2}'), "2 different choices"),
    # cut off
    "a line cut off": (say('{"choice": 2, "wh'), "no line of JSON"),
    "a reply cut off": (reply(completion("x")[:-5], length=500), "cut off"),
    "hung up": (hang_up, "no answer"),
    # slow
    "silent": (be_silent, "no answer in time"),
    "dripping": (drip, "no answer in time"),
    # refused
    "rate-limited": (reply(b"{}", "429 Too Many Requests", "Retry-After: 7"), "HTTP 429"),
    "failing": (reply(b"oops", "500 Internal Server Error"), "HTTP 500"),
    "sent elsewhere": (reply(b"", "307 Temporary Redirect", "Location: http://127.0.0.1:1/"), "HTTP 307"),
    # hostile
    "endless": (flood, "more than"),
    "nested": (reply(b"[" * 100_000), "no chat completion"),
    "nested in the text": (say("[" * 100_000 + '\n{"choice": ' + "[" * 100_000), "no line of JSON"),
    "a number of two million digits": (say('{"choice": ' + "9" * 2_000_000 + "}"), "bytes"),
    "a number of many digits": (say('{"choice": ' + "9" * 5000 + "}"), "no line of JSON"),
    "not text": (say({"choice": 2}), "without text"),
    "not a completion": (reply(b'{"choices": []}'), "no chat completion"),
    "not HTTP": (lambda connection, over: connection.sendall(b"\xff\x00\xff" * 100 + b"\n"), "no answer"),
    "bytes that are no text": (reply(b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'), "no chat completion"),
    "a billion bytes promised": (reply(completion("x"), length=10**9), "cut off"),
}
TAKES_ALL_TIME = ("silent", "dripping")


@pytest.mark.parametrize("case", TROUBLES)
def test_what_cannot_be_read_is_asked_again_and_then_resigned(bot: ModuleType, case: str) -> None:
    step, why = TROUBLES[case]
    if case in TAKES_ALL_TIME:
        played = play(bot, step, millis=800)
        assert (played.choice, len(played.requests)) == (None, 1)
        assert why in played.note
        return
    saved = play(bot, step, GOOD)
    assert (saved.choice, len(saved.requests)) == (2, 2)
    assert saved.note.startswith("attempt 2 (")
    assert saved.note.endswith("): it is good")
    assert why in saved.note
    lost = play(bot, step, attempts=2)
    assert (lost.choice, len(lost.requests)) == (None, 2)
    assert lost.note.startswith("resigned, attempts 2 (")


def test_a_server_that_asks_for_a_pause_gets_it(bot: ModuleType) -> None:
    step, _ = TROUBLES["rate-limited"]
    assert play(bot, step, GOOD).waits == [7.0]
    [wait] = play(bot, step, GOOD, millis=2000).waits
    assert wait < 2, "no longer than the clock allows"


def test_an_answer_that_cannot_be_played_is_shown_to_the_model_with_the_reason(bot: ModuleType) -> None:
    played = play(bot, say("x" * 9000 + '\n{"choice": 9}'), GOOD)
    *_, answer, correction = played.requests[1]["messages"]
    assert answer["role"] == "assistant"
    assert answer["content"].endswith('{"choice": 9}')
    assert len(answer["content"]) <= 2000
    assert "option 9 of 4" in correction["content"]


def test_nothing_listens(bot: ModuleType) -> None:
    endpoint = bot.Endpoint(secure=False, host="127.0.0.1", port=1, path="/", model="m")
    with pytest.raises(bot.Trouble, match="no answer"):
        endpoint.ask([], 5.0)


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("", ""),
        ("ftp://127.0.0.1/", ""),
        ("127.0.0.1:80", ""),
        ("http://127.0.0.1:x/", ""),
        ("http://user:word@127.0.0.1/", ""),
        ("http://model.example/v1", "secret"),
        ("https://model.example/v1", "two\nlines"),
    ],
)
def test_a_wrong_address_or_key_ends_the_bot_with_a_reason(bot: ModuleType, address: str, key: str) -> None:
    with pytest.raises(SystemExit, match="BOT_CHAT_"):
        bot.Endpoint.read({"BOT_CHAT_URL": address, "BOT_CHAT_MODEL": "m", "BOT_CHAT_KEY": key})


@pytest.mark.system
@pytest.mark.parametrize("gives_up", [False, True])
def test_a_match_is_played_by_a_model_and_its_attempts_are_on_record(tmp_path: Path, gives_up: bool) -> None:
    with chat_server(say("I do not know.")) as server:
        if not gives_up:
            server.steps = [play_legally(server)]
        words = ("play", "pirates_cove", "--bot", "chat", "--bot", "random", "--jail", "none", "--clock", "slow")
        done = subprocess.run(
            [sys.executable, "-m", "server", *words, "--seed", "chat", "--record", "m.tortuga"],
            cwd=tmp_path,
            env={**os.environ, "BOT_CHAT_URL": server.address, "BOT_CHAT_MODEL": "m", "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    record, _ = read_record(tmp_path / "m.tortuga")
    notes = [note.text for note in record.notes]
    if gives_up:
        [note] = notes
        assert note.startswith("resigned, attempts 3 ")
        assert note.count("JSON") == 3, "each attempt and what was wrong with it"
        assert [fault.kind for fault in record.faults] == [pb.FAULT_KIND_RESIGN]
    else:
        assert set(notes) == {"attempt 1: the last one"}
        assert len(notes) == len(server.requests) > 20
        assert not record.faults
