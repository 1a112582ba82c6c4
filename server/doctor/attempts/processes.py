"""Attempts 4, 5, 14, 15, 23 and 33: other processes, and more rights."""

from __future__ import annotations

import ctypes
import glob
import json
import os
import signal
import subprocess
import time
from pathlib import Path

from .tries import Absent, AttemptRefused, Targets, Tries, call

PTRACE_SEIZE = 0x4206
HARMLESS = signal.SIGURG
"""A signal that is ignored by all who do not ask for it."""
SELF_SECONDS = 5.0
OTHERS = {"server": "the server", "sibling": "another bot", "sibling_keeper": "another bot's keeper"}


def others(targets: Targets) -> list[int]:
    """Return all processes that are seen, without ourselves and those who started us in here."""
    own = {os.getpid(), os.getppid(), 1}
    return sorted({int(name) for name in os.listdir("/proc") if name.isdigit()} - own)


def environments(targets: Targets) -> Tries:
    """Make attempt 4: the environment and the memory of other processes."""
    yield "read another bot's token", lambda: find_token(targets)
    yield "read the server's environment", lambda: read_environment(targets.process("server"))
    yield "open another bot's memory", lambda: open_memory(targets.process("sibling"))
    yield "open the server's memory", lambda: open_memory(targets.process("server"))


def find_token(targets: Targets) -> str:
    """Find a token in any process's environment that is not ours."""
    own = os.environ.get("TORTUGA_TOKEN", "").encode()
    refusal: OSError = FileNotFoundError(2, "no other process is seen")
    for pid in others(targets):
        try:
            entries = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError as error:
            refusal = error
            continue
        tokens = [entry.partition(b"=")[2] for entry in entries if entry.startswith(b"TORTUGA_TOKEN=")]
        if any(token != own for token in tokens):
            return f"read the token of process {pid}"
    raise refusal


def read_environment(pid: int) -> str:
    """Read at least one byte of a process's environment."""
    if not Path(f"/proc/{pid}/environ").read_bytes():
        raise Absent("it is empty")
    return f"read the environment of process {pid}"


def open_memory(pid: int) -> str:
    """Open a process's memory for reading."""
    os.close(os.open(f"/proc/{pid}/mem", os.O_RDONLY))
    return f"opened the memory of process {pid}"


def command_lines(targets: Targets) -> Tries:
    """Make attempt 5: what else runs here."""
    for name, who in OTHERS.items():
        yield f"read the command line of {who}", lambda name=name: read_command(targets.process(name))  # type: ignore[misc]
    yield "list foreign processes", lambda: list_others(targets)


def read_command(pid: int) -> str:
    """Read at least one byte of a process's command line."""
    if not (line := Path(f"/proc/{pid}/cmdline").read_bytes()):
        raise Absent("it is empty")
    return line.replace(b"\0", b" ").decode(errors="replace")


def list_others(targets: Targets) -> str:
    """List processes that did not come from us."""
    if not (pids := others(targets)):
        raise AttemptRefused("only our own processes are seen")
    return f"{len(pids)} processes"


def signals(targets: Targets) -> Tries:
    """Make attempt 14: signals to the server, to keepers and to other bots."""
    for name, who in OTHERS.items():
        yield f"signal {who}", lambda name=name: send(targets.process(name))  # type: ignore[misc]
    yield "signal another bot by descriptor", lambda: send_by_descriptor(targets.process("sibling"))


def send(pid: int) -> str:
    """Send a signal; it is reached if the kernel delivers it."""
    os.kill(pid, HARMLESS)
    return f"sent a signal to process {pid}"


def send_by_descriptor(pid: int) -> str:
    """Send a signal through a pidfd."""
    call("pidfd_send_signal", call("pidfd_open", pid, 0), int(HARMLESS), None, 0)
    return f"sent a signal to process {pid}"


def signal_keeper(targets: Targets) -> Tries:
    """Make attempt 33: signals to one's own keeper, whose number whoever started us tells after the start."""
    note = targets.folder / "self.json"
    deadline = time.monotonic() + SELF_SECONDS
    while not note.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    targets.told |= json.loads(note.read_text())
    yield "signal its keeper", lambda: send(targets.process("keeper"))
    yield "open its keeper's memory", lambda: open_memory(targets.process("keeper"))
    yield "write into its keeper's pipe", lambda: open_pipe(targets.process("keeper"))


