"""Tokens of remote bots: 256 bits that nobody can guess, with a mark by which the logs recognise and redact them.

Only the hash of a token is kept (`referee.door.tokens.hash_token`).
"""

from __future__ import annotations

import secrets

from server.system.secret_words import TOKEN_MARK


def new_token() -> str:
    """A token that nobody else has."""
    return TOKEN_MARK + secrets.token_urlsafe(32)
