"""Checks the results of an event for damage: its database, its records and its journal. The rest is in fsck.py."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path

from referee.errors import ConfigError, RecordError, TortugaError
from referee.records.files import open_private, sync_folder
from referee.records.notes import SUFFIX as NOTES_SUFFIX
from referee.records.notes import read_notes
from referee.records.record import read_packed, signer_of, unpack
from referee.rules.infos import find_info
from referee.text import plural
from server.system.database import DamagedDatabase, connect
from server.system.files import free_name, is_set_aside, set_aside, set_database_aside
from server.tournament.agreement import Agreement
from server.tournament.event import keep_rows_without_records, open_store, rate_all, refuse_remains, write_missing_lines
from server.tournament.folder import RECORD_SUFFIX, Folder
from server.tournament.journal import Journal, parse_line, read_steps
from server.tournament.repair.problems import UNREADABLE, Problem
from server.tournament.repair.reconcile import Findings, check_all, drafts, reconcile
from server.tournament.rulings.ruling_file import NO_RULINGS, Rulings, read_rulings
from server.tournament.store import Store
from server.tournament.store_schema import ALL_CHECKS

PROVEN_AT_ONCE = 1000
SAMPLE = 20
"""Records to read to find out which event they are of, and who signed them."""


def sample_records(folder: Folder) -> Iterator[bytes]:
    """Yield the contents of some records that can be read."""
    if not folder.records.is_dir():
        return
    for path in islice(sorted(folder.records.glob(f"*{RECORD_SUFFIX}")), SAMPLE):
        try:
            packed = read_packed(path)
            unpack(packed)
        except RecordError:
            continue
        yield packed


def other_signers(folder: Folder) -> set[bytes]:
    """Return the keys that signed some records if none of these is the event's; nothing if its key fits.

    A key of which one bit was changed is a sound key that signed nothing: no result may be lost for that.
    """
    signers: set[bytes] = set()
    for packed in sample_records(folder):
        with suppress(RecordError):
            signers |= {signer for signer in [signer_of(packed)] if signer is not None}
    return set() if folder.public_key() in signers else signers


def was_played(folder: Folder) -> bool:
    """Return whether there is a match in the folder."""
    if any(True for _ in sample_records(folder)):
        return True
    try:
        with Store.read_only(folder.database) as store:
            return store.counts()[0] > 0
    except TortugaError:
        return False


def check_results(folder: Folder, agreement: Agreement) -> list[Problem]:
    """Check the database within itself, its rows and the records, and the journal. Works on a copy of the database."""
    damage = check_database(folder)
    rulings = readable_rulings(folder)
    unproven: list[Path] = []
    mend_records = partial(mend_results, folder, agreement, unproven, remake=False)
    remake = partial(mend_results, folder, agreement, unproven, remake=True)
    if not damage:
        with copied_store(folder, damaged=False) as store:
            if isinstance(store, str):
                return [Problem(file=folder.database.name, what=store, means=UNREADABLE, repair="update tortuga")]
            damage = [*store.contradictions(ALL_CHECKS)]
    with copied_store(folder, damaged=bool(damage)) as store:
        assert isinstance(store, Store)
        findings = reconcile(folder, store, agreement, dry_run=True)
        problems = [*record_problems(findings, mend_records, with_adopted=not damage)]
        rows_differ: list[str] = []
        for path, what in () if damage else prove_rows(folder, store, agreement):
            if what == ROW_DIFFERS:
                rows_differ.append(path.name.removesuffix(RECORD_SUFFIX))
                continue
            unproven.append(path)
            problems.append(
                Problem(
                    file=f"records/{path.name}",
                    what=what,
                    means="its match counts, and its record does not prove the result",
                    repair=f"sets it aside as {free_name(path).name}; the next run plays the match again",
                    mend=mend_records,
                )
            )
        if rows_differ:
            damage = [f"its rows of {name_or_count(rows_differ)} say something else than the records"]
        elif rulings is not None and not (damage or problems) and changes_live_ladder(store, agreement, rulings):
            damage = ["its live ladder is not the one that follows from its matches"]
        expected = [*store.match_ids()]
    for what in damage:
        problems.append(
            Problem(
                file=folder.database.name,
                what=what,
                means="tables and counts can be wrong",
                repair=f"rebuilds it from the records, and keeps this one as {free_name(folder.database).name}",
                mend=remake,
            )
        )
    problems += check_foreign_files(folder)
    problems += check_journal_lines(folder)
    if not problems:
        problems += check_journal_matches(folder, expected)
    return problems


def readable_rulings(folder: Folder) -> Rulings | None:
    """Return the rulings of an event. None: they cannot be read, which fsck.py reports."""
    try:
        return read_rulings(folder.rulings)
    except RecordError:
        return None


def check_database(folder: Folder) -> list[str]:
    """Return what keeps the database from being opened and read."""
    try:
        refuse_remains(folder.database)
        if not folder.database.exists():
            return ["it is missing"] if was_played(folder) else []
        with Store.read_only(folder.database) as store:
            return [] if store.is_sound() else ["SQLite finds damaged pages in it"]
    except DamagedDatabase as error:
        return [str(error)]
    except ConfigError:
        return []  # copied_store reports it
    except RecordError as error:
        return [str(error)]


@contextmanager
def copied_store(folder: Folder, *, damaged: bool) -> Iterator[Store | str]:
    """Open a copy of the database to try things on, or yield why it cannot be opened.

    For a damaged database it is a new one without matches, except those whose records were deleted on purpose.
    """
    with tempfile.TemporaryDirectory(prefix="tortuga-") as scratch:
        copy = Path(scratch) / folder.database.name
        if not damaged and folder.database.exists():
            source = connect(folder.database, read_only=True, cure="")
            with closing(source), closing(sqlite3.connect(copy)) as target:
                source.backup(target)
        try:
            store = Store.open(copy, checked=False)
        except ConfigError as error:
            yield str(error).replace(str(copy), folder.database.name)
            return
        with store:
            if damaged:
                keep_rows_without_records(folder.database, store)
            yield store


def record_problems(findings: Findings, mend: Callable[[], object], *, with_adopted: bool) -> Iterator[Problem]:
    """Yield what comparing rows and records showed."""
    for record in findings.refused:
        file = f"records/{record.name}"
        aside = f"sets it aside as {record.aside}" if record.aside else ""
        if record.lost:
            does = f"removes its row{f' and {aside}' if aside else ''}; the next run plays the match again"
            yield Problem(file=file, what=record.what, means="its match has no result any more", repair=does, mend=mend)
        else:
            yield Problem(file=file, what=record.what, means="it does not count", repair=aside, mend=mend)
    for match_id in findings.adopted if with_adopted else ():
        yield Problem(
            file=f"records/{match_id}{RECORD_SUFFIX}",
            what="it has no row in the database",
            means="its match is missing in the tables",
            repair="adds its row",
            mend=mend,
        )


ROW_DIFFERS = "its row says something else"


def prove_rows(folder: Folder, store: Store, agreement: Agreement) -> Iterator[tuple[Path, str]]:
    """Prove the record of every row, and compare its content with the row. Yields the records where that fails.

    The row was written when the match was stored, so a record of other messages is fine, and so is one from before the
    event had a key. One of other rules cannot be proven by this version.
    """
    public_key = b"" if other_signers(folder) else folder.public_key()
    matches = store.matches()
    while batch := list(islice(matches, PROVEN_AT_ONCE)):
        rows = {match.match_id: match for match in batch if match.kept}
        paths = [folder.record(match_id) for match_id in rows]
        for path, proven in check_all(paths, agreement, public_key, course_only=True, unsigned=True):
            if isinstance(proven, str):
                if not is_of_other_rules(path):
                    yield path, proven
            elif proven != rows[proven.match_id]:
                yield path, ROW_DIFFERS


def is_of_other_rules(path: Path) -> bool:
    """Return whether a record was played under another version of its game's rules."""
    try:
        story = unpack(read_packed(path))[0].story
        return story.rules_version != find_info(story.game).rules_version
    except TortugaError:
        return False


