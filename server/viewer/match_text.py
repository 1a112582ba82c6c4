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
    """Say the result in words: `gunner beats privateer`; without ranks the match has no result."""
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
    """Return a language's usual name; for one that we do not know, what its bot says."""
    return LANGUAGES.get(language.lower(), harmless(language))


def circumstances(game_id: str, settings: Iterable[tuple[str, str]], facts: Iterable[str]) -> str:
    """Return the second line of a page: the game with its settings, then facts."""
    title, usual = title_of(game_id), usual_settings(game_id)
    variant = [f"{spaced(harmless(name))} {harmless(value)}" for name, value in settings if usual.get(name) != value]
    return " · ".join([", ".join([title, *variant]), *[fact for fact in facts if fact]])


def title_of(game_id: str) -> str:
    """Return the title of a game; for a game of another version of Tortuga, its id."""
    try:
        return find_game(game_id).info.title
    except ConfigError:
        return harmless(game_id)


def usual_settings(game_id: str) -> dict[str, str]:
    """Return the usual settings of a game, which are not worth mentioning. The map always is."""
    try:
        settings = find_game(game_id).info.settings
    except ConfigError:
        return {}
    return {setting.name: str(setting.default) for setting in settings if setting.name != "map"}


def ending(reason: str, decisions: int) -> str:
    """Say how a match ended: `no officers left after 131 decisions`."""
    return f"{harmless(end_words(reason))} after {plural(decisions, 'decision')}" if reason else ""


def day(unix_millis: int) -> str:
    """Return the day as `16 Nov 2026`; empty if it is not known or no date."""
    try:
        moment = datetime.fromtimestamp(unix_millis / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return f"{moment.day} {moment:%b %Y}" if unix_millis else ""
