"""@NAME@: a bot is one function from a question to the index of an option."""

from __future__ import annotations

import random

from tortuga_bot import Question, play


def choose(question: Question) -> int:
    """Any whole number below `question.option_count` is a legal answer. Return None to resign.

    A bot that searches asks `question.time_left()` how many seconds are left, and leaves some for the way back.
    """
    # The messages are described in proto/tortuga/v1/. `tortuga bot new --game GAME` writes a first idea for that game.
    kinds = [option.WhichOneof("action") for option in question.options]
    if question.match.game == "pavillon_noir" and "broadside" in kinds:
        question.note("a broadside hits without any aiming")  # for people who read the match afterwards
        return kinds.index("broadside")
    return random.randrange(question.option_count)


if __name__ == "__main__":
    play(choose, name="@NAME@", games=["@GAMES@"])
