"""@NAME@: a bot is one function from a question to the index of an option.

A first idea for Pirate's Cove: keep away from the black ships, take what lies on the other islands, and go to Treasure
Island to bury it as soon as three chests are aboard. It beats `random` nine times out of ten. Next: look at what each
island offers, and at how strong the others are. docs/games/pirates_cove.md has the rules.
"""

from __future__ import annotations

import random

from tortuga_bot.pirates_cove import Question, play

TREASURE_ISLAND = 6
LAST_MONTH = 12
LIKED = ("bury_chests", "bury_gold", "fire")
"""What to do if it is offered, the best first. Named as in `Option` of proto/tortuga/v1/pirates_cove.proto."""


def choose(question: Question) -> int:
    """Any whole number below `question.option_count` is a legal answer. Return None to resign."""
    kinds = [option.WhichOneof("action") for option in question.options]
    if "sail" in kinds:
        return where_to_sail(question) - 1  # the options are the islands 1 to 6, in this order
    for kind in LIKED:
        if kind in kinds:
            question.note(f"{kind} comes first")  # for people who read the match afterwards
            return max(index for index, other in enumerate(kinds) if other == kind)  # the last one buries most
    return random.randrange(question.option_count)


def where_to_sail(question: Question) -> int:
    """Home with the loot, otherwise to any outer island without a black ship."""
    seen = question.observation
    if seen.ships[question.match.seat].chests >= 3 or seen.month == LAST_MONTH:
        return TREASURE_ISLAND
    black = {ship.place for ship in seen.black_ships}
    return random.choice([place for place in range(1, TREASURE_ISLAND) if place not in black])


if __name__ == "__main__":
    play(choose, name="@NAME@", games=["@GAMES@"])
