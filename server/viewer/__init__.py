"""A match as a document: offline replays, and the code that shows a match in a browser."""

from __future__ import annotations

from enum import StrEnum


class Perspectives(StrEnum):
    """The views that a document holds: only a spectator's, or everybody's."""

    SPECTATOR = "spectator"
    ALL = "all"
