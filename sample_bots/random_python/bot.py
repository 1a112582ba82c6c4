"""Plays any game by picking any option: the yardstick of every ladder. Its strength must never change.

Its picks follow from the match and the seat, so that `--seed` repeats a whole match and not only its luck.
"""

from __future__ import annotations

import random

from tortuga_bot import Question, play


def choose(question: Question) -> int:
    """Any option, all alike."""
    match = question.match
    if "picks" not in match.memory:
        match.memory["picks"] = random.Random(f"{match.match_id}/{match.seat}")
    picks: random.Random = match.memory["picks"]
    return picks.randrange(question.option_count)


if __name__ == "__main__":
    play(choose, name="random")
