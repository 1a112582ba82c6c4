"""Marauders with types: an editor completes the fields, and mypy and pyright find a misspelt one.

    from tortuga_bot.marauders import Question, play

`Question` is the SDK's, with typed messages of this game. The messages and enums below are those of
proto/tortuga/v1/marauders.proto under their short names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import tortuga_bot.question
from tortuga.v1.marauders_pb2 import Marauders
from tortuga_bot.client import play

Activity = Marauders.Activity
Captain = Marauders.Captain
CargoCard = Marauders.CargoCard
Combat = Marauders.Combat
CombatEnd = Marauders.CombatEnd
Decision = Marauders.Decision
Decks = Marauders.Decks
EndReason = Marauders.EndReason
Entry = Marauders.Entry
Event = Marauders.Event
EventCard = Marauders.EventCard
Feat = Marauders.Feat
Fighter = Marauders.Fighter
GloryCard = Marauders.GloryCard
Good = Marauders.Good
Mission = Marauders.Mission
Mode = Marauders.Mode
Modification = Marauders.Modification
Nation = Marauders.Nation
NpcInfo = Marauders.NpcInfo
NpcKind = Marauders.NpcKind
Observation = Marauders.Observation
Option = Marauders.Option
Own = Marauders.Own
Position = Marauders.Position
Price = Marauders.Price
Raid = Marauders.Raid
RaidEnd = Marauders.RaidEnd
Roll = Marauders.Roll
Rumor = Marauders.Rumor
SeatInfo = Marauders.SeatInfo
Section = Marauders.Section
Ship = Marauders.Ship
ShipType = Marauders.ShipType
Side = Marauders.Side
Specialist = Marauders.Specialist
Stance = Marauders.Stance
Turn = Marauders.Turn
Visit = Marauders.Visit
Volley = Marauders.Volley
Weapon = Marauders.Weapon
Zone = Marauders.Zone
ZoneInfo = Marauders.ZoneInfo

if TYPE_CHECKING:

    class Question(tortuga_bot.question.Question):
        """One question of Marauders."""

        @property
        def position(self) -> Marauders.Position:
            """Decision, observation, events, options."""
            raise NotImplementedError

        @property
        def observation(self) -> Marauders.Observation:
            """A full snapshot of what this seat may know."""
            raise NotImplementedError

        @property
        def options(self) -> Sequence[Marauders.Option]:
            """The legal actions, in the order in which the answer counts them."""
            raise NotImplementedError

        @property
        def events(self) -> Sequence[Marauders.Event]:
            """What this seat perceived since its last question."""
            raise NotImplementedError

else:
    Question = tortuga_bot.question.Question

__all__ = [
    "Activity",
    "Captain",
    "CargoCard",
    "Combat",
    "CombatEnd",
    "Decision",
    "Decks",
    "EndReason",
    "Entry",
    "Event",
    "EventCard",
    "Feat",
    "Fighter",
    "GloryCard",
    "Good",
    "Mission",
    "Mode",
    "Modification",
    "Nation",
    "NpcInfo",
    "NpcKind",
    "Observation",
    "Option",
    "Own",
    "Position",
    "Price",
    "Question",
    "Raid",
    "RaidEnd",
    "Roll",
    "Rumor",
    "SeatInfo",
    "Section",
    "Ship",
    "ShipType",
    "Side",
    "Specialist",
    "Stance",
    "Turn",
    "Visit",
    "Volley",
    "Weapon",
    "Zone",
    "ZoneInfo",
    "play",
]
