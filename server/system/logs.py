"""Logs: structlog facts with keys on stderr, configured once. Answers to the user go to stdout and are not logs.

No token or secret ever reaches a log: two structlog processors here redact them.

structlog, and asyncio with it, is imported when the first line is logged: most commands log none. What runs for long
calls get_ready() before: a line has to get out when no file can be opened any more. What a line looks like, and that it
holds no secret, is in log_lines.py.
"""

from __future__ import annotations

import re
import sys
from collections.abc import MutableMapping
from contextlib import AbstractContextManager
from typing import Any

TOKEN_MARK = "ttg_"
"""Prefix of the tokens of remote bots, by which they are recognised wherever they turn up."""
REDACTED = "[redacted]"
SECRET_KEYS = frozenset({"token", "authorization", "secret", "environment"})

LOOKS_SECRET = re.compile(rf"{TOKEN_MARK}[A-Za-z0-9_-]{{8,}}|(?<=Bearer )[A-Za-z0-9_.~+/=-]+")


class LateLogger:
    """A logger of structlog's, made when it is used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(get_ready().get_logger(), name)


class _Settings:
    """Settings for structlog, until it is imported."""

    silent: bool = False


def get_logger() -> LateLogger:
    """Make a logger for a module."""
    return LateLogger()


def configure(verbose: bool, *, as_json: bool = False) -> None:
    """Log warnings only, or everything if verbose; for people, or as JSON lines for programs."""
    _Settings.silent = not (verbose or as_json or "structlog" in sys.modules)
    if not _Settings.silent:
        from server.system.log_lines import set_up

        set_up(verbose, as_json)


def get_ready() -> Any:
    """Return structlog, set up as it was asked for."""
    from server.system.log_lines import set_up

    if _Settings.silent:
        set_up(verbose=False, as_json=False)
        _Settings.silent = False
    return sys.modules["structlog"]  # log_lines.py imports it, and says why nobody else may


def log_with(**facts: Any) -> AbstractContextManager[None]:
    """Add these facts to every line of this task, for as long as the context lasts."""
    bound: AbstractContextManager[None] = get_ready().contextvars.bound_contextvars(**facts)
    return bound


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
