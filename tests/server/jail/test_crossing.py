"""What an author is told of a limit."""

from __future__ import annotations

import re

import pytest

from server.jail.limits import (
    IDLE,
    OUTPUT,
    ResourceLimits,
    describe_crossing,
    describe_large_file,
    limit_in_question,
    network_in_question,
)

LIMITS = ResourceLimits(memory_bytes=512 << 20, tasks=64, open_files=128)


@pytest.mark.parametrize(
    ("limit", "used", "allowed", "facts"),
    [
        (OUTPUT, 70 << 20, 64 << 20, "printed.* 64 MiB"),
        ("memory", 700_000_000, 512 << 20, "memory.* 668 MiB.* 512 MiB"),
        ("tasks", 65, 64, "tasks.* 65 .* 64 "),
        ("scratch", 5000, 4096, "scratch.* 5000 bytes.* 4 KiB"),
        (IDLE, 1.26, 1.0, r"processor.*question.* 1\.3 s.* 1 s"),
    ],
)
def test_a_crossing_names_the_limit_the_use_and_what_is_allowed(
    limit: str, used: float, allowed: float, facts: str
) -> None:
    assert re.search(facts, describe_crossing(limit, used, allowed))


def test_a_file_that_is_too_large() -> None:
    assert re.search("file size.* 64 MiB", describe_large_file(LIMITS))


@pytest.mark.parametrize(
    ("last_words", "facts"),
    [
        ("MemoryError", "; its memory .* 512 MiB"),
        ("terminate called after throwing an instance of 'std::bad_alloc'", "; its memory .* 512 MiB"),
        ("memory allocation of 8589934592 bytes failed", "; its memory .* 512 MiB"),
        ("java.lang.OutOfMemoryError: Java heap space", "; its memory .* 512 MiB"),
        ("FATAL ERROR: Reached heap limit Allocation failed", "; its memory .* 512 MiB"),
        ("fatal error: runtime: cannot allocate memory", "; its memory .* 512 MiB"),
        ("java.lang.OutOfMemoryError: unable to create native thread", "; its tasks .* 64"),
        ("RuntimeError: can't start new thread", "; its tasks .* 64"),
        ("BlockingIOError: [Errno 11] Resource temporarily unavailable", "; its tasks .* 64"),
        ("OSError: [Errno 24] Too many open files: 'x'", "; its open files .* 128"),
        ("OSError: [Errno 27] File too large", "; its file size .* 64 MiB"),
        ("OSError: [Errno 28] No space left on device", "; its scratch .* 64 MiB"),
        ("ValueError: boom", ""),
        ("", ""),
    ],
)
def test_a_crash_is_told_with_the_limit_that_its_last_words_point_to(last_words: str, facts: str) -> None:
    assert re.fullmatch(facts, limit_in_question(last_words, LIMITS))


@pytest.mark.parametrize(
    "last_words",
    [
        "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
        "OSError: [Errno 97] Address family not supported by protocol",
        "OSError: [Errno 101] Network is unreachable",
        "panic: dial tcp: lookup example.com: no such host",
        "java.net.UnknownHostException: example.com",
        "Error: getaddrinfo EAI_AGAIN example.com",
        "failed to lookup address information: Temporary failure in name resolution",
    ],
)
def test_a_crash_without_network_is_told_with_the_way_out(last_words: str) -> None:
    for fact in ("network", "tortuga bot connect", "--jail none"):
        assert fact in network_in_question(last_words)


def test_other_crashes_are_not_blamed_on_the_network() -> None:
    assert network_in_question("ValueError: boom") == ""
