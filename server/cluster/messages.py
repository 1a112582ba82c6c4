"""The messages between the process that runs an event and its machines.

Versions are sent as plain text and compared first; everything else is a pickle, which both sides can read if their
versions agree. Holders of a cluster certificate are trusted with that: Dask itself runs whatever it is sent.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.jail.limits import ResourceLimits
from server.play.block_jobs import BlockResult

PLUGIN = "tortuga"
"""Our plugin of a Dask worker, and its line in the worker's metrics."""
REPORTS = "tortuga-reports-"
"""How the topics of reports begin."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineOrder:
    """The settings a machine is sent before its first block."""

    run: str
    """Tells runs apart: a machine plays for one of them at a time."""
    event: str
    level: str
    """How bots have to be confined there."""
    limits: ResourceLimits
    concurrency: int
    """Matches at once; 0: the machine chooses by measurement."""
    pin: bool
    games: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineFacts:
    """What a machine says when it was opened: that it plays, or why not."""

    host: str
    cores: int = 0
    tables: int = 0
    speed: float = 0.0
    """Speed of one core alone, as calibration.py measures it."""
    busy_speed: float = 0.0
    """Speed of one core while all are busy."""
    bundles: frozenset[str] = frozenset()
    """The hashes of the bots that need not be sent again."""
    refusal: str = ""
    """Why it does not play. Empty: it does."""
    busy: bool = False
    """It does not play because it plays for another run: worth asking again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockReport:
    """What comes back of a block."""

    result: BlockResult | None
    """None: it was handed back, and no bot has seen anything of it."""
    tables: int
    """Matches that the machine plays at once now."""


def reports_topic(run: str) -> str:
    """Return the topic of Dask's events that bring the reports of a run: the key of the task, and the packed report."""
    return f"{REPORTS}{run}"


def pack(message: Any) -> bytes:
    """Return a message as bytes: Dask carries it and does not look into it."""
    return pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)


def unpack(content: bytes) -> Any:
    """Return the message in some bytes."""
    return pickle.loads(content)


def scratch_name(pid: int, luck: str) -> str:
    """Name the private folder of a worker on a machine. The name tells whose it is, so that others can remove it."""
    return f"tortuga-m{pid}_{luck}"


def owner_of_scratch(path: Path) -> int | None:
    """Return the process that made a private folder; None if it is not one of ours."""
    name = path.name
    if not name.startswith("tortuga-m") or "_" not in name:
        return None
    digits = name.removeprefix("tortuga-m").partition("_")[0]
    return int(digits) if digits.isascii() and digits.isdigit() else None
