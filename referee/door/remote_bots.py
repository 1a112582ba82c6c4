"""The remote bots behind a door: one live session per account, resumed by a token after a broken stream.

No gRPC here: a refused stream raises `AdmissionRefused` with the name of a gRPC status. The server manages accounts and
suspensions; this module only asks.
"""

from __future__ import annotations

from typing import Protocol

from referee.door.session import Session, SessionOwner
from referee.door.tokens import hash_token
from referee.errors import FaultKind, TortugaError

HELLO_SECONDS = 10.0
"""Longest time a stream may be open before its Hello."""


class Accounts(SessionOwner, Protocol):
    """Knows the accounts of remote bots and looks after their sessions. No method may block."""

    def find(self, token_hash: bytes) -> str | None:
        """Return the name of the bot whose account token has this hash (`tokens.hash_token`); None if nobody has it.

        Raises AdmissionRefused for a token that is not a bot's.
        """
        ...

    async def find_of_team(self, token_hash: bytes, bot: str) -> str | None:
        """Return the bot of this name, of the team whose token has this hash; make it if it is new. None if nobody has
        the token.

        Raises AdmissionRefused for a name that is another's, and for one bot too many.
        """
        ...

    def refusal(self, name: str) -> str:
        """Return why this bot may not come in now, e.g. that it is suspended and for what; empty if it may."""
        ...


class AdmissionRefused(TortugaError):
    """A stream is not let in: the name of its gRPC status, and the reason."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


class RemoteBots:
    """The bots that are connected, and those that may connect."""

    def __init__(self, accounts: Accounts, server_version: str, hello_seconds: float = HELLO_SECONDS) -> None:
        self._accounts = accounts
        self._server_version = server_version
        self._hello_seconds = hello_seconds
        self._sessions: dict[str, Session] = {}
        """Latest session of each bot, which may be over."""
        self.closed_reason = ""
        """Reason why no new session is admitted; bots that come back after a broken stream still are. Empty: all
        are."""

    async def find_of_team(self, token: str) -> str | None:
        """Return the bot that a token of a team names after a colon; None if it names none, or the token is
        nobody's."""
        text, colon, bot = token.partition(":")
        return await self._accounts.find_of_team(hash_token(text), bot) if colon else None

    def admit(self, token_hash: bytes, crowded: str = "", bot: str | None = None) -> Session | None:
        """Return the session that a stream with this token belongs to; None if the token is nobody's. `bot`: the owner,
        if that is known already.

        `crowded` says why there is no place for a new session where the stream comes from; empty: there is.

        With a resume token it is the one that was there. It may still seem to have a stream: a bot notices a dead
        line before we do. With an account token it is a new one, and a session that waits for its bot is over,
        because the program was started anew and knows nothing of it.
        """
        for session in self._sessions.values():
            if session.can_resume_with(token_hash):
                return session
        name = bot or self._accounts.find(token_hash)
        if name is None:
            return None
        if self.closed_reason:
            raise AdmissionRefused("UNAVAILABLE", self.closed_reason)
        if crowded:
            raise AdmissionRefused("RESOURCE_EXHAUSTED", crowded)
        if refusal := self._accounts.refusal(name):
            raise AdmissionRefused("PERMISSION_DENIED", refusal)
        old = self._sessions.get(name)
        if old is not None and not old.is_over:
            if old.is_attached:
                raise AdmissionRefused("ALREADY_EXISTS", f"{name} is already connected; that stream continues")
            old.end(FaultKind.CRASH, "the stream ended, and the program was started anew instead of coming back")
        session = Session(name, self._server_version, self._accounts)
        session.expect_hello(self._hello_seconds)
        self._sessions[name] = session
        return session

    def disconnect(self, name: str, reason: str) -> None:
        """End the session of a bot, if it has one: its matches lose it, and its resume token is worth nothing."""
        session = self._sessions.get(name)
        if session is not None and not session.is_over:
            session.end(FaultKind.CRASH, reason)
            session.close(reason)

    def close(self, reason: str) -> None:
        """Say Goodbye to everybody."""
        for session in self._sessions.values():
            session.close(reason)
