"""Logs: structlog facts with keys on stderr, configured once. Answers to the user go to stdout and are not logs."""

from __future__ import annotations

import logging
import sys

import structlog

from server.arena.tokens import redact_keys, redact_text


def configure(verbose: bool) -> None:
    """Warnings only, or with `-v` everything. No token or secret ever reaches a log."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            redact_keys,
            # A plain traceback: a rich one shows local variables, and what is in them is nobody's business.
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            ),
            redact_text,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO if verbose else logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
