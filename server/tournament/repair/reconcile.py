"""Make the database agree with the records before anything is played. The records are the truth.

A process can be killed between writing a record and its row, somebody can delete or damage a file, the database can be
lost: in each case there are rows without a sound record, or records without a row.

Anybody may have put a record without a row there. It counts if it is signed by the event's key (where there is one),
is proven (`referee.records.verify`), has the luck that follows from the event's seed, and was played under what was
agreed: its game, its bots, its policy. Only then are its ranks taken into the standings.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from referee.errors import ConfigError, RecordError
from referee.records.files import read_regular_file
from referee.records.record import read_packed, signer_of, unpack
from referee.records.shape import MAX_RECORD_BYTES
from referee.records.signature import check_signer
from referee.records.verify import verify
from referee.rules.infos import find_info
from server.hosting.cores import core_count
from server.play.summary import MatchSummary, summarize
from server.system.files import free_name, set_aside
from server.tournament.agreement import Agreement
from server.tournament.folder import RECORD_SUFFIX, Folder
from server.tournament.store import Store
from tortuga.v1 import record_pb2 as pb

WORTH_A_PROCESS = 64
"""With fewer records, starting processes takes longer than reading them in this one."""


def check_all(
    paths: Iterable[Path], agreement: Agreement, public_key: bytes, *, course_only: bool = False, unsigned: bool = False
) -> Iterator[tuple[Path, MatchSummary | str]]:
    """Yield the match of each record, or the reason why it does not count. Uses all cores if there are many records."""
    check = partial(check_one, agreement=agreement, public_key=public_key, course_only=course_only, unsigned=unsigned)
    rows = list(paths)
    if len(rows) < WORTH_A_PROCESS:
        yield from zip(rows, map(check, rows), strict=True)
        return
    with ProcessPoolExecutor(core_count(), mp_context=get_context("spawn")) as processes:
        yield from zip(rows, processes.map(check, rows, chunksize=16), strict=True)


def check_one(
    path: Path, agreement: Agreement, public_key: bytes, *, course_only: bool, unsigned: bool
) -> MatchSummary | str:
    """Return the match of a record, or the reason why it does not count."""
    try:
        return read_match(path, agreement, public_key, course_only=course_only, unsigned=unsigned)
    except RecordError as error:
        return str(error)


def read_match(
    path: Path, agreement: Agreement, public_key: bytes, *, course_only: bool = False, unsigned: bool = False
) -> MatchSummary:
    """Return the match of a record of this event.

    Raises RecordError if the record is damaged, forged, of another event, or not signed though the event has a key;
    `unsigned`: the last counts as well.
    """
    packed = read_packed(path)
    record, sealed = unpack(packed)
    if f"{record.match_id}{RECORD_SUFFIX}" != path.name:
        raise RecordError(f"it is the record of {record.match_id!a}")
    _check_place(record, agreement)
    verdict = verify(record, sealed=sealed)
    if not (verdict.messages_compared or course_only):
        raise RecordError("course only: another version wrote it, and what it sent cannot be compared (--course-only)")
    if public_key and ((signer := signer_of(packed)) is not None or not unsigned):
        check_signer(signer, public_key)
    return summarize(record, packed)


def _check_place(record: pb.Record, agreement: Agreement) -> None:
    """Refuse a record that is not of this event, or not as it was agreed."""
    place, story, manifest = record.place, record.story, agreement.manifest
    contest = next((contest for contest in manifest.contests if contest.id == place.contest), None)
    if place.event != agreement.event_id or contest is None or record.outcome.void:
        raise RecordError("it does not belong to this event")
    try:
        info = find_info(story.game)
        recorded = info.read_variant({setting.name: setting.value for setting in story.variant})
        agreed = info.read_variant(contest.variant)
    except ConfigError as error:
        raise RecordError(str(error)) from None
    if (story.game, story.seats, recorded) != (contest.game, contest.seats, agreed):
        raise RecordError(f"it is of another game than {contest.id}, or of other settings")
    if record.fault_policy.faults_allowed != manifest.faults_allowed:
        raise RecordError("it was played under another fault policy than the event's")
    if agreement.is_open:
        return
    entered = {entry.name for entry in agreement.roster}
    if unknown := [bot for bot in place.bots if bot not in entered]:
        raise RecordError(f"{unknown[0]!a} has not entered this event")
    if not agreement.has_fresh_luck and not agreement.may_have_luck(
        story.chance_secret, contest.id, place.block, place.rotation
    ):
        raise RecordError("its luck is not that of this event")


Place = tuple[str, int, int]
"""The place of a match in an event: contest, block, rotation."""
ADOPTED_AT_ONCE = 1000
"""Records without a row to read before their rows are written."""
_DRAFT = re.compile(r"\..*\.\d+")


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordProblem:
    """A record that does not count."""

    name: str
    what: str
    lost: bool = False
    """Whether the database has a row of its match."""
    aside: str = ""
    """Name under which it is set aside. Empty: there is nothing to set aside."""

    def __str__(self) -> str:
        consequence = "the match is played again" if self.lost else f"it is set aside as {self.aside}"
        return f"{self.name}: {self.what}; {consequence}"


@dataclass(slots=True)
class Findings:
    """The result of reconciling: matches with a sound record, matches that lost theirs, records that do not count."""

    sound: int = 0
    lost: list[MatchSummary] = field(default_factory=list)
    refused: list[RecordProblem] = field(default_factory=list)
    adopted: list[str] = field(default_factory=list)
    """Matches that have a record and had no row."""

    @property
    def problems(self) -> list[str]:
        """Return the records that do not count, as text."""
        return [str(record) for record in self.refused]


def reconcile(
    folder: Folder,
    store: Store,
    agreement: Agreement,
    *,
    course_only: bool = False,
    unsigned: bool = False,
    dry_run: bool = False,
) -> Findings:
    """Compare every row with its record and every record with its row, and correct the rows.

    A match whose record is gone or damaged has no result any more: its row is removed, and it is played again. A match
    whose record was deleted on purpose needs none: its row counts.
    `course_only` and `unsigned`: records without a row count though other messages were sent, or nobody signed them.
    `dry_run`: the store is a copy, and no file is touched.
    """
    findings = Findings()

    def refuse(path: Path, what: str, *, lost: bool) -> None:
        aside = free_name(path).name if os.path.lexists(path) else ""
        findings.refused.append(RecordProblem(name=path.name, what=what, lost=lost, aside=aside))
        if not dry_run:
            set_aside(path)

    if not dry_run:
        for draft in drafts(folder):
            draft.unlink(missing_ok=True)
    lost: list[str] = []
    for match_id, kept, size, sha256 in store.record_sums():
        path = folder.record(match_id)
        problem = _compare(path, size, sha256) if kept else ""
        if problem:
            refuse(path, problem, lost=True)
            lost.append(match_id)
        else:
            findings.sound += 1
    if lost:
        findings.lost = [match for match in map(store.match, lost) if match is not None]
        store.remove_matches(lost)
    refused = {record.name for record in findings.refused}
    unknown = sorted(
        name
        for name in record_names(folder)
        if name not in refused and not store.has_match(name.removesuffix(RECORD_SUFFIX))
    )
    public_key = folder.public_key()
    for start in range(0, len(unknown), ADOPTED_AT_ONCE):
        adopted: dict[Place, MatchSummary] = {}
        paths = [folder.records / name for name in unknown[start : start + ADOPTED_AT_ONCE]]
        for path, match in check_all(paths, agreement, public_key, course_only=course_only, unsigned=unsigned):
            problem = match if isinstance(match, str) else _adopt(match, store, adopted)
            if problem:
                refuse(path, problem, lost=False)
        store.add(adopted.values(), ())
        findings.adopted += [match.match_id for match in adopted.values()]
    findings.sound += len(findings.adopted)
    return findings


def drafts(folder: Folder) -> list[Path]:
    """Return records that a killed process did not finish writing."""
    return [path for path in folder.records.glob(".*") if _DRAFT.fullmatch(path.name)]


def record_names(folder: Folder) -> Iterator[str]:
    """Yield the names of all files that look like records."""
    if not folder.records.is_dir():
        return
    with os.scandir(folder.records) as entries:
        for entry in entries:
            if entry.name.endswith(RECORD_SUFFIX) and not entry.name.startswith("."):
                yield entry.name


def _compare(path: Path, size: int, sha256: bytes) -> str:
    """Return what is permanently wrong with a record, or an empty string.

    Temporary trouble is raised, so that the match is not lost over it.
    """
    try:
        content = read_regular_file(path, MAX_RECORD_BYTES)
    except FileNotFoundError:
        return "the record is gone"
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.EISDIR, errno.EFBIG, errno.ENXIO, errno.ELOOP):
            return f"the record cannot be read ({error.strerror})"
        raise RecordError(f"{path} cannot be read now: {error.strerror}; nothing was changed, try again") from None
    if len(content) != size:
        return f"the record has {len(content)} bytes instead of {size}"
    if hashlib.sha256(content).digest() != sha256:
        return "the record was changed"
    return ""


def _adopt(match: MatchSummary, store: Store, adopted: dict[Place, MatchSummary]) -> str:
    """Add a match to `adopted`, or return the reason why not."""
    # Remote bots never meet the same luck twice: a match that was played again has another id.
    if _place(match) in adopted or store.has_match_at(*_place(match)):
        return "the match was played again, and that result counts"
    adopted[_place(match)] = match
    return ""


def _place(match: MatchSummary) -> Place:
    return match.contest, match.block, match.rotation
