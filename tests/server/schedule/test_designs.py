"""Every row of designs.py is counted out."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from server.schedule.designs import FAMILIES, STARTERS
from server.schedule.movements import Points, all_meet_equally, season

FIELDS = [(seats, bots) for seats in (2, 3, 4, 5) for bots in range(seats, 31)]


def meetings(tables: list[Points], bots: int) -> set[int]:
    """How often the pairs meet: one number if all meet equally often."""
    met = Counter(pair for table in tables for pair in combinations(sorted(table), 2))
    return {met[pair] for pair in combinations(range(bots), 2)}


@pytest.mark.parametrize(("seats", "bots"), [field for field in FIELDS if field[0] > 2])
def test_all_pairs_meet_equally_often_and_all_play_about_equally_early(seats: int, bots: int) -> None:
    tables = all_meet_equally(bots, seats)
    assert tables is not None
    assert all(len(set(table)) == seats for table in tables)
    assert len(meetings(tables, bots)) == 1
    played = Counter(dict.fromkeys(range(bots), 0))
    for table in tables:
        played.update(table)
        assert max(played.values()) - min(played.values()) <= 4
    assert len(set(played.values())) == 1


@pytest.mark.parametrize(("seats", "bots"), FIELDS)
def test_a_season_seats_all_in_every_round_and_lets_all_pairs_meet_equally_often(seats: int, bots: int) -> None:
    rounds = season(bots, seats)
    if rounds is None:
        assert seats > 2
        assert (seats, bots) not in STARTERS
        return
    for tables in rounds:
        seated = [point for table in tables for point in table]
        assert len(seated) == len(set(seated)) == bots - bots % seats
        assert all(len(table) == seats for table in tables)
    assert meetings([table for tables in rounds for table in tables], bots) == {1 if bots == seats else seats - 1}
    assert len(rounds) == (1 if bots == seats else bots if bots % seats else bots - 1)


def test_a_season_is_known_for_nearly_all_fields_that_can_have_one() -> None:
    missing = [(seats, bots) for seats, bots in FIELDS if bots % seats < 2 and season(bots, seats) is None]
    assert missing == [(3, 6), (3, 10), (3, 22), (4, 9), (5, 10), (5, 15)]


def test_no_family_is_larger_than_all_tables_there_are() -> None:
    for seats, bots in FAMILIES:
        tables = all_meet_equally(bots, seats)
        assert tables is not None
        assert len(tables) < len(list(combinations(range(bots), seats)))


def test_larger_fields_have_no_design() -> None:
    assert all_meet_equally(31, 3) is None
    assert season(31, 3) is None
    assert season(101, 2) is not None
