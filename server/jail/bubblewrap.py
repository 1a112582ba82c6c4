"""The bubblewrap arguments for one bot, which define what the jail looks like from inside.

As root the mounts are made by root, because a runtime may lie in a folder that only root may enter, and the bot gets
a user of its own afterwards, inside: bubblewrap run by root without a change of user is no jail (T1). Any other user
gets a user namespace, without the right to make further ones.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from server.jail.limits import ResourceLimits
from server.jail.workplace import BUILT, SOURCE, Workplace

SCRATCH = Path("/scratch")
DOOR = Path("/run/tortuga/door")
"""Folder in which a jailed bot finds its scratch folder and the socket that it dials."""

NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup-try")
DEVICES = ("null", "full", "random", "urandom")
"""Not /dev/zero: shared mappings of it are memory that no rlimit counts."""
MACHINE_NAMES = (Path("/proc/sys/kernel/random/boot_id"),)
"""Files that tell one machine from another and belong to no namespace. A device bound over one cannot be opened."""
COVER_BYTES = 4096
DEVICE_BYTES = 65536


@cache
def find_tool(name: str) -> str:
    """Return the path of a program of the system; empty if it is not installed."""
    return shutil.which(name, path="/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin") or ""


def jail_arguments(
    visible: Iterable[Path],
    *,
    hidden: Iterable[Path],
    door: Path | None,
    limits: ResourceLimits,
    as_root: bool,
    workplace: Workplace | None = None,
) -> list[str]:
    """Return the arguments of bubblewrap, which reads them from a descriptor, so nobody reads them from a command
    line."""
    arguments = [*NAMESPACES, "--hostname", "jail", "--die-with-parent", "--new-session"]
    if as_root:
        arguments += ["--cap-drop", "ALL"]
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):  # for setpriv, which then drops them
            arguments += ["--cap-add", capability]
    else:
        arguments += ["--unshare-user", "--disable-userns"]
    if workplace is not None:  # a file that its command names is there as a copy, like all of its folder
        visible = [path for path in visible if not path.is_relative_to(workplace.folder)]
    mounts: list[tuple[Path, tuple[str, ...]]] = [(path, ("--ro-bind", str(path), str(path))) for path in visible]
    covers = [path for path in hidden if path.is_dir() and any(path.is_relative_to(source) for source, _ in mounts)]
    mounts += [(path, _tmpfs(path, COVER_BYTES, "0555")) for path in covers]
    for path, size in ((SCRATCH, limits.scratch_bytes), (Path("/tmp"), limits.scratch_bytes)):
        mounts.append((path, _tmpfs(path, size, "1777")))
    mounts.append((Path("/dev"), _tmpfs(Path("/dev"), DEVICE_BYTES, "0755")))
    mounts.append((Path("/dev/shm"), _tmpfs(Path("/dev/shm"), limits.scratch_bytes, "1777")))
    mounts += [(Path("/dev") / name, ("--dev-bind", f"/dev/{name}", f"/dev/{name}")) for name in DEVICES]
    mounts.append((Path("/proc"), ("--proc", "/proc")))
    mounts += [(path, ("--ro-bind", "/dev/null", str(path))) for path in MACHINE_NAMES]
    if door is not None:
        mounts.append((DOOR, ("--ro-bind", str(door), str(DOOR))))
    if workplace is not None:
        mounts.append((SOURCE, ("--ro-bind", str(workplace.folder), str(SOURCE))))
        mounts.append((workplace.folder, _tmpfs(workplace.folder, limits.scratch_bytes, "1777")))
        mounts.append((BUILT, ("--bind", str(workplace.archive), str(BUILT))))
    # An outer mount comes first, for it would cover the inner one.
    mounts.sort(key=lambda mount: len(mount[0].parts))
    seen: set[Path] = set()
    for path, mount in mounts:
        for parent in reversed(path.parents):
            if parent not in seen:
                # bubblewrap itself would make the parents of a file, and of a private folder, private: to root.
                arguments += ["--perms", "0755", "--dir", str(parent)]
                seen.add(parent)
        arguments += _symlink_or(path, mount)
        seen.add(path)
    for name, target in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        arguments += ["--symlink", target, f"/dev/{name}"]
    for path in [*covers, Path("/dev"), Path("/")]:
        arguments += ["--remount-ro", str(path)]
    return [*arguments, "--chdir", str(SCRATCH)]


def _tmpfs(path: Path, size: int, mode: str) -> tuple[str, ...]:
    return ("--size", str(size), "--perms", mode, "--tmpfs", str(path))


def _symlink_or(path: Path, mount: tuple[str, ...]) -> tuple[str, ...]:
    """Return the arguments of a mount, but a link if it is one of the system, such as /bin, or of a runtime."""
    if mount[0] == "--ro-bind" and mount[1] == mount[2] and path.is_symlink():
        return ("--symlink", os.readlink(path), str(path))
    return mount
