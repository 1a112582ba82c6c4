"""Logs: structlog facts with keys on stderr, configured once. Answers to the user go to stdout and are not logs.

structlog, and asyncio with it, is imported when the first line is logged: most commands log none. What runs for long
calls get_ready() before: a line has to get out when no file can be opened any more. What a line looks like, and that it
holds no secret, is in log_lines.py.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any


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
