"""Identifies callers: the one place that turns a call's metadata into an author, a commentator or an organiser.

`authorization: Bearer TOKEN` carries a bot's own token, or that of a team, a commentator or an organiser (teams.py). A
team's token may name a bot of the team after a colon, `TOKEN:BOT`, as in the TORTUGA_TOKEN of such a bot.

Addresses that guess tokens have to wait, as at the bots' door. A valid token never has to wait, because neighbours may
share an address. The pages use one address for all their readers, and count them themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NoReturn

from referee.door.tokens import TokenThrottle, hash_token
from server.arena.caller_input import check_name, list_names, quote
from server.arena.errors import (
    AlreadyExists,
    FailedPrecondition,
    NotFound,
    PermissionDenied,
    RateLimited,
    Unauthenticated,
)
from server.arena.people.teams import Teams, Token, TokenKind, refuse_neutral
from server.arena.registry import Registry

HEADER = "authorization"
MAX_TOKEN = 200
"""Longest token with the name of a bot, in characters."""
NO_TOKEN = (
    "this needs a token: set TORTUGA_TOKEN to yours, or pass --invite FILE "
    '(a program of your own sends the metadata "authorization: Bearer TOKEN")'
)
WRONG_TOKEN = (
    "the token is wrong: nobody here has it. Check that all of it was copied; if it is lost, or was replaced or "
    "revoked, ask the organiser for a new one"
)
NEEDS = {
    TokenKind.AUTHOR: "this needs the token of a bot or a team",
    TokenKind.COMMENTATOR: "this needs a commentator's token",
    TokenKind.ORGANISER: "this needs an organiser's token",
}


CALLER: ContextVar[str] = ContextVar("caller", default="")
"""The caller of the change in progress: "team NAME, bot NAME", "bot NAME", "token LABEL" or "admin.sock"."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Author:
    """An author of bots: a team, or the holder of one bot's token."""

    owner: str
    """The team, or the owner of the bot. Never empty: a bot without an owner is its own, as "bot NAME"."""
    bot: str | None = None
    """The bot that the token is limited to. None: any bot of the team."""


class Callers:
    """Identifies callers by their tokens."""

    def __init__(self, registry: Registry, teams: Teams) -> None:
        self._registry, self.teams = registry, teams
        self._throttle = TokenThrottle()

    def author(self, metadata: Iterable[Any] | None, peer: str = "") -> Author:
        """Return the author whose token came with a call. Wrong tokens are counted for `peer`, as gRPC names it."""
        credential = self._credential(metadata, peer)
        bot = self._registry.find(hash_token(credential))
        if bot is not None:
            CALLER.set(f"bot {bot}")
            return Author(owner=self._registry.bot(bot).owner or f"bot {bot}", bot=bot)
        text, colon, name = credential.partition(":")
        team = self._known(text, TokenKind.AUTHOR, peer).team
        if colon and name not in [bot.name for bot in self.teams.bots(team)]:
            raise NotFound(f"the team {team} has no bot {quote(name)}; it has {self._bots_of(team)}")
        CALLER.set(f"team {team}, bot {name}" if colon else f"team {team}")
        return Author(owner=team, bot=name if colon else None)

    def organiser(self, metadata: Iterable[Any] | None, peer: str = "") -> str:
        """Return the label of the organiser's token that came with a call."""
        label = self._known(self._credential(metadata, peer), TokenKind.ORGANISER, peer).label
        CALLER.set(f"token {label}")
        return label

    def commentator(self, token: str, peer: str = "") -> str:
        """Return the label of a commentator's token. An organiser's token is accepted as well."""
        if not is_plain(token):
            self._refuse(peer)
        return self._known(token, TokenKind.COMMENTATOR, peer).label

    def bots(self, author: Author) -> list[str]:
        """Return the bots that an author's token is for, by name."""
        return [author.bot] if author.bot else [bot.name for bot in self.teams.bots(author.owner)]

    def choose_bot(self, author: Author, name: str = "") -> str:
        """Return the author's bot that a call is about: the one that is named, or the only one."""
        mine = self.bots(author)
        if name and name not in mine:
            raise PermissionDenied(f"your token is not for the bot {quote(name)}; it is for {list_names(mine)}")
        if not name and not mine:
            raise FailedPrecondition(f"the team {author.owner} has no bot yet: connect one, or submit one, first")
        if not name and len(mine) > 1:
            raise FailedPrecondition(f"the team {author.owner} has several bots, say which (--bot): {list_names(mine)}")
        chosen = name or mine[0]
        if author.bot is None:
            CALLER.set(f"team {author.owner}, bot {chosen}")
        return chosen

    def check_bot_name(self, author: Author, name: str) -> bool:
        """Return whether a bot of this name would be a new one.

        Refuse a name that belongs to somebody else, and a bot beyond the team's cap.
        """
        refuse_neutral(check_name(name, "bot"))
        if author.bot is not None or name in (mine := [bot.name for bot in self.teams.bots(author.owner)]):
            self.choose_bot(author, name)
            return False
        like = next((bot.name for bot in self._registry.bots() if bot.name.lower() == name.lower()), None)
        if like is not None:
            raise AlreadyExists(f"the name {like} belongs to another: choose another name for your bot")
        cap = self.teams.cap(self.teams.team(author.owner))
        if len(mine) >= cap:
            raise FailedPrecondition(
                f"the team {author.owner} has {len(mine)} bots, and {cap} are allowed: {list_names(mine)}"
            )
        return True

    def has_token(self, metadata: Iterable[Any] | None) -> bool:
        """Return whether a token came with a call."""
        return any(str(pair[0]) == HEADER for pair in metadata or ())

    def _credential(self, metadata: Iterable[Any] | None, peer: str) -> str:
        """Return what follows "Bearer", if it can be a token at all."""
        credentials = [pair[1] for pair in metadata or () if str(pair[0]) == HEADER]
        if not credentials:
            raise Unauthenticated(NO_TOKEN)
        if len(credentials) > 1:
            raise Unauthenticated(f"{len(credentials)} tokens came with this call: send one")
        kind, _, token = str(credentials[0]).partition(" ")
        if kind != "Bearer" or not is_plain(token):
            self._refuse(peer)
        return token

    def _known(self, text: str, kind: TokenKind, peer: str) -> Token:
        token = self.teams.find(hash_token(text))
        if token is None:
            if self._registry.find(hash_token(text)) is not None:
                raise PermissionDenied(f"{NEEDS[kind]}, and yours is a bot's")
            self._refuse(peer)
        if token.kind is not kind and (token.kind, kind) != (TokenKind.ORGANISER, TokenKind.COMMENTATOR):
            raise PermissionDenied(f"{NEEDS[kind]}, and yours is of the kind {token.kind}")
        return token

    def _refuse(self, peer: str) -> NoReturn:
        if peer and not peer.startswith("unix:") and (seconds := self._throttle.count_failure(peer)):
            raise RateLimited(f"too many wrong tokens came from your address: wait {math.ceil(seconds)} s")
        raise Unauthenticated(WRONG_TOKEN)

    def _bots_of(self, team: str) -> str:
        return list_names(bot.name for bot in self.teams.bots(team))


def is_plain(token: str) -> bool:
    """Return whether a text can be a token: one word of printable ASCII that is not too long."""
    return 0 < len(token) <= MAX_TOKEN and token.isascii() and token.isprintable() and " " not in token
