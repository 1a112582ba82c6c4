"""events.jsonl: one line of JSON for each thing that happens in an event. Programs parse it, so it is versioned.

Every line has `v` (the version of this format, 1), `at` (UTC, for people), `event` (the kind) and the fields of that
kind, as docs/tournaments.md lists them. Fields are only ever added. The database is the truth: the next run writes the
lines that a killed process could not. While the disk is full, lines wait for space.
"""

from __future__ import annotations

import errno
import json
import mmap
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from referee.errors import RecordError
from referee.records.files import open_private
from server.system.files import set_aside

VERSION = 1
DISK_FULL = {errno.ENOSPC, errno.EDQUOT}
NO_FILES = {errno.EMFILE, errno.ENFILE}


class Journal:
    """The file, open for appending. Lines wait in memory while the disk is full."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            set_aside(path)  # opening a pipe would wait for a reader
        drop_partial_line(path)
        self._path = path
        self._file = os.fdopen(open_private(path, os.O_WRONLY | os.O_APPEND), "ab", buffering=0)
        self._waiting = b""

    def write(self, event: str, **facts: Any) -> None:
        """Write one line."""
        self._waiting += f"{line(event, facts)}\n".encode()
        self._flush()

    def _flush(self) -> None:
        try:
            while self._waiting:
                self._waiting = self._waiting[self._file.write(self._waiting) :]
        except OSError as error:
            if error.errno not in DISK_FULL:
                raise RecordError(f"{self._path} cannot be written: {error.strerror}") from None

    def close(self) -> None:
        """Write what is left and close the file."""
        try:
            self._flush()
        finally:
            self._file.close()


def line(event: str, facts: dict[str, Any]) -> str:
    """Return one line, as text."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    return json.dumps({"v": VERSION, "at": at, "event": event, **facts})


def drop_partial_line(path: Path) -> None:
    """Cut off a last line that a killed process did not finish.

    An arena's file grows for years, so it is searched from its end and not read as a whole.
    """
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("rb+") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        whole, size = content.rfind(b"\n") + 1, len(content)
    if whole < size:
        os.truncate(path, whole)


def read_journal(path: Path, events: Iterable[str] = ()) -> Iterable[dict[str, Any]]:
    """Read all complete lines, or those of some kinds. Only these are parsed: a million lines are read quickly.

    A line that is no JSON object is left out: this file follows from the database, and damage to it must not keep an
    event from going on.
    """
    marks = [f'"event": "{event}"' for event in events]
    if path.is_file():
        with path.open(encoding="utf-8", errors="replace") as file:
            for text in file:
                if text.endswith("\n") and (not marks or any(mark in text for mark in marks)):
                    found = parse_line(text)
                    if found is not None:
                        yield found


def parse_line(text: str) -> dict[str, Any] | None:
    """Parse a line; None if it is damaged."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("event"), str) else None


def read_rare(path: Path, event: str) -> Iterator[dict[str, Any]]:
    """Read the lines of a rare kind. The others are not even taken apart."""
    if not path.exists() or not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for mark in re.finditer(rf'"event": "{event}"'.encode(), content):
            end = content.find(b"\n", mark.end())
            text = content[content.rfind(b"\n", 0, mark.start()) + 1 : end] if end >= 0 else b""
            found = parse_line(text.decode(errors="replace"))
            if found is not None and found["event"] == event:
                yield found


def last_line(path: Path) -> dict[str, Any] | None:
    """Read the last line. The file may be large, so it is searched from its end."""
    if not path.is_file() or not path.stat().st_size:
        return None
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        end = content.rfind(b"\n")
        text = content[content.rfind(b"\n", 0, end) + 1 : end] if end >= 0 else b""
    return parse_line(text.decode(errors="replace"))


def read_steps(path: Path, events: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Read of some kinds of lines the kind and the match (if it is named first): ten times as fast as parsing."""
    step = re.compile(rf'"event": "({"|".join(events)})"(?:, "match": "([^"]*)")?'.encode())
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for found in step.finditer(content, 0, content.rfind(b"\n") + 1):
            yield found[1].decode(), (found[2] or b"").decode(errors="replace")


def count_late_bots(path: Path) -> dict[str, int]:
    """Return in how many void matches each bot ran out of time and was excused; those with the most come first."""
    lines = read_rare(path, "match_void")
    names = Counter(name for line in lines if isinstance(line.get("late"), list) for name in map(str, line["late"]))
    return dict(names.most_common())
