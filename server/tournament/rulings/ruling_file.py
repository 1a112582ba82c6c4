"""rulings.jsonl: the organiser's decisions about bots and matches of an event, line by line. Lines are only added.

disqualify   a bot: from the start (all its matches leave the standings), or from a moment (later ones are lost)
annul        a match: it counts for nobody
withdraw     withdraws one of these
effect       from which stage of each contest a ruling changes the draw, as the process that draws has noted it

Standings are made from the records and this file. What was drawn or decided before a ruling stays: a stage is drawn
from the rulings in force when it was drawn, and `effect` says which these were. A ruling without such a line takes
effect in the first stage of which no match was played.

An incomplete last line was never confirmed, and the next writer removes it. Any other line that cannot be read is an
error: without it, standings would be wrong and nobody would know.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from referee.errors import ConfigError, RecordError
from referee.records.files import open_private, read_regular_file, sync_folder
from referee.text import harmless

VERSION = 1
MOST_BYTES = 64 * 1024 * 1024
MOST_REASON = 500
"""Longest reason of a ruling, in characters."""


class RulingKind(StrEnum):
    """The effect of a ruling."""

    DISQUALIFY = "disqualify"
    ANNUL = "annul"
    WITHDRAW = "withdraw"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ruling:
    """One decision of the organiser."""

    number: int
    """Counts up from 1."""
    kind: RulingKind
    at_millis: int
    by: str
    reason: str
    bot: str = ""
    """The disqualified bot."""
    match: str = ""
    """The match that is annulled, or the one from which on a bot is disqualified."""
    from_millis: int = 0
    """Matches of the bot that began at this time or later are lost. 0: it is disqualified from the start."""
    withdraws: int = 0
    """Number of the ruling that is withdrawn."""

    @property
    def from_start(self) -> bool:
        """Return whether all matches of the bot leave the standings."""
        return self.kind is RulingKind.DISQUALIFY and not self.from_millis

    def statement(self) -> str:
        """Return its effect as text: `gunner is disqualified from the start`."""
        match self.kind:
            case RulingKind.DISQUALIFY if self.from_start:
                return f"{self.bot} is disqualified from the start"
            case RulingKind.DISQUALIFY:
                moment = f"match {self.match}" if self.match else day(self.from_millis)
                return f"{self.bot} is disqualified from {moment} on"
            case RulingKind.ANNUL:
                return f"match {self.match} is annulled"
            case RulingKind.WITHDRAW:
                return f"ruling {self.withdraws} is withdrawn"

    def line(self) -> str:
        """Return its number, effect, author, time and reason as one line, for lists."""
        return ruling_text(self.number, self.statement(), self.by, self.at_millis, self.reason)


def ruling_text(number: int, statement: str, by: str, at_millis: int, reason: str, withdrawn_by: int = 0) -> str:
    """Return the number, effect, author, time and reason of a ruling as one line, and the ruling that withdrew it."""
    withdrawn = f" [withdrawn by ruling {withdrawn_by}]" if withdrawn_by else ""
    return f"ruling {number}: {statement} ({by}, {day(at_millis)}): {reason}{withdrawn}"


def day(millis: int) -> str:
    """Return a time for people, in UTC."""
    return datetime.fromtimestamp(millis / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


@dataclass(frozen=True, kw_only=True, slots=True)
class Rulings:
    """All rulings of an event."""

    lines: tuple[Ruling, ...] = ()
    effects: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    """First stage that is drawn under a ruling, by the number of the ruling and by contest."""

    def __bool__(self) -> bool:
        return bool(self.lines)

    @property
    def withdrawn(self) -> dict[int, Ruling]:
        """Return the rulings that withdraw another one, by the number of that one."""
        return {ruling.withdraws: ruling for ruling in self.lines if ruling.kind is RulingKind.WITHDRAW}

    @property
    def standing(self) -> list[Ruling]:
        """Return the rulings in force: disqualifications and annulments that were not withdrawn."""
        withdrawn = self.withdrawn
        decisions = [ruling for ruling in self.lines if ruling.kind is not RulingKind.WITHDRAW]
        return [ruling for ruling in decisions if ruling.number not in withdrawn]

    def unsettled(self, contests: Sequence[str]) -> list[Ruling]:
        """Return the rulings whose effect on the draw of one of these contests was not noted yet."""
        return [ruling for ruling in self.lines if not {*contests} <= self.effects.get(ruling.number, {}).keys()]

    def span(self, ruling: Ruling, contest: str, next_stage: int) -> tuple[int, int | None]:
        """Return the stages of a contest that are drawn under a ruling: the first, and the first that no longer is."""
        end = self.withdrawn.get(ruling.number)
        first = self.effects.get(ruling.number, {}).get(contest, next_stage)
        return first, None if end is None else self.effects.get(end.number, {}).get(contest, next_stage)

    def texts(self) -> list[str]:
        """Return all rulings for people, a line each."""
        withdrawn = {number: by.number for number, by in self.withdrawn.items()}
        return [
            ruling_text(
                line.number, line.statement(), line.by, line.at_millis, line.reason, withdrawn.get(line.number, 0)
            )
            for line in self.lines
        ]

    def as_json(self) -> list[dict[str, Any]]:
        """Return all rulings for programs."""
        withdrawn = self.withdrawn
        return [
            {
                **asdict(ruling),
                "kind": str(ruling.kind),
                "at": day(ruling.at_millis),
                "words": ruling.statement(),
                "withdrawn_by": withdrawn[ruling.number].number if ruling.number in withdrawn else None,
            }
            for ruling in self.lines
        ]


NO_RULINGS = Rulings()


def read_rulings(path: Path) -> Rulings:
    """Return all rulings. Raises RecordError if a line cannot be read."""
    try:
        content = read_regular_file(path, MOST_BYTES)
    except FileNotFoundError:
        return NO_RULINGS
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error}") from None
    return parse_rulings(path, content)


def parse_rulings(path: Path, content: bytes) -> Rulings:
    """Return the rulings in a file's content. A last line without its end is left out: it was never confirmed."""
    lines: list[Ruling] = []
    effects: dict[int, dict[str, int]] = {}
    for place, text in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), 1):
        try:
            _take_line(json.loads(text), lines, effects)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ConfigError) as error:
            raise RecordError(
                f"{path}, line {place} cannot be read ({error}); `tortuga fsck --repair` sets the file aside, and a "
                "backup has the rulings"
            ) from None
    return Rulings(lines=tuple(lines), effects=effects)


