"""The game told to people."""

from __future__ import annotations

import re

from referee.games.pirates_cove import GAME
from referee.games.pirates_cove.actions import Fire, PlayCard, Upgrade
from referee.games.pirates_cove.events import (
    CardPlayed,
    CombatBegan,
    LegendSunk,
    MutinyRolled,
    Passed,
    ShipHit,
    ShipLeft,
    TavernReshuffled,
    VisitEnded,
    VolleyFired,
)
from referee.games.pirates_cove.terms import Captain, Card, Damage, Departure, Window
from support.approved import Approver
from support.pirates_cove import HULL, S0, S1, SAILS, ship, table


def test_lines_say_who_did_what() -> None:
    volley = VolleyFired(S0, Captain.HOOK, (HULL,), (5, 1), 1)
    told = GAME.text.event
    assert re.match("seat 0 .*Captain Hook", told(volley))
    assert told(volley).endswith("hull: 5 1, 1 hit")
    assert re.match("seat 1 .*Royal Navy.*Sail", told(CardPlayed(S1, Card.NAVY, None, 3, None, 0)))
    assert re.match("seat 0 .* 1: mutiny", told(MutinyRolled(S0, 1, 7, 4)))
    assert "7 gold and 4 chests" in told(MutinyRolled(S0, 1, 7, 4))
    assert re.match("seat 1 passes.*islands", told(Passed(S1, Window.LOOKOUT)))
    assert GAME.text.action(Fire(S1, SAILS)) == "fire at seat 1, sails"
    assert re.search("Overboard.* 3 chests", GAME.text.action(PlayCard(Card.OVERBOARD, chests=3)))
    assert re.search("hull by 2.* 3 gold", GAME.text.action(Upgrade(HULL, 2, 3)))


def test_seats_that_pass_one_after_the_other_share_a_line() -> None:
    passes = [Passed(S0, Window.LOOKOUT), Passed(S1, Window.LOOKOUT), Passed(S0, Window.BOARDING)]
    first, second, third = GAME.text.tell([*passes, VisitEnded(S0)])
    assert re.match("seat 0 and seat 1 pass ", first)
    assert re.match("seat 0 passes .*exchange", second)
    assert third == GAME.text.event(VisitEnded(S0))


def test_hits_say_what_is_left_of_a_section() -> None:
    for damage, level, told in (
        (Damage.LEVEL_LOST, 2, "hull: down to level 2$"),
        (Damage.DESTROYED, -1, "hull: destroyed$"),
        (Damage.NONE, -1, "hull: .*destroyed already"),
        (Damage.ARTISAN_LOST, -1, "artisan lost, still destroyed"),
    ):
        text = GAME.text.event(ShipHit(S0, HULL, damage, level))
        assert re.search(told, text)
        assert "-1" not in text


def test_rules_and_cards_are_counted_by_name() -> None:
    assert GAME.fired(CardPlayed(S0, Card.GRAPPLE, None, None, None, 0)) == "card grapple"
    assert GAME.fired(ShipLeft(S0, Departure.FORCED, True)) == "forced retreat"
    assert GAME.fired(ShipLeft(S0, Departure.FLIGHT, True)) == "flight"
    assert GAME.fired(MutinyRolled(S0, 1, 0, 0)) == "mutiny"
    assert GAME.fired(LegendSunk(Captain.BLACKBEARD, 6)) == "legend blackbeard sunk"
    assert GAME.fired(TavernReshuffled(9)) == "tavern reshuffle"
    assert GAME.fired(CombatBegan(0, (S0, S1), ())) == "final duel"
    assert GAME.fired(VisitEnded(S0)) == "visit ended"


def test_the_table_shows_islands_ships_and_cards(approve: Approver) -> None:
    state = table(
        ship((3, -1, 2, 2), Card.SMOKE, place=7, fame=6, artisan=HULL, artisan_damaged=True),
        ship(parrot=Card.FLINT),
        black={2: Captain.HOOK},
    )
    text = GAME.text.table(state)
    assert re.search(r"Crew Island +3 fame, ", text)
    assert re.search("black ship.*Hull.*Hook", text)
    [own] = [line for line in text.splitlines() if line.lstrip().startswith("seat 0: Pirate's Cove")]
    for fact in ("6 fame, 0 gold, 0 chests", "hull 3, sails destroyed", "Artisan on hull (damaged)", "hand: Smoke"):
        assert fact in own
    assert "parrot; hand: empty" in text
    approve("play", text)
