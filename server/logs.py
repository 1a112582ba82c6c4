"""Logs: structlog facts with keys on stderr, configured once. Answers to the user go to stdout and are not logs.

No token or secret ever reaches a log: two structlog processors redact them.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

if "rich" not in sys.modules:
    # structlog would import it for tracebacks that we do not use: a tenth of a second of every start. So this module
    # has to be imported before anything that imports structlog, in the command line and in every worker.
    sys.modules["rich"] = None  # type: ignore[assignment]
    import structlog

    del sys.modules["rich"]
else:
    import structlog

TOKEN_MARK = "ttg_"
"""Tokens of remote bots begin with this, so that they are recognised wherever they turn up."""

REDACTED = "[redacted]"
SECRET_KEYS = frozenset({"token", "authorization", "secret", "environment"})

_LOOKS_SECRET = re.compile(rf"{TOKEN_MARK}[A-Za-z0-9_-]{{8,}}|(?<=Bearer )[A-Za-z0-9_.~+/=-]+")


get_logger = structlog.get_logger


def configure(verbose: bool, *, as_json: bool = False) -> None:
    """Log warnings only, or everything if verbose; for people, or as JSON lines for programs."""
    # A plain traceback: a rich one shows local variables, which may hold secrets.
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


def redact_keys(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """structlog processor, before the renderer: no value under a secret's name."""
    for key in event:
        if key.lower() in SECRET_KEYS:
            event[key] = REDACTED
    return event


def redact_text(logger: Any, method: str, line: Any) -> str:
    """structlog processor, after the renderer: nothing that looks like a token, be it in a message or a traceback."""
    return _LOOKS_SECRET.sub(REDACTED, str(line))
