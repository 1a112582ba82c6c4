"""Confines one bot's process: the one place that turns a level into instructions for the keeper.

What a level needs is gathered here, in the server, which knows where runtimes live and can load libraries;
enclosure.py carries it out in the bot's own process.
"""

from __future__ import annotations

import base64
import os
import shlex
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.errors import ConfigError
from server.jail.bubblewrap import DOOR, SCRATCH, find_tool, jail_arguments
from server.jail.cgroup import find_place
from server.jail.dialler import NO_DIALLING, can_dial
from server.jail.filter import ITSELF, Fence, call_number, compile_filter
from server.jail.landlock import abi, fence_rules
from server.jail.level import JailLevel
from server.jail.limits import ResourceLimits
from server.jail.runtime import is_below, needed_paths, visible_paths, visible_search
from server.jail.workplace import Workplace

CHANGE_USER = (
    *("--reuid", "{user}", "--regid", "{user}", "--clear-groups", "--no-new-privs"),
    *("--bounding-set", "-all", "--inh-caps", "-all", "--ambient-caps", "-all", "--"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Confinement:
    """The level and the limits under which the bots of a host run."""

    level: JailLevel = JailLevel.NONE
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    hidden: tuple[Path, ...] = ()
    """Folders that no bot may see, even if one of them lies inside a folder that it may: an event's, an arena's."""

    @property
    def is_jail(self) -> bool:
        """Check that bots have a file system of their own."""
        return self.level.holds(JailLevel.JAIL)

    def refuse_exposure(self, visible: Collection[Path]) -> None:
        """Refuse folders for bots in a fence that hold a hidden one: Landlock opens whole folders."""
        for path in self.hidden if self.level is JailLevel.FENCE else ():
            if is_below(path, visible):
                raise ConfigError(
                    f"in a fence a bot would see {path}, because it is in a folder that the bot needs: move it, or "
                    "use --jail jail"
                )

    def order(
        self,
        argv: tuple[str, ...],
        *,
        sees: tuple[Path, ...],
        door: Path | None,
        scratch: Path | None = None,
        search: str = os.defpath,
        workplace: Workplace | None = None,
    ) -> dict[str, Any]:
        """Return the instructions for the keeper between fork and exec, fit for JSON.

        `sees`: what the bot may read, its own folder first; `door`: the socket it dials; `scratch`: the folder it
        may write to; `search`: PATH; `workplace`: a folder that is to be built, which needs a jail.
        """
        if self.level is JailLevel.NONE:
            return {"level": "none"}
        # A stranger wrote what a build is told: the files that it names do not become visible by that.
        visible = visible_paths(argv[:1] if workplace else argv, sees, search)
        as_root = os.getuid() == 0
        order: dict[str, Any] = {"level": str(self.level), "own_user": as_root}
        if self.is_jail:
            program = needed_paths(argv[:1], (), search)
            # Only the folder that is shown counts: in the jail, all can enter those above it.
            runtime = [shown for shown in visible if any(path.is_relative_to(shown) for path in program)]
            for path in (*runtime, *sees):  # sample bots may be inside the former
                if as_root and not is_readable_to_all(path):
                    raise ConfigError(
                        f"{path} can be read only by its owner, but in the jail the bot runs as a user of its own: "
                        f"chmod -R o+rX {shlex.quote(str(path))}"
                    )
            order |= self._jail(visible, door, search, workplace)
        else:
            order["own_user"] &= all(map(is_open_to_all, needed_paths(argv, sees, search)))
            if scratch is not None:  # its own folders are opened by the launcher, those above them may not be
                order["own_user"] &= is_reachable_to_all(scratch.parents[1])
            if self.level is JailLevel.FENCE:
                order |= self._fence(visible, door, scratch, search, own_user=order["own_user"])
            elif as_root and not order["own_user"]:
                raise ConfigError(
                    f"the bot's folder, its program `{argv[0]}` or our temporary folder is where only root can look, "
                    "so the bot cannot run as a user of its own: move it to a folder that all can read, such as /opt, "
                    "or use --jail jail"
                )
        return order | limit_order(self.level, self.limits, own_user=order["own_user"])

    def _fence(
        self, visible: list[Path], door: Path | None, scratch: Path | None, search: str, *, own_user: bool
    ) -> dict[str, Any]:
        self.refuse_exposure(visible)
        version = abi()
        # A user of its own is kept from other users' sockets by their permissions.
        asks = version < 9 and not (own_user and not can_dial())
        if asks and not can_dial():
            raise ConfigError(NO_DIALLING)
        fence = Fence(ask_keeper_to_connect=asks, signal_only_itself=version < 6)
        return {
            "landlock": fence_rules(visible, writable=[scratch] if scratch else [], door=door, version=version),
            "filter": base64.b64encode(compile_filter(fence=fence)).decode(),
            "seccomp": call_number("seccomp"),
            "itself": ITSELF,
            "ask_keeper_to_connect": fence.ask_keeper_to_connect,
            "door": str(door or ""),
            "environment": {"PATH": visible_search(search, visible)},
        }

    def _jail(self, visible: list[Path], door: Path | None, search: str, workplace: Workplace | None) -> dict[str, Any]:
        as_root, counted = os.getuid() == 0, self.level is JailLevel.JAIL_CGROUP
        arguments = jail_arguments(
            visible, hidden=self.hidden, door=door, limits=self.limits, as_root=as_root, workplace=workplace
        )
        environment = {"HOME": str(SCRATCH), "TMPDIR": "/tmp", "PATH": visible_search(search, visible)}
        if door is not None:
            environment["TORTUGA_ADDRESS"] = f"unix:{DOOR}"
        return {
            "bubblewrap": find_tool("bwrap"),
            "arguments": arguments,
            "inner": [find_tool("setpriv"), *CHANGE_USER] if as_root else limit_tasks_inside(self.level, self.limits),
            "filter": base64.b64encode(compile_filter(shared_memory=counted, build=workplace is not None)).decode(),
            "environment": environment,
        }


def is_open_to_all(path: Path) -> bool:
    """Check that any user may reach a path and read it."""
    try:
        return is_reachable_to_all(path) and is_readable_to_all(path)
    except OSError:
        return False


def is_reachable_to_all(path: Path) -> bool:
    """Check that any user may enter all folders above a path."""
    return all(folder.stat().st_mode & 0o001 for folder in path.resolve().parents)


def is_readable_to_all(path: Path) -> bool:
    """Check that any user who reaches a path may read it, and enter it if it is a folder."""
    wanted = 0o005 if path.is_dir() else 0o004
    return path.stat().st_mode & wanted == wanted


SHARED_USER_TASKS = 4096
"""Limit where bots run as our own user: the kernel counts the tasks of all of them and of ours together."""
HARD_TASKS_FACTOR = 4
"""The kernel refuses a bot new tasks only at this multiple of its limit, so the keeper's next check finds it above
the limit. With less room, a bot that was refused a thread fell below its limit again before the keeper looked."""


def limit_order(level: JailLevel, limits: ResourceLimits, *, own_user: bool) -> dict[str, Any]:
    """Return the part of a keeper's order that is about limits, fit for JSON. `own_user`: nobody else runs as its
    user."""
    if level is JailLevel.NONE:
        return {}
    rlimits = {"CORE": 0, "NOFILE": limits.open_files, "FSIZE": limits.file_bytes}
    if level is JailLevel.JAIL_CGROUP:
        place = find_place()
        if isinstance(place, str):
            raise ConfigError(f"bots cannot be confined at the level {level} here: {place}")
        return {"rlimits": rlimits, "group": place.order(limits)}
    rlimits["DATA"] = limits.memory_bytes
    if own_user:
        rlimits["NPROC"] = limits.tasks * HARD_TASKS_FACTOR
    elif not level.holds(JailLevel.JAIL):  # there it is set inside, where the kernel counts each jail by itself
        rlimits["NPROC"] = SHARED_USER_TASKS
    counted = {name: getattr(limits, name) for name in ("memory_bytes", "tasks", "scratch_bytes")}
    return {"rlimits": rlimits, "counted": counted}


def limit_tasks_inside(level: JailLevel, limits: ResourceLimits) -> list[str]:
    """Return the start of a command line that limits a command's tasks from inside a jail with a user namespace of
    its own: there the kernel counts them apart from those of the same user outside."""
    if level is JailLevel.JAIL_CGROUP:
        return []
    return [find_tool("prlimit"), f"--nproc={limits.tasks * HARD_TASKS_FACTOR}", "--"]
