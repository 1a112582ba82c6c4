"""Inputs that are tried every time: whatever a fuzz target once fell over, and what it nearly fell over.

A file in tests/fuzz/corpus/NAME is one input of the target of that name. To add one, save the bytes that hypothesis
printed (`tests/fuzz/corpus/README.md`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import example

CORPUS = Path(__file__).parents[1] / "fuzz" / "corpus"

Test = TypeVar("Test", bound=Callable[..., Any])


def saved(name: str) -> list[bytes]:
    """All saved inputs of a target, by name of their file."""
    found = [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]
    assert found, f"tests/fuzz/corpus/{name} is empty"
    return found


def with_saved(
    name: str, make: Callable[[bytes], tuple[Any, ...]] = lambda content: (content,)
) -> Callable[[Test], Test]:
    """Decorate a test so that it tries all saved inputs first; `make` gives its arguments."""

    def decorate(test: Test) -> Test:
        for content in saved(name):
            test = example(*make(content))(test)
        return test

    return decorate
