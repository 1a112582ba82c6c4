"""How many matches a worker plays at once, chosen from what its bots cost."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from referee.match.clock import TimeControl
from server.bots.spec import BotSpec
from server.hosting.bot_pool import Work
from server.play import worker as worker_module
from server.play.block_jobs import BlockJob, BlockResult
from server.play.recorded_match import RecordedMatch
from server.play.table_choice import (
    ENOUGH_MATCHES,
    FEW_TABLES,
    FIRST_TABLES,
    MOST_TABLES,
    BotCost,
    TableChoice,
    lane_count,
    longest_wait,
)
from server.play.worker import CostMeter
from support.fake_bot_host import make_job
from support.summaries import make_match

ANN, BOB, CID = (BotSpec(name=name, run=("true",)) for name in ("ann", "bob", "cid"))
JOB = make_job(0, [ANN, BOB])
GAME = JOB.game


def cost(millis: float, *, questions: int = 100, matches: int = 1, slots: int = 64) -> BotCost:
    """A bot that takes so long to decide."""
    return BotCost(matches, questions, questions * millis / 1000, slots)


def choose(*, ann: BotCost, bob: BotCost, clock: str = "60+0.1/1", workers: int = 2) -> int:
    """For a match of both."""
    choice = TableChoice()
    choice.add({(GAME, "ann"): ann, (GAME, "bob"): bob})
    return choice.choose([replace(JOB, clock=TimeControl.read(clock))], workers)


def test_trivial_bots_get_as_many_tables_as_they_have_slots() -> None:
    assert choose(ann=cost(0.1), bob=cost(0.2)) == MOST_TABLES
    assert choose(ann=cost(0.1), bob=cost(0.2, slots=8)) == 8
    assert choose(ann=cost(0.1), bob=cost(0.2, slots=1)) == FEW_TABLES


def test_each_lane_has_a_process_of_its_own_with_tables_of_its_own() -> None:
    assert choose(ann=cost(0.1), bob=cost(0.2), workers=1) == 2 * MOST_TABLES
    assert choose(ann=cost(0.1), bob=cost(0.2, slots=8), workers=1) == 16
    assert choose(ann=cost(0.1), bob=cost(0.2, slots=1), workers=1) == FEW_TABLES
    own_luck = replace(JOB, secrets=(bytes(32), bytes(31) + b"1"))
    assert (lane_count([JOB], 1), lane_count([JOB, own_luck], 1), lane_count([own_luck], 1)) == (2, 2, 1)


def test_bots_that_think_get_a_core() -> None:
    assert choose(ann=cost(0.1), bob=cost(500)) == 1
    assert choose(ann=cost(20), bob=cost(20)) == 1
    assert choose(ann=cost(0.1), bob=cost(5)) == 4, "in between, the questions of one wait for each other a little"


def test_the_tighter_the_clock_the_fewer_tables() -> None:
    found = [choose(ann=cost(0.2), bob=cost(0.2), clock=clock) for clock in ("60+0.1/1", "1+0.05/1", "1+0/1")]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 3
    assert longest_wait([TimeControl(unlimited=True)]) == longest_wait([])


@pytest.mark.parametrize("unknown", [None, cost(0.1, questions=3)])
def test_while_a_bot_is_not_measured_it_plays_at_few_tables(unknown: BotCost | None) -> None:
    choice = TableChoice()
    choice.add({(GAME, "ann"): cost(0.1)})
    if unknown is not None:
        choice.add({(GAME, "bob"): unknown})
    assert (choice.choose([JOB], 2), choice.reason) == (FIRST_TABLES, "")
    choice.add({(GAME, "bob"): cost(0.1)})
    assert choice.choose([JOB], 2) == MOST_TABLES
    assert choice.choose([JOB, make_job(1, [ANN, CID])], 2) == FIRST_TABLES, "a newcomer"
    assert choice.choose([replace(JOB, game="broadsides")], 2) == FIRST_TABLES, "they may think in another game"


def test_a_bot_that_always_fails_at_once_does_not_hold_up_the_others() -> None:
    failing = cost(0, questions=0, matches=ENOUGH_MATCHES)
    assert choose(ann=cost(0.1), bob=failing) == MOST_TABLES


def test_the_reason_names_the_slowest() -> None:
    choice = TableChoice()
    choice.add({(GAME, "ann"): cost(0.125), (GAME, "bob"): cost(0.05)})
    choice.choose([JOB], 2)
    assert re.match(r"ann .*\b0\.12 ms\b", choice.reason)
    assert "matches" not in choice.reason
    choice.add({(GAME, "bob"): cost(0.05, slots=8)})
    choice.choose([JOB], 2)
    assert re.match(r"ann .*\b0\.12 ms\b.*\b8 matches", choice.reason)


def test_a_bot_that_was_slow_until_it_was_warm_is_forgiven() -> None:
    choice = TableChoice()
    choice.add({(GAME, "ann"): cost(30), (GAME, "bob"): cost(0.1)})
    assert choice.choose([JOB], 2) == 1
    for _ in range(100):
        choice.add({(GAME, "ann"): cost(0.1)})
    assert choice.choose([JOB], 2) == MOST_TABLES


class Working:
    """A pool whose bots have done something."""

    def __init__(self) -> None:
        self.work: dict[str, Work] = {}

    def take_work(self) -> dict[str, Work]:
        return self.work

    def slots(self) -> dict[str, int]:
        return {"ann": 8}


def result(job: BlockJob, count: int) -> BlockResult:
    """Of a part in which so many matches were played."""
    match = RecordedMatch(summary=make_match(0, 0, ["ann", "bob"], [1, 2]), packed=b"", logs={})
    return BlockResult(contest=job.contest, block=job.block, matches=(match,) * count, voids=())


def test_the_meter_tells_what_was_done_for_which_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "PERIOD_SECONDS", 0.0)
    pool, other = Working(), replace(JOB, game="broadsides")
    meter = CostMeter(pool)  # type: ignore[arg-type]
    pool.work = {"ann": Work(50, 0.5), "bob": Work(40, 0.25)}
    meter.begin(JOB)
    assert meter.take() == {(GAME, "ann"): BotCost(0, 50, 0.5, 8), (GAME, "bob"): BotCost(0, 40, 0.25, 1)}
    meter.begin(other)
    meter.end(JOB, result(JOB, 2))
    assert meter.take() == {}, "nobody knows which of the two games it was for"
    meter.end(other, result(other, 1))
    assert meter.take() == {
        ("broadsides", "ann"): BotCost(1, 50, 0.5, 8),
        ("broadsides", "bob"): BotCost(1, 40, 0.25, 1),
    }
    assert meter.take() == {}


def test_the_meter_measures_now_and_then_only() -> None:
    meter = CostMeter(Working())  # type: ignore[arg-type]
    meter.begin(JOB)
    assert meter.take()
    assert meter.take() == {}
