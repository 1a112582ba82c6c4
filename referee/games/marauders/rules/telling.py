"""Facts: what happened in the step under way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVarTuple

from referee.games.marauders.events import Event
from referee.games.marauders.state import State
from referee.rules.parts import interned

Fields = TypeVarTuple("Fields")


def tell(draft: State, kind: Callable[[*Fields], Event], *fields: *Fields) -> None:
    """Tell an event of that kind with those fields. The same fact is mostly the same object, which keeps its bytes."""
    draft.events.append(_fact(kind, *fields))


@interned
def _fact(kind: Callable[..., Event], *fields: object) -> Event:
    return kind(*fields)
