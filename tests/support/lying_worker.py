"""A worker of a cluster that lies: `dask worker … --preload support.lying_worker`, with the lie in TORTUGA_LIE.

It is our own worker but for its answers. What it pickles would run code wherever it is unpickled: it notes the process
that did so as a file in TORTUGA_MARKS, named after its process id.
"""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

from distributed import Worker, get_worker

from referee.records.record import unpack
from server.cluster import machine as machine_module
from server.cluster.bundles import ReceivedBots
from server.cluster.messages import PLUGIN, BlockReport, pack_report, reports_topic
from server.play.recorded_match import RecordedMatch, record_match
from tortuga.v1 import record_pb2 as pb

MARKS, LIE = "TORTUGA_MARKS", "TORTUGA_LIE"
LIES = ("pickles", "exception", "winner", "path")


def mark(folder: str) -> BaseException:
    """What a hostile pickle does where it is read."""
    (Path(folder) / str(os.getpid())).touch()
    return RuntimeError("it was read")


class Hostile(Exception):
    """Runs code where it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return mark, (os.environ[MARKS],)


def hostile_bytes() -> bytes:
    """Return the same as bytes."""
    return pickle.dumps(Hostile())


def change(match: RecordedMatch) -> RecordedMatch:
    """Return a match with another record, sealed as if nothing had happened."""
    record, _ = unpack(match.packed)
    lie(record)
    return record_match(record, {}, b"")


def lie(record: pb.Record) -> None:
    """Change a record as TORTUGA_LIE says."""
    match os.environ[LIE]:
        case "winner":
            record.outcome.ranks[:] = [2, 1] if record.outcome.ranks[0] == 1 else [1, 2]
        case "path":
            record.match_id = f"../../{record.match_id}"


def lying_report(report: BlockReport) -> bytes:
    """Answer a block with a lie."""
    if os.environ[LIE] == "pickles":
        return hostile_bytes()
    if report.result is None:
        return pack_report(report)
    changed = tuple(map(change, report.result.matches))
    return pack_report(replace(report, result=replace(report.result, matches=changed)))


_honest_transition = machine_module.Machine.transition


def hostile_transition(machine: machine_module.Machine, key: Any, start: str, finish: str, **more: Any) -> None:
    """Send pickles as bytes by every way that Dask offers a worker, then the answer."""
    if key in machine.reports:
        worker, topic = machine._worker, reports_topic(machine.order.run)
        worker.log_event("warn", {"message": hostile_bytes(), "category": hostile_bytes()})
        worker.log_event(topic, (key, b"no ticket", hostile_bytes()))
    _honest_transition(machine, key, start, finish, **more)


def fail(*_: Any) -> None:
    """In place of taking a bot: send objects that only pickles can carry, and end the task by one of them."""
    worker = get_worker()
    machine = worker.plugins[PLUGIN]
    assert isinstance(machine, machine_module.Machine)
    event = {"op": "log-event", "topic": reports_topic(machine.order.run), "msg": Hostile()}
    worker.loop.add_callback(worker.batched_send, event)
    worker.metrics["hostile"] = lambda _: Hostile()
    raise Hostile


def dask_setup(worker: Worker) -> None:
    """Turn a worker into a liar; Dask calls this before it starts."""
    setattr(machine_module, "pack_report", lying_report)  # noqa: B010 - it is only imported there
    if os.environ[LIE] == "pickles":
        setattr(machine_module.Machine, "transition", hostile_transition)  # noqa: B010 - a method
    elif os.environ[LIE] == "exception":
        setattr(ReceivedBots, "take", fail)  # noqa: B010 - as above
