"""Our settings for Dask, and what is begun with them: `dask scheduler`, `dask worker` and our own client.

They are encrypted and authenticated on both sides, and there is no work stealing and no retry. Schedulers and workers
get these settings through their environment and their command, our client through its arguments.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.errors import ConfigError
from server.system.certificates import read_expiry

if TYPE_CHECKING:
    from distributed import Security

CERTIFICATES = "TORTUGA_CERTIFICATES"
"""The environment variable that names the folder of certificates."""
PORT = 8786
"""Where a scheduler listens unless told otherwise."""
CONNECT_SECONDS = 10.0
CA, CERTIFICATE, KEY = "ca.pem", "cert.pem", "key.pem"
BLOCKS_AT_ONCE = 256
"""Threads of a Dask worker: none of them works, but a worker runs no more tasks than it has threads."""
WORKER_SECONDS = 20
"""A machine that has been silent for this long is abandoned. Dask waits for at least ten heartbeats."""
MESSAGES_KEPT = 50
"""Dask keeps this many of its last messages, with the blocks in them, for inspection. Its default is a thousand."""

SETTINGS = {
    "DISTRIBUTED__SCHEDULER__WORK_STEALING": "False",
    "DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
    "DISTRIBUTED__SCHEDULER__WORKER_TTL": f"{WORKER_SECONDS}s",
    "DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DISTRIBUTED__COMM__TIMEOUTS__TCP": f"{WORKER_SECONDS}s",
    "DISTRIBUTED__COMM__OFFLOAD": "False",  # else every message is measured first
    "DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": str(MESSAGES_KEPT),
    "DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",  # else an idle process wakes up 50 times a second
    **({"DISTRIBUTED__ADMIN__EVENT_LOOP": "uvloop"} if find_spec("uvloop") else {}),  # a sixth less CPU
}
"""What a user's own environment may set otherwise."""
FORCED = {"DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True"}


@dataclass(frozen=True, slots=True)
class Certificates:
    """A folder with the certificate of the cluster's authority, and one certificate of it with its key."""

    folder: Path

    def __post_init__(self) -> None:
        missing = [name for name in (CA, CERTIFICATE, KEY) if not (self.folder / name).is_file()]
        if missing:
            raise ConfigError(
                f"{self.folder} holds no {', '.join(missing)}: copy a folder that `tortuga cluster certificates DIR "
                "NAME…` has written; it is called once for the whole cluster, on one machine"
            )

    @property
    def ca(self) -> str:
        """Return the certificate of the authority."""
        return str(self.folder / CA)

    @property
    def certificate(self) -> str:
        """Return our own certificate."""
        return str(self.folder / CERTIFICATE)

    @property
    def key(self) -> str:
        """Return our own key."""
        return str(self.folder / KEY)


def find_certificates(folder: Path | None) -> Certificates:
    """Return the certificates in a folder, or in the one that the environment names."""
    named = os.environ.get(CERTIFICATES, "")
    if folder is None and not named:
        raise ConfigError(f"a cluster needs certificates: pass --certificates DIR, or set {CERTIFICATES}")
    return check_certificates(Certificates(folder or Path(named)))


def check_certificates(certificates: Certificates) -> Certificates:
    """Refuse what Dask would take without a word, or refuse for ever without saying why."""
    key = Path(certificates.key)
    if key.stat().st_mode & stat.S_IROTH:
        raise ConfigError(
            f"{key} can be read by every user of this machine, and whoever holds it can run code on all machines of "
            f"the cluster: chmod 600 {key}"
        )
    for path in (certificates.ca, certificates.certificate):
        try:
            end = read_expiry(Path(path))
        except ValueError as error:
            raise ConfigError(f"{path} is not a certificate ({error})") from None
        if end < datetime.now(UTC):
            raise ConfigError(
                f"{path} expired on {end:%Y-%m-%d}: make new certificates for all machines "
                "(tortuga cluster certificates)"
            )
    return certificates


