"""The addresses of our pages."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


def address(*parts: str, **query: str | int) -> str:
    """The address of a page of ours."""
    last = f"{parts[-1]}.html" if len(parts) > 1 and parts[-1].endswith((".json", ".html")) else parts[-1]
    path = "/" + "/".join(quote(part, safe="") for part in (*parts[:-1], last))
    asked = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(asked)}" if asked else path


def plain_name(text: str) -> str:
    """A text as a name that addresses and tables can hold."""
    return _NOT_PLAIN.sub("-", text).strip("-._")[:64] or "unnamed"
