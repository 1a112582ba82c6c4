"""The attempts of hostile bots: what each of them tries."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AttemptKind(StrEnum):
    """The way in which an attempt is run."""

    ALONE = "alone"
    """Each of its programs runs as a bot's process."""
    NEXT_MATCH = "next match"
    """One process leaves a marker and ends, then another one looks for it."""
    OTHER_ROTATION = "other rotation"
    """The same as NEXT_MATCH, with both running at once."""
    BITS = "bits"
    """One process sends a number, the other one says what it heard."""
    BUILD = "build"
    """As the build of a bot, not as a bot."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One numbered attempt to break out."""

    number: int
    title: str
    programs: tuple[str, ...] = ()
    """Programs of server/doctor/attempts, each run as one process."""
    kinds: tuple[AttemptKind, ...] = (AttemptKind.ALONE,)


def row(number: int, title: str, *programs: str, kinds: tuple[AttemptKind, ...] = (AttemptKind.ALONE,)) -> Attempt:
    """Make a row of the list."""
    return Attempt(number=number, title=title, programs=programs, kinds=kinds)


ATTEMPTS = (
    row(1, "read the passwords", "shadow"),
    row(2, "seeds, tokens, database, records, other bots' folders", "server_folder"),
    row(3, "home folders", "homes"),
    row(4, "environment and memory of other processes", "environments"),
    row(5, "command lines of other processes", "command_lines"),
    row(6, "settings of the kernel and the machine", "system_settings"),
    row(7, "writing outside of the scratch folder", "writes"),
    row(8, "TCP to this machine and to the network", "tcp"),
    row(9, "UDP and name servers", "udp"),
    row(10, "listening for connections", "listening"),
    row(11, "sockets of other kinds", "families"),
    row(12, "abstract sockets", "abstract"),
    row(13, "admin door, other doors, descriptors from other bots", "path_sockets"),
    row(14, "signals to server, keepers and other bots", "signals"),
    row(15, "tracing other processes", "tracing"),
    row(16, "the kernel's keyring", "keyring"),
    row(17, "io_uring", "io_uring"),
    row(18, "locks and leases on shared files", "locks"),
    row(19, "watching what others open", "watches"),
    row(20, "shared memory, semaphores, message queues", "shared_memory"),
    row(21, "namespaces of its own", "namespaces"),
    row(22, "mounts, other roots, files by number, devices", "mounts"),
    row(23, "root, capabilities, setuid programs", "more_rights"),
    row(24, "fork bomb, threads, daemon", "fork_bomb", "many_threads", "daemon"),
    row(25, "memory", "memory_heap", "memory_shared", "memory_zero", "memory_memfd", "memory_tmpfs"),
    row(26, "disk: large files, many files", "disk_file", "disk_many", "disk_inodes"),
    row(27, "open files", "descriptors"),
    row(28, "priority, cores, higher limits", "priorities"),
    row(29, "i386 and x32 calls, bpf, perf, userfaultfd", "rare_calls"),
    row(
        30,
        "terminals, core dump, open descriptors, a marker for the next match",
        "leftovers",
        kinds=(AttemptKind.ALONE, AttemptKind.NEXT_MATCH),
    ),
    row(31, "processor time after its match", "burn"),
    row(32, "log bomb", "log_bomb"),
    row(33, "signals to its keeper", "signal_keeper"),
    row(34, "a marker for its other rotation", kinds=(AttemptKind.OTHER_ROTATION,)),
    row(35, "64 bits from one bot to another", kinds=(AttemptKind.BITS,)),
    row(36, "a hostile build", kinds=(AttemptKind.BUILD,)),
    row(37, "memory of many processes together", "memory_together"),
)
