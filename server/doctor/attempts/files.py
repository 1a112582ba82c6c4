"""Attempts 1 to 3, 6 and 7: files that are none of the bot's business."""

from __future__ import annotations

import contextlib
import os
import socket
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

from .tries import Absent, Action, AttemptRefused, Left, Targets, Tries, call


def read(path: str | Path) -> str:
    """Read at least one byte of a file."""
    with open(path, "rb") as file:
        if not file.read(1):
            raise Absent("it is empty")
    return f"read {path}"


def list_folder(path: str | Path) -> str:
    """See at least one name in a folder."""
    names = os.listdir(path)
    if not names:
        raise AttemptRefused("the folder is empty")
    return f"saw {len(names)} names in {path}"


def open_for_writing(path: str | Path) -> str:
    """Open a file for writing; write nothing."""
    os.close(os.open(path, os.O_WRONLY))
    return f"opened {path} for writing"


def leave(path: str | Path, targets: Targets) -> str:
    """Write a file. Whether it is there outside is for others to see."""
    with open(path, "x") as file:
        file.write(targets.nonce())
    return Left(os.path.realpath(path))


def each(verb: str, action: Callable[[str], str], *paths: str) -> Tries:
    """Try the same with several paths."""
    for path in paths:
        yield f"{verb} {path}", lambda path=path: action(path)  # type: ignore[misc]


def shadow(targets: Targets) -> Tries:
    """Make attempt 1: the passwords."""
    yield from each("read", read, "/etc/shadow", "/etc/gshadow")


def server_folder(targets: Targets) -> Tries:
    """Make attempt 2: seeds, tokens, database and records of the server; other bots; the checkout with its events."""
    yield "read the event's seed", lambda: read(targets.text("seed"))
    yield "list the event's folder", lambda: list_folder(targets.text("event"))
    yield "read the admin key", lambda: read(targets.text("admin_key"))
    yield "read a stored token", lambda: read(targets.text("tokens"))
    yield "take the database's write lock", lambda: lock_database(targets.text("database"))
    yield "remove a record", lambda: move_away(targets.text("record"))
    yield "change the rights of a record", lambda: use(os.chmod, targets.text("record"), 0o600)
    yield "change the owner of a record", lambda: change_owner(targets.text("record"))
    yield "change the time of a record", lambda: use(os.utime, targets.text("record"), (1, 1))
    yield "label a record", lambda: use(os.setxattr, targets.text("record"), "user.mark", b"1")
    yield "close the event's folder", lambda: use(os.chmod, targets.text("event"), 0o700)
    yield "read another bot's code", lambda: read(targets.text("other_bot") + "/bot.py")
    yield "write into another bot's folder", lambda: leave(f"{targets.text('other_bot')}/{targets.nonce()}", targets)
    yield "read another process's log", lambda: read(targets.text("sibling_log"))
    yield "read the checkout", lambda: look_around_checkout(targets.text("checkout"))


def lock_database(path: str) -> str:
    """Hold everybody else up."""
    if not os.path.exists(path):
        raise AttemptRefused("ENOENT: not seen here")
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=0.5)) as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise AttemptRefused(str(error)) from None
    return "held the write lock"


def move_away(path: str) -> str:
    """Take a file away, and put it back."""
    os.rename(path, f"{path}.gone")
    os.rename(f"{path}.gone", path)
    return f"moved {path} away and back"


def use(function: Callable[..., object], *arguments: object) -> str:
    """Call a function; any error means that it is refused."""
    function(*arguments)
    return "done"


def change_owner(path: str) -> str:
    """Change a file's owner to the one it has already."""
    status = os.stat(path)
    os.chown(path, status.st_uid, status.st_gid)
    return "done"


def look_around_checkout(path: str) -> str:
    """Look for what a bot does not need: an editable install has the whole checkout on Python's path, and
    tournaments/ may lie in it."""
    telling = {".git", "tournaments", "pyproject.toml"} & set(os.listdir(path))
    if not telling:
        raise AttemptRefused("only what a bot needs is seen")
    return f"saw {', '.join(sorted(telling))} in {path}"


def homes(targets: Targets) -> Tries:
    """Make attempt 3: home folders."""
    yield "list the server's home", lambda: look_at_home(Path(targets.text("home")), targets)
    yield "read a key in a home folder", lambda: read(targets.text("home_secret"))
    yield "list /root", lambda: look_at_home(Path("/root"), targets)
    yield "list /home", lambda: look_at_home(Path("/home"), targets)


def look_at_home(folder: Path, targets: Targets) -> str:
    """See a name beyond those on the way to the bot's own folder and to its Python."""
    needed = [Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve(), targets.folder]
    on_the_way = {path.relative_to(folder).parts[0] for path in needed if folder in path.parents}
    names = set(os.listdir(folder)) - on_the_way
    if not names:
        raise AttemptRefused("nothing is seen but the way to Python")
    return f"saw {len(names)} names in {folder}"


def system_settings(targets: Targets) -> Tries:
    """Make attempt 6: switches of the kernel and of the machine."""
    yield from each(
        "write",
        open_for_writing,
        *("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/overcommit_memory"),
        *("/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/sys/power/state"),
    )
    yield "write a cgroup", write_cgroup
    yield "set the host name", set_host_name
    yield "read the kernel's log", lambda: f"{call('syslog', 3, bytes(4096), 4096)} bytes"


def write_cgroup() -> str:
    """Leave one's own limits."""
    roots = list(Path("/sys/fs/cgroup").glob("cgroup.procs"))
    roots += Path("/sys/fs/cgroup").glob("*/cgroup.procs")
    if not roots:
        raise AttemptRefused("no cgroup is seen")
    refusal: OSError | None = None
    for path in roots:
        try:
            return open_for_writing(path)
        except OSError as error:
            refusal = error
    assert refusal is not None
    raise refusal


def set_host_name() -> str:
    """Set the host name to what it is."""
    socket.sethostname(socket.gethostname())
    return "set"


def writes(targets: Targets) -> Tries:
    """Make attempt 7: writing outside of the scratch folder."""
    nonce, scratch = targets.nonce(), Path.cwd()
    yield "write into its own folder", lambda: leave(targets.folder / nonce, targets)
    yield "change its own program", lambda: open_for_writing(targets.folder / "bot.py")
    yield "write into a folder open to all", lambda: leave(f"{targets.text('drop')}/{nonce}", targets)
    for folder in ("/tmp", "/var/tmp", "/usr", "/etc", "/run", "/"):
        yield f"write into {folder}", lambda folder=folder: leave(f"{folder}/{nonce}", targets)  # type: ignore[misc]
    yield "write into another process's scratch", lambda: leave(f"{targets.text('sibling_scratch')}/{nonce}", targets)
    yield "leave the scratch folder by ..", lambda: leave(scratch / ".." / nonce, targets)
    yield "leave the scratch folder by a link", through(scratch, targets)


def through(scratch: Path, targets: Targets) -> Action:
    """Write by a symbolic link in one's own folder."""

    def follow() -> str:
        (scratch / "link").symlink_to(targets.text("event"))
        return leave(scratch / "link" / targets.nonce(), targets)

    return follow
