"""Attempts 20, 24 to 28, 31, 32 and 37: more than a bot's share. Limits are told; each program takes a little more."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import queue
import resource
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from .files import leave
from .tries import LIBC, Absent, AttemptRefused, Targets, Tries, in_child

CHUNK = 4 << 20
OPEN_LINES: list[Any] = []
"""Connections kept, so that they stay open."""
SECONDS = 20.0
HOLD_SECONDS = 2.0
"""How long more than allowed is held: where no cgroup counts, the keeper checks twice a second."""


def shared_memory(targets: Targets) -> Tries:
    """Make attempt 20: memory that processes share by name."""
    yield "write into /dev/shm", lambda: leave(f"/dev/shm/{targets.nonce()}", targets)
    yield "read another's file in /dev/shm", lambda: read_shared(targets)
    yield "attach to System V memory", lambda: attach(targets.number("shm_key"))
    yield "open System V semaphores", lambda: check_result(LIBC.semget(targets.number("shm_key"), 0, 0))
    yield "open a message queue", lambda: open_queue(targets)


def read_shared(targets: Targets) -> str:
    """Read the file that the server laid there."""
    return f"read {len(Path(targets.text('shm_file')).read_bytes())} bytes"


def check_result(number: int) -> str:
    """Check the result of a function of libc."""
    if number < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return f"number {number}"


def attach(key: int) -> str:
    """Attach to the segment that the server made."""
    return check_result(LIBC.shmget(key, 0, 0))


def open_queue(targets: Targets) -> str:
    """Open the queue that the server made."""
    if not targets.text("queue"):
        raise Absent("this kernel has no message queues")
    return check_result(LIBC.mq_open(targets.text("queue").encode(), os.O_RDWR))


def fork_bomb(targets: Targets) -> Tries:
    """Make attempt 24: processes."""
    yield "more processes than allowed", lambda: fork_many(targets.number("tasks") + 16)


def fork_many(count: int) -> str:
    """Fork children that wait to be killed."""
    children: list[int] = []
    try:
        for _ in range(count):
            child = os.fork()
            if child == 0:
                time.sleep(SECONDS)
                os._exit(0)
            children.append(child)
        time.sleep(HOLD_SECONDS)
    except BlockingIOError as error:
        raise AttemptRefused(f"after {len(children)}: {error.strerror}") from None
    finally:
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for child in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)
    return f"{len(children)} at once"


def many_threads(targets: Targets) -> Tries:
    """Make attempt 24: threads are tasks, too."""
    yield "more threads than allowed", lambda: in_child(lambda: start_threads(targets.number("tasks") + 16))


def start_threads(count: int) -> str:
    """Start threads that wait."""
    threading.stack_size(128 << 10)
    done = threading.Event()
    started = 0
    try:
        for _ in range(count):
            threading.Thread(target=done.wait, daemon=True).start()
            started += 1
        time.sleep(HOLD_SECONDS)
    except RuntimeError as error:
        raise AttemptRefused(f"after {started}: {error}") from None
    finally:
        done.set()
    return f"{started} at once"


def daemon(targets: Targets) -> Tries:
    """Make attempt 24: a process that leaves session and parent. Whoever started us looks for its command line
    afterwards."""
    word = f"{targets.nonce()}-daemon"
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            code = f"import signal; signal.signal(15, signal.SIG_IGN); [signal.sigtimedwait([1], 600)]; '{word}'"
            os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", code])
        os._exit(0)
    os.wait()
    time.sleep(0.3)
    yield from ()


def touch(memory: mmap.mmap, size: int) -> str:
    """Write to all of it: only then is it really taken."""
    for _ in range(0, size, CHUNK):
        memory.write(b"\1" * CHUNK)
    time.sleep(HOLD_SECONDS)
    return f"{size >> 20} MiB"


def too_much(targets: Targets) -> int:
    """Return a quarter more memory than allowed, in whole chunks."""
    return targets.number("memory_bytes") * 5 // 4 // CHUNK * CHUNK


def memory_heap(targets: Targets) -> Tries:
    """Make attempt 25: ordinary memory."""
    size = too_much(targets)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    yield "memory of its own", lambda: in_child(lambda: touch(mmap.mmap(-1, size, flags=flags), size))


def memory_shared(targets: Targets) -> Tries:
    """Make attempt 25: memory that its children would share."""
    size = too_much(targets)
    flags = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
    yield "memory shared with children", lambda: in_child(lambda: touch(mmap.mmap(-1, size, flags=flags), size))


def memory_zero(targets: Targets) -> Tries:
    """Make attempt 25: a shared mapping of /dev/zero is memory, too."""
    yield "memory mapped from /dev/zero", lambda: in_child(lambda: map_zero(too_much(targets)))


def map_zero(size: int) -> str:
    """Map /dev/zero as if it were a file."""
    with open("/dev/zero", "r+b", buffering=0) as file:
        return touch(mmap.mmap(file.fileno(), size, flags=mmap.MAP_SHARED), size)


def memory_memfd(targets: Targets) -> Tries:
    """Make attempt 25: memory as a file without a name."""
    yield "memory as a nameless file", lambda: in_child(lambda: fill_memfd(too_much(targets)))


def fill_memfd(size: int) -> str:
    """Fill a nameless file by writing: a mapping would count as the process's own."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    files = []
    for taken in range(0, size, CHUNK):
        if taken % (2 * CHUNK) == 0:  # small ones, each below the largest file allowed
            files.append(os.memfd_create("memory"))
        os.write(files[-1], b"\1" * CHUNK)
    time.sleep(HOLD_SECONDS)
    return f"{size >> 20} MiB in {len(files)} files"


