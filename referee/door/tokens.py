"""Tokens: what a bot shows to be let in, and what is kept of it."""

from __future__ import annotations

import hashlib
import secrets


def new_token() -> str:
    """A fresh token of 256 bits, fit for call metadata and for an environment variable."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).digest()
