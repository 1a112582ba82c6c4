"""The stored submissions: a table of arena.db, and their files in DIR/submissions. submissions.py processes them.

Like the registry, all rows are in memory too, and a change is durable before it is visible. The files:

.incoming.XXXX.PID  an archive that is arriving
ID/                 where a submission is made: upload (the archive), source (unpacked and built). Removed at the end
ID.log              what each step did

A killed server leaves archives that were arriving, and folders of builds: `sweep` removes them at the next start.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from referee.records.files import open_private, sync_folder
from server.arena.caller_input import quote
from server.arena.errors import FailedPrecondition, NotFound
from server.arena.registry import Registry, wall_millis
from server.bots.upload import BadUpload

MAX_REASON = 900
"""Longest reason, in characters: it is an error message of ours, or of a build."""


class SubmissionState(StrEnum):
    """The progress of a submission."""

    RECEIVED = "received"
    UNPACKED = "unpacked"
    BUILDING = "building"
    CHECKING = "checking"
    WAITING = "waiting"
    PLAYING = "playing"
    REPLACED = "replaced"
    FAILED = "failed"


OVER = (SubmissionState.PLAYING, SubmissionState.REPLACED, SubmissionState.FAILED)
"""States in which nothing is left to do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """A submission. The fields are the columns of its table."""

    id: str
    bot: str
    owner: str
    number: int
    state: SubmissionState = SubmissionState.RECEIVED
    step: str = ""
    reason: str = ""
    version: str = ""
    bundle: str = ""
    received_millis: int = 0
    changed_millis: int = 0
    attempts: int = 0

    @property
    def is_over(self) -> bool:
        """Return whether nothing is left to do."""
        return self.state in OVER


_COLUMNS = tuple(column.name for column in fields(Submission))


class SubmissionRows:
    """All submissions of an arena. Methods that change something may be called from any thread."""

    def __init__(self, registry: Registry, clock: Callable[[], int] = wall_millis) -> None:
        self._registry, self._clock = registry, clock
        with registry.transaction() as db:
            rows = db.execute(f"SELECT {', '.join(_COLUMNS)} FROM submission").fetchall()
        self._rows = {row[0]: _read(dict(zip(_COLUMNS, row, strict=True))) for row in rows}

    def all(self) -> list[Submission]:
        """Return all submissions, the oldest first."""
        return sorted(self._rows.values(), key=lambda row: (row.received_millis, row.bot, row.number))

    def find(self, submission_id: str, owner: str) -> Submission:
        """Return a submission of this owner. Those of others are unknown to them."""
        row = self._rows.get(submission_id)
        if row is None or row.owner != owner:
            raise no_submission(submission_id)
        return row

    def has(self, submission_id: str) -> bool:
        """Return whether a submission is still stored: its owner may have been deleted."""
        return submission_id in self._rows

    def get(self, submission_id: str) -> Submission:
        """Return a submission that is known to be stored."""
        return self._rows[submission_id]

    def since(self, owner: str, millis: int) -> list[Submission]:
        """Return an owner's submissions that were received within this time, the oldest first."""
        after = self._clock() - millis
        return [row for row in self.all() if row.owner == owner and row.received_millis > after]

    def add(self, bot: str, owner: str) -> Submission:
        """Add a new submission."""
        now = self._clock()
        with self._registry.transaction() as db:
            number = 1 + max((row.number for row in self._rows.values() if row.bot == bot), default=0)
            added = Submission(
                id=f"{bot}-{number}", bot=bot, owner=owner, number=number, received_millis=now, changed_millis=now
            )
            while added.id in self._rows:  # taken by a bot whose name ends like this
                number += 1
                added = replace(added, id=f"{bot}-{number}", number=number)
            _insert(db, added)
            self._rows[added.id] = added
        return added

    def change(self, submission_id: str, **values: Any) -> Submission:
        """Change some fields of a submission."""
        if "reason" in values:
            values["reason"] = _plain(values["reason"])
        changed = replace(self._rows[submission_id], **values, changed_millis=self._clock())
        with self._registry.transaction() as db:
            _insert(db, changed)
        self._rows[submission_id] = changed
        return changed

    def remove(self, owner: str) -> list[Submission]:
        """Forget all submissions of an owner. Returns those that were removed."""
        removed = [row for row in self._rows.values() if row.owner == owner]
        with self._registry.transaction() as db:
            db.execute("DELETE FROM submission WHERE owner = ?", (owner,))
        for row in removed:
            del self._rows[row.id]
        return removed


def no_submission(submission_id: str) -> NotFound:
    """Return the same error for a submission that does not exist and for one of somebody else."""
    return NotFound(f"you have no submission {quote(submission_id)}; `tortuga client submissions` lists your own")


