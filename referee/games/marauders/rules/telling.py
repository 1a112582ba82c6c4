"""Facts: what happened in the step under way."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVarTuple

from referee.games.marauders.events import Event
from referee.games.marauders.state import State

Fields = TypeVarTuple("Fields")

FACTS = 1 << 13
"""How many facts are remembered."""


def tell(draft: State, kind: Callable[[*Fields], Event], *fields: *Fields) -> None:
    """An event of that kind with those fields. The same fact is mostly the same object, which keeps its bytes."""
    draft.events.append(_fact(kind, *fields))


@lru_cache(FACTS)
def _fact(kind: Callable[..., Event], *fields: Any) -> Event:
    return kind(*fields)
