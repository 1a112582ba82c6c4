"""Checks the folder of an event for damage: compares every file with what it follows from.

tournament.toml   with event.json: an event that was begun cannot be changed
event.json        with tournament.toml, from which it can be rebuilt unless bots can join later
signing.key       only its owner may read it
starting-ratings.jsonl  within itself
tortuga.db        within itself, and every row with its record
records/          every one is verified, and has its row
events.jsonl      with the database
rulings.jsonl     every line can be read, and is about a bot or a match of the event

The caller holds the lock of the folder. Nothing is deleted except drafts that were never complete: damaged or foreign
files are set aside as NAME.damaged.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from referee.errors import ConfigError, RecordError, TortugaError
from referee.records.files import OTHERS, close_to_others, write_atomically
from referee.records.record import unchecked_signer, unpack
from referee.records.signature import KEY_BYTES
from server.system.files import free_name, set_aside
from server.tournament.agreement import FORMAT, Agreement
from server.tournament.folder import Folder
from server.tournament.manifest import find_bots, read_manifest, write_text
from server.tournament.repair.fsck_results import (
    check_journal_lines,
    check_results,
    other_signers,
    sample_records,
    was_played,
)
from server.tournament.repair.problems import UNREADABLE, Problem
from server.tournament.repair.reconcile import drafts
from server.tournament.roster import check_unchanged, first_agreement
from server.tournament.rulings.ruled_matches import entries_of
from server.tournament.rulings.ruling_file import read_rulings
from server.tournament.starting_ratings import read_starting_ratings

BACKUP = "take it from a backup"
_ROOT_DRAFT = re.compile(r"\.(event\.json|tournament\.toml|report\.html(\.sig)?|signing\.key|events\.jsonl)\.\d+")


def is_event_folder(path: Path) -> bool:
    """Return whether there is anything of an event in a folder."""
    folder = Folder(path)
    files = (folder.manifest, folder.agreement, folder.database, folder.records)
    return any(map(os.path.lexists, files))


def check_event(folder: Folder) -> list[Problem]:
    """Return all that is wrong with an event's folder."""
    problems = [*check_kinds(folder), *check_rights(folder), *check_leftovers(folder), *check_key(folder)]
    problems += check_starting_ratings(folder)
    if any(problem.means == UNREADABLE for problem in problems):
        return problems
    problems += check_rulings_file(folder)
    agreement, further = check_agreement(folder)
    problems += further
    if agreement is not None:
        problems += check_rulings(folder, agreement)
    if agreement is None:
        return [*problems, *check_journal_lines(folder)]
    return [*problems, *check_results(folder, agreement)]


# Files that are something else, left over, or open to others


def check_kinds(folder: Folder) -> Iterator[Problem]:
    """Check for pipes, sockets, folders and files where something else has to be."""
    files = (
        *(folder.manifest, folder.agreement, folder.starting_ratings, folder.rulings, folder.key),
        *(folder.database, folder.journal),
    )
    for path, fits in (
        *((path, path.is_file) for path in files),
        *((path, path.is_dir) for path in (folder.records, folder.logs)),
    ):
        if os.path.lexists(path) and not fits():
            yield Problem(
                file=path.name,
                what=f"it is {kind_of(path)}",
                means=UNREADABLE,
                repair=f"sets it aside as {free_name(path).name}",
                mend=partial(set_aside, path),
            )


def kind_of(path: Path) -> str:
    """Return the kind of a path, as text."""
    kinds = {
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFDIR: "a folder",
        stat.S_IFREG: "a file",
        stat.S_IFLNK: "a link to nothing",
    }
    return kinds.get(stat.S_IFMT(path.lstat().st_mode), "no file")


def check_rights(folder: Folder) -> Iterator[Problem]:
    """Check for folders that we may not write to, and for anything open to other users."""
    folders = [path for path in (folder.path, folder.records, folder.logs) if path.is_dir()]
    for path in folders:
        if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            yield Problem(
                file=name_in(folder, path),
                what="we cannot read it or write to it",
                means=UNREADABLE,
                repair="gives its owner full access",
                mend=partial(path.chmod, 0o700),
            )
    if not folder.agreement.exists():
        return  # the event has not begun: the first run restricts it
    files = (
        *(folder.manifest, folder.agreement, folder.starting_ratings, folder.rulings, folder.key),
        *(folder.database, folder.journal),
    )
    for path in (*folders, *(path for path in files if path.is_file())):
        if path.stat().st_mode & OTHERS:
            yield open_to_others(path, name_in(folder, path))


