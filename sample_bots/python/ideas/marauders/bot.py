"""@NAME@: a bot is one function from a question to the index of an option.

A first idea for Marauders: sell what you have, bring gold into the chest, raid merchants, follow rumors and missions;
leave armed ships alone, and never end a turn while something can still be done. It beats `random` two times out of
three. Next: buy what the next port wants. docs/games/marauders.md has the rules.
"""

from __future__ import annotations

import random

from tortuga_bot.marauders import Question, play

LIKED = ("sell", "repair_everything", "stash", "try_rumor", "do_mission", "scout_rumor", "scout_merchant", "engage")
"""What to do if it is offered, the best first. Named as in `Option` of proto/tortuga/v1/marauders.proto."""
AVOIDED = ("retire", "let_go", "end", "scout_npc", "scout_player")
"""What to do only if nothing else is left."""


def choose(question: Question) -> int:
    """Any whole number below `question.option_count` is a legal answer. Return None to resign."""
    kinds = [option.WhichOneof("action") for option in question.options]
    for kind in LIKED:
        if kind in kinds:
            question.note(f"{kind} comes first")  # for people who read the match afterwards
            return max(index for index, other in enumerate(kinds) if other == kind)  # the last one moves most
    good = [index for index, kind in enumerate(kinds) if kind not in AVOIDED]
    return random.choice(good or range(question.option_count))


if __name__ == "__main__":
    play(choose, name="@NAME@", games=["@GAMES@"])
