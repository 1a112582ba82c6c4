"""Make the database agree with the records before anything is played. The records are the truth.

A process can be killed between writing a record and its row, somebody can delete or damage a file, the database can be
lost: in each case there are rows without a sound record, or records without a row.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from referee.errors import RecordError
from referee.records.record import read_record
from server.tournament.agreement import Agreement
from server.tournament.folder import RECORD_SUFFIX, Folder
from server.tournament.store import Store
from server.tournament.summary import MatchSummary, summarize

Place = tuple[str, int, int]
"""Contest, block, rotation: where in an event a match belongs."""
ADOPTED_AT_ONCE = 1000
"""Records without a row that are read before their rows are written."""
_DRAFT = re.compile(r"\..*\.\d+")


@dataclass(slots=True)
class Findings:
    """How many matches have a sound record, the matches that lost theirs, and problems in words."""

    sound: int = 0
    lost: list[MatchSummary] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def reconcile(folder: Folder, store: Store, agreement: Agreement) -> Findings:
    """Compare every row with its record and every record with its row, and correct the rows.

    A match whose record is gone or damaged has no result any more: its row is removed, and it is played again. A match
    whose record was deleted on purpose needs none: its row counts.
    """
    found = Findings()
    for draft in folder.records.glob(".*"):
        if _DRAFT.fullmatch(draft.name):
            draft.unlink(missing_ok=True)
    lost: list[str] = []
    for match_id, kept, size, sha256 in store.record_sums():
        path = folder.record(match_id)
        problem = _compare(path, size, sha256) if kept else ""
        if problem:
            found.problems.append(f"{path.name}: {problem}; the match is played again")
            lost.append(match_id)
            _set_aside(path)
        else:
            found.sound += 1
    if lost:
        found.lost = [match for match in map(store.match, lost) if match is not None]
        store.remove_matches(lost)
    contests = {contest.id for contest in agreement.manifest.contests}
    unknown = sorted(name for name in _record_names(folder) if not store.has_match(name.removesuffix(RECORD_SUFFIX)))
    for start in range(0, len(unknown), ADOPTED_AT_ONCE):
        adopted: dict[Place, MatchSummary] = {}
        for name in unknown[start : start + ADOPTED_AT_ONCE]:
            path = folder.records / name
            problem = _adopt(path, agreement.event_id, contests, store, adopted)
            if problem:
                found.problems.append(f"{name}: {problem}; it is set aside as {name}.damaged")
                _set_aside(path)
        store.add(adopted.values(), ())
        found.sound += len(adopted)
    return found


def _record_names(folder: Folder) -> Iterator[str]:
    with os.scandir(folder.records) as entries:
        for entry in entries:
            if entry.name.endswith(RECORD_SUFFIX) and not entry.name.startswith("."):
                yield entry.name


def _compare(path: Path, size: int, sha256: bytes) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return "the record is gone"
    except OSError as error:
        return f"the record cannot be read ({error.strerror})"
    if len(content) != size:
        return f"the record has {len(content)} bytes instead of {size}"
    if hashlib.sha256(content).digest() != sha256:
        return "the record was changed"
    return ""


def _adopt(path: Path, event: str, contests: Collection[str], store: Store, adopted: dict[Place, MatchSummary]) -> str:
    """Add the match of a record to `adopted`, or tell why not."""
    try:
        record, sealed = read_record(path)
    except RecordError as error:
        return str(error).removeprefix(f"{path}: ")
    if not sealed:
        return "its seal is broken"
    if record.place.event != event or record.place.contest not in contests or record.outcome.void:
        return "it does not belong to this event"
    match = summarize(record, path.read_bytes())
    if f"{match.match_id}{RECORD_SUFFIX}" != path.name:
        return f"it is the record of {match.match_id}"
    # Remote bots never meet the same luck twice: a match that was played again has another id.
    if _place(match) in adopted or store.has_match_at(*_place(match)):
        return "the match was played again, and that result counts"
    adopted[_place(match)] = match
    return ""


def _place(match: MatchSummary) -> Place:
    return match.contest, match.block, match.rotation


def _set_aside(path: Path) -> None:
    if path.exists():
        path.rename(path.with_name(f"{path.name}.damaged"))
