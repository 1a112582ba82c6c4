"""A trial cluster on this machine: a scheduler and some workers, each a separate process, with mutual TLS."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from referee.errors import ConfigError
from server.cluster.settings import Certificates, dask_environment, scheduler_command, worker_command
from server.hosting.cores import available_cores

HOST = "127.0.0.1"
READY_SECONDS = 60.0
END_SECONDS = 40.0
"""A worker finishes its blocks before it goes."""
ENDING_WITH_PARENT = """\
import ctypes, os, sys
parent, cores, *command = sys.argv[1:]
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, 15)  # PR_SET_PDEATHSIG, SIGTERM
    if os.getppid() != int(parent):
        sys.exit("its parent has ended")
if cores and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, map(int, cores.split(",")))
os.execvp(command[0], command)
"""


@dataclass(slots=True)
class LocalCluster:
    """The processes of a cluster on this machine."""

    certificates: Certificates
    port: int
    log: Path | None = None
    """Where the processes write what they have to say; None: to our standard error."""
    scheduler: subprocess.Popen[bytes] | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _started: int = 0

    @property
    def address(self) -> str:
        """Return the address that clients and workers connect to."""
        return f"tls://{HOST}:{self.port}"

    def start_scheduler(self) -> None:
        """Start the scheduler, and wait until it can be dialled."""
        refuse_used_port(self.port)
        self.scheduler = self._start(scheduler_command(self.certificates, host=HOST, port=self.port))
        deadline = time.monotonic() + READY_SECONDS
        while not _can_dial(self.port):
            if self.scheduler.poll() is not None or time.monotonic() > deadline:
                raise ConfigError(f"the scheduler did not start on port {self.port}: is it in use?")
            time.sleep(0.05)

    def start_worker(self, cores: list[int] | None = None) -> subprocess.Popen[bytes]:
        """Start one worker more, on some of the cores or on all."""
        self._started += 1
        name = f"{socket.gethostname()}-{os.getpid()}-{self._started}"
        worker = self._start(worker_command(self.certificates, self.address, name=name, host=HOST), cores)
        self.workers.append(worker)
        return worker

    def start_workers(self, count: int) -> None:
        """Start some workers, which share the cores."""
        cores = available_cores()
        for number in range(count):
            self.start_worker(cores[number::count] or [cores[number % len(cores)]])

    def _start(self, command: list[str], cores: list[int] | None = None) -> subprocess.Popen[bytes]:
        output = self.log.open("ab") if self.log is not None else None
        try:
            return subprocess.Popen(
                ending_with_parent(command, cores or ()),
                env=dask_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # Ctrl-C is for us alone
            )
        finally:
            if output is not None:
                output.close()

    def close(self) -> None:
        """End all of them: the workers first, which finish their blocks."""
        started = filter(None, [*self.workers, self.scheduler])
        running = [process for process in started if process.poll() is None]
        for process in running:
            process.send_signal(signal.SIGCONT)
        for process in running:
            if process is not self.scheduler:
                process.terminate()
        deadline = time.monotonic() + END_SECONDS
        for process in running:
            if process is self.scheduler:
                process.terminate()
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.workers, self.scheduler = [], None


@contextmanager
def local_cluster(
    certificates: Certificates, *, workers: int, port: int = 0, log: Path | None = None
) -> Iterator[LocalCluster]:
    """Run a cluster that ends with the block. Without a port, a free one is taken."""
    cluster = LocalCluster(certificates, port or free_port(), log)
    try:
        cluster.start_scheduler()
        cluster.start_workers(workers)
        yield cluster
    finally:
        cluster.close()


def ending_with_parent(command: Sequence[str], cores: Sequence[int] = ()) -> list[str]:
    """Return a command that runs another one, on these cores, and ends it when we end: not even if we are killed is a
    cluster left behind.

    It is a program of its own, not a function that Popen runs in the child: with one, Popen forks, and a forked child
    in which gRPC had threads can crash before it becomes the command.
    """
    pinned = ",".join(map(str, cores))
    return [sys.executable, "-I", "-S", "-c", ENDING_WITH_PARENT, str(os.getpid()), pinned, *command]


def free_port() -> int:
    """Return a port that nobody listens on at this moment."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])


def refuse_used_port(port: int) -> None:
    """Refuse a port in use: our scheduler could not listen there, and the other would be taken for it."""
    if _can_dial(port):
        raise ConfigError(f"port {port} is in use: stop what listens there, or choose another (--port)")


def _can_dial(port: int) -> bool:
    with socket.socket() as dialled:
        dialled.settimeout(1.0)
        return dialled.connect_ex((HOST, port)) == 0
