"""Broadsides and Boarding Parties with types: an editor completes the fields, and mypy and pyright find a misspelt one.

    from tortuga_bot.broadsides import Question, play

`Question` is the SDK's, with typed messages of this game. The messages and enums below are those of
proto/tortuga/v1/broadsides.proto under their short names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import tortuga_bot.question
from tortuga.v1.broadsides_pb2 import Broadsides
from tortuga_bot.client import play

BoardMove = Broadsides.BoardMove
Boarding = Broadsides.Boarding
BoardingTurnStarted = Broadsides.BoardingTurnStarted
CannonLost = Broadsides.CannonLost
CaptainHit = Broadsides.CaptainHit
CaptainReplaced = Broadsides.CaptainReplaced
Card = Broadsides.Card
Cease = Broadsides.Cease
Chart = Broadsides.Chart
Constants = Broadsides.Constants
Crew = Broadsides.Crew
CrewLost = Broadsides.CrewLost
Crossing = Broadsides.Crossing
Decision = Broadsides.Decision
DiceOpposed = Broadsides.DiceOpposed
Direction = Broadsides.Direction
Event = Broadsides.Event
Figure = Broadsides.Figure
FigureMoved = Broadsides.FigureMoved
FigurePlaced = Broadsides.FigurePlaced
FireCeased = Broadsides.FireCeased
FireMode = Broadsides.FireMode
GameEnded = Broadsides.GameEnded
Ground = Broadsides.Ground
Gunfire = Broadsides.Gunfire
GunsBear = Broadsides.GunsBear
HullMarked = Broadsides.HullMarked
HullSection = Broadsides.HullSection
Loss = Broadsides.Loss
Map = Broadsides.Map
Mast = Broadsides.Mast
MastHit = Broadsides.MastHit
MeleeFought = Broadsides.MeleeFought
MovesLost = Broadsides.MovesLost
Observation = Broadsides.Observation
Option = Broadsides.Option
Phase = Broadsides.Phase
Place = Broadsides.Place
Point = Broadsides.Point
Position = Broadsides.Position
Program = Broadsides.Program
ProgramLaid = Broadsides.ProgramLaid
Reason = Broadsides.Reason
RollPurpose = Broadsides.RollPurpose
RoundStarted = Broadsides.RoundStarted
Section = Broadsides.Section
SetupRevealed = Broadsides.SetupRevealed
Ship = Broadsides.Ship
ShipDrifted = Broadsides.ShipDrifted
ShipSailed = Broadsides.ShipSailed
ShipsCollided = Broadsides.ShipsCollided
Shot = Broadsides.Shot
ShotEffect = Broadsides.ShotEffect
Side = Broadsides.Side
Stack = Broadsides.Stack
Station = Broadsides.Station
Surrender = Broadsides.Surrender
Surrendered = Broadsides.Surrendered

if TYPE_CHECKING:

    class Question(tortuga_bot.question.Question):
        """One question of Broadsides and Boarding Parties."""

        @property
        def position(self) -> Broadsides.Position:
            """Decision, observation, events, options."""
            raise NotImplementedError

        @property
        def observation(self) -> Broadsides.Observation:
            """A full snapshot of what this seat may know."""
            raise NotImplementedError

        @property
        def options(self) -> Sequence[Broadsides.Option]:
            """The legal actions, in the order in which the answer counts them."""
            raise NotImplementedError

        @property
        def events(self) -> Sequence[Broadsides.Event]:
            """What this seat perceived since its last question."""
            raise NotImplementedError

else:
    Question = tortuga_bot.question.Question

__all__ = [
    "BoardMove",
    "Boarding",
    "BoardingTurnStarted",
    "CannonLost",
    "CaptainHit",
    "CaptainReplaced",
    "Card",
    "Cease",
    "Chart",
    "Constants",
    "Crew",
    "CrewLost",
    "Crossing",
    "Decision",
    "DiceOpposed",
    "Direction",
    "Event",
    "Figure",
    "FigureMoved",
    "FigurePlaced",
    "FireCeased",
    "FireMode",
    "GameEnded",
    "Ground",
    "Gunfire",
    "GunsBear",
    "HullMarked",
    "HullSection",
    "Loss",
    "Map",
    "Mast",
    "MastHit",
    "MeleeFought",
    "MovesLost",
    "Observation",
    "Option",
    "Phase",
    "Place",
    "Point",
    "Position",
    "Program",
    "ProgramLaid",
    "Question",
    "Reason",
    "RollPurpose",
    "RoundStarted",
    "Section",
    "SetupRevealed",
    "Ship",
    "ShipDrifted",
    "ShipSailed",
    "ShipsCollided",
    "Shot",
    "ShotEffect",
    "Side",
    "Stack",
    "Station",
    "Surrender",
    "Surrendered",
    "play",
]
