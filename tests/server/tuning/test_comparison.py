"""Two sides on the same luck: who meets whom, what counts, and what comes of it."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.match.clock import TimeControl
from referee.rules.infos import find_info
from server.bots.spec import find_bot
from server.jail.confinement import Confinement
from server.tuning.comparison import FIELD, FIRST, SECOND, BlockScore, Comparison, Finished, Seating, Side
from server.tuning.difference import Difference
from server.tuning.hosted import play_blocks
from server.tuning.in_process import can_play_in_process, play_block

COVE = find_info("pirates_cove").read_variant({})


def comparison(old: str, new: str, *field: str, seats: int = 2, **more: str) -> Comparison:
    return Comparison(
        game="pirates_cove",
        variant=COVE,
        seats=seats,
        seed=more.get("seed", "s"),
        sides=(Side(bot=find_bot(old)), Side(bot=find_bot(new))),
        field=tuple(find_bot(bot) for bot in field),
    )


def test_both_sides_play_every_seat_against_the_same_opponents() -> None:
    games = comparison("random", "random", "random", "buccaneer", "bare", seats=3).seatings(block=1)
    assert len(games) == 6
    for side in (FIRST, SECOND):
        seats = [one.occupants.index(side) for one in games if side in one.occupants]
        assert sorted(seats) == [0, 1, 2]
    others = {one.rotation: [] for one in games}  # type: dict[int, list[tuple[int, ...]]]
    for one in games:
        others[one.rotation].append(tuple(who if who >= FIELD else -1 for who in one.occupants))
    assert all(first == second for first, second in others.values()), "the same table but for the side"


def test_opponents_take_turns() -> None:
    two = comparison("random", "random", "random", "buccaneer", "bare")
    met = Counter(who for block in range(6) for one in two.seatings(block) for who in one.occupants if who >= FIELD)
    assert len(set(met.values())) == 1
    assert len(met) == 3


def test_scores_and_margins_of_a_block() -> None:
    two = comparison("random", "random", "random")
    games = [
        (Seating(rotation=0, occupants=(FIRST, FIELD)), Finished(ranks=(1, 2), points=(10.0, 4.0))),
        (Seating(rotation=0, occupants=(SECOND, FIELD)), Finished(ranks=(2, 1), points=(3.0, 4.0))),
        (Seating(rotation=1, occupants=(FIELD, FIRST)), Finished(ranks=(1, 1), points=(5.0, 5.0))),
        (Seating(rotation=1, occupants=(FIELD, SECOND)), Finished(ranks=(2, 1), points=(5.0, 7.0))),
    ]
    assert two.count(games) == BlockScore(scores=(0.75, 0.5), margins=(3.0, 0.5), games=4)


def test_a_bot_is_exactly_as_good_as_itself() -> None:
    """Both variants get the same luck and the same opponents: no block differs, not even against `random`."""
    same = comparison("buccaneer", "buccaneer", "random", "buccaneer", seats=3)
    for block in range(3):
        found = play_block(same, block)
        assert found.scores[0] == found.scores[1]
        assert found.margins[0] == found.margins[1]


@pytest.mark.system
def test_a_better_bot_is_found_better_and_pairing_is_used() -> None:
    found = Difference()
    for block in range(12):
        found.add(play_block(comparison("random", "buccaneer", "buccaneer"), block))
    assert found.interval is not None
    assert 0 < found.interval[0] < found.score.mean
    assert re.match(r"buccaneer\b.*better\b.*random\b", found.verdict("random", "buccaneer"))
    assert re.match(r"12 blocks, 48 games\b.* 0\.0 %, buccaneer", found.line("random", "buccaneer"))


@pytest.mark.system
async def test_processes_find_what_functions_find() -> None:
    """The same luck, ids and opponents over gRPC."""
    two = comparison("bare", "buccaneer", "buccaneer")
    assert can_play_in_process(two), "bare is Python, too"
    two = comparison("buccaneer", "buccaneer", "buccaneer")
    clock, confinement = TimeControl(unlimited=True), Confinement()
    hosted = [one async for one in play_blocks(two, range(2), jobs=2, clock=clock, confinement=confinement)]
    assert hosted == [play_block(two, block) for block in range(2)]


async def test_a_side_that_crashes_loses_and_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "boom"\nrun = ["python", "{dir}/bot.py"]\n')
    (tmp_path / "bot.py").write_text("raise SystemExit(3)\n")
    two = comparison("random", str(tmp_path))
    clock, found = TimeControl(start_seconds=30), Difference()
    async for one in play_blocks(two, range(1), jobs=1, clock=clock, confinement=Confinement()):
        found.add(one)
    assert [side.mean for side in found.sides] == [1.0, 0.0]
    [line] = found.fault_lines(["random", "boom"])
    assert re.match(r"beware: boom .*\b2 times", line)


def test_blocks_that_are_all_alike_still_have_an_interval() -> None:
    found = Difference()
    add = partial(BlockScore, margins=(0.0, 0.0), games=2)
    assert "play more blocks" in found.verdict("a", "b")
    for _ in range(10):
        found.add(add(scores=(0.0, 1.0)))
    assert found.interval == pytest.approx((0.445, 1.0), abs=0.001)
    same = Difference()
    for _ in range(10):
        same.add(add(scores=(0.5, 0.5)))
    assert re.search(r"not clear: b .*-\d", same.verdict("a", "b"))
    worse = Difference()
    for _ in range(10):
        worse.add(add(scores=(1.0, 0.0)))
    assert re.match(r"b .*worse than a: .*\b44\.5 to 100\.0", worse.verdict("a", "b"))


def test_who_cannot_play_is_refused() -> None:
    with pytest.raises(ConfigError, match="seats need players"):
        comparison("random", "random", seats=3)
    with pytest.raises(ConfigError, match=r"gunner.*\bplay\b.*pirates_cove"):
        comparison("random", "random", "gunner")
    with pytest.raises(ConfigError, match="2 to 5 seats, not 9"):
        comparison("random", "random", "random", seats=9)


def test_an_interval_of_points_stays_within_what_a_difference_can_be() -> None:
    """Two blocks apart by chance gave +-1270 points of a hundred."""
    found = Difference()
    for scores in ((0.0, 1.0), (1.0, 0.0)):
        found.add(BlockScore(scores=scores, margins=(0.0, 0.0), games=2))
    assert found.interval == (-1.0, 1.0)
    assert "too few blocks" in found.verdict("a", "b")
    assert "too few blocks" in found.line("a", "b")
    for _ in range(4):
        found.add(BlockScore(scores=(0.0, 1.0), margins=(0.0, 0.0), games=2))
    assert found.interval is not None
    low, high = found.interval
    assert -1 < low < found.score.mean < high == 1.0
    assert re.search(r"\(-\d+\.\d to \+100\.0\)", found.line("a", "b"))
