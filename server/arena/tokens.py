"""Tokens of remote bots: 256 bits that nobody can guess, and a mark by which they are known wherever they turn up.

Only the hash of a token is kept (`referee.door.tokens.hash_token`); a structlog processor keeps tokens out of logs.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import MutableMapping
from typing import Any

MARK = "ttg_"
REDACTED = "[redacted]"
SECRET_KEYS = frozenset({"token", "authorization", "secret", "environment"})

_LOOKS_SECRET = re.compile(rf"{MARK}[A-Za-z0-9_-]{{8,}}|(?<=Bearer )[A-Za-z0-9_.~+/=-]+")


def new_token() -> str:
    """One nobody else has."""
    return MARK + secrets.token_urlsafe(32)


def redact_keys(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """structlog processor, before the renderer: no value under a secret's name."""
    for key in event:
        if key.lower() in SECRET_KEYS:
            event[key] = REDACTED
    return event


def redact_text(logger: Any, method: str, line: Any) -> str:
    """structlog processor, after the renderer: nothing that looks like a token, be it in a message or a traceback."""
    return _LOOKS_SECRET.sub(REDACTED, str(line))
