"""The game told to people."""

from __future__ import annotations

from referee.games.pirates_cove import GAME
from referee.games.pirates_cove.actions import Fire, PlayCard, Upgrade
from referee.games.pirates_cove.events import (
    CardPlayed,
    CombatBegan,
    LegendSunk,
    MutinyRolled,
    Passed,
    ShipLeft,
    TavernReshuffled,
    VisitEnded,
    VolleyFired,
)
from referee.games.pirates_cove.terms import Captain, Card, Departure, Window
from support.pirates_cove import HULL, S0, S1, SAILS, ship, table


def test_lines_say_who_did_what() -> None:
    volley = VolleyFired(S0, Captain.HOOK, (HULL,), (5, 1), 1)
    assert GAME.text.event(volley) == "seat 0 fires at Captain Hook, hull: 5 1, 1 hit"
    assert GAME.text.event(CardPlayed(S1, Card.NAVY, None, 3, None, 0)) == "seat 1 plays Royal Navy to Sail Island"
    assert GAME.text.event(MutinyRolled(S0, 1, 7, 4)) == "seat 0 throws 1: mutiny, 7 gold and 4 chests lost"
    assert GAME.text.event(Passed(S1, Window.LOOKOUT)) == "seat 1 passes before the islands are chosen"
    assert GAME.text.action(Fire(S1, SAILS)) == "fire at seat 1, sails"
    assert GAME.text.action(PlayCard(Card.OVERBOARD, chests=3)) == "play Overboard with 3 chests"
    assert GAME.text.action(Upgrade(HULL, 2, 3)) == "raise hull by 2 for 3 gold"


def test_rules_and_cards_are_counted_by_name() -> None:
    assert GAME.fired(CardPlayed(S0, Card.GRAPPLE, None, None, None, 0)) == "card grapple"
    assert GAME.fired(ShipLeft(S0, Departure.FORCED, True)) == "forced retreat"
    assert GAME.fired(ShipLeft(S0, Departure.FLIGHT, True)) == "flight"
    assert GAME.fired(MutinyRolled(S0, 1, 0, 0)) == "mutiny"
    assert GAME.fired(LegendSunk(Captain.BLACKBEARD, 6)) == "legend blackbeard sunk"
    assert GAME.fired(TavernReshuffled(9)) == "tavern reshuffle"
    assert GAME.fired(CombatBegan(0, (S0, S1), ())) == "final duel"
    assert GAME.fired(VisitEnded(S0)) == "visit ended"


def test_the_table_shows_islands_ships_and_cards() -> None:
    state = table(
        ship((3, -1, 2, 2), Card.SMOKE, place=7, fame=6, artisan=HULL, artisan_damaged=True),
        ship(parrot=Card.FLINT),
        black={2: Captain.HOOK},
    )
    text = GAME.text.table(state)
    assert "Crew Island    t25 (3 fame, 1 gold, 1 chest, 1 card)" in text
    assert "black ship at Hull Island: Captain Hook" in text
    assert (
        "seat 0: Pirate's Cove, 6 fame, 0 gold, 0 chests; hull 3 sails -1 cannons 2 crew 2; "
        "Artisan on hull (damaged); hand: Smoke" in text
    )
    assert "Captain Flint's parrot; hand: empty" in text
