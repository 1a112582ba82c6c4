"""What follows from results when they are read in schedule order."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import combinations

import pytest

from server.ratings import START
from server.tournament.live_ladder import QUARANTINE_MATCHES, LiveLadder, RatingChange
from server.tournament.summary import MatchSummary
from support.summaries import make_block

BOTS = ["ann", "bob", "cid", "dan"]


def blocks_of(seats: int, count: int = 12) -> list[list[MatchSummary]]:
    """Blocks with results by lot, ties among them."""
    luck, tables = random.Random(seats), list(combinations(BOTS, seats))
    return [
        make_block(
            number,
            tables[number % len(tables)],
            [[luck.choice((1, 1, 2, 3)) for _ in range(seats)] for _ in range(seats)],
            failed=["ann"] if number % 2 else [],
        )
        for number in range(count)
    ]


def state(fold: LiveLadder) -> tuple[object, ...]:
    """Everything that follows."""
    return fold.next_block, fold.elo, dict(fold.played), dict(fold.faulted), fold.quarantined


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_blocks_may_be_fed_in_any_order(seats: int) -> None:
    blocks = blocks_of(seats)
    in_order = LiveLadder(0.3)
    expected = [change for number, block in enumerate(blocks) for change in in_order.feed(number, block)]
    for seed in range(20):
        order = list(enumerate(blocks))
        random.Random(seed).shuffle(order)
        fold = LiveLadder(0.3)
        found = [change for number, block in order for change in fold.feed(number, block)]
        assert found == expected
        assert state(fold) == state(in_order)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_match_sums_to_nought(seats: int) -> None:
    fold, sums = LiveLadder(1.0), defaultdict[str, int](int)
    for number, block in enumerate(blocks_of(seats)):
        for change in fold.feed(number, block):
            sums[change.match_id] += change.change
    assert set(sums.values()) == {0}
    assert len(sums) == 12 * seats
    assert sum(fold.elo.values()) == START * len(fold.elo)


def test_a_change_begins_where_the_last_one_ended() -> None:
    fold, last = LiveLadder(1.0), defaultdict[str, int](lambda: START)
    for number, block in enumerate(blocks_of(2)):
        for change in fold.feed(number, block):
            assert change.before == last[change.bot]
            last[change.bot] += change.change
    assert fold.elo == dict(last)


def test_nothing_counts_before_the_blocks_before_it_are_over() -> None:
    first, second, third = blocks_of(2, 3)
    fold = LiveLadder(1.0)
    assert fold.feed(2, third) == []
    assert fold.feed(1, second) == []
    assert fold.next_block == 0
    settled = fold.feed(0, first)
    assert [change.match_id for change in settled[::2]] == [match.match_id for match in (*first, *second, *third)]


def test_a_block_that_is_not_played_settles_those_after_it() -> None:
    _, second, _ = blocks_of(2, 3)
    fold = LiveLadder(1.0)
    assert fold.feed(1, second) == []
    changes = fold.feed(0, None)
    assert {change.match_id for change in changes} == {match.match_id for match in second}
    assert fold.next_block == 2


def faulty(blocks: int, failed_in: set[int]) -> tuple[LiveLadder, list[RatingChange]]:
    """Blocks of ann and bob, in some of which bob failed in both matches."""
    fold, changes = LiveLadder(0.25), []
    for number in range(blocks):
        block = make_block(
            number, ["ann", "bob"], [[1, 2], [2, 1]], failed=["bob"] if number in failed_in else [], stage=number // 2
        )
        changes += fold.feed(number, block)
    return fold, changes


def test_a_bot_is_judged_by_twenty_matches_at_the_least() -> None:
    fold, _ = faulty(9, set(range(9)))
    assert fold.quarantined == {}
    fold, _ = faulty(10, set(range(10)))
    what = fold.quarantined["bob"]
    assert (what.bot, what.block, what.stage, what.faulted, what.matches) == ("bob", 9, 4, 20, QUARANTINE_MATCHES)
    assert "ann" not in fold.quarantined


def test_a_bot_may_fail_in_just_the_set_share() -> None:
    """5 of 20 are not more than a quarter; 6 of 22 are."""
    fold, _ = faulty(10, {0, 1})
    assert fold.quarantined == {}
    fold, _ = faulty(11, {0, 1, 10})
    assert (fold.quarantined["bob"].block, fold.quarantined["bob"].faulted) == (10, 6)


def test_a_share_of_one_is_never_passed() -> None:
    fold = LiveLadder(1.0)
    for number in range(30):
        fold.feed(number, make_block(number, ["ann", "bob"], [[1, 2], [2, 1]], failed=["bob"]))
    assert fold.quarantined == {}


def test_the_verdict_stays_what_it_was_at_its_block() -> None:
    short, _ = faulty(10, set(range(10)))
    long, _ = faulty(20, set(range(10)))
    assert short.quarantined == long.quarantined
