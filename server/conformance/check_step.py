"""One step of the check: a script that is played with a bot, and what it is called."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CheckStep(Generic[T]):
    """One step. Its script takes a conversation, or a starter of processes, and returns a word about what was seen."""

    id: str
    """For programs."""
    title: str
    """For people."""
    script: Callable[[T], Coroutine[Any, Any, str]]
