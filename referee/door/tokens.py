"""Tokens: what a bot authenticates with, and the hash that is kept of it."""

from __future__ import annotations

import hashlib
import secrets


def new_token() -> str:
    """A fresh token of 256 bits, fit for call metadata and for an environment variable."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> bytes:
    """The hash under which a token is kept and looked up."""
    return hashlib.sha256(token.encode()).digest()
