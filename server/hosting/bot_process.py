"""One bot's process, as the referee sees it: its command line, what its keeper reports, and how it is stopped.

`BotCommand` is the one place that decides the command line, environment and folder of a bot's process: the launcher and
`tortuga bot connect` both start bots by one. Whatever is to confine a bot (a jail, limits) wraps the command there.

A BotProcess is made by launcher.py; the other end of the conversation is keeper.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from server.hosting.cores import RunDelay, count_running_threads
from server.hosting.final_output import last_words
from server.hosting.keeper import LEVEL_NOTE
from server.jail.group import Cgroup
from server.jail.limits import (
    ResourceLimits,
    describe_crossing,
    describe_large_file,
    limit_in_question,
    network_in_question,
)
from server.jail.runtime import BOT_SITE
from server.jail.tree import find_below

ANSWER_SECONDS = 15.0
"""Longest time a keeper may take to answer. A healthy host needs milliseconds."""
TAIL_BYTES = 16384
REPORT_BYTES = 65536
TRACEBACK_LINES = 200
"""Number of lines in which the beginning of a traceback is looked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputLimits:
    """Limits on how much a bot may print before it is ended, and on how much of that is kept."""

    output_bytes: int = 64 << 20
    log_head_bytes: int = 64 << 10
    log_tail_bytes: int = 64 << 10


