"""The table as one seat knew it, in words: what the seat could not know is shown as `?`.

A game's text tells a whole state. So the state is told several times, each time with everything the seat could not know
drawn anew (the game's `hide`); whatever differs was hidden.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import Seat

TWINS = 12
"""How often the hidden things are drawn anew: one that comes out the same every time would be shown."""
TOKEN = re.compile(r"\s+|[,;:()\[\]]|[^\s,;:()\[\]]+")
HIDDEN = "?"


def known_table(course: Course, seat: Seat) -> str:
    """The table in words, as far as a seat knew it."""
    game, state = course.game, course.state
    twins = [game.hide(state, seat, SeededChance(derive_secret("known table", str(twin)))) for twin in range(TWINS)]
    return mask(game.text.table(state), [game.text.table(twin) for twin in twins])


def mask(text: str, twins: Sequence[str]) -> str:
    """A text with `?` for whatever is different in one of its twins."""
    lines, others = text.split("\n"), [twin.split("\n") for twin in twins]
    if any(len(other) != len(lines) for other in others):
        common = set(lines).intersection(*others)
        return "\n".join(line if line in common else HIDDEN for line in lines)
    return "\n".join(mask_line(line, [other[place] for other in others]) for place, line in enumerate(lines))


def mask_line(line: str, twins: Sequence[str]) -> str:
    """The same for one line, word by word."""
    if all(twin == line for twin in twins):
        return line
    words, others = TOKEN.findall(line), [TOKEN.findall(twin) for twin in twins]
    if any(len(other) != len(words) for other in others):
        same = next(
            place
            for place in range(len(words) + 1)
            if any(other[: place + 1] != words[: place + 1] for other in others)
        )
        return "".join([*words[:same], HIDDEN])
    known = [all(other[place] == word for other in others) for place, word in enumerate(words)]
    shown = []
    for place, word in enumerate(words):
        if known[place] or word.isspace():
            shown.append(word)
        else:  # columns stay where they are
            column = place + 1 < len(words) and words[place + 1].startswith("  ")
            shown.append(HIDDEN.ljust(len(word)) if column else HIDDEN)
    return "".join(shown)
