"""A match told to people: every choice, every event, and where a scene begins what changed on the table."""

from __future__ import annotations

import random
import re

import pytest

from referee.games import GAMES
from referee.match.match import Choices, Chooser
from server.play.narrate import Narrator
from support.play import start, wander


@pytest.mark.parametrize("game_id", GAMES)
def test_whoever_watches_sees_what_changed_at_every_scene_and_all_at_the_end(game_id: str) -> None:
    game = GAMES[game_id]
    course = start(game, game.info.min_seats, game.info.read_variant({}), "watched")
    narrator, choices, scenes = Narrator(["one", "two"]), 0, 0
    made: Choices = ()
    kind, shown = "", set[str]()
    for indices in wander(course, random.Random(1)):
        lines = list(narrator.moment(course, kind, made))
        told = lines[len(made) + len(game.text.tell(course.events)) :]
        assert not [line for line in lines if re.search(r"\bseat [01]\b", line)]
        if any(type(event) in game.text.scenes for event in course.events):
            scenes += 1
            gap = "\n\n" if game.text.pictures else "\n"
            table = narrator.name_seats(game.text.table(course.state)).split(gap)
            if scenes == 1:
                assert told == [gap.join(table)]
            else:
                assert set(told) >= set(table) - shown, "what changed is told"
                assert set(told) <= set(table), "a picture is told whole"
                heads = [line for line in told if line in shown]
                assert not [line for line in heads if line.startswith(" ")], "only headings are told again"
            shown = set(table)
        else:
            assert told == []
        kind = course.kind
        made = [(seat, course.asked[seat][index], Chooser.BOT) for seat, index in indices.items()]
        choices += len(made)
    last = list(narrator.moment(course, kind, made))
    assert last[0].split()[0] == str(choices - len(made) + 1)
    assert last[-1] == narrator.name_seats(game.text.table(course.state))
    assert scenes >= 5, "a person must be able to follow the game"


def test_a_bot_that_plays_against_itself_is_named_with_its_seat() -> None:
    told = "seat 1 fires at seat 0"
    assert Narrator(["gunner", "random"]).name_seats(told) == "random fires at gunner"
    assert Narrator(["gunner", "gunner"]).name_seats(told).split(" fires at ") == ["1 gunner", "0 gunner"]
