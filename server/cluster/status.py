"""Reads what each machine of a cluster is doing, for `tortuga cluster status`. It changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.errors import ConfigError
from referee.text import harmless
from server.cluster.messages import PLUGIN, AnswerTable, BadAnswer
from server.cluster.settings import CONNECT_SECONDS, Certificates, connect


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineStatus:
    """A machine of the cluster."""

    address: str
    host: str
    state: str
    """idle, playing, leaving, waiting, refused, unreadable."""
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
    """Read one machine from what its worker said with its last heartbeat. It may say anything."""
    metrics = what.get("metrics")
    try:
        ours = AnswerTable(metrics.get(PLUGIN)) if isinstance(metrics, dict) and metrics.get(PLUGIN) else None
        if ours is None:
            return MachineStatus(address=address, host=harmless(str(what.get("name", ""))), state="idle")
        return MachineStatus(
            address=address,
            host=ours.text("host"),
            state=ours.text("state"),
            event=ours.text("event"),
            reason=ours.text("reason"),
            cores=ours.count("cores"),
            tables=ours.count("tables"),
            speed=ours.number("speed"),
            busy_speed=ours.number("busy_speed"),
            blocks=ours.count("blocks"),
            matches=ours.count("matches"),
            faults=ours.count("faults"),
            voids=ours.count("voids"),
            blocks_in_hand=ours.count("in_hand"),
            matches_per_second=ours.count("matches") / max(1e-3, ours.number("seconds")),
        )
    except BadAnswer as error:
        return MachineStatus(address=address, host=address, state="unreadable", reason=str(error))