def open_to_others(path: Path, name: str) -> Problem:
    """Return the problem of a file or folder that somebody beside its owner has a right to."""
    return Problem(
        file=name,
        what="other users of this machine have access to it",
        means="seeds and keys may be known, and results may have been changed",
        repair="removes their access",
        mend=partial(close_to_others, path),
    )


def check_leftovers(folder: Folder) -> Iterator[Problem]:
    """Check for files that killed processes did not finish."""
    drafted = [path for path in folder.path.glob(".*") if _ROOT_DRAFT.fullmatch(path.name)]
    drafted += folder.path.glob(f"{folder.database.name}.draft*")
    drafted += drafts(folder)
    for path in sorted(drafted):
        yield Problem(
            file=name_in(folder, path),
            what="a process that was killed did not finish writing it",
            means="nobody reads it",
            repair="removes it",
            mend=partial(path.unlink, missing_ok=True),
        )


def check_key(folder: Folder) -> Iterator[Problem]:
    """Check for a key that is damaged or lost."""
    if folder.key.is_file():
        try:
            others = other_signers(folder)
        except ConfigError as error:
            yield Problem(
                file=folder.key.name,
                what=str(error),
                means=UNREADABLE,
                repair=f"{BACKUP} ({KEY_BYTES} bytes). If there is none, remove it and publish the key of the next run",
            )
            return
        if others:
            yield Problem(
                file=folder.key.name,
                what=f"it signed none of the records, {' and '.join(sorted(map(bytes.hex, others)))} did",
                means="the key is damaged, or all the records are somebody else's: nobody can tell which from here",
                repair=f"{BACKUP}, or the records",
            )
    elif signers := {signer.hex() for packed in sample_records(folder) if (signer := unchecked_signer(packed))}:
        yield Problem(
            file=folder.key.name,
            what="it is missing",
            means=f"the records say they are signed by {', '.join(sorted(signers))}, and the next ones cannot be",
            repair=f"{BACKUP}; without it the next run creates another key, which you have to publish",
        )


def check_starting_ratings(folder: Folder) -> Iterator[Problem]:
    """Check the ratings that bots start a season with."""
    try:
        read_starting_ratings(folder.starting_ratings)
    except ConfigError as error:
        yield Problem(
            file=folder.starting_ratings.name,
            what=str(error),
            means=UNREADABLE,
            repair=f"{BACKUP}: the tables depend on it",
        )


# What was ruled


def check_rulings_file(folder: Folder) -> Iterator[Problem]:
    """Check for a file of rulings that cannot be read."""
    try:
        read_rulings(folder.rulings)
    except RecordError as error:
        yield Problem(
            file=folder.rulings.name,
            what=str(error).partition(";")[0],
            means="no table can be computed, because the rulings are unknown",
            repair=f"sets it aside as {free_name(folder.rulings).name}: all rulings are lost, unless a backup has them",
            mend=partial(set_aside, folder.rulings),
        )


def check_rulings(folder: Folder, agreement: Agreement) -> Iterator[Problem]:
    """Check for rulings about bots that did not enter."""
    try:
        rulings = read_rulings(folder.rulings)
    except RecordError:
        return
    for ruling in rulings.standing:
        number = ruling.number
        if ruling.bot and not entries_of(ruling, agreement):
            yield Problem(
                file=folder.rulings.name,
                what=f"ruling {number} is about {ruling.bot}, which is not a bot of this event",
                means="it changes nothing",
                repair=f"withdraw it: tortuga tournament rulings {folder.path} --withdraw {number} --reason TEXT",
            )


# What was agreed


def check_agreement(folder: Folder) -> tuple[Agreement | None, list[Problem]]:
    """Return the agreement, if it can be read, and what is wrong with it and the manifest."""
    try:
        agreement = folder.read_agreement()
        damage = ""
    except ConfigError as error:
        agreement, damage = None, str(error)
    if agreement is None:
        if damage or was_played(folder):
            return None, [_agreement_problem(folder, damage or "it is missing, and matches were played")]
        return None, [*_check_first_manifest(folder)] if folder.manifest.exists() else []
    if not (agreement.is_open or has_roster_of_manifest(folder, agreement)):
        return None, [_agreement_problem(folder, "it has other bots than its manifest")]
    return agreement, [] if agreement.is_open else [*_check_manifest(folder, agreement)]


