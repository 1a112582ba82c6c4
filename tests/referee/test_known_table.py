"""The table as a seat knew it: nothing hidden is shown, and nothing that lies open is hidden."""

from __future__ import annotations

import random

import pytest

from referee.games import GAMES
from referee.rules.chance import SeededChance
from referee.rules.engine import Seat
from referee.rules.known_table import HIDDEN, known_table, mask
from support.play import start, wander


def test_what_differs_is_hidden() -> None:
    assert mask("hand A B; deck 3", ["hand A C; deck 3", "hand D B; deck 3"]) == "hand ? ?; deck 3"
    assert mask("hand: A, B", ["hand: A", "hand: C, D, E"]) == "hand: ?"
    assert mask("sees: A; hand: B, C D", ["sees: A; hand: E F, G"]) == "sees: A; hand: ?, ?", "how many is known"
    assert mask("zone  ES     x", ["zone  FR     x"]) == "zone  ?      x"
    assert mask("A  extended hold  navy (B)", ["A  gunport        navy (B)"]) == "A  ?              navy (B)", (
        "what lies open in another column stays"
    )
    assert mask("a\nb", ["a\nb\nc"]) == "a\nb"
    assert mask("a\nx", ["a\ny\nc"]) == "a\n?"


@pytest.mark.parametrize("game_id", GAMES)
def test_states_that_a_seat_cannot_tell_apart_look_the_same(game_id: str) -> None:
    """Nothing more has to be hidden when everything hidden is drawn anew once more."""
    game = GAMES[game_id]
    course = start(game, game.info.min_seats, game.info.read_variant({}), "known")
    for step, _ in enumerate(wander(course, random.Random(2))):
        if step % 40 == 20:
            for seat in map(Seat, range(course.seats)):
                told = known_table(game, course.state, seat).split("\n")
                twin = game.text.table(game.hide(course.state, seat, SeededChance(bytes(32)))).split("\n")
                known = [(line, other) for line, other in zip(told, twin, strict=False) if HIDDEN not in line]
                assert len(known) > len(told) / 3, "most of the table lies open"
                assert all(line == other for line, other in known)


def test_a_hand_is_known_to_its_owner_alone() -> None:
    game = GAMES["pavillon_noir"]
    course = start(game, 2, game.info.read_variant({}), "hands")
    for _ in wander(course, random.Random(3)):
        if course.kind == "ACTION":
            break
    whole = game.text.table(course.state)
    hands = [line for line in whole.split("\n") if line.startswith("  hand ")]
    for seat in (Seat(0), Seat(1)):
        told = [line for line in known_table(game, course.state, seat).split("\n") if line.startswith("  hand ")]
        assert told[seat] == hands[seat]
        assert told[1 - seat].startswith("  hand ?")
