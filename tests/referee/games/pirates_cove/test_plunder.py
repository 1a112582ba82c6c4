"""Phase 4: spec 6.10."""

from __future__ import annotations

from referee.games.pirates_cove.events import Plundered
from referee.games.pirates_cove.state import Freebooter, TreasureMap
from referee.games.pirates_cove.terms import Card
from referee.rules.engine import Seat
from support.pirates_cove import S0, S1, SPEC_MONTH, plunder, ship, table, treasure


def test_v15_a_short_chest_supply_gives_what_is_left() -> None:
    """R31."""
    play = plunder(table(ship(place=1), ship(), face_up=[treasure(1, 2, 5, 0), *SPEC_MONTH[1:]], chests=2))
    first = play.state.ships[0]
    assert play.of(Plundered) == [Plundered(S0, 1, 1, 2, 2, 0, False)]
    assert (first.fame, first.gold, first.chests) == (1, 2, 2)


def test_r31_a_short_gold_supply_gives_what_is_left_in_island_order() -> None:
    play = plunder(table(ship(place=2), ship(place=1), gold=6))
    assert play.of(Plundered) == [Plundered(S1, 1, 1, 4, 4, 0, False), Plundered(S0, 2, 0, 2, 2, 0, False)]
    assert play.state.gold == 0


def test_v18_the_freebooters_half() -> None:
    """R23: each of fame, gold, chests and cards rounded up for the Freebooter, whose cards are drawn first."""
    for loot, half, rest in [((3, 1, 1, 1), (2, 1, 1, 1), (1, 0, 0, 0)), ((0, 9, 3, 0), (0, 5, 2, 0), (0, 4, 1, 0))]:
        play = plunder(
            table(
                ship(place=6),
                ship(place=1),
                face_up=[treasure(*loot), *SPEC_MONTH[1:]],
                freebooter=Freebooter(S0, S1),
                deck=[Card.SMOKE, Card.WIND],
            )
        )
        shares = {event.freebooter: event for event in play.of(Plundered)}
        assert shares[True] == Plundered(S0, 1, *half, True)
        assert shares[False] == Plundered(S1, 1, *rest, False)
        assert [len(each.hand) for each in play.state.ships] == [half[3], rest[3]]


def test_r23_the_freebooters_own_plunder_is_his() -> None:
    play = plunder(table(ship(place=1), ship(place=6), freebooter=Freebooter(S0, S1)))
    assert play.of(Plundered) == [Plundered(S0, 1, 1, 4, 4, 0, False)]


def test_v19_the_map_doubles_the_chests() -> None:
    face_up = [treasure(0, 3, 6, 0), *SPEC_MONTH[1:]]
    play = plunder(table(ship(place=1), ship(place=6), face_up=face_up, treasure_map=TreasureMap(S0, 1, 2)))
    assert play.of(Plundered) == [Plundered(S0, 1, 0, 3, 12, 0, False)]


def test_r24_a_map_profits_only_its_holder_and_only_there() -> None:
    for seat, island in ((1, 1), (0, 2)):
        marked = TreasureMap(Seat(seat), island, 2)
        play = plunder(table(ship(place=1), ship(place=6), treasure_map=marked))
        assert play.of(Plundered) == [Plundered(S0, 1, 1, 4, 4, 0, False)]


def test_tavern_cards_come_with_the_treasure() -> None:
    play = plunder(table(ship(place=5), ship(place=6), deck=[Card.SMOKE]))
    assert play.of(Plundered) == [Plundered(S0, 5, 3, 1, 1, 1, False)]
    assert play.state.ships[0].hand == (Card.SMOKE,)
