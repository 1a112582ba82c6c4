"""A match ready to be stored. The process that stores it did not play it and needs nothing that playing does."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from referee.records.signature import SigningKey
from server.play.summary import MatchSummary


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedMatch:
    """A match ready to be stored: its summary, its packed record, and the logs of the bots that failed, by seat."""

    summary: MatchSummary
    packed: bytes
    logs: Mapping[int, bytes]
    notes: bytes = b""
    """The file of the bots' notes beside the record; empty: there is none."""

    @property
    def match_id(self) -> str:
        """Its name."""
        return self.summary.match_id

    @property
    def names(self) -> list[str]:
        """Its bots, in seat order."""
        return list(self.summary.seated)


def sign_match(match: RecordedMatch, key: SigningKey) -> RecordedMatch:
    """The same match with a signed record. Only the process that stores matches has the key: bots run beside others."""
    from referee.records.record import sign

    packed = sign(match.packed, key)
    digest = hashlib.sha256(packed).digest()
    return replace(match, packed=packed, summary=replace(match.summary, record_sha256=digest, record_bytes=len(packed)))
