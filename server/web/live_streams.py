"""`/match/ID/live`: live matches for browsers, one stream from the arena per match, fanned out to all readers.

An event is made once, as bytes of a server-sent event, and every reader is given the same bytes. Every frame is whole,
so a reader who cannot keep up is simply given the latest one next. The more people watch, the fewer frames a second
there are: the work stays the same, and it is the readers who wait, never a match.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing, suppress
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from referee.match import clock
from server.system.logs import get_logger
from server.viewer.document import end_of, frame_of, start_of
from server.web.backend import BackendError, PageNotFound, Unavailable
from server.web.middleware import client_network
from tortuga.v1 import arena_pb2 as pb

RETRY_MILLIS = 3000
"""When a browser whose stream broke comes back."""
HEARTBEAT_SECONDS = 15.0
"""A line after so much silence shows proxies and us that the reader is there."""
HEARTBEAT = b":\n\n"
FRAME_SECONDS = 0.1
"""Least time between two frames of a match."""
EVENTS_PER_SECOND = 250
"""What is written to all readers of all matches together, roughly."""
DRAWN_PER_SECOND = 30
"""Frames drawn for all matches together, roughly."""
MAX_MATCHES = 200
"""Matches that are watched at once."""
MAX_LINES = 60
"""Lines of a frame's story, when several scenes are shown as one."""
LINGER_SECONDS = 5.0
"""How long a match is followed when its last reader has gone: one who reloads the page comes back at once."""
KEPT_SECONDS = 60.0
"""How long the end of a match is told to readers who come back."""
STORED_SECONDS = 3.0
STORED_TRIES = 20
START_SECONDS = 10.0
"""How long a reader waits for the arena's first word."""
SEND_SECONDS = 30.0
"""A reader who takes no bytes for so long has gone, or holds a place on purpose."""

log = get_logger()


class MatchSource(Protocol):
    """What live matches ask of a backend."""

    def live(self, match_id: str) -> AsyncGenerator[pb.Sight, None] | None:
        """Yield what spectators of a running match see. None: no match can be watched here."""
        ...

    async def ask(self, request: pb.GetMatchRequest) -> pb.MatchInfo:
        """Return what is known of a match."""
        ...


class LiveMatches:
    """All live matches. Call `close` to end all streams at once."""

    def __init__(self, backend: MatchSource) -> None:
        self._backend = backend
        self._matches: dict[str, LiveMatch] = {}
        self._closed = False
        self.stopping: asyncio.Event | None = None
        """Set when the pages end. All streams end with it."""
        self._end: asyncio.Task[None] | None = None

    @property
    def readers(self) -> int:
        """How many readers there are."""
        return sum(match.readers for match in self._matches.values())

    @property
    def frame_seconds(self) -> float:
        """The time between two frames of a match, as things are."""
        running = sum(not match.is_over for match in self._matches.values())
        return max(FRAME_SECONDS, self.readers / EVENTS_PER_SECOND, running / DRAWN_PER_SECOND)

    async def join(self, match_id: str) -> LiveMatch:
        """Return a match for one more reader, once there is something to tell; call `leave` in any case afterwards.

        Raises PageNotFound or Unavailable; then there is nothing to leave.
        """
        if self._end is None and self.stopping is not None:
            self._end = asyncio.create_task(self._close_with(self.stopping))
        match = self._matches.get(match_id)
        if match is None:
            self._forget_old()
            if len(self._matches) >= MAX_MATCHES:
                raise Unavailable("too many matches are being watched at this moment; try again in a while")
            match = self._matches[match_id] = LiveMatch(self, match_id)
        match.readers += 1
        try:
            await match.begun(START_SECONDS)
        except BaseException:
            self.leave(match)
            raise
        return match

    async def read(self, match: LiveMatch) -> AsyncGenerator[bytes, None]:
        """Yield what a reader is sent, until the match is over or the pages end."""
        yield b"retry: %d\n\n" % RETRY_MILLIS + match.start
        shown = 0
        while not self._closed:
            if match.shown > shown:
                shown = match.shown
                yield match.frame
            elif match.is_over:
                if match.end:
                    yield match.end
                return
            elif not await match.changed(HEARTBEAT_SECONDS):
                yield HEARTBEAT

    def leave(self, match: LiveMatch) -> None:
        """Count a reader who has gone."""
        match.readers -= 1
        if not match.readers and not match.is_over:
            asyncio.get_running_loop().call_later(LINGER_SECONDS, self._drop_unread, match)

    def follow(self, match_id: str) -> AsyncGenerator[pb.Sight, None]:
        """Return the sights of a match. Raises PageNotFound if matches cannot be watched here."""
        sights = self._backend.live(match_id)
        if sights is None:
            raise PageNotFound("no match can be watched here; its replay can be")
        return sights

    async def stored(self, match_id: str) -> None:
        """Wait a moment until the result of a match is stored: who is told the end asks for the replay at once."""
        with suppress(BackendError, TimeoutError):
            async with asyncio.timeout(STORED_SECONDS):
                for _ in range(STORED_TRIES):
                    if await self._is_stored(match_id):
                        return
                    await asyncio.sleep(STORED_SECONDS / STORED_TRIES)

    async def _is_stored(self, match_id: str) -> bool:
        try:
            match = await self._backend.ask(pb.GetMatchRequest(match_id=match_id))
        except PageNotFound:  # over, and not yet stored; or void, and never will be
            return False
        return match.state == pb.MATCH_STATE_FINISHED

    def forget(self, match: LiveMatch) -> None:
        """Stop following a match."""
        if self._matches.get(match.match_id) is match:
            del self._matches[match.match_id]
        match.cancel()

    def _drop_unread(self, match: LiveMatch) -> None:
        if not match.readers and not match.is_over:
            self.forget(match)

    def _forget_old(self) -> None:
        for match in list(self._matches.values()):
            if match.is_over and not match.readers and clock.now() > match.over_at + KEPT_SECONDS:
                self.forget(match)

    async def _close_with(self, stopping: asyncio.Event) -> None:
        await stopping.wait()
        self.close()

    def close(self) -> None:
        """End all streams."""
        self._closed = True
        for match in list(self._matches.values()):
            self.forget(match)
            match.wake()


