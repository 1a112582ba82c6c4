"""Plays any game by picking any option: the yardstick of every ladder. Its strength must never change.

Its choices depend on the match and the seat only, so that `--seed` repeats a whole match and not only its luck. With
`--fixed` they depend on the question's number alone, in the same way in every language: a test compares the records.
"""

from __future__ import annotations

import random
import sys

from tortuga_bot import Question, play


def choose(question: Question) -> int:
    """Return any option, each with the same chance."""
    match = question.match
    if "picks" not in match.memory:
        match.memory["picks"] = random.Random(f"{match.match_id}/{match.seat}")
    picks: random.Random = match.memory["picks"]
    return picks.randrange(question.option_count)


def fixed(question: Question) -> int:
    """Return the upper half of a multiplicative hash (Knuth's) of the question's number."""
    return (question.message.question_id * 2654435761 % 2**32 >> 16) % question.option_count


if __name__ == "__main__":
    play(fixed if "--fixed" in sys.argv[1:] else choose, name="random", slots=64)
