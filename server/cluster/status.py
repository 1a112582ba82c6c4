"""Reads what each machine of a cluster is doing, for `tortuga cluster status`. It changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.errors import ConfigError
from server.cluster.messages import PLUGIN
from server.cluster.settings import CONNECT_SECONDS, Certificates, connect


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineStatus:
    """A machine of the cluster."""

    address: str
    host: str
    state: str
    """idle, playing, leaving, refused."""
    event: str = ""
    reason: str = ""
    """Why it does not play."""
    cores: int = 0
    tables: int = 0
    speed: float = 0.0
    """Speed of one core alone, as calibration.py measures it; 0: not measured."""
    busy_speed: float = 0.0
    """Speed of one core while all are busy."""
    blocks_in_hand: int = 0
    blocks: int = 0
    matches: int = 0
    faults: int = 0
    voids: int = 0
    matches_per_second: float = 0.0


async def read_status(address: str, certificates: Certificates) -> list[MachineStatus]:
    """Return all machines, by host and address."""
    async with await connect(address, certificates, name="tortuga-status") as client:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                cluster = await client.scheduler.identity(n_workers=-1)
        except (OSError, TimeoutError) as error:
            raise ConfigError(f"the scheduler at {address} does not answer: {error}") from None
    machines = [machine_status(address, facts) for address, facts in cluster["workers"].items()]
    return sorted(machines, key=lambda machine: (machine.host, machine.address))


def machine_status(address: str, what: Mapping[str, Any]) -> MachineStatus:
    """Read one machine from what its worker said with its last heartbeat."""
    ours: Mapping[str, Any] = what.get("metrics", {}).get(PLUGIN) or {}
    if not ours:
        return MachineStatus(address=address, host=str(what.get("name", "")), state="idle")
    seconds = max(1e-3, float(ours["seconds"]))
    return MachineStatus(
        address=address,
        host=ours["host"],
        state=ours["state"],
        event=ours["event"],
        reason=ours["reason"],
        cores=ours["cores"],
        tables=ours["tables"],
        speed=ours["speed"],
        busy_speed=ours["busy_speed"],
        blocks_in_hand=ours["in_hand"],
        blocks=ours["blocks"],
        matches=ours["matches"],
        faults=ours["faults"],
        voids=ours["voids"],
        matches_per_second=ours["matches"] / seconds,
    )
