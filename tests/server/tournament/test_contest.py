"""One contest: which orders are open, what they hold, and what is given up for a bot in quarantine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from server.bots.spec import BotSpec
from server.tournament.block_jobs import BlockJob
from server.tournament.contest import ContestState
from server.tournament.live_ladder import RatingChange
from server.tournament.roster import current_agreement
from server.tournament.summary import MatchSummary
from support.events import make_event
from support.summaries import make_block

SEATS: dict[int, dict[str, Any]] = {2: {"id": "pavillon_noir"}, 3: {"id": "pirates_cove", "seats": 3}}


def begun(path: Path, *, seats: int = 2, **keys: Any) -> ContestState:
    """A contest of which nothing was played."""
    agreement, bots = current_agreement(make_event(path, games=[SEATS[seats]], **keys))
    return ContestState(agreement, agreement.manifest.contests[0], bots)


def played(order: BlockJob, failed: tuple[str, ...] = ()) -> list[MatchSummary]:
    """A block in which the first seat always wins."""
    bots = [bot.name for bot in order.bots]
    ranks = [list(range(1, len(bots) + 1))] * len(bots)
    return make_block(order.block, bots, ranks, failed=failed, stage=order.stage)


@pytest.mark.parametrize("seats", [2, 3])
def test_a_mirrored_block_has_one_luck_in_every_rotation(seats: int, tmp_path: Path) -> None:
    orders = begun(tmp_path, seats=seats, bots=["ann", "bob", "cid", "dan"]).open_orders()
    assert [order.block for order in orders] == list(range(len(orders)))
    for order in orders:
        assert order.rotations == tuple(range(seats))
        assert len({*order.secrets}) == 1
        assert len({order.match_id(rotation) for rotation in order.rotations}) == seats
        tables = [[bot.name for bot in order.seating(rotation)] for rotation in order.rotations]
        for seat in range(seats):
            assert {table[seat] for table in tables} == {bot.name for bot in order.bots}, "everybody sits everywhere"
    assert len({order.secrets[0] for order in orders}) == len(orders)


def test_without_mirrors_every_match_has_its_own_luck(tmp_path: Path) -> None:
    orders = begun(tmp_path, mirrored=False).open_orders()
    secrets = [secret for order in orders for secret in order.secrets]
    assert len({*secrets}) == len(secrets)


def test_orders_follow_from_the_agreement_alone(tmp_path: Path) -> None:
    one, two = begun(tmp_path / "one"), begun(tmp_path / "two")
    assert one.open_orders() == two.open_orders()
    other = begun(tmp_path / "three", seed="other")
    assert {order.secrets for order in one.open_orders()}.isdisjoint(order.secrets for order in other.open_orders())


def test_what_is_running_is_not_open(tmp_path: Path) -> None:
    state = begun(tmp_path)
    first, *rest = state.open_orders()
    assert state.open_orders({first.key}) == rest


def test_of_a_block_that_lost_a_record_only_the_lost_match_is_played(tmp_path: Path) -> None:
    state = begun(tmp_path, rounds=1)
    orders = state.open_orders()
    matches = [match for order in orders for match in played(order)]
    lost = matches.pop(2)
    state.load(matches)
    [again] = state.open_orders()
    assert (again.block, again.rotations) == (lost.block, (lost.rotation,))
    assert not state.is_over()
    assert state.matches_done == 5
    changes = state.add(again.block, [lost])
    assert {change.match_id for change in changes} == {
        match.match_id for order in orders[1:] for match in played(order)
    }, "what was waiting for it is settled"
    assert (state.is_over(), state.matches_done) == (True, 6)


def test_the_open_blocks_of_a_bot_in_quarantine_are_given_up_but_not_those_that_run(tmp_path: Path) -> None:
    state = begun(tmp_path, bots=["ann", "bob", "bad"], rounds=20)
    orders = state.open_orders()
    done = 0
    while not state.quarantined:
        state.add(orders[done].block, played(orders[done], ("bad",)))
        done += 1
    assert set(state.quarantined) == {"bad"}
    assert state.quarantined["bad"].block == orders[done - 1].block
    still = next(order for order in orders[done:] if names(order) >= {"bad"})
    planned = state.matches_planned()
    state.cancel({still.key})
    left = state.open_orders()
    assert [order for order in left if "bad" in names(order)] == [still]
    assert {frozenset(names(order)) for order in left if order != still} == {frozenset({"ann", "bob"})}
    assert planned is not None
    assert (state.matches_planned() or 0) < planned
    state.add(still.block, played(still, ("bad",)))
    assert state.cancel() == []
    for order in state.open_orders():
        state.add(order.block, played(order))
    assert state.is_over()


def test_what_was_given_up_is_given_up_again_when_the_event_is_loaded(tmp_path: Path) -> None:
    state = begun(tmp_path / "one", bots=["ann", "bob", "bad"], rounds=20)
    kept: list[MatchSummary] = []
    changes = []
    while not state.is_over():
        order = state.open_orders()[0]
        kept += (block := played(order, ("bad",)))
        changes += state.add(order.block, block)
        changes += state.cancel()
    again = begun(tmp_path / "two", bots=["ann", "bob", "bad"], rounds=20)
    loaded: list[RatingChange] = []
    again.load(kept, loaded.extend)
    assert sorted(loaded, key=repr) == sorted(changes, key=repr)
    assert again.is_over()
    assert again.quarantined == state.quarantined


def names(order: BlockJob) -> set[str]:
    """Who meets."""
    return {bot.name for bot in order.bots}


def test_a_contest_without_bots_can_be_looked_at(tmp_path: Path) -> None:
    agreement, bots = current_agreement(make_event(tmp_path))
    state = ContestState(agreement, agreement.manifest.contests[0])
    assert (state.matches_planned(), state.is_over(), state.id) == (12, False, "pavillon_noir-2")
    assert isinstance(bots["ann"], BotSpec)
