"""Connects to the door on behalf of a fenced bot, which cannot connect to anything by itself.

Landlock below version 9 does not govern sockets that have a path, and some of those lead out of every fence: the user's
session bus, tmux, docker. So the filter hands each connect() of the bot to its keeper (man 2 seccomp_unotify). The
keeper reads which address was meant; if it is the door, the keeper itself connects the bot's socket to the door. It
never lets the call go on: the bot could have changed the address after it was read.

Run in the keeper, with the standard library alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import struct
from functools import cache

RECEIVE, SEND, IS_VALID = 0xC0502100, 0xC0182101, 0x40082102
"""SECCOMP_IOCTL_NOTIF_…"""
PIDFD_GETFD = 438
"""The same number on every architecture."""
AF_UNIX = 1
ADDRESS_BYTES = 110
PATIENCE_SECONDS = 0.2
"""Longest time a connect may take. The door accepts at once; a bot that fills its queue must not stop its keeper."""

NO_DIALLING = (
    "a keeper may not take sockets from its bot here (pidfd_getfd), and Landlock below version 9 leaves open whom a "
    "bot dials; in Docker start the container with --cap-add SYS_PTRACE, elsewhere sysctl kernel.yama.ptrace_scope=1"
)

LIBC = ctypes.CDLL(None, use_errno=True)


class Dialler:
    """Answers the connect() calls of one bot, as the filter hands them over."""

    def __init__(self, listener: int, door: str) -> None:
        self.listener = listener
        self._door = door.encode()
        signal.signal(signal.SIGALRM, lambda *_: None)  # ends a connect that waits

    def answer(self) -> bool:
        """Answer one call. False if there will be no more: all processes under the filter have ended."""
        notice = bytearray(80)
        try:
            fcntl.ioctl(self.listener, RECEIVE, notice)
        except OSError as error:  # ENOENT: the caller was killed in the meantime
            return error.errno in (errno.ENOENT, errno.EINTR)
        number, thread, _, _, _, _, socket, address, size, *_ = struct.unpack("=QIIiIQ6Q", notice)
        try:
            problem = self._dial(number, thread, socket, address, size)
        except OSError as error:
            problem = error.errno or errno.EACCES
        with contextlib.suppress(OSError):
            fcntl.ioctl(self.listener, SEND, struct.pack("=QqiI", number, 0, -problem, 0))
        return True

    def _dial(self, number: int, thread: int, socket: int, address: int, size: int) -> int:
        """Connect the caller's socket to the door, if that is what it asked for. Returns the error number, or 0."""
        with open(f"/proc/{thread}/mem", "rb", buffering=0) as memory:
            # Checked once the memory is open: until then the number could have become another process's.
            fcntl.ioctl(self.listener, IS_VALID, struct.pack("=Q", number))
            memory.seek(address)
            meant = memory.read(min(size, ADDRESS_BYTES))
        if len(meant) < 3 or struct.unpack("=H", meant[:2])[0] != AF_UNIX or meant[2:].rstrip(b"\0") != self._door:
            return errno.EACCES
        process = os.pidfd_open(process_of(thread))
        try:
            fcntl.ioctl(self.listener, IS_VALID, struct.pack("=Q", number))
            copy = take_descriptor(process, socket)
        finally:
            os.close(process)
        try:
            return self._connect(copy)
        finally:
            os.close(copy)

    def _connect(self, socket: int) -> int:
        address = struct.pack("=H", AF_UNIX) + self._door + b"\0"
        signal.setitimer(signal.ITIMER_REAL, PATIENCE_SECONDS)
        try:
            failed = LIBC.connect(socket, address, len(address)) < 0
            return ctypes.get_errno() if failed else 0
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


@cache
def can_dial() -> bool:
    """Check that a keeper may take a socket from its bot here: Docker's own filter refuses it without SYS_PTRACE."""
    try:
        other = os.posix_spawn("/bin/sleep", ["sleep", "60"], {})
        try:
            process = os.pidfd_open(other)
            copy = take_descriptor(process, 0)
            os.close(process)
            os.close(copy)
        finally:
            os.kill(other, signal.SIGKILL)
            os.waitpid(other, 0)
    except OSError:
        return False
    return True


def take_descriptor(process: int, descriptor: int) -> int:
    """Return a copy of what another process has open under that number."""
    copy = int(LIBC.syscall(PIDFD_GETFD, process, ctypes.c_uint(descriptor & 0xFFFFFFFF), 0))
    if copy < 0:
        raise OSError(ctypes.get_errno(), "the descriptor cannot be taken")
    return copy


def process_of(thread: int) -> int:
    """Return the process that a thread belongs to."""
    with open(f"/proc/{thread}/status", "rb") as file:
        for line in file:
            if line.startswith(b"Tgid:"):
                return int(line.split()[1])
    raise ProcessLookupError(errno.ESRCH, "the caller has ended")