def open_pipe(pid: int) -> str:
    """Open a keeper's standard output, by which it reports; whoever opens it could report in its name."""
    os.close(os.open(f"/proc/{pid}/fd/1", os.O_WRONLY | os.O_NONBLOCK))
    return "opened it"


class Vector(ctypes.Structure):
    """The `struct iovec` of the kernel."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def tracing(targets: Targets) -> Tries:
    """Make attempt 15: reading and steering another process."""
    yield "trace another bot", lambda: trace(targets.process("sibling"))
    yield "read another bot's memory", lambda: read_memory(targets.process("sibling"))
    yield "take a descriptor of another bot", lambda: take_descriptor(targets.process("sibling"))
    yield "trace the server", lambda: trace(targets.process("server"))


def trace(pid: int) -> str:
    """Seize it without stopping it; it is released when we end."""
    call("ptrace", PTRACE_SEIZE, pid, 0, 0)
    return f"traced process {pid}"


def read_memory(pid: int) -> str:
    """Read at an address that is surely not mapped: EFAULT says that the rest was allowed."""
    into = ctypes.create_string_buffer(8)
    local = Vector(ctypes.addressof(into), 8)
    remote = Vector(4096, 8)
    try:
        call("process_vm_readv", pid, local, 1, remote, 1, 0)
    except OSError as error:
        if error.errno != 14:
            raise
    return f"may read the memory of process {pid}"


def take_descriptor(pid: int) -> str:
    """Take the standard output of another process."""
    os.close(call("pidfd_getfd", call("pidfd_open", pid, 0), 1, 0))
    return f"took a descriptor of process {pid}"


def more_rights(targets: Targets) -> Tries:
    """Make attempt 23: root, capabilities, setuid programs."""
    yield "be root", be_root
    yield "hold capabilities", hold_capabilities
    yield "become root", become_root
    yield "run a setuid program", run_setuid


def be_root() -> str:
    """Check that we are root."""
    if os.getuid() and os.geteuid():
        raise AttemptRefused(f"runs as user {os.getuid()}")
    if Path("/proc/self/uid_map").read_text().split()[:3] != ["0", "0", "4294967295"]:
        raise AttemptRefused("root in a user namespace only")
    return "is root"


def status(name: str) -> str:
    """Return a line of /proc/self/status."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.partition(":")[2].strip()
    raise Absent(f"the kernel does not say {name}")


def hold_capabilities() -> str:
    """Check for any capability at all."""
    if not any(int(status(name), 16) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")):
        raise AttemptRefused("has none")
    return f"has {status('CapEff')}"


def become_root() -> str:
    """Become root in the plain way, in a child."""
    child = os.fork()
    if child == 0:
        try:
            os.setuid(0)
        except OSError:
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise AttemptRefused("EPERM: Operation not permitted")
    return "setuid(0) succeeded"


def run_setuid() -> str:
    """Start a setuid program: glibc shows the vector that the kernel hands to a program, except to one that gains
    rights by its start."""
    if shown("/bin/true") is None:
        raise Absent("this machine's loader does not show it")
    programs = [path for path in glob.glob("/usr/bin/*") if is_setuid(path)]
    if not programs:
        raise Absent("there is no setuid program here")
    if os.geteuid() == 0:
        raise Absent("is root already")
    for path in programs:
        if shown(path) is None:
            return f"{path} ran as root"
    raise AttemptRefused("setuid programs run without more rights")


def is_setuid(path: str) -> bool:
    """Check that anybody may run it as its owner. Who that is cannot be seen in a user namespace."""
    try:
        status = os.stat(path)
    except OSError:
        return False
    return status.st_mode & 0o4001 == 0o4001


def shown(path: str) -> str | None:
    """Return the effective user that a program is started with, if the loader shows it."""
    done = subprocess.run(
        [path, "--version"], env={"LD_SHOW_AUXV": "1"}, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    users = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith("AT_EUID")]
    return users[0].split()[-1] if users else None
