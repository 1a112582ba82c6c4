"""The game told to people: words where the specification has ids."""

from __future__ import annotations

import pytest

from referee.engine import Seat
from referee.games.marauders import GAME
from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import PlayGlory
from referee.games.marauders.actions.port import Pardon, Sell
from referee.games.marauders.actions.turn import ScoutNpc, ScoutPlayer
from referee.games.marauders.events import Event
from referee.games.marauders.events.raid import MerchantFound, RaidCardDrawn
from referee.games.marauders.events.round import GameEnded, NpcEntered, NpcMoved, RoundBegan, WarDeclared
from referee.games.marauders.events.trade import CargoTaken, GoodsOffered
from referee.games.marauders.terms import Good, Nation, NpcKind, Zone

SEAT = Seat(1)


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (ScoutNpc(NpcKind.NAVY_FR), "scout npc French navy"),
        (ScoutPlayer(SEAT), "scout seat 1"),
        (Sell(Good.RUM, 2, 9), "sell 2 rum for 9 gold"),
        (Pardon(Nation.NL), "pardon the Netherlands"),
        (PlayGlory("surgeon_b", nation=Nation.EN), "play glory surgeon b England"),
    ],
)
def test_options_are_told_in_words(action: Action, told: str) -> None:
    assert GAME.text.action(action) == told


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (NpcMoved(NpcKind.PIRATE_SLOOP, Zone.ST_JOHN), "the pirate sloop sails to St. John"),
        (
            NpcEntered(NpcKind.NAVY_ES, "navy_es_1", Zone.HAVANA),
            "the Spanish navy enters at Havana under Fadrique de Toledo",
        ),
        (RoundBegan(3, "navy_es_1"), "round 3: the Spanish navy under Fadrique de Toledo"),
        (RoundBegan(4, "war_2"), "round 4: war"),
        (WarDeclared((Nation.EN, Nation.ES)), "war between England and Spain"),
        (MerchantFound(SEAT, Zone.HAVANA, Nation.EN), "seat 1 finds an English merchant off Havana"),
        (RaidCardDrawn(SEAT, "spice_1"), "on the table: spice, loot 1, an escape"),
        (RaidCardDrawn(SEAT, "spice_2"), "on the table: spice, loot 2, a hit on the cargo"),
        (GoodsOffered(SEAT, ("spice_1", "rum_3"), 2), "seat 1 is offered spice, rum"),
        (CargoTaken(SEAT, (), 1, True), "seat 1 takes 1 card aboard"),
        (GameEnded("ten"), "the game ends: enough glory"),
    ],
)
def test_events_are_told_in_words(event: Event, told: str) -> None:
    assert GAME.text.event(event) == told
