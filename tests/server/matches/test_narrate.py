"""A match told to people: every choice, every event, and the table wherever a scene begins."""

from __future__ import annotations

import random

import pytest

from referee.games import GAMES
from referee.match import Choices, Source
from server.matches.narrate import Narrator
from support.play import start, wander


@pytest.mark.parametrize("game_id", GAMES)
def test_whoever_watches_sees_the_table_at_every_scene_and_at_the_end(game_id: str) -> None:
    game = GAMES[game_id]
    course = start(game, game.info.min_seats, game.info.read_variant({}), "watched")
    narrator, choices, tables = Narrator(["one", "two"]), 0, 0
    made: Choices = ()
    kind = ""
    for indices in wander(course, random.Random(1)):
        lines = list(narrator.moment(course, kind, made))
        tables += lines[-1:] == [game.text.table(course.state)]
        assert len(lines) >= len(made) + len(course.events)
        kind = course.kind
        made = [(seat, course.asked[seat][index], Source.BOT) for seat, index in indices.items()]
        choices += len(made)
    last = list(narrator.moment(course, kind, made))
    assert last[0].split()[0] == str(choices - len(made) + 1)
    assert last[-1] == game.text.table(course.state)
    assert tables >= 5, "a person must be able to follow the game"
