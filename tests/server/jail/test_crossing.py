"""What an author is told of a limit."""

from __future__ import annotations

import pytest

from server.jail.crossing import IDLE, OUTPUT, describe_crossing, describe_large_file, limit_in_question
from server.jail.limits import ResourceLimits

LIMITS = ResourceLimits(memory_bytes=512 << 20, tasks=64, open_files=128)


@pytest.mark.parametrize(
    ("limit", "used", "allowed", "words"),
    [
        (OUTPUT, 70 << 20, 64 << 20, "printed more than 64 MiB"),
        ("memory", 700_000_000, 512 << 20, "crossed its limit of memory: 668 MiB used, 512 MiB allowed"),
        ("tasks", 65, 64, "crossed its limit of tasks (processes and threads): 65 used, 64 allowed"),
        ("scratch", 5000, 4096, "crossed its limit of scratch space: 5000 bytes used, 4 KiB allowed"),
        (IDLE, 1.26, 1.0, "crossed its limit of processor time while no question is open: 1.3 s used, 1 s allowed"),
    ],
)
def test_a_crossing_names_the_limit_the_use_and_what_is_allowed(
    limit: str, used: float, allowed: float, words: str
) -> None:
    assert describe_crossing(limit, used, allowed) == words


def test_a_file_that_is_too_large() -> None:
    assert describe_large_file(LIMITS) == "crossed its limit of file size: it wrote to a file beyond 64 MiB"


@pytest.mark.parametrize(
    ("last_words", "words"),
    [
        ("MemoryError", "; its memory was limited to 512 MiB"),
        ("terminate called after throwing an instance of 'std::bad_alloc'", "; its memory was limited to 512 MiB"),
        ("memory allocation of 8589934592 bytes failed", "; its memory was limited to 512 MiB"),
        ("java.lang.OutOfMemoryError: Java heap space", "; its memory was limited to 512 MiB"),
        ("FATAL ERROR: Reached heap limit Allocation failed", "; its memory was limited to 512 MiB"),
        ("fatal error: runtime: cannot allocate memory", "; its memory was limited to 512 MiB"),
        ("java.lang.OutOfMemoryError: unable to create native thread", "; its tasks were limited to 64"),
        ("RuntimeError: can't start new thread", "; its tasks were limited to 64"),
        ("BlockingIOError: [Errno 11] Resource temporarily unavailable", "; its tasks were limited to 64"),
        ("OSError: [Errno 24] Too many open files: 'x'", "; its open files were limited to 128"),
        ("OSError: [Errno 27] File too large", "; its file size was limited to 64 MiB"),
        ("OSError: [Errno 28] No space left on device", "; its scratch space was limited to 64 MiB"),
        ("ValueError: boom in my bot", ""),
        ("", ""),
    ],
)
def test_a_crash_is_told_with_the_limit_that_its_last_words_point_to(last_words: str, words: str) -> None:
    assert limit_in_question(last_words, LIMITS) == words
