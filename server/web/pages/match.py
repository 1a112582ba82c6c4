"""One match: live or replayed by the viewer, and the files behind it."""

from __future__ import annotations

import asyncio
import base64
import hashlib

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from referee.draw.scene import STYLE
from server.viewer.match_text import day
from server.web import message_text as words
from server.web.backend import Backend, PageNotFound
from server.web.documents import Documents
from server.web.page import Page, name_in, page_routes
from server.web.templating import address
from tortuga.v1 import arena_pb2 as pb

FOR_EVER = "public, max-age=31536000, immutable"
"""A record never changes; its address with `?v=` names its content."""


async def one_match(request: Request) -> Page:
    """Show a match with its viewer."""
    backend: Backend = request.app.state.backend
    match = await backend.ask(pb.GetMatchRequest(match_id=name_in(request)))
    return await match_page(backend, match, "match.html.j2", request.query_params.get("beside", ""))


async def embedded_match(request: Request) -> Page:
    """Show the viewer alone, to be shown inside other sites."""
    backend: Backend = request.app.state.backend
    match = await backend.ask(pb.GetMatchRequest(match_id=name_in(request)))
    return await match_page(backend, match, "embed.html.j2", "")


async def match_page(backend: Backend, match: pb.MatchInfo, template: str, beside_id: str) -> Page:
    """Make what both pages show."""
    running = match.state == pb.MATCH_STATE_RUNNING
    beside = None
    if beside_id and beside_id in match.block_matches and beside_id != match.match_id:
        beside = await backend.ask(pb.GetMatchRequest(match_id=beside_id))
    others = await asyncio.gather(
        *(
            backend.ask(pb.GetMatchRequest(match_id=other_id))
            for other_id in match.block_matches
            if other_id != match.match_id and not running
        )
    )
    game = words.game_title(match.game) if match.game else words.contest_title(match.contest)
    result = words.result(match)
    has_record = bool(match.record_bytes)
    watchable = running and backend.is_arena and not match.on_cluster
    facts = [game, words.match_ending(match), match.event, match.label, day(match.started_millis)]
    about = " · ".join(fact for fact in facts if fact)
    return Page(
        template=template,
        title=f"{result} · live" if running and not match.on_cluster else result,
        description=f"{result}. {about}.",
        section="matches",
        picture=address("match", match.match_id, "picture.svg") if has_record else "",
        values={
            "match": match,
            "told": result,
            "about": about,
            "running": running,
            "watchable": watchable,
            "document": document_address(match) if has_record or watchable else "",
            "beside": beside,
            "beside_document": document_address(beside) if beside is not None and beside.record_bytes else "",
            "others": others,
        },
        data={"match": match},
    )


def document_address(match: pb.MatchInfo) -> str:
    """Return where the document of a match is, or will be: its name changes with its content."""
    running = match.state == pb.MATCH_STATE_RUNNING
    return address("match", match.match_id, "document", v="" if running else version_of(match))


def version_of(match: pb.MatchInfo) -> str:
    """Name the content of a record's file, and whether all of it may be seen."""
    return f"{match.record_sha256.hex()[:16]}{'a' if match.revealed else 's'}"


async def document(request: Request) -> Response:
    """Send the document of a match for the viewer: gzip-compressed JSON."""
    match, packed = await read_record(request)
    documents: Documents = request.app.state.documents
    tag = f'"{version_of(match)}-1"'
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers={"ETag": tag, "Cache-Control": FOR_EVER})
    content = await documents.get(packed, revealed=match.revealed)
    return Response(content, headers={"ETag": tag, "Cache-Control": FOR_EVER}, media_type="application/gzip")


async def record(request: Request) -> Response:
    """Send the record's file."""
    match, packed = await read_record(request)
    tag = f'"{hashlib.sha256(packed).hexdigest()}"'
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers={"ETag": tag, "Cache-Control": FOR_EVER})
    headers = {
        "ETag": tag,
        "Cache-Control": FOR_EVER,
        "Content-Disposition": f'attachment; filename="{safe_name(match.match_id)}.tortuga"',
    }
    return Response(packed, headers=headers, media_type="application/octet-stream")


async def picture(request: Request) -> Response:
    """Send the last scene of a match, for link previews. Without a drawing there is none."""
    match, packed = await read_record(request)
    documents: Documents = request.app.state.documents
    svg = await documents.picture(packed)
    tag = f'"{version_of(match)}-p"'
    style = base64.b64encode(hashlib.sha256(STYLE.read_bytes()).digest()).decode()
    headers = {
        "ETag": tag,
        "Cache-Control": FOR_EVER,
        "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{style}'; sandbox",
    }
    return Response(svg, headers=headers, media_type="image/svg+xml")


async def read_record(request: Request) -> tuple[pb.MatchInfo, bytes]:
    """Read a finished match and the bytes of its record."""
    backend: Backend = request.app.state.backend
    match = await backend.ask(pb.GetMatchRequest(match_id=request.path_params["name"]))
    if match.state == pb.MATCH_STATE_RUNNING:
        raise PageNotFound("the match is still being played: its record comes with its end")
    if not match.record_bytes:
        raise PageNotFound(f"the record of {match.match_id} is no longer kept; its result is")
    return match, await backend.record(match.match_id)


def safe_name(text: str) -> str:
    """Make a name that a header may hold."""
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "._-") else "_" for sign in text)


def routes() -> list[BaseRoute]:
    """Return the routes of these pages."""
    return [
        Route("/match/{name}/document", document),
        Route("/match/{name}/record.tortuga", record),
        Route("/match/{name}/picture.svg", picture),
        *page_routes("/match/{name}", one_match),
        *page_routes("/embed/match/{name}", embedded_match),
    ]
