"""A bot for Kuhn poker: it bets and calls with a king, bluffs with some jacks, and calls with some queens."""

from __future__ import annotations

import random

from tortuga_bot import Question, play


def choose(question: Question) -> int:
    """Return the index of an option. Observation and options are dicts: print them to see what is there."""
    card = question.observation["card"]
    kinds = [option["_type"] for option in question.options]
    if "Bet" in kinds:
        bold = card == "KING" or (card == "JACK" and random.random() < 1 / 3)
        return kinds.index("Bet" if bold else "Check")
    bold = card == "KING" or (card == "QUEEN" and random.random() < 1 / 2)
    return kinds.index("Call" if bold else "Fold")


if __name__ == "__main__":
    play(choose, name="kuhn-bot", games=["kuhn"])
