"""What Dask's scheduler loads when we start it (`--preload`): it forgets tasks that are over, and their reports.

Dask keeps a few hundred bytes of each task in its "spans", and the last events of every topic, for ever, so that they
can be looked at. We have no dashboard, each run has a topic of its own, and a scheduler runs for months.
"""

from __future__ import annotations

from typing import Any

from distributed import Scheduler, SchedulerPlugin

from server.cluster.messages import REPORTS


class NoSpans:
    """In place of Dask's spans: remembers nothing."""

    def observe_tasks(self, *_: Any, **__: Any) -> dict[Any, Any]:
        """Give no task a span."""
        return {}

    def heartbeat(self, *_: Any) -> None:
        """Do nothing: nobody looks at what workers measured."""


class NoReports(SchedulerPlugin):
    """Forgets the report of a block once it was passed on."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._broker = scheduler._broker

    def log_event(self, topic: str, msg: Any) -> None:
        """Forget an event that was sent to whoever wants it, if it was a report."""
        if topic.startswith(REPORTS):
            self._broker.truncate(topic)


def dask_setup(scheduler: Scheduler) -> None:
    """Set up a scheduler; Dask calls this before it starts."""
    scheduler.extensions["spans"] = NoSpans()
    scheduler.add_plugin(NoReports(scheduler), name="tortuga-no-reports")
