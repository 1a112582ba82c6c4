"""The commands of Dask that make a cluster, with our settings: `dask scheduler` and `dask worker`."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from server.cluster.settings import BLOCKS_AT_ONCE, Certificates, tls_flags

PORT = 8786


def scheduler_command(certificates: Certificates, *, host: str, port: int) -> list[str]:
    """The scheduler. Its dashboard is off: it would be open to everybody, without a certificate."""
    return [
        *(sys.executable, "-m", "distributed.cli.dask_scheduler", "--protocol", "tls"),
        *(("--host", host) if host else ()),
        *("--port", str(port), "--no-dashboard", "--no-jupyter", "--preload", "server.cluster.scheduler_setup"),
        *tls_flags(certificates),
    ]


def worker_command(
    certificates: Certificates, address: str, *, name: str, host: str = "", ports: str = ""
) -> list[str]:
    """The worker of a machine: one per machine, without a nanny that would start it again behind our back."""
    return [
        *(sys.executable, "-m", "distributed.cli.dask_worker", address, "--protocol", "tls", "--name", name),
        *("--nworkers", "1", "--nthreads", str(BLOCKS_AT_ONCE), "--memory-limit", "0"),
        *("--no-nanny", "--no-dashboard", "--local-directory", str(dask_folder())),
        *(("--host", host) if host else ()),
        *(("--worker-port", ports) if ports else ()),
        *tls_flags(certificates),
    ]


def dask_folder() -> Path:
    """Where Dask keeps what it needs on a machine; it removes by itself what killed workers left there."""
    return Path(tempfile.gettempdir()) / f"tortuga-dask-{os.getuid()}"
