"""The game told to people: words where the specification has ids."""

from __future__ import annotations

import re

import pytest

from referee.games.marauders import GAME
from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import PlayGlory
from referee.games.marauders.actions.port import Pardon, Sell
from referee.games.marauders.actions.turn import ScoutNpc, ScoutPlayer
from referee.games.marauders.events import Event
from referee.games.marauders.events.port import CrewJoined
from referee.games.marauders.events.quests import MissionOpened
from referee.games.marauders.events.raid import MerchantFound, RaidCardDrawn
from referee.games.marauders.events.round import DiceRolled, GameEnded, NpcEntered, NpcMoved, RoundBegan, WarDeclared
from referee.games.marauders.events.trade import CargoTaken, GoodsOffered
from referee.games.marauders.events.wealth import GloryDrawn, GloryPlayed
from referee.games.marauders.terms import Good, Nation, NpcKind, Roll, Side, Zone
from referee.rules.engine import Seat

SEAT = Seat(1)


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (ScoutNpc(NpcKind.NAVY_FR), "scout the French navy"),
        (ScoutPlayer(SEAT), "scout seat 1"),
        (Sell(Good.RUM, 2, 9), "sell 2 rum for 9 gold"),
        (Pardon(Nation.NL), "pardon the Netherlands"),
        (PlayGlory("surgeon_b", nation=Nation.EN), r"play Surgeon \(b\).*England.*"),
    ],
)
def test_options_are_told_in_words(action: Action, told: str) -> None:
    assert re.fullmatch(told, GAME.text.action(action))


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (NpcMoved(NpcKind.PIRATE_SLOOP, Zone.ST_JOHN), "pirate sloop.*St. John"),
        (NpcEntered(NpcKind.NAVY_ES, "navy_es_1", Zone.HAVANA), "Spanish.*Havana.*Toledo"),
        (RoundBegan(3, "navy_es_1"), "round 3: .*navy.*Toledo"),
        (RoundBegan(4, "war_2"), "round 4: War$"),
        (WarDeclared((Nation.EN, Nation.ES)), "war.*England.*Spain"),
        (MerchantFound(SEAT, Zone.HAVANA, Nation.EN), "seat 1 .*English.*Havana"),
        (RaidCardDrawn(SEAT, "spice_1"), "spice.*loot 1.*escape"),
        (RaidCardDrawn(SEAT, "spice_2"), "spice.*loot 2.*cargo"),
        (GoodsOffered(SEAT, ("spice_1", "rum_3"), 2), "seat 1 .*spice, rum$"),
        (CargoTaken(SEAT, (), 1, True), "seat 1 takes 1 card"),
        (GameEnded("ten"), "game ends.*glory"),
        (DiceRolled(Side(SEAT), Roll.SCOUTING, (2, 5)), "seat 1 rolls 2, skull for scouting: success$"),
        (DiceRolled(Side(SEAT), Roll.INFLUENCE, (1, 4)), "1, 4 for influence: failure$"),
        (DiceRolled(Side(SEAT), Roll.CONTEST, (6, 5, 1)), "skull, skull, 1 .*: 2 skulls$"),
        (GloryDrawn(SEAT, "gun_captain_a"), "draws Gun captain$"),
        (GloryPlayed(SEAT, "pardon", nation=Nation.FR, count=2), r"plays Pardon \(France, 2 bounties\)$"),
        (MissionOpened("governors_escort"), "Governor's escort$"),
        (CrewJoined(SEAT, 1), "takes 1 man aboard$"),
    ],
)
def test_events_are_told_in_words(event: Event, told: str) -> None:
    assert re.search(told, GAME.text.event(event))
