"""What this machine has and lacks for running bots and events, and the command that mends what is missing."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from server.arena.config import ArenaConfig
from server.bots.kits import find_kits
from server.hosting.cores import core_count
from server.jail.level import JailLevel
from server.jail.machine import obstacle
from server.system.processes import WANTED_FILES

PACKAGES: Mapping[str, tuple[str, str]] = {
    "bwrap": ("bubblewrap", "bubblewrap"),
    "setpriv": ("util-linux", "util-linux"),
    "libseccomp": ("libseccomp2", "libseccomp"),
    "cmake": ("cmake", "cmake"),
    "g++": ("g++", "gcc-c++"),
    "protoc": ("protobuf-compiler", "protobuf-compiler"),
    "grpc_cpp_plugin": ("protobuf-compiler-grpc", "grpc-plugins"),
    "protobuf's C++ headers": ("libprotobuf-dev", "protobuf-devel"),
    "gRPC's C++ headers": ("libgrpc++-dev", "grpc-devel"),
    "go": ("golang-go", "golang"),
    "java": ("default-jre-headless", "java-latest-openjdk-headless"),
    "javac": ("default-jdk-headless", "java-latest-openjdk-devel"),
    "mvn": ("maven", "maven"),
    "cargo": ("cargo", "cargo"),
    "cc": ("gcc", "gcc"),
    "node": ("nodejs", "nodejs"),
    "npm": ("npm", "npm"),
}
"""The package of each tool, of Debian and of Fedora."""

RELEASE = Path("/etc/os-release")
GOOD_CLOCKS = {"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen"}
LEAST_FREE_BYTES = 1 << 30
LEAST_OPEN_FILES = 4096
WATCH_SECONDS = 1.0
WATCH_PERIOD_SECONDS = 0.005
LATE_SECONDS, TOO_LATE_SECONDS = 0.02, 0.1
"""A referee that is held up for longer than the second one calls off matches (docs/performance.md)."""


class CheckupState(StrEnum):
    """The state of what was checked."""

    GOOD = "good"
    NOTE = "note"
    """Works, but could be better."""
    MISSING = "missing"


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckupFinding:
    """One thing that was checked."""

    group: str
    name: str
    state: CheckupState
    detail: str
    cure: str = ""
    """The command to type, or what to do; empty if nothing is amiss."""
    required: bool = False
    """True if nothing works without it."""


def examine() -> Iterator[CheckupFinding]:
    """Check everything but the attempts."""
    yield from levels()
    yield cores()
    yield load()
    yield clock_source()
    yield open_files()
    yield from disks()
    yield from ports()
    yield from languages()


def family() -> str:
    """Return `debian`, `fedora` or nothing, by what the system says of itself."""
    release: dict[str, str] = {}
    with contextlib.suppress(OSError):
        lines = RELEASE.read_text().splitlines()
        release = {name: value.strip('"') for name, _, value in (line.partition("=") for line in lines)}
    ids = {release.get("ID", ""), *release.get("ID_LIKE", "").split()}
    if ids & {"debian", "ubuntu"}:
        return "debian"
    return "fedora" if ids & {"fedora", "rhel", "centos"} else ""


def install(*tools: str) -> str:
    """Return the command that installs these tools here; both commands where the system is not known."""
    known = [PACKAGES[tool] for tool in tools if tool in PACKAGES]
    if not known:
        return ""
    before = "" if os.getuid() == 0 else "sudo "
    debian = f"{before}apt install {' '.join(sorted({names[0] for names in known}))}"
    fedora = f"{before}dnf install {' '.join(sorted({names[1] for names in known}))}"
    return {"debian": debian, "fedora": fedora}.get(family(), f"{debian}   (Fedora: {fedora})")


def levels() -> Iterator[CheckupFinding]:
    """Check how strongly bots can be confined here."""
    for level in JailLevel:
        reason = obstacle(level)
        yield CheckupFinding(
            group="jail",
            name=level,
            state=CheckupState.MISSING if reason else CheckupState.GOOD,
            detail=reason or "works",
            cure=level_cure(reason) if reason else "",
        )


def level_cure(reason: str) -> str:
    """Say how to get a level that is missing, by what stands in its way."""
    for tool in ("bwrap", "setpriv", "libseccomp"):
        if f"{tool} is not" in reason or f"{tool}.so" in reason:
            return install(tool)
    if "cgroup" in reason:
        return "systemd-run --user --scope -p Delegate=yes -- tortuga …, or run as root"
    if restricted_by_apparmor() and os.getuid() != 0 and "Landlock" not in reason:
        return (
            "Ubuntu keeps ordinary users from namespaces: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, "
            "or add an AppArmor profile for bwrap with `userns,` in it"
        )
    if in_container():
        return "start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined"
    if "Landlock" in reason:
        return "a kernel with Landlock (Linux 5.13 or newer), and landlock in its lsm= list at boot"
    return ""


def restricted_by_apparmor() -> bool:
    """Check whether AppArmor restricts user namespaces, as in Ubuntu since 24.04."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").read_text().strip() == "1"
    return False


