"""Legendary pirates and the Royal Navy: spec 2.6, 6.6 and 6.8."""

from __future__ import annotations

import pytest

from referee.games.pirates_cove.actions import Fire, Flee
from referee.games.pirates_cove.events import (
    FameChanged,
    LegendHit,
    LegendMended,
    LegendSunk,
    PrizeTaken,
    ShipHit,
    ShipLeft,
    VolleyFired,
)
from referee.games.pirates_cove.state import Navy, combat_of
from referee.games.pirates_cove.terms import Captain, Card, FameReason
from referee.rules.engine import Seat
from referee.rules.parts import replace
from support.pirates_cove import (
    CANNONS,
    CREW,
    HULL,
    S0,
    S1,
    S2,
    SAILS,
    Play,
    card,
    dice,
    fight,
    fire,
    ship,
    table,
    wounded,
)

FAST = Card.TRELAWNEY


def levels(play: Play) -> list[list[int]]:
    return [list(each.levels) for each in play.state.ships]


@pytest.mark.parametrize(
    ("captain", "players", "share"),
    [(Captain.BLACKBEARD, 2, 3), (Captain.NAVY, 3, 1), (Captain.HOOK, 2, 1)],
)
def test_v11_the_fame_of_a_sunk_ship_is_divided_and_rounded_down(captain: Captain, players: int, share: int) -> None:
    ships = [ship((2, 6, 2, 2), parrot=FAST), *[ship() for _ in range(players - 1)]]
    black: dict[int, Captain | None] = {} if captain is Captain.NAVY else {6: captain}
    navy = Navy(6, S0) if captain is Captain.NAVY else None
    state = table(*ships, draws=dice(6, 1, 1), black=black, navy=navy)
    play = wounded(state, 6, {captain: 1})
    play.do(S0, fire(captain))
    assert play.of(LegendSunk) == [LegendSunk(captain, share)]
    assert play.of(FameChanged) == [FameChanged(Seat(seat), share, FameReason.SINKING) for seat in range(players)]
    assert play.state.navy is None
    assert play.state.legend_discard == (() if captain is Captain.NAVY else (captain,))


def test_v22_the_dutchman_mends() -> None:
    """R40: never points of an earlier exchange, never above 5."""
    draws = dice(1, 1, 1, 1, 5, 6, 5, 1, 1, 1, 1, 1, 1, 5, 1, 1, 1, 1)
    state = table(ship((5, 4, 7, 7)), ship(place=1), draws=[*draws, *dice(1, 1, 1, 1)], black={2: Captain.DUTCHMAN})
    play = fight(state)
    play.do(S0, fire(Captain.DUTCHMAN), fire(Captain.DUTCHMAN))
    assert play.of(LegendHit) == [LegendHit(Captain.DUTCHMAN, 3, 2), LegendHit(Captain.DUTCHMAN, 1, 3)]
    assert play.of(LegendMended) == [LegendMended(Captain.DUTCHMAN, 2, 4), LegendMended(Captain.DUTCHMAN, 1, 4)]
    assert play.state.combat is not None
    assert play.state.combat.hulls == ((Captain.DUTCHMAN, 4),)


def test_v23_hooks_strays() -> None:
    """R19: the other ships are numbered clockwise from the target."""
    ships = [ship((3, 1, 1, 1)), ship((4, 1, 1, 1)), ship((3, 1, 1, 1))]
    play = fight(table(*ships, draws=dice(1, 2, 5), black={2: Captain.HOOK}))
    assert play.of(VolleyFired) == [VolleyFired(Captain.HOOK, S1, (HULL,), (1, 2, 5), 1)]
    assert [each.levels[HULL] for each in play.state.ships] == [2, 3, 2]
    assert [event.seat for event in play.of(ShipHit)] == [S1, S2, S0]


def test_r19_smoke_keeps_strays_off_and_makes_a_five_a_plain_miss() -> None:
    ships = [ship((3, 1, 1, 1), Card.SMOKE), ship((4, 2, 1, 1), Card.SMOKE), ship((3, 3, 1, 1))]
    play = fight(table(*ships, draws=dice(1, 2, 5), black={2: Captain.HOOK}))
    play.do(S1, card(Card.SMOKE)).do(S0, card(Card.SMOKE))
    assert play.of(VolleyFired) == [VolleyFired(Captain.HOOK, S1, (HULL,), (1, 2, 5), 0)]
    assert [each.levels[HULL] for each in play.state.ships] == [3, 4, 2], "die 1 strikes seat 2, die 2 not seat 0"


