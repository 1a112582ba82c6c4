"""A cluster in place of this machine, for the commands that run events and arenas."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from server.cluster.settings import check_address, find_certificates, require_dask

if TYPE_CHECKING:  # an event needs nothing of an arena, and an arena imports much
    from server.arena.config import ArenaConfig
    from server.arena.ladders.cluster_matches import Cluster
    from server.cluster.pool import ClusterPool


def cluster_pool(
    address: str,
    certificates: Path | None,
    *,
    event: str,
    min_speed: float,
    replayed: float = 1.0,
    repeated: float = 0.0,
) -> Callable[..., ClusterPool]:
    """What makes the pool of a run, once it is clear that there can be one."""
    require_dask()
    found, address = find_certificates(certificates), check_address(address)
    from server.cluster.pool import ClusterPool

    return partial(
        ClusterPool,
        address=address,
        certificates=found,
        event=event,
        min_speed=min_speed,
        replayed=replayed,
        repeated=repeated,
    )


def arena_cluster(directory: Path, config: ArenaConfig) -> Cluster:
    """The cluster of an arena. Dask is imported now: later, matches would be held up."""
    certificates = directory / config.cluster_certificates if config.cluster_certificates else None
    make_pool = cluster_pool(
        config.cluster, certificates, event=f"arena {directory.name}", min_speed=config.cluster_min_speed
    )
    from server.arena.ladders.cluster_matches import Cluster
    from server.cluster.admission import code_sha256

    code_sha256()  # it reads all our code
    return Cluster(make_pool=make_pool, address=config.cluster, certificates=find_certificates(certificates).folder)