def memory_tmpfs(targets: Targets) -> Tries:
    """Make attempt 25: memory as files of a file system in memory."""
    yield "memory as files", lambda: in_child(lambda: fill_tmpfs(targets))


def fill_tmpfs(targets: Targets) -> str:
    """Fill all file systems in memory that let us write."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size, taken, paths = too_much(targets), 0, []
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    try:
        for place in [fields[1] for fields in mounts if fields[2] == "tmpfs"]:
            with contextlib.suppress(OSError):
                for number in range(size // CHUNK):
                    path = f"{place}/{targets.nonce()}-{number}"
                    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
                    paths.append(path)
                    try:
                        taken += os.write(file, b"\1" * CHUNK)
                    finally:
                        os.close(file)
                    if taken >= size:
                        time.sleep(HOLD_SECONDS)
                        return f"{taken >> 20} MiB"
    finally:
        for path in paths:
            os.unlink(path)
    raise AttemptRefused(f"after {taken >> 20} MiB")


def memory_together(targets: Targets) -> Tries:
    """Make attempt 37: processes each of which takes less than is allowed, and all together more."""
    yield "memory of many processes", lambda: in_child(lambda: take_together(targets))


def take_together(targets: Targets) -> str:
    """Start three processes with half of the memory each."""
    size = targets.number("memory_bytes") // 2 // CHUNK * CHUNK
    reading, writing = os.pipe()
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            with contextlib.suppress(OSError, MemoryError):
                memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
                for _ in range(0, size, CHUNK):
                    memory.write(b"\1" * CHUNK)
                os.write(writing, b".")
            time.sleep(SECONDS)
            os._exit(0)
        children.append(child)
    os.close(writing)
    arrived, deadline = 0, time.monotonic() + SECONDS / 2
    os.set_blocking(reading, False)
    while arrived < 3 and time.monotonic() < deadline:
        with contextlib.suppress(BlockingIOError):
            arrived += len(os.read(reading, 8))
        if any(os.waitpid(child, os.WNOHANG)[0] for child in children):
            break
        time.sleep(0.01)
    time.sleep(HOLD_SECONDS)
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    if arrived < 3:
        raise AttemptRefused(f"{arrived} of 3 processes had their {size >> 20} MiB")
    return f"{3 * size >> 20} MiB"


def disk_file(targets: Targets) -> Tries:
    """Make attempt 26: one large file."""
    yield "a file larger than allowed", lambda: in_child(lambda: write_large(targets.number("file_bytes") + CHUNK))
    yield "a sparse file larger than allowed", lambda: in_child(lambda: sparse(targets.number("file_bytes") + CHUNK))


def write_large(size: int) -> str:
    """Write bytes, really."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path, written = Path("large"), 0
    try:
        with path.open("wb", buffering=0) as file:
            while written < size:
                written += file.write(b"\1" * CHUNK)
    finally:
        path.unlink()
    return f"{written >> 20} MiB"


def sparse(size: int) -> str:
    """Make a file with a size but no content: whoever copies it gets all of it."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path = Path("sparse")
    try:
        with path.open("wb") as file:
            file.truncate(size)
    finally:
        path.unlink()
    return f"{size >> 20} MiB"


def disk_many(targets: Targets) -> Tries:
    """Make attempt 26: many files, which together are more than the scratch folder may hold."""
    yield (
        "more files than the scratch may hold",
        lambda: in_child(
            lambda: fill_folder(targets.number("scratch_bytes") + 2 * CHUNK, targets.number("file_bytes") // 2)
        ),
    )


def fill_folder(size: int, each: int) -> str:
    """Write files of half the size allowed."""
    paths: list[Path] = []
    written = 0
    try:
        while written < size:
            paths.append(Path(f"many-{len(paths)}"))
            written += paths[-1].write_bytes(b"\1" * each)
        time.sleep(HOLD_SECONDS)
    except OSError as error:
        raise AttemptRefused(f"after {written >> 20} MiB: {error.strerror}") from None
    finally:
        for path in paths:
            path.unlink()
    return f"{written >> 20} MiB in {len(paths)} files"


def disk_inodes(targets: Targets) -> Tries:
    """Make attempt 26: a million empty files: they cost the kernel memory, and no byte of the folder's size."""
    count = targets.number("scratch_bytes") // 512
    yield "a great many empty files", lambda: in_child(lambda: make_empty(count), seconds=30)


