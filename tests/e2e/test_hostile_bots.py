"""Every way we know to be a bad bot, as real processes over real gRPC.

In each case: the opponent's result stands, the fault is typed and told, the command ends, and nothing is left behind.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support import sizes
from support.command import assert_nothing_left, hostile, play_json

CLOCK = ("--clock", "20+0.1/1", "--logs", "logs")
NO_SHOW_SECONDS = 8
"""A bot that never comes is waited for this long; the other one must come in that time, on a busy machine too."""

FAULTS = {
    # mode: kind, what the message says
    "crash_before_hello": ("crash", "exited with code 3"),
    "crash_after_hello": ("crash", "exited with code 4"),
    "crash_mid_match": ("crash", "exited with code 5"),
    "exit_0_mid_match": ("crash", "exited with code 0"),
    "segfault_mid_match": ("crash", "SIGSEGV"),
    "raise_mid_match": ("crash", "boom in my bot"),
    "never_connects": ("no_show", f"did not say Hello within {NO_SHOW_SECONDS} s"),
    "no_hello": ("no_show", f"did not say Hello within {NO_SHOW_SECONDS} s"),
    "hang": ("timeout", "question 3: no answer within 1 s"),
    "spin": ("timeout", "question 3: no answer within 1 s"),
    "stop_itself": ("timeout", "question 3: no answer within 1 s"),
    "late": ("timeout", "question 3: no answer within 1 s"),
    "stale": ("timeout", "question 3: no answer within 1 s"),
    "empty": ("timeout", "question 3: no answer within 1 s"),
    "twice_different": ("protocol", "more than 16 messages in one match that nobody asked for"),
    "future": ("illegal", "question 3: an answer to question 8, which was never asked"),
    "out_of_range": ("illegal", "question 3: option "),
    "negative": ("illegal", "question 3: option -1 of "),
    "garbage": ("protocol", "bytes came that are not a FromBotBatch"),
    "ten_megabytes": ("protocol", "a message of 10000000 bytes came, at most 65536 are allowed"),
    "flood": ("protocol", "more than 16 messages in one match that nobody asked for"),
    "wrong_token": ("crash", "refused: UNAUTHENTICATED"),
    "print_much": ("resource", "64"),
    "never_read": ("no_show", f"not Ready within {NO_SHOW_SECONDS} s of MatchStart"),
    "resign": ("resign", "resigned"),
    "goodbye": ("resign", "said Goodbye: I am off"),
}
TOLD = {"late", "stale", "empty", "future", "out_of_range", "negative", "garbage", "ten_megabytes", "flood"}
"""Modes that are still there to hear what they did."""

CASES = [
    (mode, seat)
    for number, mode in enumerate(FAULTS)
    for seat in sizes.pick(quick=(number % 2,), ci=(0, 1))  # from both seats, or from one or the other
]
HARMLESS = ["twice", "second_stream", "children"]


@sizes.sized
@pytest.mark.parametrize(("mode", "seat"), CASES)
def test_a_bad_bot_loses_and_the_other_wins(mode: str, seat: int, tmp_path: Path) -> None:
    kind, message = FAULTS[mode]
    start = ("--start-seconds", str(NO_SHOW_SECONDS if kind == "no_show" else 40))
    bots = [hostile(mode), "random"] if seat == 0 else ["random", hostile(mode)]
    report = play_json(tmp_path, "pavillon_noir", "--bot", bots[0], "--bot", bots[1], "--seed", "7", *CLOCK, *start)
    bad, good = report["seats"][seat], report["seats"][1 - seat]
    assert [(fault["kind"], message in fault["message"]) for fault in bad["faults"]] == [(kind, True)], bad["faults"]
    assert (bad["rank"], good["rank"]) == (2, 1)
    assert (bad["score"], good["score"]) == (0.0, 1.0)
    assert good["faults"] == []
    assert report["reason"] == "fault"
    if mode in TOLD:
        [log] = (tmp_path / "logs").glob("hostile-*.log")
        assert f"told: {bad['faults'][0]['message']}" in log.read_text()
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize("mode", HARMLESS)
def test_a_strange_bot_that_keeps_the_rules_plays_to_the_end(mode: str, tmp_path: Path) -> None:
    report = play_json(tmp_path, "pavillon_noir", "--bot", hostile(mode), "--bot", "random", "--seed", "7", *CLOCK)
    assert report["reason"] != "fault"
    assert [seat["faults"] for seat in report["seats"]] == [[], []]
    if mode == "second_stream":
        [log] = (tmp_path / "logs").glob("hostile-*.log")
        assert "refused: ALREADY_EXISTS" in log.read_text()
    assert_nothing_left(tmp_path)


def test_two_bad_bots_at_once_share_the_rank(tmp_path: Path) -> None:
    bots = ["--bot", hostile("crash_before_hello"), "--bot", hostile("never_connects")]
    report = play_json(tmp_path, "pavillon_noir", *bots, *CLOCK, "--start-seconds", str(NO_SHOW_SECONDS))
    assert {fault["kind"] for seat in report["seats"] for fault in seat["faults"]} == {"crash", "no_show"}
    assert sorted(seat["rank"] for seat in report["seats"]) == [1, 2]
    assert_nothing_left(tmp_path)


def test_lenient_forgives_an_illegal_answer_and_plays_the_default(tmp_path: Path) -> None:
    bots = ["--bot", hostile("negative"), "--bot", "random"]
    report = play_json(tmp_path, "pavillon_noir", *bots, "--faults", "lenient:2", "--seed", "7", *CLOCK)
    assert report["reason"] != "fault"
    assert [fault["kind"] for fault in report["seats"][0]["faults"]] == ["illegal"]
    assert_nothing_left(tmp_path)
