"""A question in words: it tells a seat nothing that it cannot know, lists every option, and is never too long."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from referee.games import GAMES
from referee.games.pavillon_noir.actions import Give, Prepare
from referee.match.question import Question, make_question
from referee.match.question_text import FEW, MOST_CHARACTERS, tell_question
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.engine import Seat
from referee.wire import WIRES
from support import sizes
from support.play import GivenVariant, sized_cases, start, wander

POSITIONS = sizes.pick(quick=60, ci=400, full=5000)
"""Per game, number of seats and variant."""
MOST_WORDS = 1500


def questions(game_id: str, seats: int, given_variant: GivenVariant, rng: random.Random) -> Iterator[Question]:
    """The questions of games played at random."""
    game, number = GAMES[game_id], 0
    while True:
        course = start(game, seats, game.info.read_variant(dict(given_variant)), f"words {number}")
        for choices in wander(course, rng):
            for seat in choices:
                yield make_question(course, WIRES[game_id], seat, number + 1)
        number += 1


def numbers_in(text: str) -> list[int]:
    """The indices of the options that a text lists."""
    options = text.partition("\nYour options, ")[2].partition("\n")[2]
    alone = [int(number) for number in re.findall(r"^ +(\d+)  \S", options, re.MULTILINE)]
    return sorted(alone + [int(number) for number in re.findall(r"  (\d+): ", options)])


@pytest.mark.few(4)
@sized_cases
@sizes.sized
def test_states_that_a_seat_cannot_tell_apart_read_the_same(
    game_id: str, seats: int, given_variant: GivenVariant
) -> None:
    """The leak test, as test_contract.py has it for messages: whatever is hidden is dealt anew."""
    rng, longest = random.Random(game_id), 0
    for position, question in enumerate(questions(game_id, seats, given_variant, rng)):
        if position == POSITIONS:
            break
        text = tell_question(question)
        chance = SeededChance(derive_secret(f"{rng.random()}"))
        twin = question.game.hide(question.state, question.seat, chance)
        assert tell_question(replace(question, state=twin)) == text, "the text tells a secret"
        assert numbers_in(text) == list(range(len(question.actions))), "every option stands in it once"
        assert "_" not in text, "an id instead of words"
        longest = max(longest, len(text))
    assert longest < MOST_CHARACTERS / 4, "no question of our games comes near the bound"


def test_what_is_not_known_to_the_seat_stands_in_no_text() -> None:
    """A check that does not rest on `hide`: no card of the enemy's hand but those the seat has seen."""
    rng, seen = random.Random(5), 0
    for position, question in enumerate(questions("pavillon_noir", 2, (), rng)):
        if position == 80:
            break
        enemy = Seat(1 - question.seat)
        lines = tell_question(question).split("\n")
        own, theirs = (
            next(line for line in lines[lines.index(head) :] if line.startswith("  hand "))
            for head in (
                next(line for line in lines if line.startswith(f"seat {seat}:")) for seat in (1 - enemy, enemy)
            )
        )
        count = len(question.state.duelists[enemy].hand)
        assert re.findall(r"[SHCD]\d+|JK", theirs.partition(";")[0]) == []
        assert theirs.partition(";")[0].count("?") == count
        seen += len(re.findall(r"[SHCD]\d+|JK", own.partition(";")[0]))
    assert seen > 80, "its own hand is shown"


def give(count: int) -> tuple[Give, ...]:
    """So many options of one kind."""
    cards = [(first, second) for first in range(1, 41) for second in range(1, 41)]
    return tuple(Give(cards=pair) for pair in cards[:count])  # type: ignore[arg-type]


def first_question() -> Question:
    return next(questions("pavillon_noir", 2, (), random.Random(1)))


def test_a_thousand_options_are_grouped_and_all_of_them_fit() -> None:
    question = replace(first_question(), actions=(*give(999), Prepare()))
    text = tell_question(question)
    assert numbers_in(text) == list(range(1000))
    assert len(text) < MOST_CHARACTERS / 2
    assert len(text.split("\n")) < 60, "options that begin alike share a line"
    assert "prepare:" in text.split("\n")


def test_few_options_have_a_line_each() -> None:
    text = tell_question(replace(first_question(), actions=give(FEW)))
    assert len(re.findall(r"^ +\d+  \S", text, re.MULTILINE)) == FEW


def test_whatever_a_game_says_a_text_is_bounded_and_says_how_much_is_left_out() -> None:
    """A game of somebody else may have options of any length, and tables and events, too."""
    question = first_question()
    words = replace(
        question.game.text,
        event=lambda event: f"{event} " * 500,
        action=lambda action: f"{action} " * 500,
        table=lambda state: "\n".join(f"line {number} " * 50 for number in range(500)),
    )
    game = replace(question.game, text=words)
    text = tell_question(replace(question, game=game, heard=tuple(range(1000)), actions=give(1000)))
    assert len(text) <= MOST_CHARACTERS
    assert text.count("left out") == 3
    assert "  999 999" in text, "the latest events are told"


def test_signs_that_move_a_cursor_are_made_harmless() -> None:
    question = first_question()
    words = replace(question.game.text, action=lambda action: "\x1b[2J\nred", table=lambda state: "\x1b[31mred")
    text = tell_question(replace(question, game=replace(question.game, text=words)))
    assert "\x1b" not in text
    assert numbers_in(text) == list(range(len(question.actions)))


@pytest.mark.parametrize("game_id", GAMES)
def test_the_rules_in_words_are_short(game_id: str) -> None:
    words = [word for word in GAMES[game_id].text.rules.split() if any(sign.isalnum() for sign in word)]
    assert 800 < len(words) <= MOST_WORDS
