"""Logs: structlog facts with keys on stderr, configured once. Answers to the user go to stdout and are not logs."""

from __future__ import annotations

import logging
import sys

import structlog

from server.arena.tokens import redact_keys, redact_text


def configure(verbose: bool, *, as_json: bool = False) -> None:
    """Warnings only, or with `-v` everything; for people, or for programs. No token or secret ever reaches a log."""
    # A plain traceback: a rich one shows local variables, and what is in them is nobody's business.
    for_people = structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )
    for_programs = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            redact_keys,
            *(for_programs if as_json else [for_people]),
            redact_text,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO if verbose else logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
