"""What a test logs, whatever level an earlier test has set."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import structlog
from structlog.testing import capture_logs

from server.system import logs


@contextmanager
def captured() -> Iterator[list[MutableMapping[str, Any]]]:
    """All lines that are logged meanwhile."""
    logs.get_ready()
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(0))
    try:
        with capture_logs() as lines:
            yield lines
    finally:
        structlog.configure(**before)
