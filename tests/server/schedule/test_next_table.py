"""The next table of a lobby: newcomers first, what tells most, and nobody starves."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from server.schedule.next_table import NEWCOMER_MATCHES, PATIENCE, Candidate, next_table


def strangers(one: str, other: str) -> int:
    return 0


def candidate(name: str, *, matches: int = 50, elo: int = 1000, waited: int = 0) -> Candidate:
    return Candidate(name=name, matches=matches, elo=elo, waited=waited)


def test_too_few_bots_wait() -> None:
    assert next_table([candidate("ann")], 2, strangers) is None


def test_a_newcomer_sits_down_first() -> None:
    crowd = [candidate("ann", waited=9), candidate("bob", waited=7), candidate("new", matches=0)]
    found = next_table(crowd, 2, strangers)
    assert found is not None
    assert found[0] == "new"


def test_who_waited_longest_sits_down_before_who_has_just_played() -> None:
    crowd = [candidate("ann"), candidate("bob", waited=3), candidate("cid", waited=1)]
    found = next_table(crowd, 2, strangers)
    assert found is not None
    assert found[0] == "bob"


def test_equals_meet_rather_than_unequals() -> None:
    crowd = [candidate("ann", waited=3), candidate("far", elo=1600), candidate("near", elo=1020)]
    assert next_table(crowd, 2, strangers) == ("ann", "near")


def test_strangers_meet_rather_than_old_friends() -> None:
    crowd = [candidate("ann", waited=3), candidate("friend"), candidate("stranger")]
    assert next_table(crowd, 2, lambda one, other: 20 * ("friend" in (one, other))) == ("ann", "stranger")


@settings(deadline=None)
@given(
    st.integers(2, 5),
    st.lists(st.tuples(st.integers(0, 200), st.integers(400, 2200)), min_size=2, max_size=14),
    st.integers(0, 3),
)
def test_nobody_starves(seats: int, bots: list[tuple[int, int]], stream: int) -> None:
    """Even where `stream` fresh newcomers arrive after every table and leave again."""
    if len(bots) < seats:
        return
    crowd = {f"bot{at}": candidate(f"bot{at}", matches=matches, elo=elo) for at, (matches, elo) in enumerate(bots)}
    met: Counter[frozenset[str]] = Counter()
    bound = PATIENCE * (len(crowd) + stream) + len(crowd)
    for number in range(120):
        fresh = [candidate(f"fresh{number}-{at}", matches=0) for at in range(stream)]
        table = next_table([*crowd.values(), *fresh], seats, lambda one, other: met[frozenset((one, other))])
        assert table is not None
        assert len(set(table)) == seats
        for one in table:
            for other in table:
                met[frozenset((one, other))] += one < other
        crowd = {
            name: replace(one, waited=0, matches=one.matches + 1)
            if name in table
            else replace(one, waited=one.waited + 1)
            for name, one in crowd.items()
        }
        assert all(one.waited <= bound for one in crowd.values())


def test_newcomers_are_no_longer_new_after_some_matches() -> None:
    crowd = [candidate("ann", waited=2), candidate("bob"), candidate("once new", matches=NEWCOMER_MATCHES)]
    found = next_table(crowd, 2, strangers)
    assert found is not None
    assert found[0] == "ann"
