"""What may go after some time: logs of bots, and records of matches. Results are for ever.

`find_expired` decides and touches nothing; `delete_expired` deletes. The database is told before a record is removed: a
kill in between leaves a file too many, which the next call removes, and never a row without its record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from server.tournament.folder import RECORD_SUFFIX, Folder
from server.tournament.store import Store

DAY_MILLIS = 24 * 60 * 60 * 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class RetentionPolicy:
    """How long, in days; 0: for ever."""

    logs: int = 0
    records: int = 0


@dataclass(frozen=True, slots=True)
class Expired:
    """What is to go."""

    logs: tuple[Path, ...]
    matches: tuple[str, ...]
    """Those whose records go."""


def find_expired(
    keep: RetentionPolicy, now_millis: int, logs: Iterable[tuple[Path, int]], matches: Iterable[tuple[str, int]]
) -> Expired:
    """Out of logs and matches with their times in milliseconds: those that are too old."""
    return Expired(
        tuple(path for path, at in logs if _is_over(keep.logs, now_millis, at)),
        tuple(match for match, at in matches if _is_over(keep.records, now_millis, at)),
    )


def _is_over(days: int, now_millis: int, at_millis: int) -> bool:
    return days > 0 and at_millis < now_millis - days * DAY_MILLIS


def delete_expired(folder: Folder, store: Store, keep: RetentionPolicy, now_millis: int) -> Expired:
    """Let go what is too old in one folder. `store` is that of the one who writes to it."""
    logs = [(path, path.stat().st_mtime_ns // 1_000_000) for path in folder.logs.glob("*") if path.is_file()]
    leaving = find_expired(keep, now_millis, logs, store.kept())
    if leaving.matches:
        store.let_go(leaving.matches)
    released = set(store.released())
    for path in folder.records.glob(f"*{RECORD_SUFFIX}"):
        if path.name.removesuffix(RECORD_SUFFIX) in released:
            path.unlink(missing_ok=True)
    for path in leaving.logs:
        path.unlink(missing_ok=True)
    return leaving
