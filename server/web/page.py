"""A page: what its handler found, shown as HTML, or as JSON at the same address with `.json`.

A handler returns a Page; `page_routes` makes its routes. Names are part of addresses: a bot may be called `x.json`, so
addresses of such names end with `.html`, which is taken off again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server.web.page_cache import PageCache
from server.web.templating import render_html

T = TypeVar("T")

NOT_KEPT = "no-cache"
"""Browsers keep no page: page_cache.py keeps them for everybody."""
PATIENCE_SECONDS = 1.5
"""How long a page waits for a listing."""
AGAIN_SECONDS = 2
"""When a page without one of its listings reads itself again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """What a page shows."""

    template: str
    title: str
    """The result in words comes first."""
    description: str
    """One sentence for link previews."""
    values: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    """The same for programs: messages, or lists and tables of them."""
    section: str = ""
    """The part of the navigation it belongs to."""
    picture: str = ""
    """The address of a picture for link previews."""
    refresh_seconds: int = 0
    """How often the page is worth reading again while it is looked at. 0: never."""
    cache: str = NOT_KEPT
    status: int = 200


Handler = Callable[[Request], Awaitable[Page | Response]]


class Patience:
    """How long one page waits for its listings, which may take a while.

    A table over 500 bots takes a second to fit, on a busy machine many. It is computed all the same, so the next reader
    finds it: the page says that it is being computed, and reads itself again after a moment. Programs, who ask for the
    `.json`, wait for the whole answer.
    """

    def __init__(self, request: Request) -> None:
        is_for_programs = request.url.path.endswith(".json")
        self._seconds = None if is_for_programs else PATIENCE_SECONDS
        self.is_late = False
        """Whether the page is shown without one of its listings."""

    async def get(self, answer: Coroutine[Any, Any, T]) -> T | None:
        """Return an answer. None: it is still being computed."""
        if await is_there(task := asyncio.ensure_future(answer), self._seconds):
            return task.result()
        self.is_late = True
        return None

    def refresh_seconds(self, usual: int) -> int:
        """Return how often the page is worth reading again."""
        return AGAIN_SECONDS if self.is_late else usual

    @property
    def cache(self) -> str:
        """The header of the page: without one of its listings it is not kept."""
        return "no-store" if self.is_late else NOT_KEPT


async def is_there(answer: asyncio.Future[Any], seconds: float | None) -> bool:
    """Wait for an answer; False: it is not there yet. It is computed all the same."""
    await asyncio.wait([answer], timeout=seconds)
    if not answer.done():
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody asks for it any more
    return answer.done()


def page_routes(path: str, handler: Handler) -> list[Route]:
    """Return the routes of a page. A path that ends with a parameter has its `.json` in that parameter."""

    async def endpoint(request: Request) -> Response:
        async def make() -> Response:
            page = await handler(request)
            if isinstance(page, Response):
                return page
            return to_json(page) if request.url.path.endswith(".json") else to_html(request, page)

        cache: PageCache = request.app.state.page_cache
        return await cache.answer(request, make)

    if path.endswith("}"):
        return [Route(path, endpoint)]
    return [Route(path, endpoint), Route("/index.json" if path == "/" else f"{path}.json", endpoint)]


def name_in(request: Request, parameter: str = "name") -> str:
    """Return a name in the address, without the ending of a format."""
    name: str = request.path_params[parameter]
    return name.removesuffix(".html") if name.endswith(".html") else name.removesuffix(".json")


def redirect(to: str) -> Response:
    """Send the reader to another address of ours."""
    return RedirectResponse(to, 302)


def to_html(request: Request, page: Page) -> Response:
    """Render the page for people."""
    text = render_html(request, page.template, page=page, **page.values)
    headers = {"Cache-Control": page.cache, "Vary": "Cookie"}
    return Response(text, page.status, headers, "text/html; charset=utf-8")


def to_json(page: Page) -> Response:
    """Render the page for programs."""
    text = json.dumps(plain(page.data), indent=1, ensure_ascii=False) + "\n"
    return Response(text, page.status, {"Cache-Control": page.cache}, "application/json")


def plain(value: Any) -> Any:
    """Turn messages into plain values, with the field names of the .proto files."""
    if isinstance(value, Message):
        return MessageToDict(value, preserving_proto_field_name=True)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value
