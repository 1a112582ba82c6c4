"""Keeps a worker in its cluster: when Dask's worker ends by itself, another one takes its place.

Dask ends a worker that its scheduler has given up: after a network fault, or because the machine hung for a while. It
cannot join again under its old name. A worker that was told to end, never joined, or has lost its scheduler for good is
not started again.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from types import FrameType

from server.cluster.local import ending_with_parent

JOINED_SECONDS = 15.0
"""A worker that ended sooner had not joined: it would end again, for the same reason."""
GONE_SECONDS = 120.0
"""A scheduler that cannot be dialled for so long is gone. A network fault may take a while."""
DIAL_SECONDS = 2.0


def keep_joined(
    command: Sequence[str], environment: Mapping[str, str], address: str, *, joined_seconds: float = JOINED_SECONDS
) -> int:
    """Run a worker, again and again while its scheduler is there. SIGTERM and Ctrl-C end it. Returns its exit code."""
    ending, code = False, 0
    worker: subprocess.Popen[bytes] | None = None

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal ending
        ending = True
        if worker is not None and worker.poll() is None:
            worker.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    while not ending:
        begun = time.monotonic()
        worker = subprocess.Popen(ending_with_parent(command), env=environment, start_new_session=True)
        code = worker.wait()
        if ending or time.monotonic() - begun < joined_seconds:
            return code
        print(f"tortuga: this worker is no longer in the cluster at {address}: it tries to join again", file=sys.stderr)
        ended = time.monotonic()
        while not can_dial(address):
            if ending or time.monotonic() - ended > GONE_SECONDS:
                return code
            time.sleep(DIAL_SECONDS)
    return code


def can_dial(address: str) -> bool:
    """Check whether somebody listens at an address of a cluster."""
    host, _, port = address.removeprefix("tls://").rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=DIAL_SECONDS):
            return True
    except OSError:
        return False
