"""What follows from results when they are read in schedule order."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import combinations

import pytest

from server.play.summary import MatchSummary
from server.ratings.live import START
from server.tournament.live_ladder import QUARANTINE_MATCHES, ChangeColumns, LiveLadder, RatingChange
from support.summaries import columns_of, make_block, make_match

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


def state(ladder: LiveLadder) -> tuple[object, ...]:
    """Everything that follows."""
    return ladder.next_block, ladder.elo, dict(ladder.played), dict(ladder.faulted), ladder.quarantined


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_blocks_may_be_fed_in_any_order(seats: int) -> None:
    blocks = blocks_of(seats)
    in_order = LiveLadder(0.3)
    expected = [change for number, block in enumerate(blocks) for change in in_order.feed(number, block)]
    for seed in range(20):
        order = list(enumerate(blocks))
        random.Random(seed).shuffle(order)
        ladder = LiveLadder(0.3)
        found = [change for number, block in order for change in ladder.feed(number, block)]
        assert found == expected
        assert state(ladder) == state(in_order)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_match_sums_to_nought(seats: int) -> None:
    ladder, sums = LiveLadder(1.0), defaultdict[str, int](int)
    for number, block in enumerate(blocks_of(seats)):
        for change in ladder.feed(number, block):
            sums[change.match_id] += sum(change.change)
    assert set(sums.values()) == {0}
    assert len(sums) == 12 * seats
    assert sum(ladder.elo.values()) == START * len(ladder.elo)


def test_a_change_begins_where_the_last_one_ended() -> None:
    ladder, last = LiveLadder(1.0), defaultdict[str, int](lambda: START)
    for number, block in enumerate(blocks_of(2)):
        for change in ladder.feed(number, block):
            for bot, before, moved in zip(change.bots, change.before, change.change, strict=True):
                assert before == last[bot]
                last[bot] += moved
                assert change.of(bot) == (last[bot], moved)
    assert ladder.elo == dict(last)


def test_nothing_counts_before_the_blocks_before_it_are_over() -> None:
    first, second, third = blocks_of(2, 3)
    ladder = LiveLadder(1.0)
    assert ladder.feed(2, third) == []
    assert ladder.feed(1, second) == []
    assert ladder.next_block == 0
    settled = ladder.feed(0, first)
    assert [change.match_id for change in settled] == [match.match_id for match in (*first, *second, *third)]


def test_a_block_that_is_not_played_settles_those_after_it() -> None:
    _, second, _ = blocks_of(2, 3)
    ladder = LiveLadder(1.0)
    assert ladder.feed(1, second) == []
    changes = ladder.feed(0, None)
    assert {change.match_id for change in changes} == {match.match_id for match in second}
    assert ladder.next_block == 2


def faulty(blocks: int, failed_in: set[int]) -> tuple[LiveLadder, list[RatingChange]]:
    """Blocks of ann and bob, in some of which bob failed in both matches."""
    ladder, changes = LiveLadder(0.25), []
    for number in range(blocks):
        block = make_block(
            number, ["ann", "bob"], [[1, 2], [2, 1]], failed=["bob"] if number in failed_in else [], stage=number // 2
        )
        changes += ladder.feed(number, block)
    return ladder, changes


def test_a_bot_is_judged_by_twenty_matches_at_the_least() -> None:
    ladder, _ = faulty(9, set(range(9)))
    assert ladder.quarantined == {}
    ladder, _ = faulty(10, set(range(10)))
    what = ladder.quarantined["bob"]
    assert (what.bot, what.block, what.stage, what.faulted, what.matches) == ("bob", 9, 4, 20, QUARANTINE_MATCHES)
    assert "ann" not in ladder.quarantined


def test_a_bot_may_fail_in_just_the_set_share() -> None:
    """5 of 20 are not more than a quarter; 6 of 22 are."""
    ladder, _ = faulty(10, {0, 1})
    assert ladder.quarantined == {}
    ladder, _ = faulty(11, {0, 1, 10})
    assert (ladder.quarantined["bob"].block, ladder.quarantined["bob"].faulted) == (10, 6)


def test_a_share_of_one_is_never_passed() -> None:
    ladder = LiveLadder(1.0)
    for number in range(30):
        ladder.feed(number, make_block(number, ["ann", "bob"], [[1, 2], [2, 1]], failed=["bob"]))
    assert ladder.quarantined == {}


def test_the_verdict_stays_what_it_was_at_its_block() -> None:
    short, _ = faulty(10, set(range(10)))
    long, _ = faulty(20, set(range(10)))
    assert short.quarantined == long.quarantined


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 1.0])
def test_columns_count_as_their_matches_do(seats: int, share: float) -> None:
    luck = random.Random(f"{seats} {share}")
    blocks = [
        make_block(
            number,
            luck.sample(BOTS, seats),
            [[luck.randint(1, seats) for _ in range(seats)] for _ in range(seats)],
            failed=[bot for bot in BOTS if luck.random() < 0.1],
            stage=number // 3,
        )
        for number in range(60)
    ]
    slow, fast = LiveLadder(share), LiveLadder(share)
    expected = [change for number, block in enumerate(blocks) for change in slow.feed(number, block)]
    found: list[RatingChange] = []
    for start in range(0, 60, 7):
        part = [match for block in blocks[start : start + 7] for match in block]
        columns = columns_of(part)
        assert columns.are_whole_blocks_from(fast.next_block)
        assert not columns.are_whole_blocks_from(fast.next_block + 1)
        assert not columns_of(part[1:]).are_whole_blocks_from(fast.next_block)
        assert not columns_of([*part[:1], *part[2:], part[1]]).are_whole_blocks_from(fast.next_block)
        rows = list(columns.rows())
        assert [[getattr(row, name) for name in row._fields] for row in rows] == [
            [getattr(match, name) for name in row._fields] for row, match in zip(rows, part, strict=True)
        ]
        changes = fast.feed_columns(columns)
        found += changes
        assert isinstance(changes, ChangeColumns)
        assert changes.last() == {bot: change.of(bot) for change in changes for bot in change.bots}
    assert found == expected
    assert state(fast) == state(slow)
    assert list(fast.quarantined) == list(slow.quarantined)


def test_matches_of_an_arena_count_in_bulk_as_one_by_one() -> None:
    luck = random.Random(0)
    numbers = sorted(luck.sample(range(100), 60))
    matches = [make_match(number, 0, luck.sample(BOTS, 3), luck.choices((1, 2, 3), k=3)) for number in numbers]
    slow, fast = LiveLadder(1.0), LiveLadder(1.0)
    expected = [change for match in matches for change in slow.feed_match(match)]
    parts = [columns_of(matches[at : at + 11]) for at in range(0, 60, 11)]
    assert [change for part in parts for change in fast.feed_numbered(part)] == expected
    assert state(fast) == state(slow)
    with pytest.raises(AssertionError, match="came where"):
        fast.feed_numbered(parts[-1])
