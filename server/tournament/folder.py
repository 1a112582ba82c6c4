"""The layout of an event's folder: where every file is.

tournament.toml   what the organiser wants; the organiser may edit it
event.json        the agreement when play began: that manifest, and the roster; written by us
starting-ratings.jsonl  what bots start a ladder's season with
signing.key       signs the records. There is none without the library cryptography
lock              held by the one process that runs the event
tortuga.db        the index of the records, and the live ladder
records/, logs/   a record per match, and beside it the notes that are not for everybody; a log per fault
events.jsonl      what happened, line by line
rulings.jsonl     who was disqualified and which matches were annulled; part of the truth, beside the records
report.html       the standings, for a browser
replays/          matches for a browser, where they were exported

Only its owner may enter the folder: the first two files contain the seed, which determines all luck, and in a running
event a record reveals the luck of matches that are still to be played. All files except the report and the replays are
also readable only by their owner, so that a copy of the folder in an open place leaks nothing.

One process runs an event at a time. The kernel frees the lock of a process that was killed. The lock file also lists
the scratch folders of that process, so that the next one can remove them.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from referee.errors import ConfigError
from referee.records.files import read_regular_file, sync_folder, write_atomically
from referee.records.signature import SigningKey
from server.system.files import make_private
from server.tournament.agreement import FORMAT, Agreement, agreement_table, make_agreement
from server.tournament.manifest import FILE
from server.tournament.starting_ratings import FILE as STARTING_RATINGS
from server.tournament.starting_ratings import read_starting_ratings

RECORD_SUFFIX = ".tortuga"
MOST_AGREEMENT_BYTES = 256 * 1024 * 1024
"""An arena's roster has an entry of some 200 bytes for every version of every bot."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The paths of an event."""

    path: Path

    @property
    def manifest(self) -> Path:
        """Return the path of the manifest, which the organiser writes."""
        return self.path / FILE

    @property
    def agreement(self) -> Path:
        """Return the path of the agreement."""
        return self.path / "event.json"

    @property
    def starting_ratings(self) -> Path:
        """Return the path of the ratings that bots start a ladder's season with."""
        return self.path / STARTING_RATINGS

    @property
    def key(self) -> Path:
        """Return the path of the key that signs the records."""
        return self.path / "signing.key"

    @property
    def database(self) -> Path:
        """Return the path of the database, the index of the records."""
        return self.path / "tortuga.db"

    @property
    def records(self) -> Path:
        """Return the folder with one file per match."""
        return self.path / "records"

    @property
    def logs(self) -> Path:
        """Return the folder with one file per fault: the output of the bot."""
        return self.path / "logs"

    @property
    def journal(self) -> Path:
        """Return the path of the journal of what happened."""
        return self.path / "events.jsonl"

    @property
    def rulings(self) -> Path:
        """Return the path of the organiser's rulings."""
        return self.path / "rulings.jsonl"

    @property
    def report(self) -> Path:
        """Return the path of the report: the standings, for a browser."""
        return self.path / "report.html"

    @property
    def replays(self) -> Path:
        """Return the folder with one HTML file per match that was exported, for the report to link."""
        return self.path / "replays"

    def record(self, match_id: str) -> Path:
        """Return the path of the record of one match."""
        return self.records / f"{match_id}{RECORD_SUFFIX}"

    def notes(self, match_id: str) -> Path:
        """Return the path of the notes of one match that are not in its record."""
        from referee.records.notes import notes_path  # it needs protobuf, and few need the notes

        return notes_path(self.record(match_id))

    def public_key(self) -> bytes:
        """Return the key to check the signatures of the records with; empty if they are not signed."""
        key = SigningKey.open(self.key) if self.key.exists() else None
        return key.public if key is not None else b""

    def prepare(self) -> list[str]:
        """Create the folder and close it to other users. Refuse one that cannot be written to, before the first match.

        Returns warnings for people, as text.
        """
        databases = [path for path in self.path.glob(f"{self.database.name}*") if path.is_file()]
        stated = (self.manifest, self.agreement, self.starting_ratings, self.rulings, self.key)
        files = (*stated, self.journal, *databases)
        return [*make_private(self.path, files), *make_private(self.records), *make_private(self.logs)]

    def read_agreement(self) -> Agreement | None:
        """Return the agreement. None: nothing was played yet."""
        try:
            table = json.loads(read_regular_file(self.agreement, MOST_AGREEMENT_BYTES))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(f"{self.agreement} cannot be read: {error}") from None
        if not isinstance(table, dict) or table.get("format") != FORMAT:
            raise ConfigError(f"{self.agreement} was written by another version of tortuga")
        try:
            agreement = make_agreement(table)
            if table.get("event") != agreement.event_id:
                raise ConfigError("its seed is not that of its event")
        except ConfigError as error:  # perhaps only a game of another package is missing here
            raise ConfigError(f"{self.agreement} cannot be used: {error}") from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ConfigError(f"{self.agreement} is damaged: {error!r}") from None
        return replace(agreement, starting_ratings=read_starting_ratings(self.starting_ratings))

    def require_agreement(self) -> Agreement:
        """Return the agreement, for commands that only read."""
        agreement = self.read_agreement()
        if agreement is None:
            if not self.path.is_dir():
                raise ConfigError(f"there is no folder {self.path}")
            what = "no match was played yet" if self.manifest.is_file() else f"there is no {FILE}"
            raise ConfigError(f"{self.path} is not an event in progress: {what}")
        return agreement

    def write_agreement(self, agreement: Agreement) -> None:
        """Make the agreement durable, before the first match that is played under it."""
        SigningKey.open(self.key)  # made now, so that it can be published before the first match
        write_atomically(self.agreement, json.dumps(agreement_table(agreement), indent=1).encode(), private=True)
        sync_folder(self.path)


