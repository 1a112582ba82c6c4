"""Our connection to a cluster."""

from __future__ import annotations

from typing import Any

import dask
from distributed import Client

from referee.errors import ConfigError
from server.cluster.settings import MESSAGES_KEPT, Certificates, check_address, client_security, quieten_dask

CONNECT_SECONDS = 10.0


async def connect(address: str, certificates: Certificates, *, name: str) -> Any:
    """A client in this event loop. ConfigError: there is no such cluster, or the certificates are not the cluster's."""
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
