"""The result and the circumstances of a match in words: what a page says first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from referee.words import harmless, listed, plural, spaced


def result_in_words(names: Sequence[str], ranks: Sequence[int]) -> str:
    """`gunner beats privateer`; without ranks the match has no result."""
    if len(ranks) != len(names):
        return f"{listed(names)}: no result"
    order = sorted(range(len(names)), key=lambda seat: ranks[seat])
    first = [names[seat] for seat in order if ranks[seat] == 1]
    others = [names[seat] for seat in order if ranks[seat] != 1]
    if not others:
        return f"{listed(first)} draw"
    if len(first) > 1:
        return f"{listed(first)} share the first place, before {listed(others)}"
    return f"{first[0]} beats {listed(others)}"


def circumstances(title: str, settings: Iterable[tuple[str, str]], facts: Iterable[str]) -> str:
    """The second line of a page: the game with its settings, then facts."""
    variant = [f"{spaced(name)} {harmless(value)}" for name, value in settings]
    return " · ".join([", ".join([title, *variant]), *[fact for fact in facts if fact]])


def ending(reason: str, decisions: int) -> str:
    """`officers after 131 decisions`."""
    return f"{harmless(reason).replace('_', ' ')} after {plural(decisions, 'decision')}" if reason else ""


def day(unix_millis: int) -> str:
    """`16 Nov 2026`; empty if it is not known or no date."""
    try:
        found = datetime.fromtimestamp(unix_millis / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return f"{found.day} {found:%b %Y}" if unix_millis else ""
