"""Script and style. Their addresses name their content, so browsers may keep them for ever."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from server.standings.charts import STYLE
from server.viewer import pages
from server.web.backend import PageNotFound

STATIC = Path(__file__).with_name("static")
TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


@cache
def files() -> dict[str, bytes]:
    """Read all files by name. Nothing else is served from disk."""
    return {
        "tortuga.css": (pages.stylesheet() + STYLE.read_text() + (STATIC / "pages.css").read_text()).encode(),
        "viewer.js": pages.script().encode(),
        "refresh.js": (STATIC / "refresh.js").read_bytes(),
        "icon.svg": (STATIC / "icon.svg").read_bytes(),
    }


@cache
def static(name: str) -> str:
    """Return the address of a file."""
    return f"/static/{name}?v={hashlib.sha256(files()[name]).hexdigest()[:12]}"


async def serve(request: Request) -> Response:
    """Send one file."""
    name = request.path_params["name"]
    content = files().get(name)
    if content is None:
        raise PageNotFound("there is no such file")
    tag = f'"{hashlib.sha256(content).hexdigest()[:24]}"'
    headers = {"ETag": tag, "Cache-Control": "public, max-age=31536000, immutable"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=TYPES[name.rpartition(".")[2]])


async def favicon(request: Request) -> Response:
    """Browsers ask for it where a page names no icon."""
    return RedirectResponse(static("icon.svg"))


def routes() -> list[BaseRoute]:
    """Return the routes of the files."""
    return [Route("/static/{name}", serve), Route("/favicon.ico", favicon)]
