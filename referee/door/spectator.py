"""Shows a match to spectators: public facts while it is played, secrets when it is over.

A `SpectatorFeed` watches one match and shows it to any number of viewers. What it shows is a sequence of `Sight`
messages (arena.proto). Two rules keep its secrets. A sight is made of what `view` and `seen` give to SPECTATOR alone.
And it is sent when something public happened and the table is settled, never for a question: whether a seat was asked
or had nothing to choose can tell a hidden card, and so could a counter, an empty scene or a story cut in two.
Commentators are shown everything, step by step, but late.

Text and bytes are made when a viewer fetches them, so a match that nobody watches costs next to nothing, and a slow
viewer costs a bounded list. No gRPC here.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from referee.match import clock
from referee.match.match import Choices, Introduction, MatchResult, Terms
from referee.match.public_scenes import PublicScene, PublicScenes, sort_events
from referee.rules.course import Course
from referee.rules.engine import SPECTATOR, Seat, Step
from referee.wire import envelope
from referee.wire.codec import nested, number
from tortuga.v1 import arena_pb2, referee_pb2

MAX_QUEUED_SIGHTS = 64
"""Most sights queued for a viewer that does not fetch them. When there are more, the oldest and all others that are
due are dropped."""

MAX_DELAYED_SIGHTS = 2048
"""Most sights queued for a commentator, whose queue also holds the sights that are not due yet."""

MAX_SECRETS = 2000
"""Most lines of secrets revealed at the end. The record has all of them."""


class SpectatorFeed:
    """Shows one match to any number of viewers. It is the match's Watcher; whoever plays the match calls `end`.

    `reveal=False` keeps the secrets at the end: for a match whose luck is played again (mirrored blocks).
    """

    def __init__(self, terms: Terms, names: Sequence[str], *, reveal: bool = True) -> None:
        self._terms = terms
        self._names = tuple(names)
        self._reveal = reveal
        self._public = _Stream(MAX_QUEUED_SIGHTS)
        self._full = _Stream(MAX_DELAYED_SIGHTS)
        self._hidden: list[Any] = []
        self._hidden_count = 0
        self._scenes = PublicScenes(terms.game)

    def __call__(self, course: Course, kind: str, choices: Choices) -> None:
        """Take in what happened at the start of the match or in one moment of it."""
        for step in course.steps:
            self._show(step)

    def end(self, result: MatchResult | None) -> None:
        """End the streams, with the result as their last sight: the match is over, or was broken off (None)."""
        if (rest := self._scenes.rest()) is not None:
            self._show_public(rest, clock.now())
        for stream in (self._public, self._full):
            stream.end(None if result is None else self._ending(stream.number + 1, result))

    async def watch(
        self, *, full: bool = False, delay_seconds: float = 0.0, pace_seconds: float = 0.0
    ) -> AsyncGenerator[arena_pb2.Sight, None]:
        """Yield every sight from now on: the start, the table as it is, then what happens, until the match has ended.

        `full` is for commentators: everything is shown, each event `delay_seconds` after it happened. Two sights are
        at least `pace_seconds` apart; what happened meanwhile is told together. Sights are shared by all viewers: do
        not change them.
        """
        yield self._start
        stream = self._full if full else self._public
        viewer = stream.subscribe(delay_seconds)
        try:
            while (sight := await viewer.next()) is not None:
                yield sight.message
                if pace_seconds:
                    await viewer.pause(pace_seconds)
        finally:
            stream.unsubscribe(viewer)

    @cached_property
    def _start(self) -> arena_pb2.Sight:
        introduction = Introduction(terms=self._terms, seat=Seat(len(self._names)), seat_names=self._names)
        message = referee_pb2.ToBot.FromString(envelope.match_start(0, introduction))
        return arena_pb2.Sight(number=1, start=message.match_start)

    def _show(self, step: Step[Any, Any]) -> None:
        public, hidden = sort_events(self._terms.game, step.events)
        if hidden:
            self._hidden_count += len(hidden)
            self._hidden += hidden[: MAX_SECRETS - len(self._hidden)]
        opening, now = self._full.number == 1, clock.now()
        if (scene := self._scenes.take(step.state, public)) is not None:
            self._show_public(scene, now)
        if public or hidden or opening:
            self._full.show(_Scene(self._full.number + 1, now, self._terms, step.state, public, hidden))

    def _show_public(self, scene: PublicScene, now: float) -> None:
        self._public.show(_Scene(self._public.number + 1, now, self._terms, scene.state, scene.events))

    def _ending(self, number: int, result: MatchResult) -> _End:
        if result.void or not self._reveal:  # a void match may be played again with the same luck
            return _End(number, clock.now(), result)
        return _End(number, clock.now(), result, self._hidden, self._hidden_count)


@dataclass(eq=False)
class _Scene:
    """The table after something happened; `hidden` is None for viewers who may not know it."""

    number: int
    at: float
    terms: Terms
    state: Any
    public: Sequence[Any]
    hidden: Sequence[Any] | None = None

    @cached_property
    def message(self) -> arena_pb2.Sight:
        """Return the message, made once, when the first viewer fetches it."""
        game, wire = self.terms.game, self.terms.wire
        lines = b"".join(nested(1, game.text.event(event).encode()) for event in self.public)
        position = nested(wire.field, wire.scene(game.view(self.state, SPECTATOR), self.public))
        secrets = b"".join(nested(5, line.encode()) for line in self._secrets())
        return arena_pb2.Sight.FromString(number(1, self.number) + nested(3, lines + position) + secrets)

    def _secrets(self) -> list[str]:
        """Return the hidden events; where a new part of the game begins, also the whole table with all hands."""
        if self.hidden is None:
            return []
        text = self.terms.game.text
        lines = [text.event(event) for event in self.hidden]
        if any(type(event) in text.scenes for event in self.public):
            lines += text.table(self.state).splitlines()
        return lines


@dataclass(eq=False)
class _End:
    """How the match ended, and what was hidden until then: the first such events, and how many there were."""

    number: int
    at: float
    result: MatchResult
    hidden: Sequence[Any] = ()
    hidden_count: int = 0

    @cached_property
    def message(self) -> arena_pb2.Sight:
        """Return the last sight."""
        message = referee_pb2.ToBot.FromString(envelope.match_end(0, self.result))
        secrets = list(map(self.result.terms.game.text.event, self.hidden))
        if self.hidden_count > len(secrets):
            secrets[-1] = f"and {self.hidden_count - len(secrets) + 1} more: the record has them all"
        return arena_pb2.Sight(number=self.number, end=message.match_end, secrets=secrets)


def join_scenes(scenes: Sequence[_Scene]) -> _Scene:
    """Join several scenes into the table after the last one, with all that happened in them."""
    last = scenes[-1]
    if len(scenes) == 1:
        return last
    hidden = None if last.hidden is None else [event for scene in scenes for event in scene.hidden or ()]
    return replace(last, public=[event for scene in scenes for event in scene.public], hidden=hidden)


class _Stream:
    """The sights of one kind, public or full: the latest for viewers who join late, and the present viewers."""

    def __init__(self, queue_limit: int) -> None:
        self.number = 1
        """Number of sights so far; the start is the first."""
        self._queue_limit = queue_limit
        self._latest: _Scene | None = None
        self._end: _End | None = None
        self._over = False
        self._viewers: set[_Viewer] = set()

    def show(self, scene: _Scene) -> None:
        self.number, self._latest = scene.number, scene
        for viewer in self._viewers:
            viewer.show(scene)

    def end(self, end: _End | None) -> None:
        self._end, self._over = end, True
        for viewer in self._viewers:
            viewer.end(end)

    def subscribe(self, delay_seconds: float) -> _Viewer:
        viewer = _Viewer(delay_seconds, self._queue_limit)
        self._viewers.add(viewer)
        if self._latest is not None:
            viewer.show(self._latest)
        if self._over:
            viewer.end(self._end)
        return viewer

    def unsubscribe(self, viewer: _Viewer) -> None:
        self._viewers.discard(viewer)


class _Viewer:
    """A viewer and its queue of sights. `show` never blocks."""

    def __init__(self, delay_seconds: float, queue_limit: int) -> None:
        self._delay_seconds = delay_seconds
        self._queue_limit = queue_limit
        self._queue: deque[_Scene | _End] = deque()
        self._changed = asyncio.Event()
        self._ended = asyncio.Event()

    def show(self, sight: _Scene | _End) -> None:
        if len(self._queue) == self._queue_limit:
            self._queue.popleft()
            while self._queue and self._seconds_left(self._queue[0]) <= 0:
                self._queue.popleft()
        self._queue.append(sight)
        self._changed.set()

    def end(self, end: _End | None) -> None:
        if end is not None:
            self.show(end)
        self._ended.set()
        self._changed.set()

    async def pause(self, seconds: float) -> None:
        """Wait, unless the match is over; then make one sight of the scenes that are due."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), seconds)
        due: list[_Scene] = []
        while self._queue and isinstance(scene := self._queue[0], _Scene) and self._seconds_left(scene) <= 0:
            due.append(scene)
            self._queue.popleft()
        if due:
            self._queue.appendleft(join_scenes(due))

    async def next(self) -> _Scene | _End | None:
        """Return the next sight that is due; None after the last."""
        while True:
            if not self._queue:
                if self._ended.is_set():
                    return None
                self._changed.clear()
                await self._changed.wait()
            elif (left := self._seconds_left(self._queue[0])) > 0:
                await asyncio.sleep(left)
            else:
                return self._queue.popleft()

    def _seconds_left(self, sight: _Scene | _End) -> float:
        return sight.at + self._delay_seconds - clock.now()