def test_v27_everybody_sinks_with_the_magazine() -> None:
    """R11: departures come before the fame of a sinking, so nobody gets any."""
    ships = [ship((1, 1, 2, 2), Card.MAGAZINE, parrot=FAST), ship((0, 1, 2, 2))]
    play = wounded(table(*ships, draws=dice(5, 6, 1), black={2: Captain.HOOK}), 2, {Captain.HOOK: 3})
    play.do(S0, card(Card.MAGAZINE))  # then Hook is the only target
    assert play.of(LegendHit) == [LegendHit(Captain.HOOK, 2, 1), LegendHit(Captain.HOOK, 2, -1)]
    assert [event.seat for event in play.of(ShipLeft)] == [S0, S1]
    assert play.of(LegendSunk) == [LegendSunk(Captain.HOOK, 0)]
    assert play.of(FameChanged) == []
    assert [each.fame for each in play.state.ships] == [0, 0]


def test_v28_the_magazine_leaves_its_shooter_all_the_fame() -> None:
    """R9, R11, R16."""
    ships = [ship((3, 1, 2, 2), Card.MAGAZINE, parrot=FAST), ship((0, 1, 2, 2))]
    state = table(*ships, draws=dice(5, 6, 1), black={2: Captain.BLACKBEARD})
    play = wounded(state, 2, {Captain.BLACKBEARD: 4})
    play.do(S0, card(Card.MAGAZINE))  # then Blackbeard is the only target
    assert play.state.ships[0].levels[HULL] == 1
    assert [event.seat for event in play.of(ShipLeft)] == [S1]
    assert play.of(FameChanged) == [
        FameChanged(S0, 1, FameReason.RETREAT),
        FameChanged(S0, 6, FameReason.SINKING),
    ]


def test_r20_a_pirate_fires_at_the_highest_value_and_ties_are_drawn() -> None:
    """Values, not levels: crew of level 2 and 3 are both worth 3."""
    ships = [ship((2, 1, 1, 2)), ship((2, 1, 1, 3)), ship((2, 1, 1, 1))]
    for draw in (0, 1):
        play = fight(table(*ships, draws=[draw, *dice(1, 1, 1, 1)], black={2: Captain.DUTCHMAN}))
        assert [event.target for event in play.of(VolleyFired)] == [(S0, S1)[draw]]


@pytest.mark.parametrize(
    ("captain", "sections"),
    [
        (Captain.BLACKBEARD, (HULL,)),
        (Captain.DUTCHMAN, (CREW,)),
        (Captain.HOOK, (HULL,)),
        (Captain.BONNYREAD, (HULL, SAILS, CANNONS, CREW)),
    ],
)
def test_each_legend_has_its_own_prey(captain: Captain, sections: tuple[int, ...]) -> None:
    """Spec 2.6: cannons, crew, hull or speed decide; each legend strikes its own sections."""
    prey = {Captain.BLACKBEARD: CANNONS, Captain.DUTCHMAN: CREW, Captain.HOOK: HULL, Captain.BONNYREAD: SAILS}[captain]
    best = [1, 1, 1, 1]
    best[prey] = 4
    count = {Captain.BLACKBEARD: 6, Captain.DUTCHMAN: 4}.get(captain, 3)
    play = fight(table(ship(), ship(best), draws=dice(6, *[4] * (count - 1)), black={2: captain}))
    (volley,) = play.of(VolleyFired)
    assert (volley.target, volley.sections, volley.hits) == (S1, sections, 1)
    assert [event.section for event in play.of(ShipHit)] == list(sections)


def test_r20_speed_counts_with_its_bonuses() -> None:
    ships = [ship((2, 3, 2, 2)), ship((2, 2, 2, 2), Card.WIND)]
    play = fight(table(*ships, draws=dice(1, 1, 1), black={2: Captain.BONNYREAD}))
    play.do(S1, card(Card.WIND))
    assert [event.target for event in play.of(VolleyFired)] == [S1]


def test_r18_grapple_leaves_legends_alone() -> None:
    ships = [ship((2, 3, 2, 2), Card.GRAPPLE), ship(place=1)]
    play = fight(table(*ships, draws=dice(1, 1, 1), black={2: Captain.HOOK}))
    play.do(S0, card(Card.GRAPPLE))
    assert len(play.of(VolleyFired)[0].dice) == 3


