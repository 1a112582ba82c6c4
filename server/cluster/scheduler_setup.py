"""What Dask's scheduler loads when we start it (`--preload`): it forgets tasks that are over.

Dask keeps a few hundred bytes of each task in its "spans", for ever, so that a dashboard can show them. We have no
dashboard, and the scheduler of an arena runs for months.
"""

from __future__ import annotations

from typing import Any

from distributed import Scheduler


class NoSpans:
    """In place of Dask's spans: remembers nothing."""

    def observe_tasks(self, *_: Any, **__: Any) -> dict[Any, Any]:
        """No task gets a span."""
        return {}

    def heartbeat(self, *_: Any) -> None:
        """Nobody looks at what workers measured."""


def dask_setup(scheduler: Scheduler) -> None:
    """Dask calls this before the scheduler starts."""
    scheduler.extensions["spans"] = NoSpans()