def make_empty(count: int) -> str:
    """Make an empty file for every 512 bytes of what the folder may hold."""
    os.mkdir("empty")
    number_made = 0
    try:
        for number_made in range(count):
            os.close(os.open(f"empty/{number_made}", os.O_WRONLY | os.O_CREAT))
        time.sleep(HOLD_SECONDS)
    except OSError as error:
        raise AttemptRefused(f"after {number_made}: {error.strerror}") from None
    finally:
        for number in range(number_made + 1):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"empty/{number}")
        os.rmdir("empty")
    return f"{count} files"


def descriptors(targets: Targets) -> Tries:
    """Make attempt 27: open files."""
    yield "more open files than allowed", lambda: in_child(lambda: open_many(targets.number("open_files") + 64))


def open_many(count: int) -> str:
    """Open as many files as the limit lets us set for ourselves."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for number in range(count):
        try:
            os.open("/dev/null", os.O_RDONLY)
        except OSError as error:
            raise AttemptRefused(f"after {number}: {error.strerror}") from None
    return f"{count} at once"


def priorities(targets: Targets) -> Tries:
    """Make attempt 28: a larger share of the processors, and higher limits."""
    yield "raise its priority", lambda: in_child(lambda: f"nice {os.nice(-1)}")
    yield "real-time priority", lambda: in_child(real_time)
    yield "choose its cores", lambda: in_child(choose_cores)
    yield "raise the limit of open files", lambda: in_child(lambda: raise_limit(resource.RLIMIT_NOFILE))
    yield "raise the limit of processes", lambda: in_child(lambda: raise_limit(resource.RLIMIT_NPROC))
    yield "raise the limit of memory", lambda: in_child(lambda: raise_limit(resource.RLIMIT_DATA))
    yield "be spared when memory ends", lambda: in_child(be_spared)


def real_time() -> str:
    """Run before everybody else."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return "is a real-time process"


def choose_cores() -> str:
    """Choose all cores: a bot that is kept on one core could leave it."""
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    return "chose all cores"


def raise_limit(kind: int) -> str:
    """Raise a limit beyond what it was given."""
    _, most = resource.getrlimit(kind)
    more = resource.RLIM_INFINITY if kind != resource.RLIMIT_NOFILE else most + 1
    if most == resource.RLIM_INFINITY:
        raise Absent("there is no such limit here")
    resource.setrlimit(kind, (more, more))
    return f"raised from {most}"


def be_spared() -> str:
    """Let others be killed first."""
    Path("/proc/self/oom_score_adj").write_text("-1")
    return "is spared"


def burn(targets: Targets) -> Tries:
    """Make attempt 31: processor time while no question is open."""
    yield "processor time without a question", lambda: burn_seconds(4.0)


def burn_seconds(seconds: float) -> str:
    """Say Hello, as a bot does between its matches, and work. Reached if it got that much, on a busy machine, too."""
    say_hello()
    deadline = time.monotonic() + 10 * seconds
    while time.process_time() < seconds:
        if time.monotonic() > deadline:
            raise AttemptRefused(f"got {time.process_time():.1f} s")
    return f"got {time.process_time():.1f} s"


def say_hello() -> None:
    """Say Hello with the libraries that a Python bot has."""
    try:
        import grpc

        from tortuga.v1 import referee_pb2 as pb
    except ImportError as error:
        raise Absent(str(error)) from None
    hello = pb.FromBotBatch(messages=[pb.FromBot(hello=pb.Hello(protocol=1, bot_name="burner"))]).SerializeToString()
    messages: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    messages.put(hello)
    dial: Any = grpc.insecure_channel(os.environ["TORTUGA_ADDRESS"]).stream_stream("/tortuga.v1.Referee/Play")
    line = dial(iter(messages.get, None), metadata=(("authorization", f"Bearer {os.environ['TORTUGA_TOKEN']}"),))
    next(line)  # the referee's Hello
    OPEN_LINES.append(line)


def log_bomb(targets: Targets) -> Tries:
    """Make attempt 32: a great deal of output."""
    for _ in range(1600):
        os.write(2, b"\n" + b"x" * 65534 + b"\n")
    yield "print 100 MiB", lambda: "printed all of it"
