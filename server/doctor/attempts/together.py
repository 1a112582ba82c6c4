"""Attempts 30, 34 and 35: two processes of one bot, or of two bots, that try to tell each other something.

The sibling is the victim of other attempts as well: a second process of the same bot, which waits.
"""

from __future__ import annotations

import array
import base64
import contextlib
import ctypes
import fcntl
import os
import secrets
import select
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .network import sibling_name, sibling_sockets
from .tries import LIBC, Absent, AttemptRefused, Targets, Tries, call, tell

PR_SET_NAME = 15
BITS = 64
IN_OPEN = 0x20
IPC_CREAT = 0o1000
LISTEN_SECONDS = 1.0


def wait_forever() -> None:
    """Wait until we are killed."""
    while True:
        time.sleep(60)


def serve(line: socket.socket, answer: Callable[[socket.socket], object]) -> None:
    """Answer everybody who connects, in a thread."""
    line.listen(8)

    def run() -> None:
        while True:
            visitor, _ = line.accept()
            with visitor, contextlib.suppress(OSError):
                answer(visitor)

    threading.Thread(target=run, daemon=True).start()


def sibling(targets: Targets) -> Tries:
    """Wait, with a token in its environment, a socket in every place it can write to, and a file to hand over."""
    secret = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as we live
    secret.write(os.environ["TORTUGA_TOKEN"].encode())
    secret.flush()

    def hand_over(visitor: socket.socket) -> None:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [secret.fileno()]))]
        visitor.sendmsg([b"take it"], rights)

    for path in sibling_sockets(Path.cwd(), targets):
        with contextlib.suppress(OSError):
            line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            line.bind(str(path))
            path.chmod(0o666)
            serve(line, hand_over)
    with contextlib.suppress(OSError):
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.bind(sibling_name(targets))
        serve(line, lambda visitor: visitor.sendall(b"ahoy"))
    tell(waiting=True)
    wait_forever()
    yield from ()


# A marker: left by one process, looked for by another.


def places(targets: Targets) -> Iterator[tuple[str, Path]]:
    """Yield where a marker could stay, with the name of the place."""
    name = f"{targets.nonce()}-marker"
    yield "its own folder", targets.folder / name
    yield "its home", Path(os.environ["HOME"]) / name
    yield "TMPDIR", Path(os.environ.get("TMPDIR", "/tmp")) / name
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/dev/mqueue"):
        yield folder, Path(folder) / name
    yield "a folder open to all", Path(targets.text("drop")) / name
    # Where the other process has its home, as seen from outside.
    yield "the other's home", Path(targets.text("marker_home")) / name


def leave_marker(targets: Targets) -> Tries:
    """Leave one wherever it can be left, then wait or end."""
    left = []
    for name, path in places(targets):
        with contextlib.suppress(OSError):
            path.write_text(targets.nonce())
            left.append(name)
    with contextlib.suppress(OSError, Absent):
        call("add_key", b"user", f"{targets.nonce()}-marker".encode(), b"mark", 4, -4)
        left.append("the keyring")
    if LIBC.shmget(targets.number("marker_key"), 4096, IPC_CREAT | 0o666) >= 0:
        left.append("System V memory")
    tell(waiting=True, left=left)
    if targets.told.get("wait"):
        wait_forever()
    yield from ()


def find_marker(targets: Targets) -> Tries:
    """Look for it everywhere."""
    for name, path in places(targets):
        yield f"a marker in {name}", lambda path=path: f"{len(path.read_bytes())} bytes"  # type: ignore[misc]
    yield "a marker in the keyring", lambda: find_key(f"{targets.nonce()}-marker")
    yield "a marker in System V memory", lambda: find_segment(targets.number("marker_key"))


def find_key(name: str) -> str:
    """Find a key in the keyring that processes of one user share."""
    return f"key {call('keyctl', 10, -4, b'user', name.encode(), 0)}"


def find_segment(key: int) -> str:
    """Find System V memory, and remove it: it stays until somebody does."""
    number = LIBC.shmget(key, 0, 0)
    if number < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    LIBC.shmctl(number, 0, None)
    return f"segment {number}"


# 64 bits: one process sends a random number by every channel it knows, the other one says what it heard.


def shared_files() -> list[str]:
    """Return files that every bot can read and that nobody opens now and then."""
    folder = Path("/usr/share/zoneinfo/posix/America")
    if not folder.is_dir():
        folder = Path("/usr/bin")
    return sorted(str(path) for path in folder.iterdir() if path.is_file() and not path.is_symlink())[:BITS]


