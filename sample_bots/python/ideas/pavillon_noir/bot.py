"""@NAME@: a bot is one function from a question to the index of an option.

A first idea for Pavillon Noir: a broadside hits without any aiming, so fire one whenever the cards pay for it. It beats
`random` nine times out of ten. Next: aim before you fire. docs/games/pavillon_noir.md has the rules.
"""

from __future__ import annotations

import random

from tortuga_bot.pavillon_noir import Question, play

LIKED = ("broadside", "fire_broadside", "reload_battery", "fire")
"""What to do if it is offered, the best first. Named as in `Option` of proto/tortuga/v1/pavillon_noir.proto."""


def choose(question: Question) -> int:
    """Any whole number below `question.option_count` is a legal answer. Return None to resign."""
    kinds = [option.WhichOneof("action") for option in question.options]
    for kind in LIKED:
        if kind in kinds:
            question.note(f"{kind} comes first")  # for people who read the match afterwards
            return kinds.index(kind)
    return random.randrange(question.option_count)


if __name__ == "__main__":
    play(choose, name="@NAME@", games=["@GAMES@"])