class ExitKind(StrEnum):
    """The ways a bot's process ends."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    RESOURCE = "resource"
    STOPPED = "stopped"  # by us: it was still running after its grace
    KEEPER_LOST = "keeper_lost"


@dataclass(frozen=True, kw_only=True, slots=True)
class BotExit:
    """The end of a bot's process. The detail is worded to follow the bot's name: `exited with code 3`."""

    kind: ExitKind
    detail: str


class BotProcess:
    """A bot, with all its processes, from its start until nothing of it is left."""

    def __init__(
        self,
        name: str,
        log: Path,
        process: subprocess.Popen[bytes],
        *,
        resources: ResourceLimits | None = None,
        group: Cgroup | None = None,
        is_offline: bool = False,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self.name = name
        self.log = log
        self.pid = 0
        # Set to the ending when the bot and all its processes are dead, or about to be for a crossing; never an
        # exception. Wait for it with asyncio.wait or through asyncio.shield: a wait_for that runs out would cancel it
        # for everybody.
        self.ended: asyncio.Future[BotExit] = self._loop.create_future()
        # For the launcher. Answered: 0 if the bot was started, else an error number. Gone: the keeper is reaped.
        # Has strays: processes of this bot may have become our children.
        self.answered: asyncio.Future[int] = self._loop.create_future()
        self.gone: asyncio.Future[None] = self._loop.create_future()
        self.has_strays = False
        self._looked: asyncio.Future[None] = self._loop.create_future()
        self.resources = resources
        """The limits; None if there are none."""
        self._is_offline = is_offline
        self.group = group
        """The cgroup, which the keeper makes; None if there is none."""
        self._keeper = process
        self._run_delay = RunDelay()
        self._verdict: BotExit | None = None
        """The ending that we have decided on, if any."""
        self._exit: BotExit | None = None
        self._unread = b""
        assert process.stdin is not None
        assert process.stdout is not None
        self._orders, self._reports = process.stdin, process.stdout
        os.set_blocking(self._reports.fileno(), False)
        self._loop.add_reader(self._reports.fileno(), self._read)

    def tail(self, lines: int = 10) -> str:
        """Return the last lines the bot printed, fit for a terminal: bounded, and without control characters."""
        try:
            with self.log.open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
                text = file.read(TAIL_BYTES).decode("utf-8", "backslashreplace")
        except OSError:
            return ""
        # Not splitlines(): it would take form feeds and other control characters for ends of lines.
        printed = text.removesuffix("\n").split("\n")
        if printed[-1].startswith(LEVEL_NOTE):  # ours, not the bot's
            del printed[-1]
        last = printed[-lines:]
        return "\n".join(
            "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in line)
            for line in last
        )

    def last_words(self) -> str:
        """Return what the bot printed last, for its author: the author's own part of a crash, otherwise the last
        lines."""
        return last_words(self.tail(TRACEBACK_LINES))

    def printed(self) -> bytes:
        """Return the bot's output as far as it is kept; nothing if the bot, which runs as our own user, removed it."""
        with contextlib.suppress(OSError):
            return self.log.read_bytes()
        return b""

    def cpu_seconds(self) -> float | None:
        """Return the processor time used so far by the bot with all its processes; None if that is not known.

        Counted from its keeper on, to which processes fall that left the bot.
        """
        if self.ended.done():
            return None
        return self.group.cpu_seconds() if self.group else read_cpu_seconds(self._keeper.pid)

    def waited_seconds(self) -> float | None:
        """Return how long the bot was ready to run so far but had no core; None if that is not known.

        The kernel counts for each thread, and where there is a cgroup also for all together: then many threads that
        wait a little do not add up.
        """
        if self.ended.done():
            return None
        waited = self._run_delay.read(self._keeper.pid)
        together = self.group.waited_seconds() if self.group else None
        return min(waited, together) if waited is not None and together is not None else waited

    def limit_cpu(self) -> None:
        """Limit its processor time from now on, where a cgroup can: at its start a runtime may need more."""
        if self.group is not None and self.resources is not None:
            with contextlib.suppress(OSError):  # it has just ended
                self.group.limit_cpu(self.resources.cpu_cores)

    def end_for_crossing(self, limit: str, used: float, allowed: float) -> None:
        """Kill it, because it crossed a limit that its keeper does not watch."""
        if not self.ended.done() and self._verdict is None:
            self._verdict = BotExit(kind=ExitKind.RESOURCE, detail=describe_crossing(limit, used, allowed))
            self.request_stop(0)

    def running_threads(self) -> int:
        """Count the threads of the bot that run now, or wait for a core."""
        return 0 if self.ended.done() else count_running_threads(self._keeper.pid)

    async def look(self) -> None:
        """Have the keeper check now whether the bot has crossed a limit. Returns once it has checked: then `ended`
        tells."""
        self._looked = self._loop.create_future()
        self.send_order(look=True)
        answers: list[asyncio.Future[Any]] = [self._looked, self.ended, self.gone]
        await asyncio.wait(answers, timeout=ANSWER_SECONDS, return_when=asyncio.FIRST_COMPLETED)

    async def stop(self, grace_seconds: float) -> BotExit:
        """Give the bot that long to exit by itself, then kill it. Returns when nothing of it is left."""
        self.request_stop(grace_seconds)
        await asyncio.wait([self.gone], timeout=grace_seconds + ANSWER_SECONDS)
        if not self.gone.done():
            self.kill_keeper()
            await asyncio.wait([self.gone], timeout=ANSWER_SECONDS)
        return self._exit or BotExit(kind=ExitKind.KEEPER_LOST, detail="has a keeper that cannot be killed")

    def send_order(self, **content: Any) -> None:
        """Send one line to the keeper, which reads all the time: this does not block."""
        with contextlib.suppress(OSError, ValueError):  # it is dead, or its pipes are closed already
            self._orders.write(json.dumps(content).encode() + b"\n")

    def request_stop(self, grace_seconds: float) -> None:
        """Begin what stop() waits for. Of several requests the earliest deadline counts."""
        self.send_order(stop=max(0.0, grace_seconds))

    def kill_keeper(self) -> None:
        """End a keeper that does not answer: a bot may have stopped it. The bot dies with it."""
        self.has_strays = True
        self._keeper.kill()
        self._keeper_ended()

    def _read(self) -> None:
        try:
            chunk = os.read(self._reports.fileno(), REPORT_BYTES)
        except BlockingIOError:
            return
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        try:
            for line in lines:
                self._take_report(json.loads(line))
        except ValueError:  # not from our keeper: a bot run by root can write into its pipe
            self.kill_keeper()
            return
        if len(self._unread) > REPORT_BYTES:
            self.kill_keeper()
        elif not chunk:
            self._keeper_ended()

    def _take_report(self, report: object) -> None:
        match report:
            case {"report": "started", "pid": int(pid)}:
                self.pid = pid
                self._answer(0)
            case {"report": "failed", "errno": int(number)}:
                self._answer(number)
                self._end(ExitKind.EXITED, "could not be started")
            case {"report": "looked"}:
                if not self._looked.done():
                    self._looked.set_result(None)
            case {"report": "exited", "code": int(code)}:
                self._end_by(0, ExitKind.EXITED, f"exited with code {code}", failed=code != 0)
            case {"report": "exited", "signal": int(number)}:
                self._end_by(number, ExitKind.SIGNALLED, f"killed by {name_signal(number)}")
            case {"report": "refused"}:
                self._end(ExitKind.EXITED, "could not be started in the jail: its log says why")
            case {"report": "crossing" | "resource", "limit": str(limit), "used": int(used), "allowed": int(allowed)}:
                # At a crossing now, and not when all its processes are dead: its question may run out of time before.
                self._end(ExitKind.RESOURCE, describe_crossing(limit, used, allowed))
            case {"report": "stopped"}:
                self._end(ExitKind.STOPPED, "had to be killed: it did not exit when its time was over")
            case {"report": "gone", "left": int(left)}:
                self.has_strays |= left > 0

    def _end_by(self, number: int, kind: ExitKind, detail: str, *, failed: bool = True) -> None:
        """Note that the bot ended by itself, by this signal (0: by none). Where it has limits, one of them may be
        the reason."""
        if self.resources is None:
            self._end(kind, detail)
        elif number == signal.SIGXFSZ:
            self._end(ExitKind.RESOURCE, describe_large_file(self.resources))
        else:
            self._end(kind, detail + (self.limit_hint() if failed else ""))

    def limit_hint(self) -> str:
        """Return the limit that a failure may come from by what the bot printed last, or that it has no network;
        empty if nothing points to either."""
        if self._is_offline and (hint := network_in_question(self.tail())):
            return hint
        return "" if self.resources is None else limit_in_question(self.tail(), self.resources)

    def _answer(self, number: int) -> None:
        if not self.answered.done():
            self.answered.set_result(number)

    def _end(self, kind: ExitKind, detail: str) -> None:
        if self._exit is None:
            self._exit = self._verdict or BotExit(kind=kind, detail=detail)
            if not self.ended.done():
                self.ended.set_result(self._exit)

    def _keeper_ended(self) -> None:
        """Note that the keeper will report nothing more: it has ended, or is about to."""
        if self.gone.done():
            return
        self._loop.remove_reader(self._reports.fileno())
        if self._keeper.poll() is None:
            self._loop.call_later(0.005, self._keeper_ended)
            return
        if self._exit is None:
            self.has_strays = True
            self._end(ExitKind.KEEPER_LOST, f"lost its keeper ({name_exit(self._keeper.returncode)}) and was killed")
        self._answer(errno.ECHILD)
        self._orders.close()
        self._reports.close()
        self.gone.set_result(None)