def set_bits(number: int) -> list[int]:
    """Return the places of a number's ones."""
    return [bit for bit in range(BITS) if number >> bit & 1]


def send_bits(targets: Targets) -> Tries:
    """Make attempt 35: send, by all channels at once, until we are killed."""
    number = secrets.randbits(BITS) | 1
    raw, word = struct.pack("<Q", number), f"{number:016x}"
    for path in bit_files(targets):
        with contextlib.suppress(OSError):
            path.write_bytes(raw)
            path.chmod(0o644)
    for bit in set_bits(number):
        with contextlib.suppress(OSError):
            Path(f"bit{bit}").touch()
    LIBC.prctl(PR_SET_NAME, b"T" + base64.b64encode(raw), 0, 0, 0)
    program = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)", f"{targets.nonce()}={word}"]
    with contextlib.suppress(OSError):
        subprocess.Popen(program)
    files = [os.open(path, os.O_RDONLY) for path in shared_files()]
    for bit in set_bits(number):
        with contextlib.suppress(OSError, IndexError):
            fcntl.flock(files[bit], fcntl.LOCK_EX | fcntl.LOCK_NB)
        with contextlib.suppress(OSError, IndexError):
            fcntl.fcntl(files[bit], fcntl.F_SETLK, struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 1, 0))
    segment = LIBC.shmget(targets.number("bits_key"), 4096, IPC_CREAT | 0o666)
    if segment >= 0:
        LIBC.shmat.restype = ctypes.c_void_p
        ctypes.memmove(LIBC.shmat(segment, None, 0), raw, 8)
    with contextlib.suppress(OSError, Absent):
        call("add_key", b"user", f"{targets.nonce()}-bits".encode(), raw, 8, -4)
    for address in (b"\0" + f"{targets.nonce()}-bits".encode(), str(Path.cwd() / "bits.s")):
        with contextlib.suppress(OSError):
            line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            line.bind(address)
            serve(line, lambda visitor: visitor.sendall(raw))
    with contextlib.suppress(OSError):
        line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        line.bind("bits.d")
        threading.Thread(target=answer_datagrams, args=(line, raw), daemon=True).start()
    with contextlib.suppress(OSError):
        line = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        line.bind(("127.0.0.1", targets.number("bits_port")))
        serve(line, lambda visitor: visitor.sendall(raw))
    tell(waiting=True, bits=word)
    if os.fork():  # closing a file would free its record locks
        wait_forever()
    while True:  # for whoever watches which files are opened
        for bit in set_bits(number):
            with contextlib.suppress(OSError, IndexError):
                os.close(os.open(shared_files()[bit], os.O_RDONLY))
        time.sleep(0.1)
    yield from ()


def answer_datagrams(line: socket.socket, raw: bytes) -> None:
    """Send the number to whoever sends its address."""
    while True:
        address = line.recv(200)
        with contextlib.suppress(OSError):
            line.sendto(raw, address)


def bit_files(targets: Targets) -> list[Path]:
    """Return files that both may reach."""
    name = f"{targets.nonce()}-bits"
    folders = [Path.cwd(), targets.folder, Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path(targets.text("drop"))]
    return [folder / name for folder in folders]


def receive_bits(targets: Targets) -> Tries:
    """Make attempt 35: tell the number heard on every channel, for whoever started us to compare."""
    theirs = Path(targets.text("sender_scratch"))
    name = f"{targets.nonce()}-bits"
    for folder in (theirs, targets.folder, *map(Path, ("/tmp", "/var/tmp", "/dev/shm", targets.text("drop")))):
        place = "the sender's scratch" if folder == theirs else "their folder" if folder == targets.folder else folder
        place = "a folder open to all" if str(folder) == targets.text("drop") else place
        yield f"64 bits by a file in {place}", lambda folder=folder: hear((folder / name).read_bytes())  # type: ignore[misc]
    yield "64 bits by files that are there or not", lambda: hear_names(theirs)
    yield "a few bits by the size of the sender's log", lambda: f"{os.stat(targets.text('sender_log')).st_size} bytes"
    yield "64 bits by a process's name", hear_process_name
    yield "64 bits by a command line", lambda: hear_command_line(targets)
    yield "64 bits by file locks", hear_locks
    yield "64 bits by record locks", hear_record_locks
    yield "64 bits by files that are opened", hear_opens
    yield "64 bits by System V memory", lambda: hear_segment(targets.number("bits_key"))
    yield "64 bits by the keyring", lambda: hear_key(name)
    yield "64 bits by an abstract socket", lambda: hear_socket(socket.AF_UNIX, b"\0" + name.encode())
    yield "64 bits by a socket in the sender's scratch", lambda: hear_socket(socket.AF_UNIX, str(theirs / "bits.s"))
    yield "64 bits by datagrams in the sender's scratch", lambda: hear_datagram(theirs)
    yield "64 bits by TCP", lambda: hear_socket(socket.AF_INET, ("127.0.0.1", targets.number("bits_port")))


