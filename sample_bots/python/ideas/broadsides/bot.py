"""@NAME@: a bot is one function from a question to the index of an option.

A first idea for Broadsides: never give up, and never cease fire while a shot is left. It beats `random` two times out
of three. Next: sail so that your guns bear and the enemy's do not. docs/games/broadsides.md has the rules.
"""

from __future__ import annotations

import random

from tortuga_bot.broadsides import Question, play

AVOIDED = ("surrender", "cease")
"""What to do only if nothing else is left. The names are those of `Option` in proto/tortuga/v1/broadsides.proto."""


def choose(question: Question) -> int:
    """Any whole number below `question.option_count` is a legal answer. Return None to resign."""
    options = question.options
    good = [index for index, option in enumerate(options) if option.WhichOneof("action") not in AVOIDED]
    if len(good) < question.option_count:
        question.note("no surrender, and no shot left unfired")  # for people who read the match afterwards
    return random.choice(good or range(question.option_count))


if __name__ == "__main__":
    play(choose, name="@NAME@", games=["@GAMES@"])
