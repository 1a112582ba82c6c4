"""Attempts 16 to 19, 21, 22, 29 and 30: system calls that a bot has no need of."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import mmap
import os
import platform
import pty
import resource
import signal
import struct
import sys
import termios
from pathlib import Path

from .tries import LIBC, Absent, AttemptRefused, Targets, Tries, call, in_child

CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET = 0x10000000, 0x00020000, 0x40000000
SESSION_KEYRING, USER_KEYRING = -3, -4
KEYCTL_UNLINK = 9
MS_REC, MS_PRIVATE = 1 << 14, 1 << 18
F_SETLEASE, F_NOTIFY, F_OFD_SETLK = 1024, 1026, 37
TIOCLINUX = 0x541C


def keyring(targets: Targets) -> Tries:
    """Make attempt 16: the kernel's store of keys, which processes of one user share."""
    yield "add a key to the user's keyring", lambda: add_key(USER_KEYRING, targets)
    yield "add a key to the session's keyring", lambda: add_key(SESSION_KEYRING, targets)
    yield "read the user's keyring", lambda: f"keyring {call('keyctl', 0, USER_KEYRING, 1)}"


def add_key(ring: int, targets: Targets) -> str:
    """Add a key and take it out again."""
    key = call("add_key", b"user", targets.nonce().encode(), b"mark", 4, ring)
    call("keyctl", KEYCTL_UNLINK, key, ring)
    return f"key {key}"


def io_uring(targets: Targets) -> Tries:
    """Make attempt 17: a second way to make system calls, past the filter."""
    yield "set up a ring", lambda: f"descriptor {call('io_uring_setup', 4, bytes(120))}"


def locks(targets: Targets) -> Tries:
    """Make attempt 18: locks on files that all can read are seen by all who can read them."""
    shared = sys.executable
    signal.signal(signal.SIGIO, signal.SIG_IGN)  # a notice comes by it if somebody reads there now, and would end us
    yield "flock", lambda: with_file(shared, lambda file: fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB))
    yield "a record lock", lambda: with_file(shared, lambda file: set_lock(file, fcntl.F_SETLK))
    yield "a lock of an open file", lambda: with_file(shared, lambda file: set_lock(file, F_OFD_SETLK))
    yield "a lease", lambda: with_file(shared, lambda file: fcntl.fcntl(file, F_SETLEASE, fcntl.F_RDLCK))
    yield "a notice of changes", lambda: with_file("/usr/bin", lambda file: fcntl.fcntl(file, F_NOTIFY, 1))


def set_lock(file: int, how: int) -> object:
    """Set a read lock on the first byte."""
    return fcntl.fcntl(file, how, struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 1, 0))


def with_file(path: str, use: object) -> str:
    """Use a file; any error means that it is refused."""
    file = os.open(path, os.O_RDONLY)
    try:
        assert callable(use)
        use(file)
    finally:
        os.close(file)
    return f"locked {path}"


def watches(targets: Targets) -> Tries:
    """Make attempt 19: seeing what others open."""
    yield "inotify", lambda: f"descriptor {call('inotify_init1', 0)}"
    yield "fanotify", lambda: f"descriptor {call('fanotify_init', 0x200, 0)}"


def namespaces(targets: Targets) -> Tries:
    """Make attempt 21: a namespace of one's own, in which one is root."""
    yield "unshare a user namespace", lambda: in_child(lambda: f"{call('unshare', CLONE_NEWUSER)}")
    yield "unshare a mount namespace", lambda: in_child(lambda: f"{call('unshare', CLONE_NEWNS)}")
    yield "clone into a user namespace", lambda: in_child(clone)
    yield "clone3 into a user namespace", lambda: in_child(clone3)
    yield "enter another process's namespace", lambda: in_child(lambda: enter(targets.process("server")))


def clone() -> str:
    """Call clone as fork does, with one flag more."""
    child = call("clone", CLONE_NEWUSER | signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        LIBC._exit(0)
    return f"process {child}"


def clone3() -> str:
    """Call clone3, the newer call, whose flags a filter cannot see."""
    child = call("clone3", struct.pack("11Q", CLONE_NEWUSER, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, 0, 0, 0), 88)
    if child == 0:
        LIBC._exit(0)
    return f"process {child}"


def enter(pid: int) -> str:
    """Enter the server's network."""
    call("setns", os.open(f"/proc/{pid}/ns/net", os.O_RDONLY), CLONE_NEWNET)
    return "entered"


def mounts(targets: Targets) -> Tries:
    """Make attempt 22: changing what the file system looks like, and reaching files by their numbers."""
    scratch = Path.cwd()
    yield "mount", lambda: mount(scratch / "mounted")
    yield "open a file system", lambda: f"descriptor {call('fsopen', b'tmpfs', 0)}"
    yield "copy a mount", lambda: f"descriptor {call('open_tree', -100, b'/', 1)}"
    yield "change the root", lambda: in_child(lambda: change_root(scratch))
    yield "swap the root", lambda: in_child(lambda: swap_root(scratch / "root"))
    yield "open a file by its number", lambda: open_by_number(targets.folder / "bot.py")
    yield "make a device", lambda: make_device(scratch / "device")


def mount(place: Path) -> str:
    """Mount a small file system in memory, and unmount it."""
    place.mkdir()
    call("mount", b"none", bytes(place), b"tmpfs", 0, None)
    call("umount2", bytes(place), 0)
    return f"mounted at {place}"


def change_root(folder: Path) -> str:
    """Call chroot."""
    os.chroot(folder)
    return "changed"


def swap_root(place: Path) -> str:
    """Call pivot_root in a mount namespace of one's own, so that nobody else is touched."""
    place.mkdir()
    call("unshare", CLONE_NEWNS)
    call("mount", None, b"/", None, MS_REC | MS_PRIVATE, None)
    call("mount", b"none", bytes(place), b"tmpfs", 0, None)
    call("pivot_root", bytes(place), bytes(place))
    return "swapped"


def open_by_number(path: Path) -> str:
    """Open a handle of a file that may be read, past all folders above it."""
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136)
    mount_id = ctypes.create_string_buffer(4)
    call("name_to_handle_at", -100, bytes(path), handle, mount_id, 0)
    folder = os.open(path.parent, os.O_RDONLY)
    os.close(call("open_by_handle_at", folder, handle, os.O_RDONLY))
    return f"opened {path}"