def _insert(db: Any, row: Submission) -> None:
    values = asdict(row)
    db.execute(
        f"INSERT OR REPLACE INTO submission ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
        tuple(values.values()),
    )


def _read(table: dict[str, Any]) -> Submission:
    return Submission(**{**table, "state": SubmissionState(table["state"])})


def _plain(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)[:MAX_REASON]


FOLDER = "submissions"
LOG_BYTES = 256 << 10
"""Longest log of a submission."""
PIECE_BYTES = 32 << 10
"""Longest part of a log in one answer, in bytes."""
LEAST_FREE_BYTES = 512 << 20
"""With less free space than this, nothing is received."""
LOG_FULL = "… the log is full: the rest is left out\n"


class SubmissionFiles:
    """The folder of all submissions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def work(self, submission_id: str) -> Path:
        """Return the folder where a submission is made."""
        return self.folder / submission_id

    async def receive(self, pieces: AsyncIterator[bytes], size: int) -> Path:
        """Write an archive of this size to the disk as it arrives. The caller moves it or removes it."""
        if shutil.disk_usage(self.folder).free < LEAST_FREE_BYTES:
            raise FailedPrecondition("the arena's disk is nearly full, so nothing can be submitted: tell the organiser")
        path = self.folder / f".incoming.{os.urandom(4).hex()}.{os.getpid()}"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        received = 0
        try:
            async for piece in pieces:
                received += len(piece)
                if received > size:
                    break
                os.write(handle, piece)
            if received != size:  # gRPC does not distinguish a broken stream from one that ended
                came = "more" if received > size else f"{received}"
                raise BadUpload(
                    f"the archive should have {size} bytes, and {came} arrived: nothing was kept; send it again"
                )
            await asyncio.to_thread(os.fsync, handle)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)
        return path

    def adopt(self, archive: Path, submission_id: str) -> None:
        """Make an archive that has arrived the one of a submission."""
        work = self.work(submission_id)
        work.mkdir(mode=0o700, exist_ok=True)
        archive.replace(work / "upload")
        sync_folder(work)
        sync_folder(self.folder)

    def clear(self, submission_id: str, *, all_of_it: bool = True) -> None:
        """Remove the folder where a submission was made, or all of it except its archive."""
        work = self.work(submission_id)
        for path in [work] if all_of_it else [work / name for name in ("source", "build")]:
            shutil.rmtree(path, ignore_errors=True)

    def sweep(self, unfinished: Collection[str]) -> None:
        """Remove what a killed server left, except the archives of these submissions."""
        for path in self.folder.iterdir():
            if path.is_dir() and path.name not in unfinished:
                shutil.rmtree(path, ignore_errors=True)
            elif path.is_dir():
                self.clear(path.name, all_of_it=False)
            elif path.name.startswith(".incoming."):
                path.unlink(missing_ok=True)

    # Logs

    def log(self, submission_id: str, text: str) -> None:
        """Append to the log of a submission, each line with the time in UTC."""
        now = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime())
        lines = "".join(f"{now} {line.rstrip()}\n" for line in text.splitlines())
        with open(open_private(self.log_of(submission_id), os.O_WRONLY | os.O_APPEND), "ab") as file:
            space = LOG_BYTES - file.tell()
            content = lines.encode("utf-8", "backslashreplace")
            if len(content) > space > 0:
                content = content[: max(0, space)] + b"\n" + LOG_FULL.encode()
            file.write(content if space > 0 else b"")

    def read_log(self, submission_id: str, start: int) -> tuple[str, int, bool]:
        """Return a piece of a log from a byte on: the text, where it ends, and whether there is more."""
        try:
            with self.log_of(submission_id).open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                file.seek(min(start, size))
                piece = file.read(PIECE_BYTES)
        except FileNotFoundError:
            return "", start, False
        end = min(start, size) + len(piece)
        if end < size and b"\n" in piece:  # end with a whole line while more follows
            end -= len(piece) - piece.rindex(b"\n") - 1
            piece = piece[: piece.rindex(b"\n") + 1]
        return piece.decode("utf-8", "backslashreplace"), end, end < size

    def forget(self, submission_id: str) -> None:
        """Remove all files of a submission."""
        self.clear(submission_id)
        self.log_of(submission_id).unlink(missing_ok=True)

    def log_of(self, submission_id: str) -> Path:
        """Return the path of a submission's log."""
        return self.folder / f"{submission_id}.log"


def remove_files(paths: Iterable[Path]) -> None:
    """Remove those of these files that exist."""
    for path in paths:
        path.unlink(missing_ok=True)
