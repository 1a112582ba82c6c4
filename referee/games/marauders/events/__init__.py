"""Every fact that can happen, told as somebody who sees everything would. view/ decides who hears what of it."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.events.combat import CombatEvent
from referee.games.marauders.events.port import PortEvent
from referee.games.marauders.events.quests import QuestEvent
from referee.games.marauders.events.raid import RaidEvent
from referee.games.marauders.events.round import RoundEvent
from referee.games.marauders.events.trade import TradeEvent
from referee.games.marauders.events.wealth import WealthEvent

Event: TypeAlias = RoundEvent | WealthEvent | PortEvent | TradeEvent | QuestEvent | RaidEvent | CombatEvent
