"""Pages that stay stable while a list grows: a page token holds the key of the last item shown, not an offset.

A token is opaque to callers: base64 of the list, its filters, and the key. It grants nothing, so it need not be
signed; an invalid one is refused.
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
class Page:
    """Which part of which list is requested."""

    size: int
    after: Key | None
    """Continue after this key. None: from the start."""
    _list: str

    def token(self, key: Key) -> str:
        """The page token that continues after this key."""
        return base64.urlsafe_b64encode(json.dumps([self._list, *key]).encode()).decode()

    def cut(self, items: Iterable[T], key: Callable[[T], Key]) -> tuple[list[T], str]:
        """The items of this page, out of all in the order of their keys, and the token of the next page."""
        after = self.after
        found = [item for item in items if after is None or key(item) > after]
        return found[: self.size], self.token(key(found[self.size - 1])) if len(found) > self.size else ""


def read_page(request: PagedRequest, name: str, shape: tuple[type, ...], *filters: object) -> Page:
    """The page of the list `name` that a request asks for. Its keys have the types of `shape`."""
    size = min(request.page_size or DEFAULT_SIZE, MAX_SIZE)
    mark = hashlib.sha256(json.dumps([name, *filters]).encode()).hexdigest()[:8]
    return Page(size, _read(request.page_token, mark, shape) if request.page_token else None, mark)


def _read(token: str, mark: str, shape: tuple[type, ...]) -> Key:
    try:
        if len(token) > MAX_TOKEN:
            raise ValueError
        found = json.loads(base64.b64decode(token.encode(), altchars=b"-_", validate=True))
        given, *key = found
        if given != mark or tuple(map(type, key)) != shape or not all(map(_is_storable, key)):
            raise ValueError
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise ConfigError(
            "page_token is not one of this list with these filters; leave it empty to start from the first page"
        ) from None
    return tuple(key)


def _is_storable(value: int | float | str) -> bool:
    """Whether a database can compare with it."""
    if isinstance(value, str):
        return value.isascii()
    return abs(value) < 2**63  # which no NaN is
