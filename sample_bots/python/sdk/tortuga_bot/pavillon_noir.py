"""Pavillon Noir with types: an editor completes the fields, and mypy and pyright find a misspelt one.

    from tortuga_bot.pavillon_noir import Question, play

`Question` is the SDK's, with typed messages of this game. The messages and enums below are those of
proto/tortuga/v1/pavillon_noir.proto under their short names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import tortuga_bot.question
from tortuga.v1.pavillon_noir_pb2 import PavillonNoir
from tortuga_bot.client import play

AimPlace = PavillonNoir.AimPlace
Bag = PavillonNoir.Bag
Cannon = PavillonNoir.Cannon
Card = PavillonNoir.Card
Cause = PavillonNoir.Cause
Decision = PavillonNoir.Decision
Deed = PavillonNoir.Deed
Disaster = PavillonNoir.Disaster
Duelist = PavillonNoir.Duelist
EndReason = PavillonNoir.EndReason
Event = PavillonNoir.Event
Figure = PavillonNoir.Figure
Gun = PavillonNoir.Gun
GunDisc = PavillonNoir.GunDisc
Marker = PavillonNoir.Marker
Observation = PavillonNoir.Observation
Option = PavillonNoir.Option
Phase = PavillonNoir.Phase
Placed = PavillonNoir.Placed
Position = PavillonNoir.Position
Projectile = PavillonNoir.Projectile
Reputation = PavillonNoir.Reputation
RunKind = PavillonNoir.RunKind
Ship = PavillonNoir.Ship
Shot = PavillonNoir.Shot
Side = PavillonNoir.Side
Suit = PavillonNoir.Suit
Target = PavillonNoir.Target
TargetCard = PavillonNoir.TargetCard
Track = PavillonNoir.Track
Trick = PavillonNoir.Trick
Variant = PavillonNoir.Variant
Zone = PavillonNoir.Zone

if TYPE_CHECKING:

    class Question(tortuga_bot.question.Question):
        """One question of Pavillon Noir."""

        @property
        def position(self) -> PavillonNoir.Position:
            """Decision, observation, events, options."""
            raise NotImplementedError

        @property
        def observation(self) -> PavillonNoir.Observation:
            """A full snapshot of what this seat may know."""
            raise NotImplementedError

        @property
        def options(self) -> Sequence[PavillonNoir.Option]:
            """The legal actions, in the order in which the answer counts them."""
            raise NotImplementedError

        @property
        def events(self) -> Sequence[PavillonNoir.Event]:
            """What this seat perceived since its last question."""
            raise NotImplementedError

else:
    Question = tortuga_bot.question.Question

__all__ = [
    "AimPlace",
    "Bag",
    "Cannon",
    "Card",
    "Cause",
    "Decision",
    "Deed",
    "Disaster",
    "Duelist",
    "EndReason",
    "Event",
    "Figure",
    "Gun",
    "GunDisc",
    "Marker",
    "Observation",
    "Option",
    "Phase",
    "Placed",
    "Position",
    "Projectile",
    "Question",
    "Reputation",
    "RunKind",
    "Ship",
    "Shot",
    "Side",
    "Suit",
    "Target",
    "TargetCard",
    "Track",
    "Trick",
    "Variant",
    "Zone",
    "play",
]
