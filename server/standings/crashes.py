"""Summarises why bots crashed in an event: a line per bot and reason instead of one per match."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.text import harmless
from server.hosting.final_output import Crash, find_crash
from server.tournament.folder import Folder
from server.tournament.standings import FaultLine, Standings

KINDS = frozenset({"crash", "no_show", "resource"})
"""Faults after which a process is gone. What it printed may say why."""
LOGS_READ = 50
"""The number of latest logs read for each bot in a contest; more crashes have the same reasons."""
TAIL_BYTES = 16384


@dataclass(frozen=True, kw_only=True, slots=True)
class CrashGroup:
    """The crashes of one bot in one contest for one reason."""

    contest: str
    bot: str
    crashed: int
    """Matches that ended so."""
    played: int
    """All matches of the bot in the contest."""
    reason: str
    """`ZeroDivisionError at bot.py:8`, or what the referee saw."""
    match_id: str
    """The last of these matches."""
    log: str
    """Its log, in logs/; empty if there is none."""
    story: str
    """The author's part of the traceback; empty if there is none."""

    def line(self, logs: Path) -> str:
        """Return `divzero: 12 of 12 crashed, ZeroDivisionError at bot.py:8, log event/logs/…`."""
        log = f", log {logs / self.log}" if self.log else f", match {self.match_id}"
        return f"{self.bot}: {self.crashed} of {self.played} crashed, {self.reason}{log}"


def group_crashes(folder: Folder, ladders: Sequence[Standings]) -> list[CrashGroup]:
    """Return the crashes of an event by bot and reason, the most frequent first."""
    groups: list[CrashGroup] = []
    for ladder in ladders:
        played = {line.bot: line.played for line in ladder.lines}
        by_bot: dict[str, list[FaultLine]] = defaultdict(list)
        for line in ladder.faults:
            if line.fault.kind in KINDS:
                by_bot[line.fault.bot].append(line)
        for bot, lines in by_bot.items():
            groups += _groups_of(folder, ladder.contest.id, bot, lines, played.get(bot, len(lines)))
    return sorted(groups, key=lambda group: -group.crashed)


def _groups_of(folder: Folder, contest: str, bot: str, lines: Sequence[FaultLine], played: int) -> list[CrashGroup]:
    crashes = {line.match_id: read_crash(folder.logs / line.log) for line in lines[-LOGS_READ:]}
    groups: dict[str, list[FaultLine]] = defaultdict(list)
    for line in lines:
        crash = crashes.get(line.match_id)
        groups[harmless(crash.summary if crash else line.fault.message)].append(line)
    crash_groups = []
    for reason, members in groups.items():
        last = members[-1]
        crash = crashes.get(last.match_id)
        crash_groups.append(
            CrashGroup(
                contest=contest,
                bot=bot,
                crashed=len({member.match_id for member in members}),
                played=played,
                reason=reason,
                match_id=last.match_id,
                log=last.log if (folder.logs / last.log).is_file() else "",
                story=crash.story if crash else "",
            )
        )
    return crash_groups


def read_crash(log: Path) -> Crash | None:
    """Return the crash at the end of a log, safe to print; None if there is none."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
            text = file.read(TAIL_BYTES).decode("utf-8", "backslashreplace")
    except OSError:
        return None
    return find_crash("\n".join(map(harmless, text.split("\n"))))
