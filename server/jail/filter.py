"""The system call filter of fenced and jailed bots, compiled by libseccomp.

It answers and never kills: a runtime that tries something new and is told that the kernel does not know it (ENOSYS)
takes the older way, one that is killed leaves its author with a riddle. What is refused is of three kinds: ways out
(namespaces, mounts, tracing), ways to another bot (locks, watches, keys, sockets), and large surfaces of the kernel
that no bot needs (bpf, io_uring, performance counters).
"""

from __future__ import annotations

import ctypes
import errno
import os
from dataclasses import dataclass
from functools import cache
from typing import Any

from referee.errors import ConfigError

LIBRARY = "libseccomp.so.2"
ALLOW, NOTIFY = 0x7FFF0000, 0x7FC00000
BAD_ARCHITECTURE = 2  # an attribute: what a call of another architecture, such as i386 or x32, is answered
OPTIMISE = 8  # an attribute: 2 is a binary tree instead of a chain of comparisons
NOT_EQUAL, MASKED_EQUAL = 1, 7
LOW_WORD = 0xFFFFFFFF
"""Comparisons see the low 32 bits alone where the kernel does: others would hide a value (CVE-2019-10063)."""

AF_UNIX = 1
NAMESPACES = (0x00000080, 0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
"""CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""

UNKNOWN = (
    # Its flags lie in memory, where a filter cannot read them; libraries then call clone.
    "clone3",
    *("io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("userfaultfd", "memfd_secret", "cachestat"),
)
"""Answered by ENOSYS."""

FORBIDDEN = (
    # Namespaces and mounts.
    *("unshare", "setns", "mount", "umount", "umount2", "pivot_root", "chroot", "mount_setattr", "move_mount"),
    *("open_tree", "open_tree_attr", "fsopen", "fsconfig", "fsmount", "fspick", "statmount", "listmount"),
    *("name_to_handle_at", "open_by_handle_at", "quotactl", "quotactl_fd"),
    # Other processes.
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_getfd", "kcmp"),
    *("sched_setaffinity", "migrate_pages", "move_pages", "ioprio_set"),
    # What bots would share behind our back: T4 and T7, keys of a user.
    *("flock", "inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_init", "fanotify_mark"),
    *("add_key", "request_key", "keyctl", "lookup_dcookie"),
    # The machine.
    *("bpf", "perf_event_open", "syslog", "acct", "swapon", "swapoff", "reboot", "vhangup", "nfsservctl"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "modify_ldt"),
    *("settimeofday", "clock_settime", "clock_settime64", "adjtimex", "clock_adjtime", "clock_adjtime64"),
    *("iopl", "ioperm", "sethostname", "setdomainname"),
)
"""Answered by EPERM."""

FORBIDDEN_IN_A_FENCE = (
    # Without namespaces these would be shared with everybody.
    *("shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semtimedop", "semctl"),
    *("msgget", "msgsnd", "msgrcv", "msgctl"),
    *("mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr"),
    # Nobody needs to dial a bot: another bot would.
    *("bind", "listen", "accept", "accept4"),
    # Landlock governs none of these, and the bot may be the owner of the server's files.
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat", "truncate", "truncate64"),
    *("utime", "utimes", "futimesat", "utimensat", "utimensat_time64"),
    *("setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr"),
    *("removexattrat", "file_setattr"),
    *("setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups"),
)

LOCKS = (5, 6, 7, 36, 37, 38)
"""F_GETLK, F_SETLK, F_SETLKW, and the same by open file."""
OWNERS = (
    *(8, 10, 15),  # F_SETOWN, F_SETSIG, F_SETOWN_EX: a signal to whom you like
    *(1024, 1025, 1026),  # F_SETLEASE, F_GETLEASE, F_NOTIFY
)
TERMINAL_AND_OWNERS = (0x5412, 0x541C, 0x8901, 0x8902)
"""TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP."""

OF_OTHERS = {
    # The argument that names a process; 0 is the caller.
    "prlimit64": 0,
    "setpriority": 1,
    "sched_setscheduler": 0,
    "sched_setparam": 0,
    "sched_setattr": 0,
}
"""Refused in a fence for any other process than the caller: a bot may be of the same user as the server."""


DATAGRAMS = (2, 3, 4, 6, 10)
"""SOCK_DGRAM, SOCK_RAW, SOCK_RDM, SOCK_DCCP, SOCK_PACKET: all but streams and sequences of packets."""
ITSELF = 0x5E1F5E1F
"""Stands for the number of the filtered process, which puts its own in its place."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fence:
    """Tasks of the filter because Landlock is too old for them."""

    ask_keeper_to_connect: bool
    """Below version 9 Landlock does not govern sockets with a path: dialler.py does."""
    signal_only_itself: bool
    """Below version 6 Landlock does not govern signals."""


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


@cache
def load_library() -> ctypes.CDLL | None:
    """Load libseccomp; None where it is not installed."""
    try:
        library = ctypes.CDLL(LIBRARY, use_errno=True)
    except OSError:
        return None
    library.seccomp_init.restype = ctypes.c_void_p
    return library


@cache
def compile_filter(*, fence: Fence | None = None, shared_memory: bool = False, build: bool = False) -> bytes:
    """Compile the filter to the form that the kernel takes. In a fence it has to hold more, because there are no
    namespaces.

    Without `shared_memory` the ways to memory that no rlimit counts are closed: it is for levels without cgroups. A
    `build` may lock files, as build tools do among themselves, and share memory; no match goes on meanwhile.
    """
    library = load_library()
    if library is None:
        raise ConfigError(f"{LIBRARY} is not installed")
    context = ctypes.c_void_p(library.seccomp_init(ALLOW))
    try:
        _set(library, context, BAD_ARCHITECTURE, _error(errno.ENOSYS))
        _set(library, context, OPTIMISE, 2)
        rules = _Rules(library, context)
        rules.refuse(UNKNOWN, errno.ENOSYS)
        rules.refuse(tuple(call for call in FORBIDDEN if not (build and call == "flock")), errno.EPERM)
        for flag in NAMESPACES:
            rules.add("clone", errno.EPERM, (0, MASKED_EQUAL, flag, flag))
        for call in ("socket", "socketpair"):
            rules.add(call, errno.EAFNOSUPPORT, (0, NOT_EQUAL, AF_UNIX, 0))
        for command in OWNERS if build else (*LOCKS, *OWNERS):
            for call in ("fcntl", "fcntl64"):
                rules.add(call, errno.EPERM, (1, MASKED_EQUAL, LOW_WORD, command))
        for request in TERMINAL_AND_OWNERS:
            rules.add("ioctl", errno.EPERM, (1, MASKED_EQUAL, LOW_WORD, request))
        if not (shared_memory or build):
            rules.refuse(("memfd_create",), errno.ENOSYS)
            rules.add("mmap", errno.ENOMEM, (3, MASKED_EQUAL, 0x21, 0x21))  # MAP_SHARED and MAP_ANONYMOUS
        if fence is not None:
            _add_fence(rules, fence)
        return _export(library, context)
    finally:
        library.seccomp_release(context)


def _add_fence(rules: _Rules, fence: Fence) -> None:
    rules.refuse(FORBIDDEN_IN_A_FENCE, errno.EPERM)
    for call, argument in OF_OTHERS.items():
        rules.add(call, errno.EPERM, (argument, NOT_EQUAL, 0, 0))
    # Datagrams need no connect() to reach anybody; the kernel takes raw sockets for the same.
    for call in ("socket", "socketpair"):
        for kind in DATAGRAMS:
            unix = (0, MASKED_EQUAL, LOW_WORD, AF_UNIX)
            rules.add(call, errno.EPROTONOSUPPORT, unix, (1, MASKED_EQUAL, 0xF, kind))
    if fence.ask_keeper_to_connect:
        rules.add("connect", NOTIFY)
    if fence.signal_only_itself:
        for call in ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
            rules.add(call, errno.EPERM, (0, NOT_EQUAL, ITSELF, 0))
        rules.refuse(("pidfd_send_signal",), errno.EPERM)


def call_number(call: str) -> int:
    """Return the number of a system call on this machine."""
    library = load_library()
    assert library is not None
    return int(library.seccomp_syscall_resolve_name(call.encode()))


class _Rules:
    """Adds rules by the names of system calls, without those that this architecture or library does not know."""

    def __init__(self, library: ctypes.CDLL, context: ctypes.c_void_p) -> None:
        self._library, self._context = library, context

    def refuse(self, calls: tuple[str, ...], number: int) -> None:
        """Answer these calls with an error."""
        for call in calls:
            self.add(call, number)

    def add(self, call: str, answer: int, *comparisons: tuple[int, int, int, int]) -> None:
        """Answer a call with an error (or NOTIFY) if all comparisons (argument, operator, value, masked) hold."""
        resolved = self._library.seccomp_syscall_resolve_name(call.encode())
        if resolved < 0:
            return
        action = ctypes.c_uint32(NOTIFY if answer == NOTIFY else _error(answer))
        array = (_Comparison * len(comparisons))(*(_Comparison(*it) for it in comparisons))
        _check(self._library.seccomp_rule_add_array(self._context, action, resolved, len(comparisons), array), call)


def _set(library: ctypes.CDLL, context: ctypes.c_void_p, attribute: int, value: int) -> None:
    # The library of Debian 12 knows all attributes used here; an older one does without the optimisation.
    library.seccomp_attr_set(context, attribute, ctypes.c_uint32(value))


def _export(library: ctypes.CDLL, context: ctypes.c_void_p) -> bytes:
    file = os.memfd_create("filter")
    try:
        _check(library.seccomp_export_bpf(context, file), "export")
        return os.pread(file, 1 << 20, 0)
    finally:
        os.close(file)


def _error(number: int) -> int:
    return 0x00050000 | number


def _check(result: int, what: Any) -> None:
    if result < 0:
        raise OSError(-result, f"libseccomp, {what}: {os.strerror(-result)}")
