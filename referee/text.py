"""Helpers for text shown to people: plurals, lists, names of ids, and untrusted text made harmless."""

from __future__ import annotations

import re
from collections.abc import Iterable

BRIEF = 24
"""Longest name that is shown in full in headings and in the lines of a story."""


def plural(count: int, noun: str, nouns: str = "") -> str:
    """Say how many: `1 card`, `3 cards`; `nouns` where the plural is not made by an s."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def listed(items: Iterable[str], nothing: str = "nothing") -> str:
    """Join items as in a sentence: `a`, `a and b`, `a, b and c`; `nothing` if there are none."""
    *most, last = [*items] or [nothing]
    return f"{', '.join(most)} and {last}" if most else last


def spaced(name: str) -> str:
    """Write the name of an id or a class as words: `crows_nest` and `CrowsNest` are `crows nest`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


def brief(name: str) -> str:
    """Shorten a name for a line that has more to say: a long one loses its middle, so versions at its end still
    differ."""
    return name if len(name) <= BRIEF else f"{name[: BRIEF - 9]}…{name[-8:]}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` for the known name that is most like an unknown one; empty if none is like it."""
    from difflib import get_close_matches  # lazily: only mistakes need it

    by_lower = {word.lower(): word for word in known}
    nearest = get_close_matches(name.lower(), by_lower, n=1)
    return f" (did you mean {by_lower[nearest[0]]!r}?)" if nearest else ""


def harmless(text: str) -> str:
    """Make untrusted text harmless: one line without anything that moves a cursor or colours a terminal; all of it
    is seen."""
    if text.isprintable():  # nearly always, and pages are full of texts
        return text
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)
