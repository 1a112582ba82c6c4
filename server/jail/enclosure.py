"""Confines a bot's process between fork and exec, so that it is confined from its first instruction.

Run in the keeper's child, with the standard library alone; it does what confinement.py ordered. Nothing here is undone
by the exec, and nothing of it can be undone by the bot. machine.py runs it as a script, to try a level.
"""

from __future__ import annotations

import binascii
import ctypes
import errno
import json
import os
import resource
import struct
import sys
from collections.abc import Callable

TYPE_CHECKING = False  # importing typing would delay the start of each bot
if TYPE_CHECKING:
    from typing import Any

SET_MODE_FILTER, NEW_LISTENER = 1, 8
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
CAPABILITY_VERSION = 0x20080522
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
PATH_BENEATH = 1

FIRST_USER = 0x70000000
"""As root each bot gets a user of its own: this number plus that of its keeper, which outlives all its processes."""

LIBC = ctypes.CDLL(None, use_errno=True)


def own_user(keeper: int) -> int:
    """Return the number of the user that the bot of a keeper runs as, where we are root."""
    return FIRST_USER + keeper


def join_cgroups(order: dict[str, Any]) -> None:
    """Make this process, and all that it will start, a member of each cgroup."""
    for path in order.get("cgroups", ()):
        with open(path, "w") as file:
            file.write(str(os.getpid()))


def set_rlimits(order: dict[str, Any]) -> None:
    """Set the limits of this process, soft and hard alike; one that is lower already stays."""
    for name, wanted in order.get("rlimits", {}).items():
        number = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(number)
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(number, (value, value))


def enclose(
    order: dict[str, Any], argv: list[str], search: str, keeper: int, teller: int, listener: Callable[[int], None]
) -> tuple[str, list[str]]:
    """Confine this process as ordered. Returns the program to exec and its command: the bot's, or one on the way to it.

    `search`: PATH; `teller`: where bubblewrap tells what became of the bot; `listener`: takes the descriptor by which
    the keeper hears of the bot's connect() calls. Afterwards not even a module of Python may be left to import.
    """
    program = find_program(argv[0], search)
    join_cgroups(order)
    set_rlimits(order)
    level = order["level"]
    if level == "process":
        if order["own_user"]:
            become(own_user(keeper))
        forbid_new_privileges()
    elif level == "fence":
        restrict_files(order["landlock"])
        become(own_user(keeper) if order["own_user"] else None)
        install_filter(order, listener)
    elif level.startswith("jail"):
        return order["bubblewrap"], jailed_command(order, argv, keeper, teller)
    return program, argv


def become(user: int | None) -> None:
    """Take another user, if one is named, and give up all capabilities for good."""
    for capability in range(64):
        LIBC.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)  # fails where we are not root: nothing to drop
    if user is not None:
        os.chown(".", user, user)  # its scratch folder
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    header, nothing = struct.pack("=Ii", CAPABILITY_VERSION, 0), bytes(24)
    check(LIBC.capset(header, nothing))


def forbid_new_privileges() -> None:
    """Make programs with set-user-id bits run as anybody else's."""
    check(LIBC.prctl(PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), 0, 0, 0))


def restrict_files(landlock: dict[str, Any]) -> None:
    """Keep this process to the files of the order, and to signals and abstract sockets of its own."""
    forbid_new_privileges()
    governed = landlock["governed"]
    attributes = struct.pack("=3Q", *governed)
    size = 8 * max(index + 1 for index, rights in enumerate(governed) if rights)  # as the kernel's version knows them
    ruleset = check(LIBC.syscall(LANDLOCK_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0))
    for path, rights in landlock["rules"]:
        file = os.open(path, os.O_PATH)
        rule = struct.pack("=Qi", rights, file)
        check(LIBC.syscall(LANDLOCK_ADD_RULE, ruleset, PATH_BENEATH, rule, 0))
        os.close(file)
    check(LIBC.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def install_filter(order: dict[str, Any], listener: Callable[[int], None]) -> None:
    """Install the filter of system calls for this process and all that it starts."""
    program = binascii.a2b_base64(order["filter"])
    program = program.replace(struct.pack("=I", order["itself"]), struct.pack("=I", os.getpid()))
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    asks = order["ask_keeper_to_connect"]
    result = check(LIBC.syscall(order["seccomp"], SET_MODE_FILTER, NEW_LISTENER if asks else 0, header))
    if asks:
        listener(result)


def jailed_command(order: dict[str, Any], argv: list[str], keeper: int, teller: int) -> list[str]:
    """Return the command that makes the jail and runs the bot in it. Its instructions travel in files without names."""
    arguments = memory_file("\0".join([*order["arguments"], ""]).encode())
    filtered = memory_file(binascii.a2b_base64(order["filter"]))
    os.set_inheritable(teller, True)
    inner = [word.replace("{user}", str(own_user(keeper))) for word in order["inner"]]
    return [
        order["bubblewrap"],
        "--args",
        str(arguments),
        "--seccomp",
        str(filtered),
        "--json-status-fd",
        str(teller),
        "--",
        *inner,
        *argv,
    ]


def find_program(name: str, search: str) -> str:
    """Find the path of a program. Raises what its exec would raise if it were not confined: in the jail two programs
    stand between, which only exit, and in a fence a missing file looks like one that may not be run."""
    paths = [name] if "/" in name else [os.path.join(folder, name) for folder in search.split(os.pathsep)]
    files = [path for path in paths if os.path.isfile(path)]
    if not files:
        raise OSError(errno.ENOENT, "no such program")
    path = next((path for path in files if os.access(path, os.X_OK)), "")
    if not path:
        raise OSError(errno.EACCES, "not executable")
    try:
        with open(path, "rb") as file:
            start = file.read(256)
    except PermissionError:  # it may be run all the same
        return path
    if start.startswith(b"#!"):
        interpreter = start[2:].split(b"\n")[0].split()
        if not interpreter or not os.path.isfile(interpreter[0]):
            raise OSError(errno.ENOENT, "no such interpreter")
    elif not start.startswith(b"\x7fELF"):
        raise OSError(errno.ENOEXEC, "neither a binary nor a script")
    return path


def memory_file(content: bytes) -> int:
    """Make a file in memory, open for the next program."""
    file = os.memfd_create("order", 0)
    os.write(file, content)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def main() -> None:
    """Read an order from standard input, and run its command confined in that way."""
    given = json.load(sys.stdin)
    os.chdir(given["cwd"])
    teller = os.open(os.devnull, os.O_WRONLY)
    program, argv = enclose(given["order"], given["argv"], os.defpath, os.getpid(), teller, lambda _: None)
    os.execve(program, argv, {})


def check(result: int) -> int:
    """Raise OSError for a system call that failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


if __name__ == "__main__":
    main()
