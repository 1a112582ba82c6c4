"""Errors as pages: what happened and what to do, with the right status."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from referee.errors import ConfigError, TortugaError
from server.system.logs import get_logger
from server.web.backend import BadRequest, Forbidden, PageNotFound, Unavailable
from server.web.middleware import BodyTooLong, TooMany, security_headers
from server.web.page import Page, to_html, to_json

log = get_logger()

AGAIN_SECONDS = 10
"""When a page that cannot be shown now reads itself again."""


def explain(request: Request, error: Exception) -> Response:
    """Make the page of an error."""
    status, title, reason = describe(request, error)
    again = AGAIN_SECONDS if status == 503 else 0
    page = Page(
        template="error.html.j2",
        title=title,
        description=title,
        values={"reason": reason},
        data={"error": title, "reason": reason},
        refresh_seconds=again,
        cache="no-store",
        status=status,
    )
    wants_json = request.url.path.endswith((".json", "/document", "/live", "/record.tortuga"))
    response = to_json(page) if wants_json else to_html(request, page)
    if isinstance(error, HTTPException) and error.headers:
        response.headers.update(error.headers)
    if status == 503:
        response.headers["Retry-After"] = response.headers["Refresh"] = str(again)
    if status == 429:
        response.headers["Retry-After"] = "5"
    return response


def describe(request: Request, error: Exception) -> tuple[int, str, str]:
    """Status, title and reason."""
    match error:
        case PageNotFound():
            return 404, "Not here", _sentence(error)
        case Unavailable():
            return 503, "Away for a moment", _sentence(error)
        case Forbidden():
            return 403, "Not allowed", _sentence(error)
        case TooMany():
            return 429, "Too much at once", _sentence(error)
        case BodyTooLong():
            return 413, "Too long", _sentence(error)
        case BadRequest() | ConfigError():
            return 400, "That makes no sense", _sentence(error)
        case HTTPException(status_code=404):
            return 404, "Not here", "There is no such page."
        case HTTPException(status_code=405):
            return 405, "Not that way", f"{request.method} is not answered here."
        case HTTPException():
            return error.status_code, "That did not work", _sentence(error.detail)
    return 500, "Our fault", "Something went wrong here; it was written down."


async def answer_error(request: Request, error: Exception) -> Response:
    """Answer with the page of an error. Starlette calls it."""
    return explain(request, error)


async def answer_bug(request: Request, error: Exception) -> Response:
    """Answer with the page of a bug of ours. Starlette calls it, outside of all middleware."""
    log.error("page_failed", path=request.url.path, error=repr(error))
    response = explain(request, error if isinstance(error, TortugaError) else RuntimeError())
    for name, value in security_headers(request.url.path).items():
        response.headers.setdefault(name, value)
    return response


def _sentence(error: object) -> str:
    text = str(error).partition("; `tortuga ")[0]  # which command lists them is of no use on a page
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
