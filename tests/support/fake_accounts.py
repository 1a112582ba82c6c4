"""Accounts of remote bots for tests: names and tokens in a dictionary, and a list of who came and went."""

from __future__ import annotations

from referee.door.session import Session
from referee.door.tokens import hash_token


class FakeAccounts:
    """Accounts by name and token."""

    def __init__(self, reconnect_seconds: float = 10.0, **tokens: str) -> None:
        self.reconnect_seconds = reconnect_seconds
        self.names = {hash_token(token): name for name, token in tokens.items()}
        self.suspended: dict[str, str] = {}
        self.unwelcome: dict[str, str] = {}
        self.heard: list[tuple[str, str]] = []
        """Who arrived, left, or was away and back."""
        self.sessions: dict[str, Session] = {}

    def find(self, token_hash: bytes) -> str | None:
        return self.names.get(token_hash)

    async def find_of_team(self, token_hash: bytes, bot: str) -> str | None:
        return None

    def refusal(self, name: str) -> str:
        return self.suspended.get(name, "")

    def arrived(self, name: str, session: Session) -> str:
        if name in self.unwelcome:
            return self.unwelcome[name]
        self.heard.append((name, "arrived"))
        self.sessions[name] = session
        return ""

    def left(self, name: str, session: Session) -> None:
        self.heard.append((name, "left"))
        if self.sessions.get(name) is session:
            del self.sessions[name]

    def presence_changed(self, name: str, session: Session) -> None:
        self.heard.append((name, "back" if session.is_present else "away"))