def changes_live_ladder(store: Store, agreement: Agreement, rulings: Rulings) -> bool:
    """Return whether computing the live ladder again changes anything."""
    before = store.change_count()
    rate_all(agreement, store, rulings)
    return store.change_count() != before


def mend_results(folder: Folder, agreement: Agreement, unproven: Sequence[Path], *, remake: bool) -> None:
    """Make the database agree with the sound records; with `remake`, make a new one of nothing but them."""
    for path in unproven:
        set_aside(path)
    aside = set_database_aside(folder.database) if remake and os.path.lexists(folder.database) else None
    with open_store(folder) as store:
        if aside is not None:
            keep_rows_without_records(aside, store)
        reconcile(folder, store, agreement)
        rate_all(agreement, store, readable_rulings(folder) or NO_RULINGS)


def check_foreign_files(folder: Folder) -> Iterator[Problem]:
    """Check for files among the records that are not records."""
    if not folder.records.is_dir():
        return
    left_over = {path.name for path in drafts(folder)}
    yield from check_notes(folder)
    for path in sorted(folder.records.iterdir()):
        is_record = path.name.endswith(RECORD_SUFFIX) and not path.name.startswith(".")
        if not (is_record or path.suffix == NOTES_SUFFIX or is_set_aside(path) or path.name in left_over):
            yield Problem(
                file=f"records/{path.name}",
                what="it is not a record",
                means="nobody reads it",
                repair=f"sets it aside as {free_name(path).name}",
                mend=partial(set_aside, path),
            )


