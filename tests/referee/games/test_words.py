"""The games in words: what people read has no ids of ours and no codes in it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from referee.games import GAMES
from support.play import start, wander

CODE = re.compile(r"\w_\w|\b[A-Z]{2,}\b")
"""An id with an underscore, or a word in capitals."""
SEATS = {"broadsides": 2, "pavillon_noir": 2, "pirates_cove": 4, "marauders": 4}
GAMES_PLAYED = 3


def told(game_id: str, number: int) -> Iterator[tuple[str, str]]:
    """All events and options of one game, each with its kind."""
    game = GAMES[game_id]
    course = start(game, SEATS[game_id], game.info.read_variant({}), f"words {number}")
    for choices in wander(course, random.Random(number)):
        for event in course.events:
            yield type(event).__name__, game.text.event(event)
        for seat in choices:
            for option in course.asked[seat]:
                yield type(option).__name__, game.text.action(option)


@pytest.mark.parametrize("game_id", GAMES)
def test_the_story_and_the_options_have_no_codes(game_id: str) -> None:
    lines = {kind: text for number in range(GAMES_PLAYED) for kind, text in told(game_id, number) if CODE.search(text)}
    assert lines == {}
