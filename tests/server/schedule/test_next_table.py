"""The next table of an open ladder: what tells most, no lock-in, and nobody starves."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.schedule.next_table import LONGEST_WAIT, PATIENCE, Candidate, Choice, next_table
from server.schedule.open_field import FittedField, OpenField
from support.sizes import pick, sized


def worth(values: Mapping[str, int]) -> Callable[[Sequence[str]], list[list[int]]]:
    """Pairs, such as "ann bob", and what they are worth; all others 100."""

    def values_of(names: Sequence[str]) -> list[list[int]]:
        return [
            [0 if one == other else values.get(" ".join(sorted((one, other))), 100) for other in names] for one in names
        ]

    return values_of


def free(*names: str) -> list[Candidate]:
    return [Candidate(name=name, is_free=True) for name in names]


def busy(*names: str) -> list[Candidate]:
    return [Candidate(name=name, is_free=False) for name in names]


def test_too_few_bots_wait() -> None:
    assert next_table(free("ann"), 2, worth({}), 1.0) == Choice()
    assert next_table([*free("ann"), *busy("bob")], 2, worth({}), 1.0) == Choice()


@pytest.mark.parametrize(("seats", "expected"), [(2, {"bob", "dan"}), (3, {"bob", "dan", "eve"})])
def test_the_table_that_tells_most_comes_first(seats: int, expected: set[str]) -> None:
    values = {"bob dan": 300, "bob eve": 150, "dan eve": 150, "ann cid": 250}
    assert set(next_table(free("ann", "bob", "cid", "dan", "eve"), seats, worth(values), 1.0).table) == expected


def test_who_was_passed_over_too_often_is_seated_first() -> None:
    crowd = [*free("ann", "bob"), Candidate(name="cid", is_free=True, waited=3 * PATIENCE)]
    assert next_table(crowd, 2, worth({"ann bob": 900, "bob cid": 200}), 1.0).table == ("cid", "bob")


def test_two_that_just_met_wait_for_others_but_not_for_ever() -> None:
    crowd = [replace(one, idle_seconds=3.0) for one in [*free("ann", "bob"), *busy("cid", "dan")]]
    values = worth({"ann bob": -1000})
    assert next_table(crowd, 2, values, 10.0) == Choice(wait_seconds=10 * LONGEST_WAIT - 3)
    patient = [replace(one, idle_seconds=10 * LONGEST_WAIT) for one in crowd]
    assert set(next_table(patient, 2, values, 10.0).table) == {"ann", "bob"}
    assert next_table(crowd[:2], 2, values, 10.0).table, "there is nobody to wait for"


def test_a_table_waits_as_long_as_the_better_one_tells_more_per_second() -> None:
    crowd = [replace(one, idle_seconds=3.0) for one in [*free("ann", "bob"), *busy("cid", "dan")]]
    better = {"ann bob": 100, "ann cid": 150, "bob cid": 150, "ann dan": 150, "bob dan": 150}
    assert next_table(crowd, 2, worth(better), 10.0) == Choice(wait_seconds=2.0)
    assert next_table(crowd, 2, worth(dict.fromkeys(better, 100)), 10.0).table


def test_nobody_waits_where_there_is_choice_enough() -> None:
    crowd = [*free("ann", "bob", "cid", "dan"), *busy("eve")]
    eager = {f"{name} eve": 10_000 for name in ("ann", "bob", "cid", "dan")}
    assert next_table(crowd, 2, worth(eager), 10.0).table


@settings(deadline=None)
@given(
    st.integers(2, 5),
    st.lists(st.integers(0, 1000), min_size=2, max_size=14),
    st.integers(0, 3),
)
def test_nobody_starves(seats: int, bots: list[int], stream: int) -> None:
    """Even where `stream` newcomers, who are worth more than anybody, arrive after every table and leave again."""
    if len(bots) < seats:
        return
    crowd = {f"bot{at}": Candidate(name=f"bot{at}", is_free=True) for at in range(len(bots))}
    own = dict(zip(crowd, bots, strict=True))
    bound = PATIENCE * (len(crowd) + stream) + len(crowd)
    for number in range(120):
        fresh = free(*(f"fresh{number}-{at}" for at in range(stream)))

        def values_of(names: Sequence[str]) -> list[list[int]]:
            return [[0 if a == b else own.get(a, 5000) + own.get(b, 5000) for b in names] for a in names]

        table = next_table([*crowd.values(), *fresh], seats, values_of, 1.0).table
        assert len(set(table)) == seats
        crowd = {name: replace(one, waited=0 if name in table else one.waited + 1) for name, one in crowd.items()}
        assert all(one.waited <= bound for one in crowd.values())


@dataclass
class Arena:
    """An open ladder in virtual time: matches of random length, a rest after each, one match at a time per bot."""

    seats: int
    skills: Mapping[str, float]
    rest: float
    luck: random.Random

    def play(self, matches: int, late: str = "") -> tuple[Counter[frozenset[str]], list[tuple[str, ...]]]:
        """Meetings, and all tables in order. The bot `late` comes after half of them."""
        field = OpenField(self.seats)
        met: Counter[frozenset[str]] = Counter()
        tables: list[tuple[str, ...]] = []
        running: list[tuple[float, tuple[str, ...]]] = []
        waited = Counter[str]()
        free_from = dict.fromkeys(self.skills, 0.0)
        now = 0.0
        while len(tables) < matches:
            names = [name for name in self.skills if name != late or len(tables) >= matches // 2]
            if field.is_stale(names):
                field.use(FittedField(field.prepare(names)))
            at_table = {name for _, table in running for name in table}
            candidates = [
                Candidate(
                    name=name,
                    is_free=name not in at_table and free_from[name] <= now,
                    waited=waited[name],
                    idle_seconds=now - free_from[name],
                )
                for name in names
            ]
            choice = next_table(candidates, self.seats, lambda few: field.values(few, {}).tolist(), 1.0 + self.rest)
            if choice.table:
                for one in candidates:
                    waited[one.name] = 0 if one.name in choice.table or not one.is_free else waited[one.name] + 1
                field.begin(choice.table)
                tables.append(choice.table)
                met.update(frozenset((one, other)) for one in choice.table for other in choice.table if one < other)
                running.append((now + self.luck.uniform(0.5, 1.5), choice.table))
                continue
            # The next thing that happens: a match or a rest ends, or a wait is over.
            ends = [end for end, _ in running] + [time for time in free_from.values() if time > now]
            now = min([*ends, now + choice.wait_seconds + 1e-3] if choice.wait_seconds is not None else ends)
            for end, table in [one for one in running if one[0] <= now]:
                running.remove((end, table))
                shown = {name: self.skills[name] + self.luck.gauss(0, 1) for name in table}
                field.add(table, [1 + sum(other > shown[name] for other in shown.values()) for name in table])
                field.end(table)
                free_from |= dict.fromkeys(table, now + self.rest)
        return met, tables


@pytest.mark.few(3)
@sized
@pytest.mark.parametrize(("bots", "seats"), [(4, 2), (6, 4), (7, 3), (20, 2)])
@pytest.mark.parametrize("rest", [0.0, 1.0])
def test_partners_who_end_together_do_not_lock_into_pairs(bots: int, seats: int, rest: float) -> None:
    """With four bots two pairs once met 221 times in 225 matches, all other pairs 4 times."""
    skills = {f"bot{number}": 0.0 for number in range(bots)}
    met, _ = Arena(seats, skills, rest, random.Random(1)).play(pick(quick=2, ci=6) * bots * bots)
    share = sum(met.values()) / (bots * (bots - 1) / 2)
    assert max(met.values()) <= 3 * share
    assert min(met[frozenset((one, other))] for one in skills for other in skills if one < other) >= share / 5


def test_unequal_bots_do_not_lock_into_pairs_either() -> None:
    skills = {"random": 0.0, "random-go": 0.1, "corsair": 3.0, "gunner": 3.2}
    met, _ = Arena(2, skills, 1.0, random.Random(2)).play(225)
    apart = [met[frozenset((one, other))] for one in ("random", "random-go") for other in ("corsair", "gunner")]
    assert sum(apart) > 50


@pytest.mark.few(1)
@pytest.mark.parametrize(("bots", "seats"), [(20, 2), (40, 2), (40, 4)])
def test_every_bot_is_connected_to_every_other_within_its_first_ten_matches(bots: int, seats: int) -> None:
    _, tables = Arena(seats, {f"bot{number}": number / 10 for number in range(bots)}, 0.5, random.Random(3)).play(
        20 * bots // seats
    )
    parts = {f"bot{number}": {f"bot{number}"} for number in range(bots)}
    played = Counter[str]()
    for table in tables:
        if any(played[bot] < 10 for bot in table):
            together = set[str]().union(*(parts[bot] for bot in table))
            parts |= dict.fromkeys(together, together)
        played.update(table)
        for bot in table:
            assert played[bot] < 10 or len(parts[bot]) == bots


def test_a_newcomer_plays_as_soon_as_it_can() -> None:
    skills = {f"bot{number}": number / 5 for number in range(12)} | {"late": 1.0}
    _, tables = Arena(2, skills, 0.2, random.Random(4)).play(600, late="late")
    after = tables[300:]
    share = sum("late" in table for table in after[:60]) / 60
    assert share > 0.9 * 2 / 13


def test_bots_of_one_team_never_meet() -> None:
    field = OpenField()
    names = ["ann", "bob", "cid"]
    field.use(FittedField(field.prepare(names)))
    teams = {"ann": "red", "bob": "red", "cid": ""}

    def values_of(few: Sequence[str]) -> list[list[int]]:
        return [list(map(int, row)) for row in field.values(few, teams)]

    assert "cid" in next_table(free(*names), 2, values_of, 1.0).table
    starving = [replace(one, waited=99) for one in free("ann", "bob")]
    assert next_table(starving, 2, values_of, 1.0) == Choice(wait_seconds=1.0)
    assert "cid" in next_table([*starving, *free("cid")], 2, values_of, 1.0).table
