"""Rumors and missions."""

from __future__ import annotations

from typing import TypeAlias

from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class RumorTaken(Part):
    """A seat holds this rumor now; None for those who do not see it."""

    seat: Seat
    rumor: str | None


@immutable(frozen=True, slots=True)
class RumorProved(Part):
    """A rumor was true."""

    seat: Seat
    rumor: str


@immutable(frozen=True, slots=True)
class RumorDiscarded(Part):
    """A rumor was not proved, or its holder is gone."""

    seat: Seat
    rumor: str


@immutable(frozen=True, slots=True)
class MissionOpened(Part):
    """A mission lies open at its port."""

    mission: str


@immutable(frozen=True, slots=True)
class MissionTaken(Part):
    """A seat holds this mission now."""

    seat: Seat
    mission: str


@immutable(frozen=True, slots=True)
class MissionDone(Part):
    """A mission was completed."""

    seat: Seat
    mission: str


@immutable(frozen=True, slots=True)
class MissionDiscarded(Part):
    """A mission was given up, or its holder is gone."""

    seat: Seat
    mission: str


QuestEvent: TypeAlias = (
    RumorTaken | RumorProved | RumorDiscarded | MissionOpened | MissionTaken | MissionDone | MissionDiscarded
)
