"""Plays any game by picking any option: the yardstick of every ladder. Its strength must never change."""

from __future__ import annotations

import random

from tortuga_bot import Question, play


def choose(question: Question) -> int:
    """Any option, all alike."""
    return random.randrange(question.option_count)


if __name__ == "__main__":
    play(choose, name="random")
