"""The key of the organiser's door, in a file that only the arena's user can read, and the tokens of remote bots.

Permissions on the socket are not enough: a hosted bot that runs as the arena's user could open it. The file is hidden
from bots (server/jail), so whoever knows the key is the organiser. Each start of the server makes a new one.

Keys and tokens are 256 bits that nobody can guess, with a mark by which the logs recognise and redact them. Only the
hash of a token is kept (`referee.door.tokens.hash_token`).
"""

from __future__ import annotations

import secrets
from pathlib import Path

from referee.errors import ConfigError
from referee.records.files import write_atomically
from server.system.redaction import TOKEN_MARK

FILE = "admin.key"
HEADER = "admin-key"
"""The call metadata that carries it."""


def write_admin_key(directory: Path) -> str:
    """Write a new key into the arena's folder and return it."""
    key = new_token()
    write_atomically(directory / FILE, f"{key}\n".encode(), private=True)
    return key


def read_admin_key(directory: Path) -> str:
    """Return the key of the arena that runs in this folder."""
    path = directory / FILE
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        raise ConfigError(
            f"{path} does not exist, so the arena cannot be called as its organiser: restart it to create a new key"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"the organiser's key cannot be read: {error}; run this as the user who runs the arena"
        ) from None


def new_token() -> str:
    """Return a token that nobody else has."""
    return TOKEN_MARK + secrets.token_urlsafe(32)
