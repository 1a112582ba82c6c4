"""A match ready to be stored. The process that stores it did not play it and needs nothing that playing does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from server.tournament.summary import MatchSummary


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedMatch:
    """A match ready to be stored: its summary, its packed record, and the logs of the bots that failed, by seat."""

    summary: MatchSummary
    packed: bytes
    logs: Mapping[int, bytes]
