"""Logs: structlog facts with keys on stderr, configured once. Answers to the user go to stdout and are not logs."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

SECRET_KEYS = frozenset({"token", "authorization", "secret", "environment"})


def configure(verbose: bool) -> None:
    """Warnings only, or with `-v` everything."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            redact,
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO if verbose else logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def redact(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """No token or secret ever reaches a log."""
    for key in SECRET_KEYS & event.keys():
        event[key] = "[redacted]"
    return event