def in_container() -> bool:
    """Check for Docker, Podman and their kin."""
    return Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()


def cores() -> CheckupFinding:
    """Count the cores that we may use."""
    count = core_count()
    return CheckupFinding(
        group="machine",
        name="cores",
        state=CheckupState.GOOD if count > 1 else CheckupState.NOTE,
        detail=f"{count} of {os.cpu_count() or 1}",
        cure="" if count > 1 else "one core works, but bots and referee wait for each other; give the machine two",
    )


def load() -> CheckupFinding:
    """Check whether the machine is too loaded for the default clock: how late a sleeper wakes up."""
    late, until = 0.0, time.monotonic() + WATCH_SECONDS
    while (began := time.monotonic()) < until:
        time.sleep(WATCH_PERIOD_SECONDS)
        late = max(late, time.monotonic() - began - WATCH_PERIOD_SECONDS)
    average = os.getloadavg()[0]
    detail = f"woke up at most {late * 1000:.0f} ms late in {WATCH_SECONDS:.0f} s; load {average:.1f}"
    if late > TOO_LATE_SECONDS:
        state, cure = (
            CheckupState.MISSING,
            "too loaded for the default clock: stop other work, or play with fewer workers",
        )
    elif late > LATE_SECONDS or average > 2 * core_count():
        state, cure = CheckupState.NOTE, "busy: the default clock (1 s an answer) may be short for slow bots"
    else:
        state, cure = CheckupState.GOOD, ""
    return CheckupFinding(group="machine", name="load", state=state, detail=detail, cure=cure)


def clock_source() -> CheckupFinding:
    """Check what the kernel reads the time from. A slow source costs on every message."""
    try:
        name = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource").read_text().strip()
    except OSError:
        return CheckupFinding(group="machine", name="clock", state=CheckupState.NOTE, detail="the kernel does not say")
    began = time.perf_counter()
    for _ in range(10_000):
        time.monotonic()
    nanoseconds = (time.perf_counter() - began) / 10_000 * 1e9
    detail = f"{name}, {nanoseconds:.0f} ns a reading"
    if name in GOOD_CLOCKS or nanoseconds < 500:
        return CheckupFinding(group="machine", name="clock", state=CheckupState.GOOD, detail=detail)
    cure = "a slow clock: see /sys/devices/system/clocksource/clocksource0/available_clocksource for a better one"
    return CheckupFinding(group="machine", name="clock", state=CheckupState.NOTE, detail=detail, cure=cure)


def open_files() -> CheckupFinding:
    """Check how many files we may open: each connection to an arena costs one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = most == resource.RLIM_INFINITY or most >= WANTED_FILES
    state = CheckupState.GOOD if enough else CheckupState.NOTE if most >= LEAST_OPEN_FILES else CheckupState.MISSING
    detail = "without limit" if most == resource.RLIM_INFINITY else f"{most}"
    cure = "" if enough else f"ulimit -Hn {WANTED_FILES}, or LimitNOFILE={WANTED_FILES} in the systemd unit"
    return CheckupFinding(group="machine", name="open files", state=state, detail=detail, cure=cure, required=True)


def disks() -> Iterator[CheckupFinding]:
    """Check the room for records here, and for bots' scratch folders."""
    for name, folder in (("disk here", Path.cwd()), ("disk for scratch", Path(tempfile.gettempdir()))):
        free = shutil.disk_usage(folder).free
        state = CheckupState.GOOD if free >= LEAST_FREE_BYTES else CheckupState.MISSING
        cure = "" if state is CheckupState.GOOD else f"free some space: a gigabyte at least in {folder}"
        detail = f"{free / 2**30:.1f} GiB free in {folder}"
        yield CheckupFinding(group="machine", name=name, state=state, detail=detail, cure=cure, required=True)


def ports() -> Iterator[CheckupFinding]:
    """Check whether an arena's doors can be opened at their default addresses."""
    defaults = ArenaConfig(ladders=())
    for name, address in (("bots' port", defaults.listen), ("public port", defaults.public)):
        host, _, port = address.rpartition(":")
        try:
            with socket.socket() as line:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                line.bind((host, int(port)))
        except OSError as error:
            cure = f"see who has it: ss -ltnp 'sport = :{port}'; or give `tortuga serve` another address"
            yield CheckupFinding(
                group="machine", name=name, state=CheckupState.NOTE, detail=f"{address}: {error.strerror}", cure=cure
            )
        else:
            yield CheckupFinding(group="machine", name=name, state=CheckupState.GOOD, detail=f"{address} is free")


def languages() -> Iterator[CheckupFinding]:
    """Check which languages' bots can be built here."""
    for language, kit in find_kits().items():
        missing = kit.missing_tools()
        names = [name.partition(" (")[0] for name in missing]
        yield CheckupFinding(
            group="languages",
            name=language,
            state=CheckupState.NOTE if missing else CheckupState.GOOD,
            detail=f"missing: {', '.join(names)}" if missing else "bots can be built",
            cure=install(*names) if missing else "",
        )
