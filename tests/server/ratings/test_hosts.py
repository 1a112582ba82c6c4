"""Did one machine play differently? Against worked numbers, and by simulation: how often it accuses, and whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import comb, erfc, sqrt

import numpy as np
import pytest

from server.ratings.hosts import LEVEL, HostBlocks, HostTest, RepeatedBot, judge_hosts
from support.sizes import pick, sized

EVENTS = pick(quick=60, ci=200, full=3000)


class Field:
    """A simulated event: bots of unequal strength, some of them sometimes late."""

    def __init__(self, luck: np.random.Generator, *, bots: int, seats: int, spread: float, late: float) -> None:
        self.luck = luck
        self.teams = np.array(list(combinations(range(bots), seats)))
        self.strengths = luck.normal(0, spread, bots)
        self.late = np.minimum(0.9, late * luck.exponential(1, bots))

    def play(self, hosts: Sequence[int], *, slow: int = -1, later: float = 1.0, other: int = -1) -> list[HostTest]:
        """So many blocks on each host; on the slow one more are late, on the other one the first bot is far better."""
        places = self.luck.permutation(np.repeat(np.arange(len(hosts)), hosts))
        bots = self.teams[np.arange(len(places)) % len(self.teams)]
        strengths = self.strengths[bots] + 0.8 * ((bots == 0) & (places == other)[:, None])
        chances = self.late[bots] * np.where(places == slow, later, 1.0)[:, None]
        late = self.luck.random(bots.shape) < chances
        scores = np.zeros(bots.shape)
        for _ in range(bots.shape[1]):  # a mirrored block
            days = strengths + self.luck.gumbel(size=bots.shape) - 20 * late
            scores += days.argsort(axis=1).argsort(axis=1) / (bots.shape[1] - 1)
        gaps = self.strengths[bots][:, :, None] - self.strengths[bots][:, None, :]
        expected = ((1 / (1 + np.exp(-gaps))).sum(axis=2) - 0.5) / (bots.shape[1] - 1)
        found = HostBlocks(hosts=places, bots=bots, scores=scores / bots.shape[1], expected=expected, late=late)
        return judge_hosts(len(hosts), [found])


FIELDS = {
    "two bots, even": {"bots": 2, "seats": 2, "spread": 0.3, "late": 0.02},
    "two bots, one far better": {"bots": 2, "seats": 2, "spread": 3.0, "late": 0.02},
    "eight bots": {"bots": 8, "seats": 2, "spread": 1.0, "late": 0.05},
    "everybody meets once": {"bots": 40, "seats": 2, "spread": 1.5, "late": 0.02},
    "four seats": {"bots": 6, "seats": 4, "spread": 1.0, "late": 0.05},
}


@pytest.mark.few(3)
@sized
@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("hosts", [(60, 60), (400, 200, 60, 40, 80)], ids=["2 hosts", "5 hosts"])
def test_equal_hosts_are_accused_as_rarely_as_it_says(name: str, hosts: tuple[int, ...]) -> None:
    luck = np.random.default_rng([len(hosts), *name.encode()])
    field = FIELDS[name]
    accused = 0
    for _ in range(EVENTS):
        found = Field(luck, **field).play(hosts)  # type: ignore[arg-type]
        accused += any(one.differs for one in found)
    # Were the level a hair above what is stated, more than this would be seen once in a thousand runs of this test.
    assert accused <= EVENTS * LEVEL + 3.1 * (EVENTS * LEVEL) ** 0.5 + 1


@sized
def test_a_host_with_doubled_time_outs_is_found_and_no_other() -> None:
    luck = np.random.default_rng(2)
    found = others = 0
    count = EVENTS // 4
    for _ in range(count):
        tests = Field(luck, bots=8, seats=2, spread=1.0, late=0.05).play((400, 400, 400, 400), slow=2, later=2.0)
        found += tests[2].time_outs_p is not None and tests[2].time_outs_p < LEVEL
        others += any(test.differs for place, test in enumerate(tests) if place != 2)
        assert tests[2].time_outs > tests[2].expected_time_outs
    assert found >= 0.8 * count
    assert others <= 0.3 * count  # the others have fewer than all four together, and one of them may stand out


@sized
def test_a_host_on_which_a_bot_plays_better_is_found() -> None:
    luck = np.random.default_rng(3)
    count = EVENTS // 4
    tests = [Field(luck, bots=4, seats=2, spread=0.5, late=0.0).play((400, 400, 400), other=1) for _ in range(count)]
    assert sum((one[1].scores_p or 0) < LEVEL for one in tests) >= 0.8 * count


def blocks_of(hosts: Sequence[int], late: Sequence[bool], scores: Sequence[float] | None = None) -> HostBlocks:
    """Blocks of two bots, of which the first is sometimes late."""
    count = len(hosts)
    own = np.full(count, 0.5) if scores is None else np.array(scores)
    return HostBlocks(
        hosts=np.array(hosts),
        bots=np.tile([0, 1], (count, 1)),
        scores=np.stack([own, 1 - own], axis=1),
        expected=np.full((count, 2), 0.5),
        late=np.stack([np.array(late), np.zeros(count, dtype=bool)], axis=1),
    )


def test_time_outs_are_counted_exactly() -> None:
    """40 blocks here and 60 there; of 9 with a time-out 8 are here: the hypergeometric tail, twice, for two hosts."""
    hosts = [0] * 40 + [1] * 60
    late = [True] * 8 + [False] * 32 + [True] + [False] * 59
    here, there = judge_hosts(2, [blocks_of(hosts, late)])
    tail = sum(comb(9, seen) * comb(91, 40 - seen) for seen in (8, 9)) / comb(100, 40)
    assert here.time_outs_p == pytest.approx(2 * 2 * tail)
    assert there.time_outs_p == here.time_outs_p
    assert (here.time_outs, there.time_outs) == (8, 1)
    assert here.expected_time_outs == pytest.approx(9 * 0.4)
    assert here.scores_p is None  # all blocks ended alike: nothing to test


def test_contests_are_taken_together() -> None:
    hosts, late = [0, 1] * 50, [True, False] * 6 + [False] * 88
    once = judge_hosts(2, [blocks_of(hosts, late)])[0].time_outs_p
    twice = judge_hosts(2, [blocks_of(hosts, late), blocks_of(hosts, late)])[0].time_outs_p
    assert once is not None
    assert twice is not None
    assert twice < once / 20


def test_scores_of_two_bots_give_the_textbook_chi_square() -> None:
    scores = [0.0, 0.5, 1.0, 1.0] * 60 + [0.0, 0.5] * 180
    found = judge_hosts(2, [blocks_of([0] * 240 + [1] * 360, [False] * 600, scores)])
    values = np.array(scores)
    z = (values[:240].sum() - 240 * values.mean()) / np.sqrt(240 * 360 / 599 * values.var())
    assert found[0].scores_p == pytest.approx(2 * erfc(abs(z) / sqrt(2)))  # two hosts, two tests
    assert found[0].time_outs_p is None


def test_few_blocks_are_not_tested() -> None:
    hosts, late = [0] * 29 + [1] * 100, [True] * 29 + [False] * 100
    found = judge_hosts(2, [blocks_of(hosts, late, [1.0] * 29 + [0.0] * 100)])
    assert (found[0].scores_p, found[0].time_outs_p) == (None, None)
    assert not found[0].differs
    assert found[1].differs


def test_one_host_and_no_blocks_say_nothing() -> None:
    assert judge_hosts(0, []) == []
    alone = judge_hosts(1, [blocks_of([0] * 100, [True, False] * 50)])
    assert (alone[0].scores_p, alone[0].time_outs_p, alone[0].differs) == (None, None, False)


def repeats(*hosts: str, bot: str = "ann", odd: str = "", own_chance: bool = False) -> list[RepeatedBot]:
    """A repeat for each pair of hosts, as `ab`: a bot diverges where the odd host took part, or by its own chance."""
    numbers = {host: number for number, host in enumerate("abcd")}
    return [
        RepeatedBot(
            hosts=(numbers[pair[0]], numbers[pair[1]]),
            bot=bot,
            diverged=(odd in pair if odd else False) or (own_chance and place // 6 % 2 == 0),
        )
        for place, pair in enumerate(hosts)
    ]


def test_a_host_where_a_bot_answers_differently_is_named() -> None:
    """Of 24 repeats 12 diverge, all those in which the odd host took part: 1 / C(24, 12) for it, with 4 tests."""
    pairs = ["ab", "ac", "ad", "bc", "bd", "cd"] * 4
    found = judge_hosts(4, [], repeats(*pairs, odd="b"))
    assert [test.differs for test in found] == [False, True, False, False]
    assert found[1].repeats_p == pytest.approx(4 / comb(24, 12))
    assert [(test.repeats, test.diverged) for test in found] == [(12, 4), (12, 12), (12, 4), (12, 4)]


def test_a_bot_that_decides_by_chance_accuses_no_host() -> None:
    pairs = ["ab", "ac", "ad", "bc", "bd", "cd"] * 20
    assert not any(test.differs for test in judge_hosts(4, [], repeats(*pairs, own_chance=True)))
    always = [replace(repeat, diverged=True) for repeat in repeats(*pairs)]
    assert [test.repeats_p for test in judge_hosts(4, [], always)] == [None] * 4


def test_with_two_hosts_repeats_tell_that_one_is_odd_but_not_which() -> None:
    found = judge_hosts(2, [], repeats(*["ab"] * 30, odd="a"))
    assert [(test.diverged, test.repeats_p) for test in found] == [(30, None), (30, None)]
