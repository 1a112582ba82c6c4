"""The ids of matches, used in records, logs and the database.

Every id ends in, or contains, the first digits of the match's commitment: two matches with different luck never share
an id, and the id reveals nothing about the luck before the secret is revealed.
"""

from __future__ import annotations

from referee.rules.chance import commitment


def single_match_id(game_id: str, secret: bytes, rotation: int | None = None) -> str:
    """A match outside an event: `<game>-<commitment>`, with `-<rotation>` if the same luck is played on several
    seatings."""
    suffix = "" if rotation is None else f"-{rotation}"
    return f"{game_id}-{commitment(secret).hex()[:12]}{suffix}"


def event_match_id(contest: str, block: int, secret: bytes, rotation: int) -> str:
    """A match of an event: `<contest>-<block>-<commitment>-<rotation>`."""
    return f"{contest}-{block:05d}-{commitment(secret).hex()[:8]}-{rotation}"


def ladder_match_id(contest: str, day: str, secret: bytes) -> str:
    """A match on a ladder of an arena: `<contest>-<day>-<commitment>`, the day as YYYYMMDD."""
    return f"{contest}-{day}-{commitment(secret).hex()[:12]}"
