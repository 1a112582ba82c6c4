"""`/match/ID/live`: a live match as server-sent events, which live_streams.py makes once for all readers."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, aclosing

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from server.web.addresses import client_network
from server.web.live_streams import Hub, LiveMatch

SEND_SECONDS = 30.0
"""A reader who takes no bytes for so long has gone, or holds a place on purpose."""


class LiveResponse(Response):
    """The stream of one reader. It gives back the reader's place whatever happens."""

    def __init__(self, hub: Hub, match: LiveMatch, places: ExitStack) -> None:
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


def live_routes(hub: Hub) -> list[BaseRoute]:
    """The one route."""

    async def live(request: Request) -> Response:
        state = request.app.state
        with ExitStack() as places:  # closed if anything fails before the stream has begun
            places.enter_context(state.limits.stream(client_network(request.scope, state.settings.proxies)))
            match = await hub.join(request.path_params["name"])
            places.callback(hub.leave, match)
            return LiveResponse(hub, match, places.pop_all())

    return [Route("/match/{name}/live", live)]