def fault_log_name(match_id: str, seat: int, bot: str) -> str:
    """Return the name of the file in logs/ that holds the output of a bot when it failed."""
    return f"{match_id}.seat{seat}.{bot}.log"


ASKERS_SECONDS = 1.0
"""How long to retry a lock without a holder: `lock_holder` takes it for a moment."""


class FolderLock:
    """The lock of a folder, held by this process, and the scratch folders to remove after it."""

    def __init__(self, file: Any, scratch: list[str]) -> None:
        self._file = file
        self._scratch = scratch

    def new_scratch(self) -> Path:
        """Return the path of a private folder for a worker.

        It is listed in the lock file before it is created, so that it is never lost.
        """
        path = Path(tempfile.gettempdir()) / f"tortuga-{os.urandom(6).hex()}"
        self._scratch.append(str(path))
        self.write()
        return path

    def write(self) -> None:
        """Write who holds the lock, for those who are refused and for the next holder."""
        self._file.seek(0)
        self._file.truncate()
        json.dump({"pid": os.getpid(), "scratch": self._scratch}, self._file)
        self._file.flush()

    def remove_scratch(self) -> None:
        """Remove all listed scratch folders."""
        for path in self._scratch:
            shutil.rmtree(path, ignore_errors=True)
        self._scratch = []


@contextmanager
def lock_folder(folder: Folder) -> Iterator[FolderLock]:
    """Hold the lock of an event, as the one process that runs it."""
    try:
        file = (folder.path / "lock").open("a+")
    except OSError as error:
        raise ConfigError(f"cannot write into the folder {folder.path}: {error.strerror}") from None
    with file:
        _acquire(folder, file)
        lock = FolderLock(file, _listed_scratch(file))
        lock.remove_scratch()
        lock.write()
        try:
            yield lock
        finally:
            lock.remove_scratch()
            file.seek(0)
            file.truncate()


def lock_holder(folder: Folder) -> int | None:
    """Return the process that runs the event at this moment, if any does."""
    try:
        with (folder.path / "lock").open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(json.load(file).get("pid", 0)) or None
    except (OSError, ValueError):
        pass
    return None


def _acquire(folder: Folder, file: Any) -> None:
    deadline = time.monotonic() + ASKERS_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pid = lock_holder(folder)
            if pid is not None or time.monotonic() > deadline:
                raise ConfigError(f"{folder.path} is being run by process {pid or 'unknown'}") from None
            time.sleep(0.02)


def _listed_scratch(file: Any) -> list[str]:
    file.seek(0)
    try:
        # Only paths that look like ours: the file could have been edited.
        return [path for path in json.load(file)["scratch"] if Path(path).name.startswith("tortuga-")]
    except (ValueError, KeyError, TypeError):
        return []
