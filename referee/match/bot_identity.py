"""The identity of the bot on a seat, as stored in a record."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class BotIdentity:
    """Who sat on a seat, as far as it is known."""

    name: str
    version: str = ""
    language: str = ""
    manifest_hash: bytes = b""
    bundle_hash: bytes = b""
    """SHA-256 of the archive of its built folder. Empty: it did not play from one."""
