"""Values, speed, dice and hits: spec 2.2, 6.1 and the `hit` of 6.5."""

from __future__ import annotations

import pytest

from referee.games.pirates_cove.events import ShipHit
from referee.games.pirates_cove.rules.ships import dice_count, hit, put_in_order, speed, value
from referee.games.pirates_cove.state import Combat
from referee.games.pirates_cove.terms import Captain, Card, Damage, Section
from support.pirates_cove import CANNONS, CREW, HULL, S0, S1, S2, S3, SAILS, ship, table


def combat(**rest: object) -> Combat:
    return Combat(place=2, seats=(S0, S1), hulls={}, **rest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("section", "values"),
    [
        (HULL, [0, 4, 5, 6, 7, 8, 9, 10, 12]),
        (SAILS, [0, 4, 5, 6, 7, 8, 9, 10, 12]),
        (CANNONS, [0, 2, 2, 3, 3, 4, 4, 5, 5]),
        (CREW, [0, 2, 2, 3, 3, 4, 4, 5, 5]),
    ],
)
def test_values_of_every_level(section: Section, values: list[int]) -> None:
    """Spec 2.2, from a destroyed section to level 7."""
    assert [value(ship((level,) * 4), section) for level in range(-1, 8)] == values


@pytest.mark.parametrize(
    ("cannons", "crew", "count"),
    [(2, 1, 2), (1, 2, 2), (2, 2, 3)],  # levels of the values 3/2, 2/3 and 3/3
)
def test_v3_dice_are_the_lower_of_cannons_and_crew(cannons: int, crew: int, count: int) -> None:
    assert dice_count(ship((1, 1, cannons, crew)), combat()) == count


def test_v5_two_winds_add_up() -> None:
    state = table(ship((1, 2, 1, 1)), ship(), combat=combat(speed={S0: 12}))
    assert speed(state, S0) == 18
    assert speed(state, S1) == 5


def test_v9_silver_throws_six_dice_even_under_grapple() -> None:
    grappled = combat(dice_from=CREW)
    assert dice_count(ship((1, 1, 1, 1), parrot=Card.SILVER), grappled) == 6
    assert dice_count(ship((1, 1, 1, 1)), grappled) == 2


def test_v10_bones_throws_by_cannons_even_under_grapple() -> None:
    grappled = combat(dice_from=CREW)
    assert dice_count(ship((1, 1, 2, 6), parrot=Card.BONES), grappled) == 3
    assert dice_count(ship((1, 1, 2, 6)), grappled) == 5
    assert dice_count(ship((1, 1, 6, 1), parrot=Card.BONES), combat()) == 5


def test_trelawney_is_twenty_faster_and_legends_have_their_own_speed() -> None:
    state = table(ship((1, 2, 1, 1), parrot=Card.TRELAWNEY), ship())
    assert speed(state, S0) == 26
    speeds = [24, 16, 18, 22, 0, 20]
    assert [speed(state, captain) for captain in Captain] == speeds


def test_v21_artisan_then_parrot_then_level() -> None:
    """R4, R8: five hull hits on a ship with both."""
    state = table(ship((3, 1, 1, 1), fame=5, artisan=HULL, parrot=Card.FLINT), ship(), combat=combat())
    for _ in range(5):
        hit(state, S0, HULL)
    hits = [event for event in state.events if isinstance(event, ShipHit)]
    assert [(event.damage, event.level) for event in hits] == [
        (Damage.ARTISAN_DAMAGED, 3),
        (Damage.ARTISAN_LOST, 3),
        (Damage.PARROT_WOUNDED, 3),
        (Damage.PARROT_DEAD, 3),
        (Damage.LEVEL_LOST, 2),
    ]
    struck = state.ships[0]
    assert (struck.fame, struck.levels, struck.parrot, struck.artisan) == (3, (2, 1, 1, 1), None, None)
    assert state.tavern_discard == (Card.ARTISAN, Card.FLINT)
    assert state.combat is not None
    assert state.combat.touched == {S0}


def test_r4_a_parrot_guards_its_own_section_only() -> None:
    perches = {Card.FLINT: HULL, Card.SILVER: CANNONS, Card.BONES: CREW, Card.TRELAWNEY: SAILS}
    for parrot, own in perches.items():
        for section in Section:
            state = table(ship(parrot=parrot), ship(), combat=combat())
            hit(state, S0, section)
            assert state.ships[0].parrot_wounded is (section is own)
            assert state.ships[0].levels[section] == (1 if section is own else 0)


def test_r12_surplus_hits_on_a_destroyed_section_are_lost() -> None:
    state = table(ship((0, 1, 1, 1)), ship(), combat=combat())
    for _ in range(3):
        hit(state, S0, HULL)
    assert [event.damage for event in state.events if isinstance(event, ShipHit)] == [
        Damage.DESTROYED,
        Damage.NONE,
        Damage.NONE,
    ]
    assert state.ships[0].levels == (-1, 1, 1, 1)


def test_r13_fame_stops_at_zero() -> None:
    state = table(ship(fame=1, parrot=Card.FLINT, parrot_wounded=True), ship(), combat=combat())
    hit(state, S0, HULL)
    assert state.ships[0].fame == 0


def test_r5_equal_speeds_are_put_in_random_order_each_time() -> None:
    ships = [ship((1, 3, 1, 1)), ship((1, 5, 1, 1)), ship((1, 3, 1, 1)), ship((1, 3, 1, 1))]
    state = table(*ships, orders=[(2, 0, 1), (0, 2, 1)])
    assert put_in_order(state, (S0, S1, S2, S3)) == (S1, S3, S0, S2)
    assert put_in_order(state, (S0, S1, S2, S3)) == (S1, S0, S3, S2)