def read_cpu_seconds(keeper: int) -> float | None:
    """Return the processor time of all processes that are or were below a keeper; None if that is not known."""
    try:
        ticks = sum(_read_ticks(keeper)[2:])  # those that it waited for, without its own
        for pid in find_below(keeper):
            with contextlib.suppress(OSError):  # it has just ended
                ticks += sum(_read_ticks(pid))
    except OSError:
        return None
    return ticks / os.sysconf("SC_CLK_TCK")


def _read_ticks(pid: int) -> list[int]:
    """Return user and system time of a process, then of the children that it waited for."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        return [*map(int, file.read().rpartition(b")")[2].split()[11:15])]


def name_signal(number: int) -> str:
    """Return the name of a signal: SIGSEGV for 11. Real-time signals have no names."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def name_exit(code: int) -> str:
    """Describe a return code of Popen."""
    return f"killed by {name_signal(-code)}" if code < 0 else f"exited with code {code}"


INHERITED = ("LANG", "LC_ALL", "TZ")
"""Variables of our own environment that a bot may see, besides PATH."""
PASSED_ON = "BOT_"
"""Beginning of the names of further variables, seen only by bots that are not confined."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BotCommand:
    """The command line, environment and folder with which a bot's process is started."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    """The folder it runs in: a scratch folder of its own, which is also its HOME and TMPDIR."""


def make_bot_command(argv: Sequence[str], scratch: Path, variables: Mapping[str, str]) -> BotCommand:
    """Make the command of a bot that gets these variables, such as TORTUGA_ADDRESS and TORTUGA_TOKEN, and little
    else."""
    home = {"HOME": str(scratch), "TMPDIR": str(scratch)}
    return BotCommand(argv=tuple(argv), environment={**base_environment(), **home, **variables}, folder=scratch)


def variables_for_bots() -> dict[str, str]:
    """Return our own variables whose names begin with BOT_, such as the key of a bot that asks a language model. Only
    for bots that could read them anyway: on their author's machine, and without confinement."""
    return {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}


def base_environment() -> dict[str, str]:
    """Return the part of our environment that a bot may see. Our own interpreter comes first: it is the one that knows
    the SDK.

    The other packages of ours that it knows are not for bots: BOT_SITE sees to that.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    python = {"PYTHONPATH": str(BOT_SITE), "TORTUGA_SERVER_PREFIX": sys.prefix}
    return {"PATH": path} | python | {name: os.environ[name] for name in INHERITED if name in os.environ}
