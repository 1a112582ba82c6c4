"""How much the tests try: the one place that reads TORTUGA_TESTS.

| TORTUGA_TESTS | command            | what it runs                                                          |
| ------------- | ------------------ | --------------------------------------------------------------------- |
| `quick`       | `make test`        | all but the `system` tests, with few repetitions                      |
| `ci`          | `make test-system` | the `system` tests, and in their normal size those that are `sized`   |
| `full`        | `make chaos`       | all repetitions of what is tried by repeating it; half an hour        |

A test that is smaller in `quick` takes its numbers from `pick` and is marked `sized`. Folders that are `system` as a
whole stand in tests/conftest.py.
"""

from __future__ import annotations

import os
from enum import IntEnum
from typing import TypeVar

import pytest

T = TypeVar("T")


class Size(IntEnum):
    """How much the tests try."""

    QUICK = 1
    CI = 2
    FULL = 3


def read_size(word: str) -> Size:
    """The size of that name; nothing means quick."""
    try:
        return Size[(word or "quick").upper()]
    except KeyError:
        names = ", ".join(size.name.lower() for size in Size)
        raise pytest.UsageError(f"TORTUGA_TESTS is {word!r}, expected one of {names}") from None


SIZE = read_size(os.environ.get("TORTUGA_TESTS", ""))


def pick(*, ci: T, quick: T | None = None, full: T | None = None) -> T:
    """The value for this run; without another one, `quick` and `full` are as `ci`."""
    if SIZE is Size.QUICK and quick is not None:
        return quick
    if SIZE is Size.FULL and full is not None:
        return full
    return ci


sized = pytest.mark.sized
"""Marks a test that tries less in `quick`."""
