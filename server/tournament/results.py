"""Stores results: records first, then rows, then lines of the journal, so that nothing is lost."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Sequence
from typing import TypeVar

from referee.errors import RecordError
from referee.records.files import open_private, sync_folder, write_atomically
from referee.records.signature import SigningKey
from server.play.recorded_match import RecordedMatch, sign_match
from server.play.summary import MatchSummary
from server.system.database import is_full
from server.system.files import PRIVATE_FOLDER
from server.tournament.folder import Folder, fault_log_name
from server.tournament.journal import DISK_FULL, NO_FILES, Journal
from server.tournament.live_ladder import RatingChange
from server.tournament.store import Store

T = TypeVar("T")

RETRY_SECONDS = 2.0


def store_matches(
    folder: Folder, store: Store, matches: Sequence[RecordedMatch], changes: Sequence[RatingChange]
) -> None:
    """Sign and write the records, then all rows in one transaction. Can be repeated after a failure."""
    key = SigningKey.open(folder.key)
    if key is not None:
        matches = [sign_match(match, key) for match in matches]
    for place in (folder.records, folder.logs):
        place.mkdir(PRIVATE_FOLDER, exist_ok=True)  # somebody may have removed it
    for match in matches:
        for seat, content in match.logs.items():
            bot = match.summary.seats[seat].bot
            path = folder.logs / fault_log_name(match.summary.match_id, seat, bot)
            with open(open_private(path, os.O_WRONLY | os.O_TRUNC), "wb") as file:
                file.write(content)
        notes = folder.notes(match.summary.match_id)
        if match.notes:
            write_atomically(notes, match.notes, private=True)
        else:
            notes.unlink(missing_ok=True)  # of an earlier try at the same match, whose record was lost
        write_atomically(folder.record(match.summary.match_id), match.packed, private=True)
    sync_folder(folder.records)
    store.add((match.summary for match in matches), changes)


async def write_with_retry(folder: Folder, warn: Callable[[str], None], write: Callable[[], None]) -> None:
    """Write into a folder. While the disk is full, too many files are open or the database is locked, try again."""
    warned = ""
    while True:
        try:
            await to_thread(write)
            return
        except (OSError, sqlite3.OperationalError) as error:
            trouble = passing_trouble(error)
            if not trouble:
                raise RecordError(f"results cannot be written into {folder.path}: {error}") from None
            if trouble != warned:
                warn(f"{folder.path}: {trouble}")
                warned = trouble
            await asyncio.sleep(RETRY_SECONDS)


def passing_trouble(error: OSError | sqlite3.OperationalError) -> str:
    """Return what is wrong, if another try may succeed. Empty: it will not."""
    if isinstance(error, OSError):
        full, locked, files = error.errno in DISK_FULL, False, error.errno in NO_FILES
    else:
        full, locked = is_full(error), "is locked" in str(error)
        files = "unable to open" in str(error) and not can_open_a_file()
    if full:
        return "the disk is full: waiting for space"
    if files:
        return "too many files are open: waiting until some are closed"
    return "the database is locked by another program: waiting for it" if locked else ""


def can_open_a_file() -> bool:
    """Check whether this process may open one more file."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno not in NO_FILES
    return True


async def to_thread(work: Callable[[], T]) -> T:
    """Run in a thread. A cancelled caller still waits for the end: a thread cannot be stopped half-way."""
    done = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        await asyncio.gather(done, return_exceptions=True)
        raise


def journal_finished(journal: Journal, match: MatchSummary) -> None:
    """Write the lines of one result into the journal."""
    for fault in match.faults:
        journal.write(
            "fault",
            match=match.match_id,
            bot=fault.bot,
            seat=fault.seat,
            kind=fault.kind,
            decision=fault.decision,
            message=fault.message,
            out=fault.out,
            log=fault_log_name(match.match_id, fault.seat, fault.bot),
        )
    journal.write(
        "match_finished",
        match=match.match_id,
        contest=match.contest,
        block=match.block,
        rotation=match.rotation,
        bots=[seat.bot for seat in match.seats],
        ranks=list(match.ranks),
        scores=[seat.score for seat in match.seats],
        reason=match.reason,
        decisions=match.decisions,
        **({"unplayed": True} if match.is_unplayed else {}),
    )