def require_dask() -> None:
    """Refuse to continue without Dask, and say how to install it."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise ConfigError(
            "a cluster needs the extra `cluster`, which is not installed: pip install 'tortuga-arena[cluster]'"
        ) from None


def check_address(address: str) -> str:
    """Refuse an address without encryption: whoever could listen would see all luck, and could run code."""
    host, _, port = address.removeprefix("tls://").rpartition(":")
    if not address.startswith("tls://") or not host or not port.isdigit() or int(port) > 65535:
        raise ConfigError(
            f"the address of a cluster is {address!r}, expected tls://HOST:PORT, e.g. tls://10.0.0.5:8786"
        )
    return address


def client_security(certificates: Certificates) -> Security:
    """Return what our client shows, and what it wants to be shown."""
    from distributed import Security

    return Security(
        tls_ca_file=certificates.ca,
        tls_client_cert=certificates.certificate,
        tls_client_key=certificates.key,
        require_encryption=True,
    )


def tls_flags(certificates: Certificates) -> list[str]:
    """Return the same as flags for the commands of Dask."""
    return [
        *("--tls-ca-file", certificates.ca),
        *("--tls-cert", certificates.certificate),
        *("--tls-key", certificates.key),
    ]


def dask_environment() -> dict[str, str]:
    """Return the environment of a scheduler or a worker."""
    ours = {f"DASK_{name}": value for name, value in SETTINGS.items()}
    return ours | dict(os.environ) | {f"DASK_{name}": value for name, value in FORCED.items()}


def quieten_dask() -> None:
    """Keep Dask's own messages off the terminal: what matters of them, we say ourselves."""
    for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def scheduler_command(certificates: Certificates, *, host: str, port: int) -> list[str]:
    """Return the command of the scheduler. Its dashboard is off: it would be open to all, without a certificate."""
    return [
        *(sys.executable, "-m", "distributed.cli.dask_scheduler", "--protocol", "tls"),
        *(("--host", host) if host else ()),
        *("--port", str(port), "--no-dashboard", "--no-jupyter", "--preload", "server.cluster.scheduler_setup"),
        *tls_flags(certificates),
    ]


def worker_command(
    certificates: Certificates, address: str, *, name: str, host: str = "", ports: str = ""
) -> list[str]:
    """Return the command of a machine's worker: one per machine, without a nanny that would start it again unseen."""
    return [
        *(sys.executable, "-m", "distributed.cli.dask_worker", address, "--protocol", "tls", "--name", name),
        *("--nworkers", "1", "--nthreads", str(BLOCKS_AT_ONCE), "--memory-limit", "0"),
        *("--no-nanny", "--no-dashboard", "--local-directory", str(dask_folder())),
        *(("--host", host) if host else ()),
        *(("--worker-port", ports) if ports else ()),
        *tls_flags(certificates),
    ]


def dask_folder() -> Path:
    """Return where Dask keeps what it needs on a machine. It removes by itself what killed workers left there."""
    return Path(tempfile.gettempdir()) / f"tortuga-dask-{os.getuid()}"


async def connect(address: str, certificates: Certificates, *, name: str) -> Any:
    """Connect a client in this event loop. Raises ConfigError if the cluster is not there or not ours."""
    import dask
    from distributed import Client

    from server.cluster.plain_dask import refuse_pickles

    refuse_pickles()
    quieten_dask()
    dask.config.set({"distributed.admin.low-level-log-length": MESSAGES_KEPT})
    try:
        return await Client(
            check_address(address),
            security=client_security(certificates),
            asynchronous=True,
            set_as_default=False,
            timeout=CONNECT_SECONDS,
            name=name,
        )
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(
            f"the cluster at {address} cannot be reached ({error}). Is its scheduler running, and are the certificates "
            f"in {certificates.folder} those of the cluster?"
        ) from None
