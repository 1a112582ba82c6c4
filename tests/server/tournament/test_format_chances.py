"""How often the best bot comes first, by format."""

from __future__ import annotations

import pytest

from server.schedule import Entrant, Plan
from server.tournament import format_chances
from server.tournament.format_chances import FEWEST_EVENTS, WORK, compare_formats


@pytest.fixture(autouse=True)
def few_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(format_chances, "MOST_EVENTS", FEWEST_EVENTS)


def plan(bots: int, seats: int = 2) -> Plan:
    return Plan(format="swiss", seats=seats, entrants=tuple(Entrant(name=f"bot{number}") for number in range(bots)))


def test_formats_are_compared_at_about_the_same_number_of_matches() -> None:
    rows = {row.format: row for row in compare_formats(plan(4), 30)}
    assert list(rows) == list(WORK)
    for row in rows.values():
        assert row.best_first is not None
        assert row.best_first > 0.4, "a lot among four: 0.25"
        assert row.events == FEWEST_EVENTS
        assert row.matches == pytest.approx(60, rel=0.2)
    assert (rows["round-robin"].rounds, rows["league"].rounds) == (5, 15)
    assert compare_formats(plan(4), 30) == list(rows.values()), "luck is fixed"


def test_formats_that_need_more_matches_or_too_many_are_not_compared() -> None:
    reasons = {row.format: row.reason for row in compare_formats(plan(16), 24)}
    assert reasons.pop("round-robin") == "needs more matches"
    assert set(reasons.values()) == {""}
    assert {row.best_first for row in compare_formats(plan(16), 2000)} == {None}
    assert {row.best_first for row in compare_formats(plan(200), 24)} == {None}
