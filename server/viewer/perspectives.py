"""Whose eyes a document holds."""

from __future__ import annotations

from enum import StrEnum


class Perspectives(StrEnum):
    """A spectator's alone, or everybody's."""

    SPECTATOR = "spectator"
    ALL = "all"
