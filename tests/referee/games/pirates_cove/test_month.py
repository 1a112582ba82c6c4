"""The end of a month: spec 6.12."""

from __future__ import annotations

from collections.abc import Mapping

from referee.games.pirates_cove.events import BlackShipMoved, CargoLost, LegendsReshuffled
from referee.games.pirates_cove.ids import Captain, Card
from referee.games.pirates_cove.state import EndMonth, Freebooter, Navy, State, TreasureMap
from support.pirates_cove import S0, S1, SPEC_MONTH, Play, ship, table


def end(state: State) -> Play:
    state.agenda = [EndMonth()]
    return Play(state)


def test_v13_chests_above_the_hull_value_are_lost_but_not_with_flint() -> None:
    """R38."""
    play = end(table(ship((2, 1, 1, 1), chests=9), ship((2, 1, 1, 1), chests=9, parrot=Card.FLINT)))
    assert [each.chests for each in play.state.ships] == [6, 9]
    assert play.of(CargoLost) == [CargoLost(S0, 3)]
    assert play.state.chests == 50 - 6 - 9


def test_v14_black_ships_go_round() -> None:
    def places(black: Mapping[int, Captain | None], count: int) -> list[int]:
        state = table(ship(), ship(), black=black)
        for _ in range(count):
            state = end(state).state
        return [each.place for each in state.black_ships]

    assert places({1: Captain.HOOK, 4: Captain.DUTCHMAN}, 3) == [4, 1]
    assert places({6: Captain.HOOK}, 1) == [1]


def test_v16_an_empty_legend_deck_takes_the_discards() -> None:
    """R33: the new captain appears on the ship after its move."""
    state = table(
        ship(),
        ship(),
        black={3: None, 6: Captain.DUTCHMAN},
        legends=(),
        legend_discard=(Captain.HOOK, Captain.CACAFUEGO),
        orders=[(1, 0)],
    )
    play = end(state)
    assert play.of(LegendsReshuffled) == [LegendsReshuffled(2)]
    assert play.of(BlackShipMoved) == [
        BlackShipMoved(4, Captain.HOOK, True),
        BlackShipMoved(1, Captain.DUTCHMAN, False),
    ]
    assert play.state.legends == (Captain.CACAFUEGO,)
    assert play.state.legend_discard == ()


def test_r21_the_navy_and_the_marks_of_the_month_end() -> None:
    state = table(
        ship(),
        ship(),
        navy=Navy(3, S1),
        freebooter=Freebooter(S0, S1),
        treasure_map=TreasureMap(S0, 2, 2),
        lookout=S1,
    )
    after = end(state).state
    assert (after.navy, after.freebooter, after.treasure_map, after.lookout) == (None, None, None, None)
    assert after.treasure_discard == SPEC_MONTH
    assert after.month == 4
