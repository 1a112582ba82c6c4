"""Pirate's Cove with types: an editor completes the fields, and mypy and pyright find a misspelt one.

    from tortuga_bot.pirates_cove import Question, play

`Question` is the SDK's, with typed messages of this game. The messages and enums below are those of
proto/tortuga/v1/pirates_cove.proto under their short names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import tortuga_bot.question
from tortuga.v1.pirates_cove_pb2 import PiratesCove
from tortuga_bot.client import play

ArtisanRepaired = PiratesCove.ArtisanRepaired
BlackShip = PiratesCove.BlackShip
BlackShipMoved = PiratesCove.BlackShipMoved
Bought = PiratesCove.Bought
Buried = PiratesCove.Buried
BuryChests = PiratesCove.BuryChests
BuryGold = PiratesCove.BuryGold
Buy = PiratesCove.Buy
Captain = PiratesCove.Captain
CardDrawn = PiratesCove.CardDrawn
CardPlayed = PiratesCove.CardPlayed
CargoLost = PiratesCove.CargoLost
Combat = PiratesCove.Combat
CombatBegan = PiratesCove.CombatBegan
CombatEnded = PiratesCove.CombatEnded
Combatant = PiratesCove.Combatant
CoveCards = PiratesCove.CoveCards
CoveChosen = PiratesCove.CoveChosen
CoveGold = PiratesCove.CoveGold
Damage = PiratesCove.Damage
Decision = PiratesCove.Decision
Departure = PiratesCove.Departure
Done = PiratesCove.Done
Enemy = PiratesCove.Enemy
Event = PiratesCove.Event
ExchangeBegan = PiratesCove.ExchangeBegan
FameChanged = PiratesCove.FameChanged
FameReason = PiratesCove.FameReason
Fighter = PiratesCove.Fighter
Fire = PiratesCove.Fire
Flee = PiratesCove.Flee
Freebooter = PiratesCove.Freebooter
FreebooterEnded = PiratesCove.FreebooterEnded
Keep = PiratesCove.Keep
LegendHit = PiratesCove.LegendHit
LegendMended = PiratesCove.LegendMended
LegendSunk = PiratesCove.LegendSunk
LegendsReshuffled = PiratesCove.LegendsReshuffled
MapRolled = PiratesCove.MapRolled
MonthBegan = PiratesCove.MonthBegan
MutinyRolled = PiratesCove.MutinyRolled
Navy = PiratesCove.Navy
Observation = PiratesCove.Observation
Offer = PiratesCove.Offer
Option = PiratesCove.Option
Outfit = PiratesCove.Outfit
Outfitted = PiratesCove.Outfitted
ParrotDrawn = PiratesCove.ParrotDrawn
ParrotHealed = PiratesCove.ParrotHealed
ParrotOffer = PiratesCove.ParrotOffer
ParrotSettled = PiratesCove.ParrotSettled
Pass = PiratesCove.Pass
Passed = PiratesCove.Passed
Phase = PiratesCove.Phase
PlayCard = PiratesCove.PlayCard
Plundered = PiratesCove.Plundered
Position = PiratesCove.Position
PrizeTaken = PiratesCove.PrizeTaken
RepairArtisan = PiratesCove.RepairArtisan
Repaired = PiratesCove.Repaired
Sail = PiratesCove.Sail
Sailed = PiratesCove.Sailed
Scored = PiratesCove.Scored
Section = PiratesCove.Section
Ship = PiratesCove.Ship
ShipHit = PiratesCove.ShipHit
ShipLeft = PiratesCove.ShipLeft
SwapParrot = PiratesCove.SwapParrot
TavernCard = PiratesCove.TavernCard
TavernReshuffled = PiratesCove.TavernReshuffled
TreasureMap = PiratesCove.TreasureMap
Upgrade = PiratesCove.Upgrade
Upgraded = PiratesCove.Upgraded
Visit = PiratesCove.Visit
VisitEnded = PiratesCove.VisitEnded
VolleyFired = PiratesCove.VolleyFired
Wait = PiratesCove.Wait
Waited = PiratesCove.Waited

if TYPE_CHECKING:

    class Question(tortuga_bot.question.Question):
        """One question of Pirate's Cove."""

        @property
        def position(self) -> PiratesCove.Position:
            """Decision, observation, events, options."""
            raise NotImplementedError

        @property
        def observation(self) -> PiratesCove.Observation:
            """A full snapshot of what this seat may know."""
            raise NotImplementedError

        @property
        def options(self) -> Sequence[PiratesCove.Option]:
            """The legal actions, in the order in which the answer counts them."""
            raise NotImplementedError

        @property
        def events(self) -> Sequence[PiratesCove.Event]:
            """What this seat perceived since its last question."""
            raise NotImplementedError

else:
    Question = tortuga_bot.question.Question

__all__ = [
    "ArtisanRepaired",
    "BlackShip",
    "BlackShipMoved",
    "Bought",
    "Buried",
    "BuryChests",
    "BuryGold",
    "Buy",
    "Captain",
    "CardDrawn",
    "CardPlayed",
    "CargoLost",
    "Combat",
    "CombatBegan",
    "CombatEnded",
    "Combatant",
    "CoveCards",
    "CoveChosen",
    "CoveGold",
    "Damage",
    "Decision",
    "Departure",
    "Done",
    "Enemy",
    "Event",
    "ExchangeBegan",
    "FameChanged",
    "FameReason",
    "Fighter",
    "Fire",
    "Flee",
    "Freebooter",
    "FreebooterEnded",
    "Keep",
    "LegendHit",
    "LegendMended",
    "LegendSunk",
    "LegendsReshuffled",
    "MapRolled",
    "MonthBegan",
    "MutinyRolled",
    "Navy",
    "Observation",
    "Offer",
    "Option",
    "Outfit",
    "Outfitted",
    "ParrotDrawn",
    "ParrotHealed",
    "ParrotOffer",
    "ParrotSettled",
    "Pass",
    "Passed",
    "Phase",
    "PlayCard",
    "Plundered",
    "Position",
    "PrizeTaken",
    "Question",
    "RepairArtisan",
    "Repaired",
    "Sail",
    "Sailed",
    "Scored",
    "Section",
    "Ship",
    "ShipHit",
    "ShipLeft",
    "SwapParrot",
    "TavernCard",
    "TavernReshuffled",
    "TreasureMap",
    "Upgrade",
    "Upgraded",
    "Visit",
    "VisitEnded",
    "VolleyFired",
    "Wait",
    "Waited",
    "play",
]