def has_roster_of_manifest(folder: Folder, agreement: Agreement) -> bool:
    """Return whether the bots that take part are those that were entered.

    On a ladder bots come and go, and any bot may take part.
    """
    manifest = agreement.manifest
    if manifest.format == "ladder":
        return True
    try:
        entered = first_agreement(manifest, find_bots(manifest, folder.path)).roster
    except ConfigError:
        return True  # the bots are not on this machine: nothing can be said
    names, expected = ([(entry.name, entry.bot) for entry in roster] for roster in (agreement.roster, entered))
    return names == expected


def _agreement_problem(folder: Folder, what: str) -> Problem:
    means = "nothing can be played, and no record can be matched to this event"
    if is_newer(folder.agreement):
        repair = "update tortuga"
        return Problem(file=folder.agreement.name, what=what, means=means, repair=repair)
    try:
        agreement = agreement_of_manifest(folder)
    except TortugaError as error:
        repair = f"{BACKUP}; it cannot be rebuilt: {error}"
        return Problem(file=folder.agreement.name, what=what, means=means, repair=repair)
    return Problem(
        file=folder.agreement.name,
        what=what,
        means=means,
        repair=f"rebuilds it from {folder.manifest.name}, whose seed matches the records",
        mend=partial(replace_agreement, folder, agreement),
    )


def is_newer(path: Path) -> bool:
    """Return whether event.json was written by a later version of tortuga."""
    try:
        version = json.loads(path.read_text())["format"]
        return isinstance(version, int) and version > FORMAT
    except (OSError, ValueError, RecursionError, TypeError, KeyError):
        return False


def agreement_of_manifest(folder: Folder) -> Agreement:
    """Return the agreement as the manifest gives it when play begins.

    Raises TortugaError where it is uncertain whether that is the agreement.
    """
    manifest = read_manifest(folder.manifest)
    if manifest.format == "ladder":
        raise ConfigError("on a ladder bots come and go, and only this file knows when")
    agreement = first_agreement(manifest, find_bots(manifest, folder.path))
    events = {unpack(packed)[0].place.event for packed in sample_records(folder)}
    if events and agreement.event_id not in events:
        raise RecordError(f"{folder.manifest.name} has another seed than the records")
    return agreement


def replace_agreement(folder: Folder, agreement: Agreement) -> None:
    """Replace an agreement that cannot be read."""
    set_aside(folder.agreement)
    folder.write_agreement(agreement)


def _check_first_manifest(folder: Folder) -> Iterator[Problem]:
    """Check the manifest of an event that has not begun."""
    try:
        read_manifest(folder.manifest)
    except ConfigError as error:
        yield Problem(
            file=folder.manifest.name,
            what=str(error),
            means="the event cannot begin",
            repair="correct it",
        )


def _check_manifest(folder: Folder, agreement: Agreement) -> Iterator[Problem]:
    """Check the manifest of an event in progress, which must be unchanged."""
    try:
        manifest = read_manifest(folder.manifest)
    except ConfigError as error:
        yield Problem(
            file=folder.manifest.name,
            what=str(error) if folder.manifest.exists() else "it is missing",
            means="the event cannot continue",
            repair=f"writes it again, from {folder.agreement.name}",
            mend=partial(replace_manifest, folder, agreement),
        )
        return
    try:
        check_unchanged(folder, agreement, manifest, {})
    except ConfigError as error:
        yield Problem(
            file=folder.manifest.name,
            what=str(error).removeprefix(f"{folder.manifest} "),
            means="the event cannot continue",
            repair="this file is yours, and is not touched",
        )


def replace_manifest(folder: Folder, agreement: Agreement) -> None:
    """Replace a manifest that cannot be read by the one that was agreed."""
    set_aside(folder.manifest)
    write_atomically(folder.manifest, write_text(agreement.manifest).encode(), private=True)


def name_in(folder: Folder, path: Path) -> str:
    """Return a path as people read it: within the folder."""
    return str(path.relative_to(folder.path))