def check_notes(folder: Folder) -> Iterator[Problem]:
    """Check for files of the bots' notes that cannot be read, or whose record is missing."""
    for path in sorted(folder.records.glob(f"*{NOTES_SUFFIX}")):
        match_id = path.name.removesuffix(NOTES_SUFFIX)
        what = "" if folder.record(match_id).exists() else "the record of its match is not there"
        try:
            if not what and read_notes(path).match_id != match_id:
                what = "it has the notes of another match"
        except RecordError as error:
            what = str(error)
        if what:
            yield Problem(
                file=f"records/{path.name}",
                what=what,
                means="the bots' notes there cannot be read; results are not affected",
                repair=f"sets it aside as {free_name(path).name}",
                mend=partial(set_aside, path),
            )


def check_journal_lines(folder: Folder) -> Iterator[Problem]:
    """Check for lines of the journal that cannot be read."""
    if not folder.journal.is_file():
        return
    damaged = 0
    with folder.journal.open("rb") as file:
        for line in file:
            damaged += not is_sound_line(line)
    if damaged:
        yield Problem(
            file=folder.journal.name,
            what=f"{plural(damaged, 'line')} cannot be read",
            means="programs that follow it miss those events; results are not affected",
            repair=f"leaves them out, and keeps this file as {free_name(folder.journal).name}",
            mend=partial(mend_journal, folder),
        )


def is_sound_line(line: bytes) -> bool:
    """Return whether a line is complete and can be read."""
    try:
        return line.endswith(b"\n") and parse_line(line.decode()) is not None
    except UnicodeDecodeError:
        return False


def mend_journal(folder: Folder) -> None:
    """Remove the lines that cannot be read."""
    draft = folder.path / f".{folder.journal.name}.{os.getpid()}"
    with folder.journal.open("rb") as file, open(open_private(draft, os.O_WRONLY | os.O_TRUNC), "wb") as sound:
        sound.writelines(line for line in file if is_sound_line(line))
        sound.flush()
        os.fsync(sound.fileno())
    set_aside(folder.journal)
    draft.rename(folder.journal)
    sync_folder(folder.path)


def check_journal_matches(folder: Folder, expected: Sequence[str]) -> Iterator[Problem]:
    """Check for matches that the journal does not report as finished."""
    reported = {match_id for _, match_id in read_steps(folder.journal, ["match_finished"])}
    missing = [match_id for match_id in expected if match_id not in reported]
    if missing:
        yield Problem(
            file=folder.journal.name,
            what=f"it does not say that {name_or_count(missing)} finished",
            means="programs that follow it miss them; results are not affected",
            repair="adds what is missing",
            mend=partial(add_lines, folder),
        )


def add_lines(folder: Folder) -> None:
    """Write the lines that are missing in the journal."""
    with open_store(folder) as store, closing(Journal(folder.journal)) as journal:
        write_missing_lines(folder, journal, store)


def name_or_count(matches: Sequence[str]) -> str:
    """Return the name of the match, or how many there are."""
    return f"match {matches[0]}" if len(matches) == 1 else plural(len(matches), "match", "matches")