def make_device(path: Path) -> str:
    """Make the null device, by another name."""
    os.mknod(path, 0o600 | 0o020000, os.makedev(1, 3))
    path.unlink()
    return "made"


def rare_calls(targets: Targets) -> Tries:
    """Make attempt 29: doors of the kernel that are rarely used and often broken."""
    yield "a call of i386", lambda: in_child(call_i386)
    yield "a call of x32", lambda: in_child(call_x32)
    yield "bpf", lambda: f"descriptor {call('bpf', 0, struct.pack('IIIII52x', 2, 4, 4, 1, 0), 72)}"
    yield "perf", lambda: f"descriptor {call('perf_event_open', struct.pack('II8xQ96x', 1, 120, 0), 0, -1, -1, 0)}"
    yield "userfaultfd", lambda: f"descriptor {call('userfaultfd', 1)}"


def call_i386() -> str:
    """Call getpid by the old interrupt: a filter for one architecture does not know its numbers."""
    if platform.machine() != "x86_64":
        raise Absent("x86-64 only")
    # push rbx; mov eax, 20; int 0x80; pop rbx; ret
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3")
    start = ctypes.addressof(ctypes.c_char.from_buffer(code))
    pid = ctypes.CFUNCTYPE(ctypes.c_int)(start)()
    if pid < 0:
        raise OSError(-pid, os.strerror(-pid))
    return f"getpid gave {pid}"


def call_x32() -> str:
    """Call getpid with the bit of x32."""
    if platform.machine() != "x86_64":
        raise Absent("x86-64 only")
    ctypes.set_errno(0)
    pid = LIBC.syscall(ctypes.c_long(0x40000000 | 39))
    if pid < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return f"getpid gave {pid}"


def leftovers(targets: Targets) -> Tries:
    """Make attempt 30: terminals, core dumps, descriptors that were left open. (The marker is a pair of programs:
    together.py.)"""
    terminal = targets.text("terminal")
    yield "use descriptors left open", find_descriptors
    yield "write on the organiser's terminal", lambda: write_on(terminal)
    yield "type into the organiser's terminal", lambda: in_child(lambda: type_into(terminal))
    yield "type into a terminal of its own", lambda: in_child(lambda: type_into_own(termios.TIOCSTI))
    yield "the same with more bits", lambda: in_child(lambda: type_into_own(termios.TIOCSTI | 1 << 32))
    yield "paste into the console", paste
    yield "dump its memory", dump_core


def write_on(path: str) -> str:
    """Open a terminal for writing."""
    os.close(os.open(path, os.O_WRONLY | os.O_NOCTTY))
    return f"opened {path}"


def take_terminal(file: int) -> None:
    """Make it the terminal of a new session, if it lets us: without one the kernel refuses typing to all but root."""
    with contextlib.suppress(OSError):
        os.setsid()
    with contextlib.suppress(OSError):
        fcntl.ioctl(file, termios.TIOCSCTTY, 0)


def type_into(path: str) -> str:
    """Call TIOCSTI: whoever reads from the terminal believes that its user typed it."""
    file = os.open(path, os.O_RDWR)
    take_terminal(file)
    fcntl.ioctl(file, termios.TIOCSTI, b"x")
    return "typed"


def type_into_own(request: int) -> str:
    """Type into one's own terminal. The kernel looks at 32 bits of the request; a filter that compares all 64 is
    passed by."""
    _, file = pty.openpty()
    take_terminal(file)
    ctypes.set_errno(0)
    if LIBC.ioctl(file, ctypes.c_ulong(request), b"x") < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return "typed"


def paste() -> str:
    """Call TIOCLINUX, on whatever console there is; only a harmless question."""
    refusal: OSError = FileNotFoundError(2, "no console is seen")
    for path in ("/dev/tty0", "/dev/console"):
        try:
            file = os.open(path, os.O_RDWR | os.O_NOCTTY)
            fcntl.ioctl(file, TIOCLINUX, b"\x06")
            return f"asked {path}"
        except OSError as error:
            refusal = error
    raise refusal


def dump_core() -> str:
    """Allow core dumps: a dump would hold the token."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most or 1 << 20, most or 1 << 20))
    return "may dump"


def find_descriptors() -> str:
    """Find descriptors besides standard input, output and error."""
    numbers = []
    for number in range(3, 1024):
        with contextlib.suppress(OSError):
            os.fstat(number)
            numbers.append(str(number))
    if not numbers:
        raise AttemptRefused("none is open")
    return f"open: {', '.join(numbers)}"