def test_r7_black_ship_and_navy_are_listed_in_this_order() -> None:
    ships = [ship((2, 3, 2, 2), parrot=FAST), ship(place=1)]
    play = fight(table(*ships, black={2: Captain.HOOK}, navy=Navy(2, S1)))
    assert play.options(S0) == (Fire(Captain.HOOK, HULL), Fire(Captain.NAVY, HULL), Flee())


def test_r7_after_the_last_sinking_the_same_exchange_goes_on_between_players() -> None:
    ships = [ship((2, 4, 2, 2), parrot=FAST), ship((2, 2, 2, 2))]
    play = wounded(table(*ships, draws=dice(5, 1, 1), black={2: Captain.HOOK}), 2, {Captain.HOOK: 1})
    play.do(S0, fire(Captain.HOOK))
    assert list(play.decision.options) == [S1]
    assert play.options(S1)[0] == Fire(S0, HULL)
    assert play.state.combat is not None
    assert play.state.combat.exchange == 1


def test_r45_at_treasure_island_the_fight_ends_with_the_pirate() -> None:
    ships = [ship((2, 4, 2, 2), parrot=FAST), ship((2, 2, 2, 2))]
    play = wounded(table(*ships, draws=dice(5, 1, 1), black={6: Captain.HOOK}), 6, {Captain.HOOK: 1})
    play.do(S0, fire(Captain.HOOK))
    assert play.state.combat is None
    assert [each.place for each in play.state.ships] == [6, 6]


def test_r21_the_controller_aims_the_navy_from_afar() -> None:
    """The list of NAVY_FIRE, and its default: the first entry that spares the controller."""
    ships = [ship((2, 3, 2, 2)), ship((2, 2, 2, 2)), ship(place=4)]
    play = fight(table(*ships, draws=dice(5, 6, 1, 2), navy=Navy(2, S2)))
    assert play.decision.kind == "NAVY_FIRE"
    aims = tuple(Fire(seat, section) for seat in (S0, S1) for section in (HULL, SAILS, CANNONS, CREW))
    assert play.options(S2) == aims
    assert play.decision.defaults == {S2: 0}
    play.do(S2, fire(S1, CREW))
    assert play.of(VolleyFired) == [VolleyFired(Captain.NAVY, S1, (CREW,), (5, 6, 1, 2), 2)]
    assert levels(play)[1] == [2, 2, 2, 0]


def test_r21_the_default_of_a_controller_in_the_fight_spares_it() -> None:
    ships = [ship((2, 3, 2, 2)), ship((2, 2, 2, 2))]
    play = fight(table(*ships, navy=Navy(2, S0)))
    assert play.options(S0)[play.decision.defaults[S0]] == Fire(S1, HULL)
    alone = fight(table(ship((2, 3, 2, 2)), ship(place=1), navy=Navy(2, S0)))
    assert alone.decision.defaults == {S0: 0}


def test_r32_the_cacafuego_waits_for_the_end_of_the_fight_with_the_navy() -> None:
    ships = [ship((2, 3, 2, 2), parrot=FAST), ship(place=1)]
    play = wounded(
        table(*ships, draws=dice(5, 1, 1, 3), black={2: Captain.CACAFUEGO}, navy=Navy(2, S1)), 2, {Captain.NAVY: 1}
    )
    assert play.options(S0) == (Fire(Captain.NAVY, HULL), Flee())
    play.do(S0, fire(Captain.NAVY))
    assert play.of(PrizeTaken) == [PrizeTaken(Captain.CACAFUEGO, 3, 3)]
    assert play.state.ships[0].fame == 4 + 3
    assert play.state.legend_discard == (Captain.CACAFUEGO,)


def test_r32_nobody_there_nobody_takes_it() -> None:
    play = fight(table(ship(place=1), ship(place=3), black={2: Captain.CACAFUEGO}))
    assert play.of(PrizeTaken) == []
    assert play.state.legend_discard == ()


def test_a_pirate_left_afloat_has_its_full_hull_next_time() -> None:
    """Spec 6.2 step 4."""
    ships = [ship((2, 3, 2, 2)), ship(place=1)]
    draws = dice(1, 1, 1, 5, 5, 1, 1, 1, 1, 2)
    play = fight(table(*ships, draws=draws, black={2: Captain.HOOK}))
    play.do(S0, fire(Captain.HOOK), Flee())
    state = play.state.copy()
    state.set_ship(S0, replace(state.ships[0], place=2))
    state.black_ships = tuple(type(each)(2, each.captain) for each in state.black_ships)
    state.chance = table(draws=dice(1, 1, 1)).chance
    again = fight(state)
    assert combat_of(again.state).hulls == ((Captain.HOOK, 5),)
