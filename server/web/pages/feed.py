"""The feed: news of the arena for feed readers, as Atom (RFC 4287) and as JSON Feed 1.1."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from referee.text import harmless
from server.web.backend import Backend, PageNotFound
from server.web.page_cache import PageCache
from server.web.templating import address
from tortuga.v1 import arena_pb2 as pb

ITEMS = 50
CACHE = "max-age=60"
ATOM = "http://www.w3.org/2005/Atom"
JSON_FEED = "https://jsonfeed.org/version/1.1"


def link_of(item: pb.NewsItem) -> str:
    """Return the page that a piece of news is about."""
    pages = {"event": "event", "bot": "bot"}
    what = item.kind.partition("_")[0]
    if what in pages:
        return address(pages[what], item.subject)
    return "/ladders"


def make_atom(title: str, origin: str, host: str, news: Sequence[pb.NewsItem]) -> bytes:
    """Write the feed as Atom."""
    ElementTree.register_namespace("", ATOM)
    feed = ElementTree.Element(f"{{{ATOM}}}feed")

    def add(parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> ElementTree.Element:
        child = ElementTree.SubElement(parent, f"{{{ATOM}}}{name}", attributes)
        child.text = harmless(text) or None
        return child

    add(feed, "id", f"tag:{host},2026:news")
    add(feed, "title", title)
    add(feed, "updated", moment(news[0].millis if news else 0))
    add(feed, "link", rel="self", href=f"{origin}/feed.xml")
    add(feed, "link", rel="alternate", href=f"{origin}/")
    add(add(feed, "author"), "name", title)
    for item in news:
        entry = add(feed, "entry")
        add(entry, "id", f"tag:{host},2026:news-{item.number}")
        add(entry, "title", item.text)
        add(entry, "updated", moment(item.millis))
        add(entry, "link", rel="alternate", href=f"{origin}{link_of(item)}")
        add(entry, "category", term=harmless(item.kind))
        add(entry, "summary", item.text)
    return bytes(ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True))


def make_json(title: str, origin: str, host: str, news: Sequence[pb.NewsItem]) -> bytes:
    """Write the feed as JSON Feed."""
    items = [
        {
            "id": f"tag:{host},2026:news-{item.number}",
            "url": f"{origin}{link_of(item)}",
            "title": harmless(item.text),
            "content_text": harmless(item.text),
            "date_published": moment(item.millis),
            "tags": [harmless(item.kind)],
        }
        for item in news
    ]
    feed = {"version": JSON_FEED, "title": title, "home_page_url": f"{origin}/", "feed_url": f"{origin}/feed.json"}
    return (json.dumps({**feed, "items": items}, indent=1, ensure_ascii=False) + "\n").encode()


def moment(millis: int) -> str:
    """Write a time as feeds do."""
    return datetime.fromtimestamp(millis / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


Maker = Callable[[str, str, str, Sequence[pb.NewsItem]], bytes]


def feed_page(make: Maker, kind: str) -> Callable[[Request], Awaitable[Response]]:
    """Make the handler of the feed in one of its forms."""

    async def endpoint(request: Request) -> Response:
        async def answer() -> Response:
            backend: Backend = request.app.state.backend
            if not backend.is_arena:
                raise PageNotFound("a folder has no news: only an arena that runs has a feed")
            found = await backend.ask(pb.ListNewsRequest(page_size=ITEMS))
            origin = f"{request.url.scheme}://{request.url.netloc}"
            host = request.url.hostname or "localhost"
            return Response(
                make(backend.title, origin, host, found.news), headers={"Cache-Control": CACHE}, media_type=kind
            )

        cache: PageCache = request.app.state.page_cache
        return await cache.answer(request, answer)

    return endpoint


def routes() -> list[BaseRoute]:
    """Return the routes of the feed."""
    return [
        Route("/feed.xml", feed_page(make_atom, "application/atom+xml")),
        Route("/feed.json", feed_page(make_json, "application/feed+json")),
    ]
