"""A bracket as values: what the terminal, the report, the pages and the API show of a knockout."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class TieSide:
    """One bot of a tie."""

    bot: str
    points: float
    """For each seat beaten 1, for each tied with a half."""
    through: bool
    """Whether it advances, or won the final."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TieView:
    """Bots that play each other to advance."""

    name: str
    sides: tuple[TieSide, ...]
    """Best first."""
    matches: tuple[str, ...]
    note: str = ""
    """Why it ended as it did, where the points do not say."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundView:
    """The ties of one round."""

    name: str
    ties: tuple[TieView, ...]


def round_json(one: RoundView) -> dict[str, Any]:
    """A round, for programs."""
    return asdict(one)
