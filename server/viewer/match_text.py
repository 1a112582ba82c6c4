"""The result and the circumstances of a match in words: what a page says first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from referee.errors import ConfigError
from referee.games import find_game
from referee.rules.infos import end_words
from referee.text import brief, harmless, listed, plural, spaced

LANGUAGES = {
    "python": "Python",
    "rust": "Rust",
    "go": "Go",
    "java": "Java",
    "typescript": "TypeScript",
    "javascript": "JavaScript",
    "cpp": "C++",
    "csharp": "C#",
}


def result_in_words(names: Sequence[str], ranks: Sequence[int]) -> str:
    """`gunner beats privateer`; without ranks the match has no result."""
    names = [brief(name) for name in names]
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


def language_name(language: str) -> str:
    """What a language is called by people; one that we do not know is called as its bot says."""
    return LANGUAGES.get(language.lower(), harmless(language))


def circumstances(game_id: str, settings: Iterable[tuple[str, str]], facts: Iterable[str]) -> str:
    """The second line of a page: the game with its settings, then facts."""
    title, usual = title_of(game_id), usual_settings(game_id)
    variant = [f"{spaced(harmless(name))} {harmless(value)}" for name, value in settings if usual.get(name) != value]
    return " · ".join([", ".join([title, *variant]), *[fact for fact in facts if fact]])


def title_of(game_id: str) -> str:
    """What a game is called; a game of another version of Tortuga is called by its id."""
    try:
        return find_game(game_id).info.title
    except ConfigError:
        return harmless(game_id)


def usual_settings(game_id: str) -> dict[str, str]:
    """The settings a game is usually played with: not worth a word. Which map it was always is."""
    try:
        settings = find_game(game_id).info.settings
    except ConfigError:
        return {}
    return {one.name: str(one.default) for one in settings if one.name != "map"}


def ending(reason: str, decisions: int) -> str:
    """`no officers left after 131 decisions`."""
    return f"{harmless(end_words(reason))} after {plural(decisions, 'decision')}" if reason else ""


def day(unix_millis: int) -> str:
    """`16 Nov 2026`; empty if it is not known or no date."""
    try:
        found = datetime.fromtimestamp(unix_millis / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return f"{found.day} {found:%b %Y}" if unix_millis else ""
