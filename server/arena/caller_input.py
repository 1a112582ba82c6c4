"""Checks what callers send: names and remarks before they are stored or repeated, and the tokens of pages.

Pages stay stable while a list grows: a page token holds the key of the last item shown, not an offset. A token is
opaque to callers: base64 of the list, its filters, and the key. It grants nothing, so it need not be signed; an
invalid one is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from referee.errors import ConfigError
from server.bots.spec import NAME

MAX_TEXT = 200
"""Longest owner or reason, in characters."""
SHOWN = 60
"""Longest part of an unknown name to repeat, in characters: it may be anything, of any length."""
LISTED = 20
"""Names to list for a caller who asked for an unknown one, at most."""


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
    """Return an error message, cut and cleaned so that `check_text` accepts it."""
    return "".join(sign if sign.isprintable() else " " for sign in text)[:MAX_TEXT]


def quote(name: str) -> str:
    """Return a caller's name in a form that is safe to repeat: escaped, ASCII, and short."""
    return ascii(name) if len(name) <= SHOWN else f"{name[:SHOWN]!a}..."


def list_names(names: Iterable[str]) -> str:
    """Return the existing names as text, for a caller who asked for an unknown one."""
    listed = list(names)
    more = f" and {len(listed) - LISTED} more" if len(listed) > LISTED else ""
    return ", ".join(listed[:LISTED]) + more if listed else "none"


DEFAULT_SIZE = 50
MAX_SIZE = 500
MAX_TOKEN = 1000

T = TypeVar("T")
Key = tuple[int | float | str, ...]


class PagedRequest(Protocol):
    """The fields that all list requests share."""

    page_size: int
    page_token: str


@dataclass(frozen=True, slots=True)
class ListPage:
    """The part of a list that a request asks for."""

    size: int
    after: Key | None
    """Key to continue after. None: start at the beginning."""
    _list: str

    def token(self, key: Key) -> str:
        """Return the page token that continues after this key."""
        return base64.urlsafe_b64encode(json.dumps([self._list, *key]).encode()).decode()

    def cut(self, items: Iterable[T], key: Callable[[T], Key]) -> tuple[list[T], str]:
        """Return the items of this page, out of all in the order of their keys, and the token of the next page."""
        after = self.after
        remaining = [item for item in items if after is None or key(item) > after]
        return remaining[: self.size], self.token(key(remaining[self.size - 1])) if len(remaining) > self.size else ""


def read_page(request: PagedRequest, name: str, shape: tuple[type, ...], *filters: object) -> ListPage:
    """Return the page of the list `name` that a request asks for. Its keys have the types of `shape`."""
    size = min(request.page_size or DEFAULT_SIZE, MAX_SIZE)
    mark = hashlib.sha256(json.dumps([name, *filters]).encode()).hexdigest()[:8]
    return ListPage(size, _read(request.page_token, mark, shape) if request.page_token else None, mark)


def _read(token: str, mark: str, shape: tuple[type, ...]) -> Key:
    try:
        if len(token) > MAX_TOKEN:
            raise ValueError
        values = json.loads(base64.b64decode(token.encode(), altchars=b"-_", validate=True))
        given, *key = values
        if given != mark or tuple(map(type, key)) != shape or not all(map(_is_storable, key)):
            raise ValueError
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise ConfigError(
            "page_token is not one of this list with these filters; leave it empty to start from the first page"
        ) from None
    return tuple(key)


def _is_storable(value: int | float | str) -> bool:
    """Return whether a database can compare with this value."""
    if isinstance(value, str):
        return value.isascii()
    return abs(value) < 2**63  # false for NaN
