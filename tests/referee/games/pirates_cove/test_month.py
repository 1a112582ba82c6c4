"""A month: how it ends (spec 6.12), and the whole months of the specification, section 9.3: M1 to M10."""

from __future__ import annotations

from collections.abc import Mapping

from referee.games.pirates_cove.actions import (
    BuryChests,
    BuryGold,
    CoveCards,
    CoveGold,
    Done,
    Flee,
    Pass,
    Sail,
    Upgrade,
)
from referee.games.pirates_cove.events import (
    BlackShipMoved,
    CargoLost,
    ExchangeBegan,
    FameChanged,
    LegendsReshuffled,
    LegendSunk,
    PrizeTaken,
    Repaired,
    ShipLeft,
)
from referee.games.pirates_cove.rules.month import EndMonth
from referee.games.pirates_cove.state import Freebooter, Navy, Ship, State, TreasureMap
from referee.games.pirates_cove.terms import Captain, Card, FameReason
from support.pirates_cove import (
    CANNONS,
    CREW,
    HULL,
    S0,
    S1,
    S2,
    SAILS,
    SPEC_MONTH,
    Play,
    card,
    dice,
    fire,
    months,
    ship,
    table,
)


def end(state: State) -> Play:
    state.pending = (EndMonth(),)
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


def purse(each: Ship) -> tuple[int, int, int]:
    """Fame, gold, chests."""
    return each.fame, each.gold, each.chests


def afloat(play: Play) -> list[tuple[int, Captain | None]]:
    """The black ships."""
    return [(black.place, black.captain) for black in play.state.black_ships]


def test_m1_a_fight_at_cannon_island_and_a_flight() -> None:
    play = months(
        table(
            ship((3, 2, 3, 3), gold=4, chests=3, fame=10),
            ship((2, 3, 2, 2), gold=2, chests=6, fame=12),
            month=5,
            black={3: Captain.HOOK, 6: Captain.CACAFUEGO},
            deck=[Card.FAME2],
            draws=dice(5, 2, 6, 6, 5, 3),
        )
    )
    play.together({S0: Sail(4), S1: Sail(4)})
    play.do(S1, fire(S0, CANNONS)).do(S0, fire(S1, CREW)).do(S1, Flee())
    play.do(S0, Upgrade(CANNONS, 2, 3)).do(S1, CoveGold())
    first, second = play.state.ships
    assert purse(first) == (11, 6, 7)
    assert first.levels == (3, 2, 3, 3)
    assert play.of(CargoLost) == [CargoLost(S0, 1)]
    assert purse(second) == (12, 4, 6)
    assert second.levels == (2, 3, 2, 0)
    assert second.hand == (Card.FAME2,)
    assert second.place == 7
    assert afloat(play) == [(4, Captain.HOOK), (1, Captain.CACAFUEGO)]
    assert play.dice_left() == 0
    assert play.state.month == 6


def test_m2_two_ships_sink_hook_at_treasure_island() -> None:
    play = months(
        table(
            ship((4, 2, 5, 5), gold=7, chests=6, fame=20),
            ship((2, 3, 4, 4), gold=2, chests=4, fame=18),
            month=8,
            black={3: Captain.BLACKBEARD, 6: Captain.HOOK},
            draws=dice(6, 1, 2, 5, 6, 1, 1, 6, 5, 1, 2, 1, 4, 4, 6, 1, 2, 3),
        )
    )
    next_captain = play.state.legends[-1]
    play.together({S0: Sail(6), S1: Sail(6)})
    play.do(S1, fire(Captain.HOOK)).do(S0, fire(Captain.HOOK)).do(S1, fire(Captain.HOOK))
    play.do(S1, BuryChests(4), Upgrade(HULL, 1, 2)).do(S0, BuryChests(6), BuryGold(2))
    assert play.of(LegendSunk) == [LegendSunk(Captain.HOOK, 1)]
    first, second = play.state.ships
    assert purse(first) == (29, 1, 0)
    assert first.levels == (3, 2, 5, 5)
    assert purse(second) == (23, 0, 0)
    assert second.levels == (1, 3, 4, 4)
    assert afloat(play) == [(4, Captain.BLACKBEARD), (1, next_captain)]
    assert play.state.legend_discard == (Captain.HOOK,)
    assert play.dice_left() == 0


