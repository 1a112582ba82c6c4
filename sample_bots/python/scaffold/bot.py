"""@NAME@: a bot is one function from a question to the index of an option."""

from __future__ import annotations

import random

from tortuga_bot import Question, play


def choose(question: Question) -> int:
    """Any whole number below `question.option_count` is a legal answer. Return None to resign.

    A bot that searches asks `question.time_left()` how many seconds are left, and leaves some for the way back.
    """
    if question.match.game == "pavillon_noir":
        # A first idea: whenever the guns may speak, they speak. The messages are described in proto/tortuga/v1/.
        for index, option in enumerate(question.options):
            if option.WhichOneof("action") == "fire":
                question.note("they may speak, so they speak")  # for people who read the match afterwards
                return index
    return random.randrange(question.option_count)


if __name__ == "__main__":
    play(choose, name="@NAME@", games=["@GAMES@"])
