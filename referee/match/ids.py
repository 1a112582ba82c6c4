"""Identities in records, logs and the database: the ids of matches, and the bot on a seat.

Every id of a match ends in, or contains, the first digits of the match's commitment: two matches with different luck
never share an id, and the id reveals nothing about the luck before the secret is revealed.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.rules.chance import commitment


def single_match_id(game_id: str, secret: bytes, rotation: int | None = None) -> str:
    """Make the id of a match outside an event: `<game>-<commitment>`, with `-<rotation>` if the same luck is played
    on several seatings."""
    suffix = "" if rotation is None else f"-{rotation}"
    return f"{game_id}-{commitment(secret).hex()[:12]}{suffix}"


def event_match_id(contest: str, block: int, secret: bytes, rotation: int) -> str:
    """Make the id of a match of an event: `<contest>-<block>-<commitment>-<rotation>`."""
    return f"{contest}-{block:05d}-{commitment(secret).hex()[:8]}-{rotation}"


def ladder_match_id(contest: str, day: str, secret: bytes) -> str:
    """Make the id of a match on a ladder of an arena: `<contest>-<day>-<commitment>`, the day as YYYYMMDD."""
    return f"{contest}-{day}-{commitment(secret).hex()[:12]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class BotIdentity:
    """The bot on a seat, as far as it is known."""

    name: str
    version: str = ""
    language: str = ""
    manifest_hash: bytes = b""
    bundle_hash: bytes = b""
    """SHA-256 of the archive of its built folder. Empty: it did not play from one."""