def test_m3_navy_letter_and_slip() -> None:
    """R21, R22, R26: the Letter passes control, the Slip finds the one free island."""
    play = months(
        table(
            ship((3, 2, 3, 3), Card.NAVY, gold=4, chests=3, fame=6),
            ship((2, 3, 2, 2), Card.LETTER, gold=2, chests=5, fame=9),
            ship((2, 2, 2, 2), Card.SLIP, gold=6, chests=1, fame=4),
            month=4,
            black={1: Captain.DUTCHMAN, 4: Captain.BONNYREAD},
            deck=[Card.FAME1, Card.FAME1, Card.FAME2],
            draws=dice(5, 6, 1, 1, 4),
        )
    )
    play.together({S0: Sail(2), S1: Sail(3), S2: Sail(3)})
    play.do(S0, card(Card.NAVY, place=3)).do(S1, card(Card.LETTER, place=2))
    assert play.options(S2) == (Pass(), card(Card.SLIP, place=5), card(Card.SLIP, place=6))
    play.do(S2, card(Card.SLIP, place=5))
    assert play.decision.kind == "NAVY_FIRE"
    play.do(S1, fire(S0, HULL)).do(S0, Flee())
    play.do(S1, Done()).do(S2, Upgrade(CREW, 1, 2)).do(S0, CoveCards())
    first, second, third = play.state.ships
    assert purse(first) == (6, 4, 3)
    assert first.levels == (1, 2, 3, 3)
    assert first.hand == (Card.FAME1, Card.FAME2)
    assert purse(second) == (11, 7, 6), "its hold of 6 loses one of 7 chests"
    assert purse(third) == (7, 5, 2)
    assert third.levels == (2, 2, 2, 3)
    assert third.hand == (Card.FAME1,)
    assert play.dice_left() == 0


def test_m4_freebooter_and_map() -> None:
    """R23, R24: the Map's six is thrown again; the Freebooter takes the larger half."""
    play = months(
        table(
            ship((3, 2, 3, 3), Card.FREEBOOTER, gold=4, chests=3, fame=6),
            ship((7, 3, 2, 2), Card.MAP, gold=2, chests=5, fame=9),
            ship((2, 2, 2, 2), gold=6, chests=1, fame=4),
            month=7,
            black={1: Captain.DUTCHMAN, 4: Captain.BONNYREAD},
            deck=[Card.SMOKE],
            draws=dice(6, 2),
        )
    )
    play.do(S0, card(Card.FREEBOOTER, seat=S2)).do(S1, card(Card.MAP))
    play.together({S0: Sail(3), S1: Sail(2), S2: Sail(5)})
    play.do(S0, Upgrade(SAILS, 1, 2)).do(S2, Done())
    first, second, third = play.state.ships
    assert purse(first) == (10, 8, 6)
    assert first.hand == (Card.SMOKE,)
    assert purse(second) == (9, 11, 9)
    assert purse(third) == (5, 6, 1)
    assert play.dice_left() == 0


def test_m5_a_freebooter_shares_in_burying() -> None:
    """R23, R42: 7 fame are split 4 to 3."""
    play = months(
        table(
            ship((3, 2, 3, 3), Card.FREEBOOTER, gold=4, chests=3, fame=6),
            ship((3, 3, 2, 2), gold=10, chests=4, fame=9),
            month=11,
            black={1: Captain.DUTCHMAN, 4: Captain.BONNYREAD},
        )
    )
    play.do(S0, card(Card.FREEBOOTER, seat=S1)).together({S0: Sail(3), S1: Sail(6)})
    play.do(S0, Done()).do(S1, BuryChests(4), BuryGold(3))
    first, second = play.state.ships
    assert purse(first) == (12, 9, 5)
    assert purse(second) == (12, 1, 0)
    assert play.of(FameChanged) == [
        FameChanged(S0, 4, FameReason.FREEBOOTER),
        FameChanged(S1, 3, FameReason.BURYING),
    ]


def test_m6_a_fight_for_the_cacafuego() -> None:
    """R19 and R32: Smoke lets only sixes through; the winner captures the Cacafuego."""
    play = months(
        table(
            ship((2, 4, 2, 2), fame=3),
            ship((1, 2, 2, 2), Card.SMOKE, fame=3, chests=2),
            month=3,
            black={2: Captain.CACAFUEGO, 5: Captain.HOOK},
            draws=dice(5, 6, 4, 1, 2, 3, 6, 6, 1, 4),
        )
    )
    play.together({S0: Sail(2), S1: Sail(2)}).do(S1, card(Card.SMOKE))
    play.do(S0, fire(S1, HULL)).do(S1, fire(S0, SAILS)).do(S0, fire(S1, HULL)).do(S0, Done())
    first, second = play.state.ships
    assert purse(first) == (8, 9, 2)
    assert play.of(PrizeTaken) == [PrizeTaken(Captain.CACAFUEGO, 4, 4)]
    assert second.levels == (1, 2, 2, 2)
    assert second.place == 7
    assert second.hand == (), "no gold for the repair, so no draw"
    assert play.of(Repaired) == [Repaired(S1, (HULL,), 0, False)]
    assert play.state.tavern_discard == (Card.SMOKE,)
    assert play.dice_left() == 0


