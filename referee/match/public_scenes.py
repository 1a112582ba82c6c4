"""Decides which moments of a game spectators see, both live (`referee/door/spectator.py`) and in replays.

A scene is due when something public happened and the table is settled, never for a question: see docs/watching.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from referee.rules.engine import SPECTATOR, AnyGame


@dataclass(frozen=True, kw_only=True, slots=True)
class PublicScene:
    """The table as spectators are shown it, with all events that they have not been told yet."""

    state: Any
    events: Sequence[Any]
    """The events as spectators perceive them."""


class PublicScenes:
    """Follows the steps of one game and says when spectators are shown something."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self._untold: list[Any] = []
        """Public events to tell as soon as the table is settled."""
        self._state: Any = None

    def take(self, state: Any, public: Iterable[Any]) -> PublicScene | None:
        """Take in a step: the state it led to and its public events. The scene to show now; None if none is due."""
        opening, self._state = self._state is None, state
        self._untold += public
        if (self._untold or opening) and self._game.settled(state):
            return self._next()
        return None

    def rest(self) -> PublicScene | None:
        """Return the scene for what is left to tell when the match is over; None if nothing is."""
        return self._next() if self._untold else None

    def _next(self) -> PublicScene:
        events, self._untold = self._untold, []
        return PublicScene(state=self._state, events=events)


def sort_events(game: AnyGame, events: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """Split events into what spectators perceive of them, and those they do not perceive whole."""
    public, hidden = [], []
    for event in events:
        perceived = game.seen(event, SPECTATOR)
        if perceived is not None:
            public.append(perceived)
        if perceived is not event and perceived != event:
            hidden.append(event)
    return public, hidden
