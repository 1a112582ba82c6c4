"""What a door asks of whoever keeps the accounts of remote bots, and what it tells them.

The referee only asks; accounts, suspensions and the lobby are the server's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from referee.door.session import Session


class Accounts(Protocol):
    """What a door for remote bots asks and tells. None of these methods may block."""

    @property
    def reconnect_seconds(self) -> float:
        """How long the seats of a bot are kept when its stream breaks. 0: not at all."""
        ...

    def find(self, token_hash: bytes) -> str | None:
        """The name of the bot whose account token has this hash (`tokens.hash_token`); None if nobody has it."""
        ...

    def refusal(self, name: str) -> str:
        """Why this bot may not come in now, e.g. that it is suspended and for what; empty if it may."""
        ...

    def arrived(self, name: str, session: Session) -> str:
        """The bot said Hello. Empty: it is welcome; otherwise what its Hello says that cannot be."""
        ...

    def left(self, name: str, session: Session) -> None:
        """A bot that had arrived is gone for good: it or we said Goodbye, or it did not come back in time."""
        ...

    def presence_changed(self, name: str, session: Session) -> None:
        """The bot's stream broke, or it is back: `session.is_present` says which."""
        ...
