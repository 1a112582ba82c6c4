"""What the filter answers to a program that runs under it: errors that runtimes know how to take, never a kill."""

from __future__ import annotations

import errno
import json

import pytest

from server.jail.confinement import Confinement
from server.jail.filter import FORBIDDEN, FORBIDDEN_IN_A_FENCE, UNKNOWN, call_number
from server.jail.level import JailLevel
from support.jail import FENCE_AND_JAIL, need, run_python

every_level = pytest.mark.parametrize("level", FENCE_AND_JAIL)

ASK = """
import ctypes, json, sys
libc = ctypes.CDLL(None, use_errno=True)
def ask(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(number, *(ctypes.c_ulong(argument) for argument in arguments))
    return ctypes.get_errno() if result < 0 else 0
print(json.dumps([ask(*question) for question in json.loads(sys.argv[1])]))
"""

CLONE_NEWUSER, CLONE_NEWNS, SIGCHLD = 0x10000000, 0x00020000, 17
TIOCSTI, TIOCLINUX, FIOSETOWN = 0x5412, 0x541C, 0x8901
HIGH_BIT = 1 << 32
"""The kernel looks at the low half of some arguments alone; a filter that looks at both can be led past."""


async def answers(level: JailLevel, *questions: tuple[object, ...]) -> list[int]:
    need(level)
    numbered = [(call_number(str(call)), *arguments) for call, *arguments in questions]
    return list(json.loads(await run_python(Confinement(level=level), ASK, json.dumps(numbered))))


@every_level
async def test_what_the_kernel_is_said_not_to_know(level: JailLevel) -> None:
    need(level)
    asked = [(call, 0, 0, 0) for call in UNKNOWN if call_exists(call)]
    assert await answers(level, *asked) == [errno.ENOSYS] * len(asked)
    assert {"clone3", "io_uring_setup"} <= {str(call) for call, *_ in asked}


@every_level
async def test_what_is_forbidden(level: JailLevel) -> None:
    need(level)
    calls = [*FORBIDDEN, *(FORBIDDEN_IN_A_FENCE if level is JailLevel.FENCE else ())]
    asked = [(call, 0, 0, 0, 0, 0) for call in calls if call_exists(call)]
    given = await answers(level, *asked)
    assert {call: number for (call, *_), number in zip(asked, given, strict=True) if number != errno.EPERM} == {}
    assert {"ptrace", "mount", "unshare", "setns", "keyctl", "inotify_init1", "flock", "bpf"} <= {*calls}


@every_level
async def test_sockets_are_of_this_machine_alone(level: JailLevel) -> None:
    families = {"inet": 2, "inet6": 10, "netlink": 16, "packet": 17, "alg": 38, "vsock": 40}
    asked = [("socket", family, kind, 0) for family in families.values() for kind in (1, 2)]
    assert await answers(level, *asked) == [errno.EAFNOSUPPORT] * len(asked)
    assert await answers(level, ("socket", 1, 1, 0)) == [0]


@every_level
async def test_namespaces_locks_and_terminals_are_refused_by_the_argument(level: JailLevel) -> None:
    refused = [
        *(("clone", flag | SIGCHLD) for flag in (CLONE_NEWUSER, CLONE_NEWNS)),
        *(("fcntl", 0, command, 0) for command in (5, 6, 7, 36, 37, 38, 1024, 1025, 1026)),
        *(("fcntl", 0, command, 1) for command in (8, 10, 15)),
        *(("ioctl", 0, request | high, 0) for request in (TIOCSTI, TIOCLINUX, FIOSETOWN) for high in (0, HIGH_BIT)),
    ]
    assert await answers(level, *refused) == [errno.EPERM] * len(refused)
    assert await answers(level, ("fcntl", 0, 3, 0)) == [0]


@every_level
async def test_memory_that_no_limit_counts_cannot_be_had(level: JailLevel) -> None:
    read_write, shared_anonymous, private_anonymous = 3, 0x21, 0x22
    nowhere = (1 << 64) - 1
    shared = ("mmap", 0, 4096, read_write, shared_anonymous, nowhere, 0)
    private = ("mmap", 0, 4096, read_write, private_anonymous, nowhere, 0)
    assert await answers(level, ("memfd_create", 0, 0), shared, private) == [errno.ENOSYS, errno.ENOMEM, 0]


async def test_in_a_fence_other_processes_of_the_same_user_are_out_of_reach() -> None:
    """In the jail there are no others."""
    asked = [
        ("prlimit64", 1, 7, 0, 0),
        ("setpriority", 0, 1, 5),
        ("sched_setscheduler", 1, 0, 0),
        ("sched_setattr", 1, 0, 0),
        ("sched_setparam", 1, 0),
    ]
    assert await answers(JailLevel.FENCE, *asked) == [errno.EPERM] * len(asked)
    nicest = 19  # a lower one may be refused where the tests themselves run under `nice`
    assert await answers(JailLevel.FENCE, ("prlimit64", 0, 7, 0, 0), ("setpriority", 0, 0, nicest)) == [0, 0]


async def test_in_a_fence_there_are_no_datagrams() -> None:
    asked = [
        (call, 1, kind | extra, 0, 0) for call in ("socket", "socketpair") for kind in (2, 3) for extra in (0, 2048)
    ]
    assert await answers(JailLevel.FENCE, *asked) == [errno.EPROTONOSUPPORT] * len(asked)


@pytest.mark.parametrize("level", FENCE_AND_JAIL)
async def test_calls_of_another_architecture_are_unknown(level: JailLevel) -> None:
    need(level)
    x32 = 0x40000000
    printed = await run_python(Confinement(level=level), ASK, json.dumps([[x32 + 39], [x32 + 101, 0, 0, 0, 0]]))
    assert json.loads(printed) == [errno.ENOSYS, errno.ENOSYS]


def call_exists(call: str) -> bool:
    """Whether this architecture, and the library that compiles the filter, know a system call."""
    return call_number(call) >= 0
