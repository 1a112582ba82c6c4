"""Results in words."""

from __future__ import annotations

import re

import pytest

from referee.rules.infos import find_info
from server.viewer.match_text import circumstances, day, ending, language_name, result_in_words


@pytest.mark.parametrize(
    ("ranks", "told"),
    [
        ((1, 2), "a beats b"),
        ((2, 1), "b beats a"),
        ((1, 1), "a and b draw"),
        ((), "a and b: no result"),
        ((2, 1, 3), "b beats a and c"),
        ((1, 3, 1), "a and c .*first.* b"),
    ],
)
def test_the_result_of_a_match(ranks: tuple[int, ...], told: str) -> None:
    assert re.fullmatch(told, result_in_words("abc"[: max(2, len(ranks))], ranks))


def test_long_names_lose_their_middle() -> None:
    long = ["privateer-with-a-very-long-name-v7", "privateer-with-a-very-long-name-v8"]
    told = result_in_words(long, (1, 2))
    assert told.split(" beats ") == ["privateer-with-…-name-v7", "privateer-with-…-name-v8"]


@pytest.mark.parametrize(("said", "shown"), [("python", "Python"), ("CPP", "C++"), ("Zig 1", "Zig 1"), ("", "")])
def test_languages_by_their_names(said: str, shown: str) -> None:
    assert language_name(said) == shown


def test_usual_numbers_are_not_worth_a_word() -> None:
    settings = [("map", "cays"), ("round_cap", "60"), ("quiet_cap", "7")]
    told = circumstances("broadsides", settings, ["surrender", "", "16 Nov 2026"])
    game, *rest = told.split(" · ")
    assert game.split(", ") == [find_info("broadsides").title, "map cays", "quiet cap 7"]
    assert rest == ["surrender", "16 Nov 2026"]
    assert circumstances("marauders", [("npc_control", "left")], []) == "Marauders"


def test_reasons_and_days() -> None:
    void = "void: The host was late"
    assert re.fullmatch("final duel .* 1 decision", ending("final_duel", 1))
    assert re.fullmatch("no officers .* 131 decisions", ending("officers", 131))
    assert re.fullmatch(f"{void} .* 0 decisions", ending(void, 0))
    assert ending("", 0) == ""
    assert day(1_794_873_600_000) == "17 Nov 2026"
    assert day(0) == day(2**63) == ""