def test_m7_the_cacafuego_is_shared_at_treasure_island() -> None:
    """R32, R45: nobody fights there; a die of 5 gives 1 to each of three."""
    play = months(
        table(
            ship((2, 4, 2, 2), fame=3),
            ship((1, 2, 2, 2), fame=3, chests=2),
            ship((1, 3, 2, 2)),
            month=3,
            black={6: Captain.CACAFUEGO, 3: Captain.HOOK},
            draws=dice(5),
        )
    )
    play.together({S0: Sail(6), S1: Sail(6), S2: Sail(6)}).do(S1, BuryChests(2))
    assert [each.fame for each in play.state.ships] == [4, 6, 1]
    assert play.of(PrizeTaken) == [PrizeTaken(Captain.CACAFUEGO, 5, 1)]
    assert play.dice_left() == 0


def test_m8_a_mutiny_on_an_untouched_ship() -> None:
    """R10, R13, R44: the die is thrown though the ship was not touched; fame stops at 0."""
    play = months(
        table(
            ship((2, 4, 2, 2), gold=7, chests=3, fame=1),
            ship((1, 2, 2, 2), fame=3, chests=2),
            month=3,
            black={1: Captain.BLACKBEARD, 4: Captain.HOOK},
            deck=[Card.FAME1, Card.FAME3],
            draws=dice(1),
        )
    )
    play.together({S0: Sail(2), S1: Sail(2)}).do(S0, Flee()).do(S1, Done()).do(S0, CoveCards())
    first, second = play.state.ships
    assert purse(first) == (0, 0, 0)
    assert first.hand == (Card.FAME1, Card.FAME3)
    assert purse(second) == (3, 9, 4)
    assert play.of(FameChanged) == [FameChanged(S0, -1, FameReason.MUTINY)]


def test_m9_bonny_and_read_strike_all_sections() -> None:
    """R27: 3 gold do not pay for two sections, so the repair is free and the draw is lost."""
    play = months(
        table(
            ship((1, 2, 1, 1), gold=3, chests=3, fame=5, artisan=CREW, artisan_damaged=True),
            ship((1, 1, 1, 1), gold=9),
            month=1,
            black={1: Captain.BONNYREAD, 4: Captain.HOOK},
            draws=dice(5, 6, 2),
        )
    )
    play.together({S0: Sail(1), S1: Sail(6)}).do(S1, Upgrade(HULL, 1, 2), BuryGold(2))
    first, second = play.state.ships
    assert first.levels == (1, 0, 1, 0)
    assert first.artisan is None
    assert purse(first) == (5, 3, 3)
    assert first.hand == ()
    assert play.of(Repaired) == [Repaired(S0, (HULL, CANNONS), 0, False)]
    assert purse(second) == (2, 1, 0)
    assert second.levels == (2, 1, 1, 1)
    assert play.dice_left() == 0


def test_m10_a_parrot_dies_and_takes_its_speed_along() -> None:
    """R5, R8: the order is made anew for each exchange."""
    play = months(
        table(
            ship((2, 1, 3, 3), fame=6, parrot=Card.TRELAWNEY),
            ship((3, 4, 3, 3), gold=5, fame=3),
            month=3,
            black={3: Captain.HOOK, 6: Captain.CACAFUEGO},
            draws=dice(1, 1, 1, 5, 6, 1, 5, 1, 1, 1, 1, 1, 5, 1, 1),
        )
    )
    play.together({S0: Sail(4), S1: Sail(4)})
    play.do(S0, fire(S1, HULL)).do(S1, fire(S0, SAILS), fire(S0, SAILS))
    assert play.state.ships[S0].fame == 4
    assert play.state.ships[S0].parrot is None
    play.do(S0, fire(S1, HULL)).do(S1, fire(S0, SAILS)).do(S1, Done())
    first, second = play.state.ships
    assert [event.order for event in play.of(ExchangeBegan)] == [(S0, S1), (S1, S0), (S1, S0)]
    assert [event.seat for event in play.of(ShipLeft)] == [S0]
    assert first.levels == (2, 1, 3, 3)
    assert purse(second) == (4, 10, 5)
    assert play.state.tavern_discard == (Card.TRELAWNEY,)
    assert play.dice_left() == 0
