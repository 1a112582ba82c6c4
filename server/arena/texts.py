"""Texts from outside: names and remarks that are checked before they are stored or repeated."""

from __future__ import annotations

from collections.abc import Iterable

from referee.errors import ConfigError
from server.bots.spec import NAME

MAX_TEXT = 200
"""Longest owner or reason, in characters."""
SHOWN = 60
"""Longest part of an unknown name that is repeated, in characters: it may be anything, of any length."""
LISTED = 20
"""Most names in a list for a caller who asked for an unknown one."""


def check_name(name: str, what: str) -> str:
    """Refuse names that are not plain: they go into tables, logs and file names."""
    if not NAME.fullmatch(name):
        raise ConfigError(
            f"the {what} cannot be called {quote(name)}: 1 to 64 characters out of A-Z a-z 0-9 . _ -, "
            "the first a letter or a digit"
        )
    return name


def check_text(text: str, what: str) -> str:
    """Refuse remarks that are long or could move a terminal's cursor."""
    if len(text) > MAX_TEXT or not text.isprintable():
        raise ConfigError(f"the {what} must be one line of at most {MAX_TEXT} printable characters")
    return text


def one_line(text: str) -> str:
    """The message of an error, cut and cleaned so that `check_text` accepts it."""
    return "".join(sign if sign.isprintable() else " " for sign in text)[:MAX_TEXT]


def quote(name: str) -> str:
    """A name from a caller, safe to repeat: escaped, ASCII, and short."""
    return ascii(name) if len(name) <= SHOWN else f"{name[:SHOWN]!a}..."


def list_names(names: Iterable[str]) -> str:
    """The names there are, for a caller who asked for an unknown one."""
    found = list(names)
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return ", ".join(found[:LISTED]) + more if found else "none"
