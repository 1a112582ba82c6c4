"""Make the database agree with the records before anything is played. The records are the truth.

A process can be killed between writing a record and its row, somebody can delete or damage a file, the database can be
lost: in each case there are rows without a sound record, or records without a row.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
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
_DRAFT = re.compile(r"\..*\.\d+")


@dataclass(slots=True)
class Findings:
    """The matches with a sound record, those that lost it, those found without a row, and problems in words."""

    sound: list[MatchSummary] = field(default_factory=list)
    lost: list[MatchSummary] = field(default_factory=list)
    adopted: list[MatchSummary] = field(default_factory=list)
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
    known: set[str] = set()
    for match in store.matches():
        path = folder.record(match.match_id)
        problem = _compare(path, match) if match.kept else ""
        if problem:
            found.problems.append(f"{path.name}: {problem}; the match is played again")
            found.lost.append(match)
            _set_aside(path)
        else:
            found.sound.append(match)
            known.add(path.name)
    contests = {contest.id for contest in agreement.manifest.contests}
    places = set(map(_place, found.sound))
    for path in sorted(folder.records.glob(f"*{RECORD_SUFFIX}")):
        if path.name not in known:
            problem = _adopt(path, agreement.event_id, contests, places, found)
            if problem:
                found.problems.append(f"{path.name}: {problem}; it is set aside as {path.name}.damaged")
                _set_aside(path)
    with store.transaction():
        for match in found.lost:
            store.remove_match(match.match_id)
    if found.adopted:
        store.add(found.adopted, ())
    found.sound = sorted((*found.sound, *found.adopted), key=_place)
    return found


def _compare(path: Path, match: MatchSummary) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return "the record is gone"
    except OSError as error:
        return f"the record cannot be read ({error.strerror})"
    if len(content) != match.record_bytes:
        return f"the record has {len(content)} bytes instead of {match.record_bytes}"
    if hashlib.sha256(content).digest() != match.record_sha256:
        return "the record was changed"
    return ""


def _adopt(path: Path, event: str, contests: Iterable[str], places: set[Place], found: Findings) -> str:
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
    if _place(match) in places:
        return "the match was played again, and that result counts"
    places.add(_place(match))
    found.adopted.append(match)
    return ""


def _place(match: MatchSummary) -> Place:
    return match.contest, match.block, match.rotation


def _set_aside(path: Path) -> None:
    if path.exists():
        path.rename(path.with_name(f"{path.name}.damaged"))
