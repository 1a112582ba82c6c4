"""Starts and ends bot processes; no other module does.

Each bot is started by a keeper, a process of its own that ends with the bot and everything the bot started:
keeper.py tells why and how. This is the referee's side: how a bot is started, what is heard of it, how it is stopped.
What it is given is decided in bot_process.py, what its exit costs it in the match.

Without a sandbox a bot runs as the referee's own user. It may then kill its keeper, or stop it, and the launcher deals
with both; against a bot that kills the referee nothing here helps.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self

from referee.errors import ConfigError, MatchVoid
from server.hosting import keeper
from server.hosting.bot_process import (
    BotExit,
    BotProcess,
    ExitKind,
    OutputLimits,
    base_environment,
    make_bot_command,
    variables_for_bots,
)
from server.jail.confinement import Confinement
from server.jail.group import Cgroup
from server.jail.level import JailLevel
from server.jail.limits import ResourceLimits
from server.jail.workplace import Workplace

__all__ = ["BotExit", "BotProcess", "ExitKind", "Launcher", "OutputLimits"]

START_SECONDS = 30.0
CLEAR_ROUNDS = 1000
# Errors of an exhausted host, for which no bot is to blame.
HOST_ERRORS = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EIO}

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}")

# The keepers of all launchers of this process, and its core watch: they are not strays.
KEEPERS: set[int] = set()


class Launcher:
    """Starts bots and, when closed, leaves no process behind.

    The folder is private to this run: it holds scratch/<name>/ and logs/<name>.log of each bot, and whatever else the
    caller puts there, such as sockets. If this process vanishes, the keepers remove the folder with all its content.
    """

    def __init__(
        self, folder: Path, limits: OutputLimits | None = None, confinement: Confinement | None = None
    ) -> None:
        self._folder = folder.absolute()
        self._confinement = confinement or Confinement()
        self._limits = limits or OutputLimits()
        self._bots: set[BotProcess] = set()
        self._clearing: asyncio.Task[None] | None = None
        self._groups: list[Cgroup] = []
        """Left by keepers that were lost."""
        self._closed = False
        self._folder.mkdir(mode=0o700, exist_ok=True)
        status = self._folder.stat()
        if status.st_uid != os.getuid() or status.st_mode & 0o066:
            raise ValueError(f"{folder} is not private to us, so we may not remove it")
        for name in ("scratch", "logs"):
            (self._folder / name).mkdir(mode=0o700, exist_ok=True)
        self._logs = self._folder / "logs"
        if self._confinement.level is JailLevel.FENCE:  # a bot that knew the path would see how much another one prints
            self._logs /= os.urandom(8).hex()
            self._logs.mkdir(mode=0o700)
        # Orphans of a lost keeper become our children instead of init's. Children we had before are not our business.
        keeper.prctl(keeper.PR_SET_CHILD_SUBREAPER, 1)
        self._other_children = foreign_children(keeper.read_processes())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close(grace_seconds=0)

    async def start(
        self,
        name: str,
        argv: Sequence[str],
        environment: Mapping[str, str],
        *,
        sees: Sequence[Path] = (),
        door: Path | None = None,
        resources: ResourceLimits | None = None,
        workplace: Workplace | None = None,
    ) -> BotProcess:
        """Start a bot in a fresh scratch folder, with this environment and little else.

        The name is used once in a run. An argument that names a file has to be absolute. `sees` and `door` are what a
        confined bot may read and dial, `resources` what it may use. With a `workplace` it is no bot but its build.
        """
        if self._closed:
            raise RuntimeError("the launcher is closed")
        if not NAME.fullmatch(name):
            raise ConfigError(f"bot {name!r}: a name is 1 to 64 letters, digits, dots, dashes and underscores")
        if not argv:
            raise ConfigError(f"bot {name}: the command is empty")
        log = self._logs / f"{name}.log"
        # Landlock does not govern stat (T8): in a fence nobody else may guess where a bot's files are, or are not.
        fenced = self._confinement.level is JailLevel.FENCE
        scratch = self._folder / "scratch" / (f"{name}.{os.urandom(8).hex()}" if fenced else name)
        if self._confinement.level is JailLevel.NONE:
            environment = variables_for_bots() | dict(environment)
        command = make_bot_command(argv, scratch, environment)
        confined = replace(self._confinement, limits=resources or self._confinement.limits)
        try:
            log.touch(mode=0o600, exist_ok=False)
            scratch.mkdir(mode=0o700)
            confinement = confined.order(
                command.argv,
                sees=tuple(sees),
                door=door,
                scratch=scratch,
                search=command.environment["PATH"],
                workplace=workplace,
            )
            if confinement.get("own_user"):
                self._open_to_other_users(door)
            process = start_keeper(base_environment())
        except FileExistsError:
            raise  # our bug: the name was used before
        except OSError as error:
            raise MatchVoid(f"bot {name}: no keeper could be started: {error}") from error
        has_limits = confined.level is not JailLevel.NONE
        bot = BotProcess(
            name,
            log,
            process,
            resources=confined.limits if has_limits else None,
            group=make_group(confinement, process.pid),
            is_offline=workplace is None and confined.level.holds(JailLevel.FENCE),
        )
        self._bots.add(bot)
        KEEPERS.add(process.pid)
        bot.gone.add_done_callback(lambda _: self._forget(bot, process.pid))
        bot.send_order(
            argv=list(command.argv),
            env=dict(command.environment),
            cwd=str(command.folder),
            log=str(log),
            sweep=[str(self._folder)],
            confinement=confinement,
            **asdict(self._limits),
        )
        try:
            await asyncio.wait([bot.answered], timeout=START_SECONDS)
        except asyncio.CancelledError:
            bot.request_stop(0)
            raise
        if not bot.answered.done():
            bot.kill_keeper()
            raise MatchVoid(f"bot {name}: its keeper did not start it within {START_SECONDS:.0f} s")
        if bot.pid:
            return bot
        await bot.stop(0)
        raise refusal(name, argv, bot.answered.result(), self._confinement.level)

    def _open_to_other_users(self, door: Path | None) -> None:
        """Let bots that run as users of their own find their folder and the door. Nobody can list what is there."""
        for folder in (self._folder, self._folder / "scratch"):
            folder.chmod(0o711)
        if door is not None:
            door.chmod(0o666)

    async def close(self, grace_seconds: float) -> None:
        """Stop all bots, at the same time. Afterwards no process of theirs is left."""
        self._closed = True
        await asyncio.gather(*(bot.stop(grace_seconds) for bot in self._bots))
        if self._clearing is not None:
            await asyncio.wait([self._clearing])

    def _forget(self, bot: BotProcess, keeper_pid: int) -> None:
        KEEPERS.discard(keeper_pid)
        self._bots.discard(bot)
        if bot.has_strays:
            if bot.group is not None:
                self._groups.append(bot.group)  # its keeper was to remove it
            if self._clearing is None or self._clearing.done():
                self._clearing = asyncio.create_task(self._clear_strays())

    async def _clear_strays(self) -> None:
        """Kill what a lost keeper left to us, a little at a time: a match may be going on."""
        for _ in range(CLEAR_ROUNDS):
            self._groups = [group for group in self._groups if not group.remove(seconds=0)]
            if not self._kill_strays() and not self._groups:
                break
            await asyncio.sleep(0.01)

    def _kill_strays(self) -> bool:
        """Kill and reap our strays. True if there were any."""

        def find() -> set[int]:
            table = keeper.read_processes()
            return keeper.groups_of(foreign_children(table) - self._other_children, table)

        # Not in a thread: it would take a keeper for a stray that was started but is not yet in KEEPERS.
        strays = foreign_children(keeper.read_processes()) - self._other_children
        keeper.kill_groups(find, rounds=2)
        for pid in strays:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        return bool(strays)


def start_keeper(environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a keeper in its own session, out of reach of Ctrl-C.

    These arguments keep Popen on its vfork path, which runs nothing of ours in the child: no preexec_fn, no change of
    user. The loop's own subprocess_exec is out: uvloop forks there.
    """
    return subprocess.Popen(
        [sys.executable, "-I", "-S", keeper.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        close_fds=True,
        cwd="/",
        env=environment,
        start_new_session=True,
    )


def make_group(confinement: Mapping[str, Any], keeper_pid: int) -> Cgroup | None:
    """Return the cgroup that a keeper with this order makes; None if it makes none."""
    group = confinement.get("group")
    return Cgroup(group["folders"], keeper_pid, unified=group["unified"]) if group else None


def foreign_children(table: Mapping[int, tuple[int, int, int]]) -> set[int]:
    """Our children in other sessions than ours, without the keepers.

    A process can leave a session but never enter one, so no bot's process is ever in ours: what is there was started
    by somebody else.
    """
    me, session = os.getpid(), os.getsid(0)
    return {pid for pid, (parent, _, its) in table.items() if parent == me and its != session} - KEEPERS


def refusal(name: str, argv: Sequence[str], number: int, level: JailLevel = JailLevel.NONE) -> ConfigError | MatchVoid:
    """Return the error of a bot that could not be started: ConfigError if its author can mend it, MatchVoid if the
    host is to blame."""
    if number == errno.ECHILD:
        return MatchVoid(f"bot {name}: its keeper died before the bot was started")
    if number in HOST_ERRORS:
        return MatchVoid(f"bot {name}: the host could not start it: {os.strerror(number)}")
    reasons = {
        errno.ENOENT: "the program, or the interpreter in its first line, was not found",
        errno.EACCES: "the program is not executable",
        errno.ENOEXEC: "the program is neither a binary for this machine nor a script with an interpreter",
    }
    reason = reasons.get(number) or os.strerror(number)
    if level is not JailLevel.NONE:
        reason += f" (at the level {level}, where a bot sees its own folder, /usr and its runtime)"
    return ConfigError(f"bot {name}: cannot start `{shlex.join(argv)}`: {reason}")
