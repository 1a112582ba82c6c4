"""Whether a record without a row may count in an event. Anybody may have put the file there.

A record of this event is proven (`referee.records.verify`), has the luck that follows from the event's seed, and was
played under what was agreed: its game, its bots, its policy. Only then are its ranks taken into the tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from referee.errors import ConfigError, RecordError
from referee.records.record import read_packed, signer_of, unpack
from referee.records.verify import verify
from referee.rules.infos import find_info
from server.hosting.cores import core_count
from server.play.summary import MatchSummary, summarize
from server.tournament.agreement import Agreement
from server.tournament.folder import RECORD_SUFFIX
from tortuga.v1 import record_pb2 as pb

WORTH_A_PROCESS = 64
"""With fewer records, starting processes takes longer than reading them here."""


def check_all(
    paths: Iterable[Path], agreement: Agreement, public_key: bytes, *, course_only: bool = False
) -> Iterator[tuple[Path, MatchSummary | str]]:
    """The match of each record, or why it does not count; computed on all cores if there are many."""
    check = partial(check_one, agreement=agreement, public_key=public_key, course_only=course_only)
    rows = list(paths)
    if len(rows) < WORTH_A_PROCESS:
        yield from zip(rows, map(check, rows), strict=True)
        return
    with ProcessPoolExecutor(core_count(), mp_context=get_context("spawn")) as processes:
        yield from zip(rows, processes.map(check, rows, chunksize=16), strict=True)


def check_one(path: Path, agreement: Agreement, public_key: bytes, *, course_only: bool) -> MatchSummary | str:
    """The match of a record, or why it does not count."""
    try:
        return read_match(path, agreement, public_key, course_only=course_only)
    except RecordError as error:
        return str(error)


def read_match(path: Path, agreement: Agreement, public_key: bytes, *, course_only: bool = False) -> MatchSummary:
    """The match of a record of this event. RecordError: it is damaged, forged, or none of this event."""
    packed = read_packed(path)
    record, sealed = unpack(packed)
    if f"{record.match_id}{RECORD_SUFFIX}" != path.name:
        raise RecordError(f"it is the record of {record.match_id!a}")
    _check_place(record, agreement)
    verdict = verify(record, sealed=sealed)
    if not (verdict.messages_compared or course_only):
        raise RecordError("course only: another version wrote it, and what it sent cannot be compared (--course-only)")
    signer = signer_of(packed) if public_key else None
    if signer is not None and signer != public_key:
        raise RecordError(f"it is signed by {signer.hex()}, not by this event")
    return summarize(record, packed)


def _check_place(record: pb.Record, agreement: Agreement) -> None:
    """Refuse a record that is not of this event, or not as it was agreed."""
    place, story, manifest = record.place, record.story, agreement.manifest
    contest = next((one for one in manifest.contests if one.id == place.contest), None)
    if place.event != agreement.event_id or contest is None or record.outcome.void:
        raise RecordError("it does not belong to this event")
    try:
        info = find_info(story.game)
        told = info.read_variant({setting.name: setting.value for setting in story.variant})
        agreed = info.read_variant(contest.variant)
    except ConfigError as error:
        raise RecordError(str(error)) from None
    if (story.game, story.seats, told) != (contest.game, contest.seats, agreed):
        raise RecordError(f"it is of another game than {contest.id}, or of other settings")
    if record.fault_policy.faults_allowed != manifest.faults_allowed:
        raise RecordError("it was played under another fault policy than the event's")
    if agreement.is_open:
        return
    entered = {entry.name for entry in agreement.roster}
    if strangers := [bot for bot in place.bots if bot not in entered]:
        raise RecordError(f"{strangers[0]!a} has not entered this event")
    if not agreement.has_fresh_luck and not agreement.may_have_luck(
        story.chance_secret, contest.id, place.block, place.rotation
    ):
        raise RecordError("its luck is not that of this event")
