"""Templates: Jinja2, everything escaped. What templates may call is listed here, with the addresses of our pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request

from referee.draw.scene import SEAT_SIGNS, seat_sign
from referee.text import harmless
from server import __version__
from server.arena.zones import show_time
from server.standings import cells, placing_cells
from server.standings.charts import TEMPLATE, shade
from server.web import message_text as words
from server.web.static_files import static
from tortuga.v1 import arena_pb2 as pb

TEMPLATES = Path(__file__).with_name("templates")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")
ROWS = 2048
"""Lines of lists of matches that are kept: some 2 MB."""


@cache
def environment() -> Environment:
    """Load all templates, with their filters."""
    templates = Environment(
        loader=FileSystemLoader([TEMPLATES, TEMPLATE.parent]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        auto_reload=False,
        finalize=lambda value: harmless(value) if type(value) is str else value,  # no text may turn the line around
    )
    filters: dict[str, Callable[..., Any]] = {
        "when": when,
        "percent": lambda share: f"{100 * share:.0f} %",
        "signed": lambda number: f"{number:+.0f}".replace("-", "−"),
        "code": words.unbroken,
    }
    templates.filters.update(filters)
    templates.globals |= {
        "address": address,
        "match_row": match_row,
        "static": static,
        "words": words,
        "cells": cells,
        "placings": placing_cells,
        "shade": shade,
        "version": __version__,
        "sign_path": [seat_sign(seat, 8) for seat in range(len(SEAT_SIGNS))],
    }
    return templates


def render_html(request: Request, template: str, **values: Any) -> str:
    """Render a whole page. Templates know who is signed in (`signed_in`), if anybody is."""
    state = request.app.state
    return (
        environment()
        .get_template(template)
        .render(
            request=request,
            origin=f"{request.url.scheme}://{request.url.netloc}",
            json_address=json_address(request),
            backend=state.backend,
            settings=state.settings,
            signed_in=getattr(request.state, "signed_in", None),
            navigation=state.navigation,
            **values,
        )
    )


def match_row(match: pb.MatchInfo, show_event: bool) -> Markup:
    """Render a line of a list of matches. Many pages list the same ones, and these lines take most of their time."""
    return _match_row(match.SerializeToString(deterministic=True), show_event)


@lru_cache(maxsize=ROWS)
def _match_row(packed: bytes, show_event: bool) -> Markup:
    row = environment().get_template("match_row.html.j2")
    return Markup(row.render(match=pb.MatchInfo.FromString(packed), show_event=show_event))


def json_address(request: Request) -> str:
    """Return where the JSON of this page is."""
    path = request.url.path.removesuffix(".html")
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{'/index' if path == '/' else path}.json{query}"


def when(millis: int, zone: str = "") -> Markup:
    """Write a time as a `<time>` element, in a zone or in UTC."""
    form = "%d %b %Y, %H:%M"
    text = _time(millis, f"{form} UTC")
    if text and zone not in ("", "UTC"):
        text = show_time(millis, zone, form)
    if not text:
        return Markup("–")
    return Markup('<time datetime="{}">{}</time>').format(_time(millis, "%Y-%m-%dT%H:%M:%SZ"), text)


def _time(millis: int, form: str) -> str:
    try:
        return datetime.fromtimestamp(millis / 1000, UTC).strftime(form).lstrip("0") if millis else ""
    except (OverflowError, OSError, ValueError):
        return ""


def address(*parts: str, **query: str | int) -> str:
    """Return the address of a page of ours."""
    last = f"{parts[-1]}.html" if len(parts) > 1 and parts[-1].endswith((".json", ".html")) else parts[-1]
    path = "/" + "/".join(quote(part, safe="") for part in (*parts[:-1], last))
    asked = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(asked)}" if asked else path


def plain_name(text: str) -> str:
    """Return a text as a name that addresses and tables can hold."""
    return _NOT_PLAIN.sub("-", text).strip("-._")[:64] or "unnamed"
