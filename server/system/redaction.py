"""Keeps secrets out of logs: patterns that recognise them, and the structlog processors that redact them."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any

TOKEN_MARK = "ttg_"
"""Prefix of the tokens of remote bots, by which they are recognised wherever they turn up."""
REDACTED = "[redacted]"
SECRET_KEYS = frozenset({"token", "authorization", "secret", "environment"})

LOOKS_SECRET = re.compile(rf"{TOKEN_MARK}[A-Za-z0-9_-]{{8,}}|(?<=Bearer )[A-Za-z0-9_.~+/=-]+")


def redact_keys(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Redact every value under a secret's name: a structlog processor, before the renderer."""
    for key in event:
        if key.lower() in SECRET_KEYS:
            event[key] = REDACTED
    return event


def redact_text(logger: Any, method: str, line: Any) -> str:
    """Redact everything that looks like a token, in a message or a traceback: a structlog processor, after the
    renderer."""
    return LOOKS_SECRET.sub(REDACTED, str(line))
