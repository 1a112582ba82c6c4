"""Extracts what a bot printed last, for its author: the author's own lines of a crash, otherwise the last lines.

A Python traceback is mostly ours (the SDK, asyncio); its author needs the frames of their own files and the error.
Crashes of other languages are recognised by the lines in which their runtimes name an error and a place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LINES = 5
"""Number of lines shown of a bot that printed no traceback."""
HEADING = "Traceback (most recent call last):"
FRAME = re.compile(r'\s*File "(?P<file>[^"]+)", line (?P<line>\d+)')
SDK = re.compile(r"[/\\]tortuga_bot[/\\]")
FOREIGN = re.compile(r"^[^/]|[/\\](site-packages|dist-packages|lib[/\\]python3[^/\\]*|tortuga_bot)[/\\]")
"""Files that are not the author's: the SDK, installed packages, the standard library, and what is no path at all."""

OTHERS = (
    # Rust: the place and, in the next line, the error
    re.compile(r"^thread '[^']*' (?:\(\d+\) )?panicked at (?P<place>[^:\s]+:\d+)(?::\d+)?:\n(?P<error>.+)$", re.M),
    # Go: the error, then functions, each with its place below
    re.compile(r"^(?P<error>panic: .+)$(?:\n.*)*?\n\t\S*?(?P<place>[^/\s]+\.go:\d+)(?= \+0x)", re.M),
    # Java: the error, then functions with their place in brackets; those of the SDK and of Java itself are passed over
    re.compile(
        r'^(?:Exception in thread "[^"]*" )?(?P<error>[\w.$]+(?:Exception|Error)\b.*)$'
        r"(?:\n\tat (?:java|jdk|tortuga|io|com\.google)\b.*)*\n\tat [^(]+\((?P<place>[\w$]+\.java:\d+)\)",
        re.M,
    ),
    # Node: the error, then functions with their place
    re.compile(
        r"^(?:Uncaught )?(?P<error>\w*Error\b.*)$\n\s+at .*?(?P<place>[^/\s(]+\.[cm]?[jt]s:\d+):\d+\)?$",
        re.M,
    ),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Crash:
    """An error that ended a bot, as far as its author is concerned."""

    error: str
    """`ZeroDivisionError: division by zero`"""
    place: str = ""
    """`bot.py:8`; empty if no file of the author was involved."""
    story: str = ""
    """The author's part of the traceback, and the error."""

    @property
    def summary(self) -> str:
        """Return the kind of error and its place: crashes are grouped by them."""
        kind = self.error.partition(":")[0] if self.place else self.error
        return f"{kind} at {self.place}" if self.place else kind


def last_words(printed: str) -> str:
    """Return the part of a bot's output to show after it failed."""
    crash = find_crash(printed)
    if crash is not None and crash.story:
        return crash.story
    # What is cut off in the middle of a traceback may begin with the marks below a line.
    return "\n".join(printed.rstrip().split("\n")[-LINES:]).lstrip(" ^~\n")


def find_crash(printed: str) -> Crash | None:
    """Find the last crash in a bot's output; None if there is none that we know how to read."""
    python = _find_traceback(printed)
    if python is not None:
        return python
    for pattern in OTHERS:
        if crashes := [*pattern.finditer(printed)]:
            place, error = crashes[-1]["place"], crashes[-1]["error"].strip()
            return Crash(error=error, place=place, story=f"{error} at {place}")
    return None


def _find_traceback(printed: str) -> Crash | None:
    lines = printed.split("\n")
    starts = [place for place, line in enumerate(lines) if line.strip() == HEADING]
    if not starts:
        return None
    body = lines[starts[-1] + 1 :]
    end = next((place for place, line in enumerate(body) if line and not line.startswith(" ")), len(body))
    if end == len(body):
        return None  # it was cut off before the error
    frames = _split_frames(body[:end])
    last_of_sdk = max((place for place, frame in enumerate(frames) if SDK.search(_file(frame))), default=-1)
    own = [frame for frame in frames if not FOREIGN.search(_file(frame))]
    called = [frame for frame in frames[last_of_sdk + 1 :] if not FOREIGN.search(_file(frame))]
    frames_shown = called or own
    error = body[end].strip()
    if not frames_shown:
        return Crash(error=error, story=error)
    match = FRAME.match(frames_shown[-1][0])
    assert match is not None
    place = f"{match['file'].rpartition('/')[2]}:{match['line']}"
    return Crash(
        error=error, place=place, story="\n".join([*(line for frame in frames_shown for line in frame), error]).strip()
    )


def _split_frames(lines: list[str]) -> list[list[str]]:
    """Split a traceback into frames: the line that names its file, and the lines of code below it."""
    frames: list[list[str]] = []
    for line in lines:
        if FRAME.match(line):
            frames.append([line])
        elif frames:
            frames[-1].append(line)
    return frames


def _file(frame: list[str]) -> str:
    match = FRAME.match(frame[0])
    return match["file"] if match else ""