def hear(raw: bytes) -> str:
    """Write a number as it is told."""
    if len(raw) != 8:
        raise AttemptRefused("nothing of eight bytes was heard")
    return f"{struct.unpack('<Q', raw)[0]:016x}"


def hear_ones(ones: list[int]) -> str:
    """Return a number from the places of its ones."""
    if not ones:
        raise AttemptRefused("no bit was heard")
    return f"{sum(1 << bit for bit in ones):016x}"


def hear_names(theirs: Path) -> str:
    """Landlock does not govern stat."""
    return hear_ones([bit for bit in range(BITS) if os.path.exists(theirs / f"bit{bit}")])


def hear_process_name() -> str:
    """15 letters are enough."""
    for path in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError, ValueError):
            text = path.read_text().strip()
            if text.startswith("T") and text.endswith("="):
                return hear(base64.b64decode(text[1:]))
    raise AttemptRefused("no process with such a name is seen")


def hear_command_line(targets: Targets) -> str:
    """Find the number in a command line: the sender starts a program with it among the arguments."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            for word in path.read_bytes().decode(errors="replace").split("\0"):
                if word.startswith(f"{targets.nonce()}="):
                    return word.partition("=")[2]
    raise AttemptRefused("no process with such a command is seen")


def hear_locks() -> str:
    """Find the number in locks: a lock that is held refuses ours."""
    ones = []
    for bit, path in enumerate(shared_files()):
        file = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            ones.append(bit)
        finally:
            os.close(file)
    return hear_ones(ones)


def hear_record_locks() -> str:
    """Find the number in record locks: the kernel says who would be in the way."""
    ones = []
    for bit, path in enumerate(shared_files()):
        file = os.open(path, os.O_RDONLY)
        try:
            asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0)
            if struct.unpack("hhqqi4x", fcntl.fcntl(file, fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK:
                ones.append(bit)
        finally:
            os.close(file)
    return hear_ones(ones)


def hear_opens() -> str:
    """inotify tells which files others open, across all namespaces."""
    watcher = call("inotify_init1", os.O_NONBLOCK)
    files = {}
    for bit, path in enumerate(shared_files()):
        number = LIBC.inotify_add_watch(watcher, path.encode(), IN_OPEN)
        if number < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        files[number] = bit
    ones, deadline = set(), time.monotonic() + LISTEN_SECONDS
    while (left := deadline - time.monotonic()) > 0:
        if select.select([watcher], [], [], left)[0]:
            heard = os.read(watcher, 65536)
            while heard:
                number, _, _, length = struct.unpack_from("iIII", heard)
                ones.add(files[number])
                heard = heard[16 + length :]
    return hear_ones(sorted(ones))


def hear_segment(key: int) -> str:
    """And remove it."""
    number = LIBC.shmget(key, 0, 0)
    if number < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    LIBC.shmat.restype = ctypes.c_void_p
    raw = ctypes.string_at(LIBC.shmat(number, None, 0), 8)
    LIBC.shmctl(number, 0, None)
    return hear(raw)


def hear_key(name: str) -> str:
    """And unlink it."""
    key = call("keyctl", 10, -4, b"user", name.encode(), 0)
    raw = ctypes.create_string_buffer(8)
    call("keyctl", 11, key, raw, 8)
    call("keyctl", 9, key, -4)
    return hear(raw.raw)


def hear_datagram(theirs: Path) -> str:
    """Receive the number as a datagram, which needs no connection."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.settimeout(LISTEN_SECONDS)
        line.bind("reply.d")
        Path("reply.d").chmod(0o666)
        line.sendto(str(Path("reply.d").resolve()).encode(), str(theirs / "bits.d"))
        return hear(line.recv(8))


def hear_socket(family: int, address: tuple[str, int] | str | bytes) -> str:
    """Receive the number over a socket: whoever connects is told."""
    with socket.socket(family, socket.SOCK_STREAM) as line:
        line.settimeout(LISTEN_SECONDS)
        line.connect(address)
        return hear(line.recv(8))
