"""Deletes logs of bots and records of matches after their retention time. Results are kept for ever.

`find_expired` decides and touches nothing; `delete_expired` deletes. The database is told before a record is removed: a
kill in between leaves a file too many, which the next call removes, and never a row without its record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from referee.records.notes import notes_path
from server.tournament.folder import RECORD_SUFFIX, Folder
from server.tournament.store import Store

DAY_MILLIS = 24 * 60 * 60 * 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class RetentionPolicy:
    """How long to keep them, in days. 0: for ever."""

    logs: int = 0
    records: int = 0


@dataclass(frozen=True, slots=True)
class Expired:
    """Logs and records to delete."""

    logs: tuple[Path, ...]
    matches: tuple[str, ...]
    """The matches whose records are deleted."""


def find_expired(
    keep: RetentionPolicy, now_millis: int, logs: Iterable[tuple[Path, int]], matches: Iterable[tuple[str, int]]
) -> Expired:
    """Find the expired ones of logs and matches, given with their times in milliseconds."""
    return Expired(
        tuple(path for path, at in logs if _is_over(keep.logs, now_millis, at)),
        tuple(match for match, at in matches if _is_over(keep.records, now_millis, at)),
    )


def _is_over(days: int, now_millis: int, at_millis: int) -> bool:
    return days > 0 and at_millis < now_millis - days * DAY_MILLIS


def delete_expired(folder: Folder, store: Store, keep: RetentionPolicy, now_millis: int) -> Expired:
    """Delete expired logs and records of one folder. `store` must be open to write."""
    logs = [(path, path.stat().st_mtime_ns // 1_000_000) for path in folder.logs.glob("*") if path.is_file()]
    expired = find_expired(keep, now_millis, logs, store.kept_records())
    if expired.matches:
        store.release_records(expired.matches)
    released = set(store.released_records())
    for path in folder.records.glob(f"*{RECORD_SUFFIX}"):
        if path.name.removesuffix(RECORD_SUFFIX) in released:
            notes_path(path).unlink(missing_ok=True)
            path.unlink(missing_ok=True)
    for path in expired.logs:
        path.unlink(missing_ok=True)
    return expired