class LiveMatch:
    """One match: its latest events as bytes, and who waits for the next."""

    def __init__(self, hub: LiveMatches, match_id: str) -> None:
        self.match_id = match_id
        self.readers = 0
        self.start, self.frame, self.end = b"", b"", b""
        self.shown = 0
        """How many frames there were."""
        self.is_over = False
        self.over_at = 0.0
        self._hub = hub
        self._failure: BackendError | None = None
        self._changed = asyncio.Event()
        self._task = asyncio.create_task(self._follow())

    def cancel(self) -> None:
        """Follow the match no longer."""
        self._task.cancel()

    def wake(self) -> None:
        """Let all readers look."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def changed(self, seconds: float) -> bool:
        """Wait for the next event; False: none came in this time."""
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True

    async def begun(self, seconds: float) -> None:
        """Wait for the first word of the arena. Raises why there is none."""
        until = clock.now() + seconds
        while not self.start and not self.is_over:
            left = until - clock.now()
            if left <= 0 or not await self.changed(left):
                raise Unavailable("the arena does not answer at this moment")
        if not self.start:
            raise self._failure or Unavailable("the arena ended the match")

    async def _follow(self) -> None:
        try:
            async with aclosing(self._hub.follow(self.match_id)) as sights:
                await self._show_all(sights)
        except BackendError as error:
            self._failure = error
        except Exception:  # our bug, or a sight we cannot draw: the readers come back, the others watch on
            log.exception("live_match_failed", match=self.match_id)
            self._failure = Unavailable("the match cannot be shown live; its replay can, when it is over")
        finally:
            self.is_over, self.over_at = True, clock.now()
            self.wake()
            if not self.end:  # broken off: whoever comes back begins anew
                self._hub.forget(self)

    async def _show_all(self, sights: AsyncGenerator[pb.Sight, None]) -> None:
        """Show sights as they come, but no faster than the hub wants it: scenes in between become one."""
        first = await anext(sights)
        self.start = event("start", start_of(first))
        self.wake()
        pending: pb.Sight | None = None
        drawn_at = 0.0
        coming = asyncio.ensure_future(anext(sights))
        try:
            while True:
                wait = None if pending is None else max(0.0, drawn_at + self._hub.frame_seconds - clock.now())
                done, _ = await asyncio.wait([coming], timeout=wait)
                if not done and pending is not None:
                    self._draw(first, pending)
                    pending, drawn_at = None, clock.now()
                    continue
                sight = coming.result()
                if sight.HasField("end"):
                    if pending is not None:
                        self._draw(first, pending)
                    await self._hub.stored(self.match_id)
                    self.end = event("end", end_of(first, sight))
                    return
                pending = sight if pending is None else join(pending, sight)
                coming = asyncio.ensure_future(anext(sights))
        except StopAsyncIteration:  # without a result: the match was void, or the server is stopping
            return
        finally:
            coming.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await coming

    def _draw(self, first: pb.Sight, sight: pb.Sight) -> None:
        self.frame = event("frame", frame_of(first, sight))
        self.shown += 1
        self.wake()


def join(earlier: pb.Sight, later: pb.Sight) -> pb.Sight:
    """Return the later sight with the lines of both."""
    joined = pb.Sight()
    joined.CopyFrom(later)
    del joined.scene.lines[:]
    joined.scene.lines.extend([*earlier.scene.lines, *later.scene.lines][-MAX_LINES:])
    return joined


def event(kind: str, data: dict[str, Any]) -> bytes:
    """Make a server-sent event. JSON has no line breaks."""
    return f"event: {kind}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


class LiveResponse(Response):
    """The stream of one reader. It gives back the reader's place whatever happens."""

    def __init__(self, hub: LiveMatches, match: LiveMatch, places: ExitStack) -> None:
        super().__init__(
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}, media_type="text/event-stream"
        )
        del self.headers["content-length"]
        self._hub, self._match, self._places = hub, match, places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the match is over or the reader has gone."""
        with self._places:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            tasks = [asyncio.create_task(self._write(send)), asyncio.create_task(_gone(receive))]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _write(self, send: Send) -> None:
        async with aclosing(self._hub.read(self._match)) as chunks:
            async for chunk in chunks:
                message = {"type": "http.response.body", "body": chunk, "more_body": True}
                async with asyncio.timeout(SEND_SECONDS):
                    await send(message)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def live_routes(hub: LiveMatches) -> list[BaseRoute]:
    """Return the route of live matches."""

    async def live(request: Request) -> Response:
        state = request.app.state
        with ExitStack() as places:  # closed if anything fails before the stream has begun
            places.enter_context(state.limits.stream(client_network(request.scope, state.settings.proxies)))
            match = await hub.join(request.path_params["name"])
            places.callback(hub.leave, match)
            return LiveResponse(hub, match, places.pop_all())

    return [Route("/match/{name}/live", live)]
