"""The files of submissions, in DIR/submissions.

.incoming.XXXX.PID  an archive that is arriving
ID/                 what it is made in: upload (the archive), source (unpacked and built). Gone when it is over
ID.log              what each step did

A killed server leaves archives that were arriving, and folders of builds: `sweep` removes them at the next start.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Collection, Iterable
from pathlib import Path

from referee.records.files import open_private, sync_folder
from server.arena.errors import FailedPrecondition
from server.bots.upload import BadUpload

FOLDER = "submissions"
LOG_BYTES = 256 << 10
"""Longest log."""
PIECE_BYTES = 32 << 10
"""Longest part of a log in one answer."""
LEAST_FREE_BYTES = 512 << 20
"""Less free space than this, and nothing is received."""
LOG_FULL = "… the log is full: the rest is left out\n"


class SubmissionFiles:
    """The folder of all submissions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def work(self, submission_id: str) -> Path:
        """Where one is made."""
        return self.folder / submission_id

    async def receive(self, pieces: AsyncIterator[bytes], size: int) -> Path:
        """Write an archive of this size as it arrives, and to the disk. The caller moves it or removes it."""
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
            if received != size:  # gRPC does not tell a stream that broke off from one that ended
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
        """Remove what one was made in, or all but its archive."""
        work = self.work(submission_id)
        for path in [work] if all_of_it else [work / name for name in ("source", "build")]:
            shutil.rmtree(path, ignore_errors=True)

    def sweep(self, unfinished: Collection[str]) -> None:
        """Remove what a killed server left, but the archives of these."""
        for path in self.folder.iterdir():
            if path.is_dir() and path.name not in unfinished:
                shutil.rmtree(path, ignore_errors=True)
            elif path.is_dir():
                self.clear(path.name, all_of_it=False)
            elif path.name.startswith(".incoming."):
                path.unlink(missing_ok=True)

    # Logs

    def log(self, submission_id: str, text: str) -> None:
        """Add to the log of one, each line with the time in UTC."""
        now = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime())
        lines = "".join(f"{now} {line.rstrip()}\n" for line in text.splitlines())
        with open(open_private(self.log_of(submission_id), os.O_WRONLY | os.O_APPEND), "ab") as file:
            left = LOG_BYTES - file.tell()
            content = lines.encode("utf-8", "backslashreplace")
            if len(content) > left > 0:
                content = content[: max(0, left)] + b"\n" + LOG_FULL.encode()
            file.write(content if left > 0 else b"")

    def read_log(self, submission_id: str, start: int) -> tuple[str, int, bool]:
        """A piece of a log from a byte on: the text, where it ends, and whether there is more."""
        try:
            with self.log_of(submission_id).open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                file.seek(min(start, size))
                piece = file.read(PIECE_BYTES)
        except FileNotFoundError:
            return "", start, False
        end = min(start, size) + len(piece)
        if end < size and b"\n" in piece:  # whole lines, while there are more
            end -= len(piece) - piece.rindex(b"\n") - 1
            piece = piece[: piece.rindex(b"\n") + 1]
        return piece.decode("utf-8", "backslashreplace"), end, end < size

    def forget(self, submission_id: str) -> None:
        """Remove all of one."""
        self.clear(submission_id)
        self.log_of(submission_id).unlink(missing_ok=True)

    def log_of(self, submission_id: str) -> Path:
        """The file of the log of one."""
        return self.folder / f"{submission_id}.log"


def remove_files(paths: Iterable[Path]) -> None:
    """Remove files, those that are there."""
    for path in paths:
        path.unlink(missing_ok=True)