def _take_line(table: dict[str, Any], lines: list[Ruling], effects: dict[int, dict[str, int]]) -> None:
    if table["v"] != VERSION:
        raise ValueError(f"version {table['v']} of this file is not known; update tortuga")
    known = {ruling.number: ruling for ruling in lines}
    if table["ruling"] == "effect":
        if table["of"] not in known:
            raise ValueError(f"there is no ruling {table['of']} before it")
        stages = {str(contest): int(stage) for contest, stage in table["stages"].items()}
        effects.setdefault(table["of"], {}).update(stages)
        return
    new = Ruling(
        number=int(table["number"]),
        kind=RulingKind(table["ruling"]),
        at_millis=int(table["at_millis"]),
        by=str(table["by"]),
        reason=str(table["reason"]),
        bot=str(table.get("bot", "")),
        match=str(table.get("match", "")),
        from_millis=int(table.get("from_millis", 0)),
        withdraws=int(table.get("withdraws", 0)),
    )
    if new.number != len(lines) + 1:
        raise ValueError(f"ruling {new.number} found where {len(lines) + 1} was expected")
    if new.kind is RulingKind.WITHDRAW:
        _check_withdrawal(new.withdraws, lines)
    lines.append(new)


def _check_withdrawal(number: int, lines: Sequence[Ruling]) -> None:
    target = next((ruling for ruling in lines if ruling.number == number), None)
    if target is None or target.kind is RulingKind.WITHDRAW:
        standing = ", ".join(str(ruling.number) for ruling in Rulings(lines=tuple(lines)).standing) or "none"
        raise ConfigError(f"there is no ruling {number} to withdraw; in force: {standing}")
    if any(ruling.withdraws == number for ruling in lines):
        raise ConfigError(f"ruling {number} is withdrawn already")


class RulingsFile:
    """The file, locked by this process while it is open: nobody else can add a line meanwhile."""

    def __init__(self, path: Path, handle: int) -> None:
        self._path = path
        self._handle = handle
        content = os.pread(handle, MOST_BYTES, 0)
        self.rulings = parse_rulings(path, content)
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.ftruncate(handle, whole)

    def add(self, kind: RulingKind, *, by: str, reason: str, **facts: Any) -> Ruling:
        """Add a ruling. It is durable when this returns."""
        reason = check_reason(reason)
        ruling = Ruling(
            number=len(self.rulings.lines) + 1,
            kind=kind,
            at_millis=time.time_ns() // 1_000_000,
            by=by,
            reason=reason,
            **facts,
        )
        if kind is RulingKind.WITHDRAW:
            _check_withdrawal(ruling.withdraws, self.rulings.lines)
        stated = {key: value for key, value in facts.items() if value}
        self._append(
            {
                "number": ruling.number,
                "ruling": str(kind),
                "at": day(ruling.at_millis),
                "at_millis": ruling.at_millis,
                "by": by,
                "reason": reason,
                **stated,
            }
        )
        self.rulings = Rulings(lines=(*self.rulings.lines, ruling), effects=self.rulings.effects)
        return ruling

    def note_effect(self, ruling: Ruling, stages: Mapping[str, int]) -> None:
        """Note the stages from which a ruling changes the draw."""
        self._append({"ruling": "effect", "of": ruling.number, "stages": dict(stages)})
        known = {**self.rulings.effects.get(ruling.number, {}), **stages}
        self.rulings = Rulings(lines=self.rulings.lines, effects={**self.rulings.effects, ruling.number: known})

    def _append(self, facts: Mapping[str, Any]) -> None:
        text = f"{json.dumps({'v': VERSION, **facts})}\n".encode()
        end = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            if os.write(self._handle, text) != len(text):
                raise OSError("the disk is full")
            os.fsync(self._handle)
        except OSError as error:
            os.ftruncate(self._handle, end)
            raise RecordError(f"{self._path} cannot be written: {error}") from None


def check_reason(reason: str) -> str:
    """Return the reason of a ruling in one line. Everybody may read it, so there has to be one."""
    line = harmless(" ".join(reason.split()))
    if not line:
        raise ConfigError("a ruling needs a reason, which everybody can read: pass --reason TEXT")
    if len(line) > MOST_REASON:
        raise ConfigError(f"a reason has at most {MOST_REASON} characters, not {len(line)}")
    return line


@contextmanager
def open_rulings(path: Path) -> Iterator[RulingsFile]:
    """Open the file to add to it. Other processes that do the same wait."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise RecordError(f"{path} is not a file: move it away")
    is_new = not path.exists()
    handle = open_private(path, os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if is_new:
            sync_folder(path.parent)
        yield RulingsFile(path, handle)
    finally:
        os.close(handle)
