"""Finds a place where we may create cgroups for bots, and says what to do if there is none.

Two layouts exist. Under cgroup v1 each controller has a tree of its own. Under v2 there is one tree, in which a group
that hands controllers to its children may hold no processes itself, unless it is the root: our own process then moves
into a group beside those of its bots. systemd gives an ordinary user such a place with `Delegate=yes`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from server.jail.group import PREFIX, Cgroup
from server.jail.limits import ResourceLimits

V1_CONTROLLERS = ("memory", "pids", "cpu", "cpuacct")
V2_CONTROLLERS = ("memory", "pids", "cpu")
MAIN = "tortuga-main"
"""The group that our own processes move into under cgroup v2."""
SETTLED_SECONDS = 60.0
"""A group younger than this may be one that is just being made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CgroupPlace:
    """A place where cgroups can be made: a folder for each controller, all the same under cgroup v2."""

    folders: dict[str, str]
    unified: bool

    def group(self, keeper: int) -> Cgroup:
        """Return the cgroup of the bot of a keeper."""
        return Cgroup(self.folders, keeper, unified=self.unified)

    def order(self, limits: ResourceLimits) -> dict[str, Any]:
        """Return the facts that a keeper needs to make a cgroup here, fit for JSON."""
        return {
            "folders": self.folders,
            "unified": self.unified,
            "memory_bytes": limits.memory_bytes,
            "tasks": limits.tasks,
            "scratch_bytes": limits.scratch_bytes,
        }


class NoPlace(Exception):
    """There is no place for groups; says why and what to do."""


@cache
def find_place() -> CgroupPlace | str:
    """Find our place on this machine, tried out and swept; otherwise say why there is none."""
    try:
        place = prepare_place()
        trial = place.group(os.getpid())
        trial.make(ResourceLimits().memory_bytes, ResourceLimits().tasks)
        trial.limit_cpu(1.0)
        trial.remove()
    except (NoPlace, OSError) as error:
        return str(error)
    sweep(place)
    return place


def prepare_place(root: Path = Path("/")) -> CgroupPlace:
    """Find the place, and under cgroup v2 hand its controllers to the groups in it. Everything is read below `root`."""
    mounts = list(read_mounts(root))
    own = read_own_groups(root)
    reasons = []
    for mount in mounts:
        if mount.unified and "" in own:
            try:
                return _prepare_v2(mount.folder(own[""], root), is_top=mount.is_top(own[""]))
            except NoPlace as error:
                reasons.append(str(error))
    try:
        return _find_v1(mounts, own, root)
    except NoPlace as error:
        reasons.append(str(error))
    raise NoPlace("; ".join(reasons))


@dataclass(frozen=True, kw_only=True, slots=True)
class Mount:
    """One tree of cgroups, as it is mounted here."""

    root: str
    """The group that lies at the mount point: not always the topmost one, in a container."""
    point: str
    unified: bool
    controllers: frozenset[str]

    def folder(self, group: str, root: Path) -> Path:
        """Return the folder of one of its groups.

        In a container the names may be those of the host: then we are at its top.
        """
        inside = (
            group.removeprefix(self.root.rstrip("/")) if f"{group}/".startswith(f"{self.root.rstrip('/')}/") else ""
        )
        return root / self.point.lstrip("/") / inside.lstrip("/")

    def is_top(self, group: str) -> bool:
        """Check that a group is the topmost one of all."""
        return self.root == "/" and group == "/"


def read_mounts(root: Path) -> Iterator[Mount]:
    """Yield the trees of cgroups that are mounted here, from /proc/self/mountinfo."""
    for line in (root / "proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            _, _, _, top, point, *_ = before.split(" ")
            names = frozenset(options.split(","))
            yield Mount(root=top, point=point, unified=kind == "cgroup2", controllers=names & {*V1_CONTROLLERS})


def read_own_groups(root: Path) -> dict[str, str]:
    """Return our own group by controller, from /proc/self/cgroup; that of cgroup v2 under the empty name."""
    own: dict[str, str] = {}
    for line in (root / "proc/self/cgroup").read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        own |= dict.fromkeys(controllers.split(","), group)
    return own


def _find_v1(mounts: list[Mount], own: dict[str, str], root: Path) -> CgroupPlace:
    folders = {
        name: str(mount.folder(own[name], root))
        for mount in mounts
        for name in mount.controllers
        if not mount.unified and name in own
    }
    if missing := [name for name in V1_CONTROLLERS if name not in folders]:
        raise NoPlace(f"cgroup v1 has no {', '.join(missing)} controller here")
    if closed := [folder for folder in folders.values() if not os.access(folder, os.W_OK)]:
        raise NoPlace(f"we may not make groups in {closed[0]} (cgroup v1 needs root)")
    return CgroupPlace(folders=folders, unified=False)


def _prepare_v2(own: Path, *, is_top: bool) -> CgroupPlace:
    place = own.parent if own.name == MAIN else own
    available = _words(place / "cgroup.controllers")
    if missing := [name for name in V2_CONTROLLERS if name not in available]:
        raise NoPlace(f"cgroup v2 has no {', '.join(missing)} controller in {place}{DELEGATE}")
    if not all(os.access(path, os.W_OK) for path in (place, place / "cgroup.procs", place / "cgroup.subtree_control")):
        raise NoPlace(f"we may not make groups in {place}{DELEGATE}")
    handed = _words(place / "cgroup.subtree_control")
    if absent := [name for name in V2_CONTROLLERS if name not in handed]:
        if own == place and not is_top:
            _move_into_main(place)
        (place / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in absent))
    return CgroupPlace(folders=dict.fromkeys(V2_CONTROLLERS, str(place)), unified=True)


DELEGATE = (
    "; start the command with `systemd-run --user --scope -p Delegate=yes -- tortuga …` (as root without --user), or "
    "as a service with Delegate=yes"
)


def _move_into_main(place: Path) -> None:
    """Move our process out of a group that is to hold the bots' groups."""
    others = [int(word) for word in _words(place / "cgroup.procs") if int(word) != os.getpid()]
    if others:
        raise NoPlace(f"other processes are in our group {place}, such as process {others[0]}{DELEGATE}")
    main = place / MAIN
    main.mkdir(exist_ok=True)
    (main / "cgroup.procs").write_text(str(os.getpid()))


def _words(path: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return path.read_text().split()
    return []


def sweep(place: CgroupPlace, settled_seconds: float = SETTLED_SECONDS) -> None:
    """Remove the groups of dead keepers, with what is in them: after a SIGKILL of everything nobody else would."""
    for folder in dict.fromkeys(place.folders.values()):
        for path in Path(folder).glob(f"{PREFIX}*"):
            keeper = path.name.removeprefix(PREFIX)
            with contextlib.suppress(OSError):
                is_settled = time.time() - path.stat().st_mtime >= settled_seconds
                if keeper.isdigit() and is_settled and not is_keeper(int(keeper)):
                    group = place.group(int(keeper))
                    if 0 not in group.members():  # it may be a live one in another pid namespace
                        group.remove(seconds=1.0)


def is_keeper(pid: int) -> bool:
    """Check that this process lives and is a keeper."""
    with contextlib.suppress(OSError):
        return b"keeper.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False
