"""Shows bots of deleted teams under neutral names such as `deleted-7`, by which callers can also ask for them.

An interceptor translates the requests and answers of the service Arena, so that new calls are covered automatically.
Names of games, contests, events and matches are left alone, whatever a bot was called. Records are signed, so they stay
as they are.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping
from functools import lru_cache
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import Message

from server.arena.caller_input import quote
from server.arena.errors import NotFound
from server.arena.interceptor import (
    CallInterceptor,
    Context,
    Handler,
    behaviour_of,
    has_one_answer,
    with_behaviour,
)

SERVICE = "/tortuga.v1.Arena/"
NOT_BOTS = frozenset(
    {
        *("id", "title", "game", "games", "contest", "contests", "event", "format", "match_id", "block_matches"),
        *("version", "server_version", "language", "value", "next_page_token", "page_token", "bots_address"),
        *("public_address", "commentator_key", "season", "ladders", "zone", "series", "repeats", "kind"),
    }
)
"""Fields that never hold a bot's name."""
NAMED_BOTS = frozenset({"Bot", "GetBotRequest"})
"""Messages whose field `name` is a bot's."""


class NeutralNamesInterceptor(CallInterceptor):
    """Translates names in both directions. Without deleted bots it does nothing."""

    def __init__(self, names: Callable[[], Mapping[str, str]]) -> None:
        """Translate by `names`, which returns each hidden name with the one shown instead."""
        self._names = names

    def wrap(self, handler: Handler, method: str, details: grpc.HandlerCallDetails) -> Handler:
        """Wrap a call with one request."""
        names = self._names()
        if not names or not method.startswith(SERVICE) or handler.request_streaming:
            return handler
        real = {shown: name for name, shown in names.items()}
        behaviour = behaviour_of(handler)

        async def answer(request: Any, context: Context) -> Any:
            ask_by_real_name(request, names, real)
            response = await behaviour(request, context)
            hide_names(response, names)
            return response

        async def stream(request: Any, context: Context) -> AsyncIterator[Any]:
            ask_by_real_name(request, names, real)
            async for message in behaviour(request, context):
                hide_names(message, names)
                yield message

        return with_behaviour(handler, answer if has_one_answer(handler) else stream)


def hide_names(message: Message, names: Mapping[str, str]) -> None:
    """Replace deleted names by neutral ones, also within sentences."""
    pattern = _pattern(tuple(sorted(names, key=len, reverse=True)))
    _translate(message, lambda text: pattern.sub(lambda match: names[match[0]], text))


def ask_by_real_name(request: Message, names: Mapping[str, str], real: Mapping[str, str]) -> None:
    """Replace neutral names by the real ones. Nobody can ask for a deleted name."""

    def translate(text: str) -> str:
        if text in names:
            raise NotFound(f"there is no bot {quote(text)}; `tortuga client bots` lists them")
        return real.get(text, text)

    _translate(request, translate)


@lru_cache(maxsize=8)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that matches any of these names as a whole word.

    A full stop may end a sentence, or be part of a longer name.
    """
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, names))})(?![\w-]|\.\w)")


def _translate(message: Message, translate: Callable[[str], str]) -> None:
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for item in value if field.is_repeated else [value]:
                _translate(item, translate)
        elif field.type == field.TYPE_STRING and field.name not in NOT_BOTS:
            if field.name == "name" and message.DESCRIPTOR.name not in NAMED_BOTS:
                continue
            if field.is_repeated:
                value[:] = [translate(item) for item in value]
            else:
                setattr(message, field.name, translate(value))
