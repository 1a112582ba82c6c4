"""Formats log lines, and keeps secrets out of them.

No token or secret ever reaches a log: two structlog processors redact them (redaction.py). A log of JSON lines has
nothing else in it: what libraries log through Python becomes such a line, and gRPC's C++ core, which prints to stderr
by itself, is silent unless GRPC_VERBOSITY says otherwise (referee/door/service.py).
"""

from __future__ import annotations

import logging
import sys

from server.system.redaction import redact_keys, redact_text

if "rich" not in sys.modules:
    # structlog would import it for tracebacks that we do not use: a tenth of a second of every start. So nothing else
    # imports structlog before this module does.
    sys.modules["rich"] = None  # type: ignore[assignment]
    import structlog

    del sys.modules["rich"]
else:
    import structlog


def set_up(verbose: bool, as_json: bool) -> None:
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
    if as_json:
        _take_over_libraries()


class _LibraryHandler(logging.Handler):
    """Writes what libraries log or warn of as a line of ours: gRPC's server and asyncio would print plain text."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        try:
            facts = {"logger": record.name, "text": record.getMessage()}
            structlog.get_logger().log(record.levelno, "library", exc_info=record.exc_info or None, **facts)
        except Exception as error:  # a message that cannot be made: nobody stops for it
            structlog.get_logger().error("library", logger=record.name, text=f"{record.msg!r} ({error})")


def _take_over_libraries() -> None:
    root = logging.getLogger()
    if not any(isinstance(handler, _LibraryHandler) for handler in root.handlers):
        root.addHandler(_LibraryHandler(logging.WARNING))
    logging.captureWarnings(True)
