"""One contest: which jobs are open, what they hold, and what is given up for a bot in quarantine."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import pytest

from server.bots.spec import BotSpec
from server.play.block_jobs import BlockJob
from server.play.summary import MatchSummary
from server.tournament.contest import ContestState
from server.tournament.roster import current_agreement
from support.events import make_event
from support.summaries import columns_of, make_block

SEATS: dict[int, dict[str, Any]] = {2: {"id": "pavillon_noir"}, 3: {"id": "pirates_cove", "seats": 3}}


def begun(path: Path, *, seats: int = 2, **keys: Any) -> ContestState:
    """A contest of which nothing was played."""
    agreement, bots = current_agreement(make_event(path, games=[SEATS[seats]], **keys))
    return ContestState(agreement, agreement.manifest.contests[0], bots)


def played(job: BlockJob, failed: tuple[str, ...] = ()) -> list[MatchSummary]:
    """A block in which the first seat always wins."""
    bots = [bot.name for bot in job.bots]
    ranks = [list(range(1, len(bots) + 1))] * len(bots)
    return make_block(job.block, bots, ranks, failed=failed, stage=job.stage)


@pytest.mark.parametrize("seats", [2, 3])
def test_a_mirrored_block_has_one_luck_in_every_rotation(seats: int, tmp_path: Path) -> None:
    jobs = begun(tmp_path, seats=seats, bots=["ann", "bob", "cid", "dan"]).open_jobs()
    assert [job.block for job in jobs] == list(range(len(jobs)))
    for job in jobs:
        assert job.rotations == tuple(range(seats))
        assert len({*job.secrets}) == 1
        assert len({job.match_id(rotation) for rotation in job.rotations}) == seats
        tables = [[bot.name for bot in job.seating(rotation)] for rotation in job.rotations]
        for seat in range(seats):
            assert {table[seat] for table in tables} == {bot.name for bot in job.bots}, "everybody sits everywhere"
    assert len({job.secrets[0] for job in jobs}) == len(jobs)


def test_without_mirrors_every_match_has_its_own_luck(tmp_path: Path) -> None:
    jobs = begun(tmp_path, mirrored=False).open_jobs()
    secrets = [secret for job in jobs for secret in job.secrets]
    assert len({*secrets}) == len(secrets)


def test_orders_follow_from_the_agreement_alone(tmp_path: Path) -> None:
    one, two = begun(tmp_path / "one"), begun(tmp_path / "two")
    assert one.open_jobs() == two.open_jobs()
    other = begun(tmp_path / "three", seed="other")
    assert {job.secrets for job in one.open_jobs()}.isdisjoint(job.secrets for job in other.open_jobs())


def test_what_is_running_is_not_open(tmp_path: Path) -> None:
    state = begun(tmp_path)
    first, *rest = state.open_jobs()
    assert state.open_jobs({first.key}) == rest


def test_of_a_block_that_lost_a_record_only_the_lost_match_is_played(tmp_path: Path) -> None:
    state = begun(tmp_path, rounds=1)
    jobs = state.open_jobs()
    matches = [match for job in jobs for match in played(job)]
    lost = matches.pop(2)
    deque(state.load([columns_of(matches)]), maxlen=0)
    [again] = state.open_jobs()
    assert (again.block, again.rotations) == (lost.block, (lost.rotation,))
    assert not state.is_over()
    assert state.matches_done == 5
    changes = state.add(again.block, [lost])
    assert {change.match_id for change in changes} == {match.match_id for job in jobs[1:] for match in played(job)}, (
        "what was waiting for it is settled"
    )
    assert (state.is_over(), state.matches_done) == (True, 6)


def test_the_open_blocks_of_a_bot_in_quarantine_are_given_up_but_not_those_that_run(tmp_path: Path) -> None:
    state = begun(tmp_path, bots=["ann", "bob", "bad"], rounds=20)
    jobs = state.open_jobs()
    done = 0
    while not state.quarantined:
        state.add(jobs[done].block, played(jobs[done], ("bad",)))
        done += 1
    assert set(state.quarantined) == {"bad"}
    assert state.quarantined["bad"].block == jobs[done - 1].block
    still = next(job for job in jobs[done:] if names(job) >= {"bad"})
    planned = state.matches_planned()
    state.cancel({still.key})
    left = state.open_jobs()
    assert [job for job in left if "bad" in names(job)] == [still]
    assert {frozenset(names(job)) for job in left if job != still} == {frozenset({"ann", "bob"})}
    assert planned is not None
    assert (state.matches_planned() or 0) < planned
    state.add(still.block, played(still, ("bad",)))
    assert state.cancel() == []
    for job in state.open_jobs():
        state.add(job.block, played(job))
    assert state.is_over()


def test_what_was_given_up_is_given_up_again_when_the_event_is_loaded(tmp_path: Path) -> None:
    state = begun(tmp_path / "one", bots=["ann", "bob", "bad"], rounds=20)
    kept: list[MatchSummary] = []
    changes = []
    while not state.is_over():
        job = state.open_jobs()[0]
        kept += (block := played(job, ("bad",)))
        changes += state.add(job.block, block)
        changes += state.cancel()
    again = begun(tmp_path / "two", bots=["ann", "bob", "bad"], rounds=20)
    kept.sort(key=lambda match: (match.block, match.rotation))
    loaded = [change for part in again.load([columns_of(kept)]) for change in part]
    assert sorted(loaded, key=repr) == sorted(changes, key=repr)
    assert again.is_over()
    assert again.quarantined == state.quarantined


def names(job: BlockJob) -> set[str]:
    """Who meets."""
    return {bot.name for bot in job.bots}


def test_a_contest_without_bots_can_be_looked_at(tmp_path: Path) -> None:
    agreement, bots = current_agreement(make_event(tmp_path))
    state = ContestState(agreement, agreement.manifest.contests[0])
    assert (state.matches_planned(), state.is_over(), state.id) == (12, False, "pavillon_noir-2")
    assert isinstance(bots["ann"], BotSpec)


LADDER: dict[str, Any] = {"format": "ladder", "bots": ["ann", "bob", "cid", "dan", "eve", "bad"], "rounds": 30}


def read_only(path: Path, matches: list[MatchSummary]) -> ContestState:
    """A ladder as a page reads it."""
    state = begun(path, **LADDER)
    state.read([columns_of(matches[start : start + 40]) for start in range(0, len(matches), 40)])
    return state


def test_a_ladder_is_read_without_drawing_a_single_wave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each wave of 500 bots takes seconds. What is read agrees with a ladder that was drawn: a bot is in quarantine,
    blocks are cancelled, and matches are counted."""
    drawn, matches = begun(tmp_path / "drawn", **LADDER), list[MatchSummary]()
    told = {}
    while jobs := drawn.open_jobs():
        for job in jobs:
            matches += (block := played(job, ("bad",)))
            drawn.add(job.block, block)
        drawn.cancel()
        stage = drawn.next_stage()
        told[stage] = len(matches), {*drawn.quarantined}, drawn.matches_planned()
    assert {*drawn.quarantined} == {"bad"}
    assert drawn.walkovers, "otherwise nothing is missing"
    monkeypatch.setattr("server.schedule.ladder.Ladder.stage", None)
    for number, (stage, (count, quarantined, planned)) in enumerate(told.items()):
        state = read_only(tmp_path / f"read{number}", sorted(matches[:count], key=lambda match: match.block))
        assert state.matches_done == count
        if stage >= 14:  # the last waves before may have cancelled blocks, which nobody can know yet
            assert {*state.quarantined} == quarantined
            assert state.matches_planned() == planned
        assert state.is_over() == (stage == 30)
        assert state.is_in_doubt == (stage == 30)
        assert state.bracket() is None


def test_what_a_ladder_reads_is_not_settled_before_its_time(tmp_path: Path) -> None:
    """A block of the last two waves may still be played: what comes after it has to wait."""
    state, matches = begun(tmp_path / "drawn", **LADDER), list[MatchSummary]()
    for _ in range(12):
        for job in state.open_jobs():
            matches += (block := played(job, ("bad",)))
            state.add(job.block, block)
    last = max(match.stage for match in matches)
    gap = min(match.block for match in matches if match.stage == last - 1)
    known = [match for match in matches if match.block != gap]
    assert not read_only(tmp_path / "open", [match for match in known if match.stage < 5]).quarantined
    waiting = read_only(tmp_path / "gap", known)
    assert waiting._live.next_block == gap
    early = min(match.block for match in matches if match.stage == 2)
    passed = read_only(tmp_path / "past", [match for match in matches if match.block != early])
    assert passed._live.next_block > gap, "a wave was drawn after it was settled"
