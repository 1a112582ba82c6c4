"""The runner when things go wrong: bots that fail, void blocks, disks that are full, people who are in a hurry."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from referee.errors import ConfigError, RecordError, TortugaError
from referee.records.signature import SigningKey
from server.cli.main import main
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.play.block_jobs import BlockJob
from server.play.recorded_match import VoidMatch, sign_match
from server.tournament import dispatch, results
from server.tournament import runner as runner_module
from server.tournament.agreement import BLOCK_ATTEMPTS
from server.tournament.event import load_contests, rebuild, run_event
from server.tournament.folder import Folder, lock_holder
from server.tournament.journal import read_journal
from server.tournament.results import passing_trouble
from server.tournament.runner import Ending
from server.tournament.status import read_status
from server.tournament.store import Store
from support.events import KILLED, InProcessPool, Notes, dump, make_event, play_job, run, run_until
from support.pools import gated, spoiling


def lines(folder: Folder, kind: str) -> list[dict[str, Any]]:
    """What the journal says of one kind."""
    return [line for line in read_journal(folder.journal) if line["event"] == kind]


def undisturbed(path: Path, **keys: Any) -> dict[str, list[tuple[Any, ...]]]:
    """What an event comes to."""
    folder = make_event(path, **keys)
    assert run(folder) is Ending.FINISHED
    return dump(folder)


def test_an_event_inside_the_folder_of_a_fenced_bot_is_refused_before_it_begins(tmp_path: Path) -> None:
    """The bot would lose every match, because it cannot be started without showing it the event's seed."""
    bot = tmp_path / "mine"
    folder = make_event(bot / "event")
    (bot / "bot.toml").write_text('name = "ann"\nrun = ["true"]\n')
    folder.manifest.write_text(folder.manifest.read_text().replace("cmd: true", str(bot), 1))
    fence = Confinement(level=JailLevel.FENCE, hidden=(folder.path,))
    with pytest.raises(ConfigError, match=f"in a fence.*{folder.path}"):
        run(folder, confinement=fence)
    assert not list(folder.records.iterdir())


# Quarantine

QUARANTINE: dict[str, dict[str, Any]] = {
    # long enough for the bot that always fails to be found out, and to have something left to miss
    "round-robin": {"rounds": 10},
    "gauntlet": {"rounds": 25},
    "swiss": {"rounds": 20},
    "league": {"rounds": 20},
    "ladder": {"rounds": 20},
    "knockout": {"rounds": 12, "bots": ["crash", "ann", "bob", "cid"]},
}


@pytest.mark.few(2)
@pytest.mark.parametrize("format_name", QUARANTINE)
def test_a_bot_that_keeps_failing_is_quarantined_loudly_and_the_event_goes_on(format_name: str, tmp_path: Path) -> None:
    keys: dict[str, Any] = {"bots": ["ann", "bob", "cid", "crash"], **QUARANTINE[format_name]}
    folder, notes = make_event(tmp_path, format=format_name, **keys), Notes()
    assert run(folder, notes) is Ending.FINISHED
    [loud] = [text for text in notes.warnings if "QUARANTINE" in text]
    assert all(fact in loud for fact in ("crash", "20 of 20 matches", "pavillon_noir-2"))
    [told] = lines(folder, "quarantine")
    assert (told["bot"], told["faulted"], told["matches"]) == ("crash", 20, 20)
    found = read_status(folder)
    assert found.quarantined == ("crash",)
    assert found.jail_levels == ("none",)
    assert found.matches_planned == found.matches_done == len(dump(folder)["match"])
    check_whole(folder)
    notes = Notes()
    assert run(folder, notes) is Ending.FINISHED
    assert (notes.finished, notes.warnings) == ([], [])


@pytest.mark.system
def test_the_others_play_all_of_theirs(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=["ann", "bob", "cid", "crash"], rounds=10)
    run(folder)
    with Store.read_only(folder.database) as store:
        played = Counter(frozenset(match.bots) for match in store.matches())
    honest = [count for pair, count in played.items() if "crash" not in pair]
    assert honest == [20, 20, 20]
    assert 20 <= sum(count for pair, count in played.items() if "crash" in pair) < 40


def test_a_table_of_three_loses_a_bot_in_quarantine(tmp_path: Path) -> None:
    """Where two of three fail at once the third has won, so this is quick."""
    keys: dict[str, Any] = {"bots": ["ann", "crash1", "crash2", "crash3"], "rounds": 5}
    folder, notes = make_event(tmp_path, games=[{"id": "pirates_cove", "seats": 3}], **keys), Notes()
    assert run(folder, notes) is Ending.FINISHED
    assert set(read_status(folder).quarantined) == {"crash1", "crash2", "crash3"}
    assert sum("QUARANTINE" in text for text in notes.warnings) == 3, "each is said once"
    check_whole(folder)


@pytest.mark.system
@pytest.mark.parametrize("format_name", QUARANTINE)
def test_quarantine_survives_any_number_of_kills(format_name: str, tmp_path: Path) -> None:
    """What holds: which of its last blocks a bot in quarantine still played depends on what was running when it was
    found out. Everything else holds as ever: nothing twice, nothing half, the schedule fits the results, and the event
    ends. Two bots fail, because the second is found out among blocks that the first one's absence has settled."""
    keys: dict[str, Any] = {
        "bots": ["crash1", "ann", "bob", "crash2", "cid"],
        "rounds": QUARANTINE[format_name]["rounds"],
    }
    folder = make_event(tmp_path, format=format_name, **keys)
    for touch in (60, 150, 90, 200, 75, 300, 120):
        if run_until(folder, touch) != KILLED:
            break
    assert run(folder) is Ending.FINISHED
    check_whole(folder)
    before = dump(folder, measured=True)
    rebuild(folder)
    assert dump(folder, measured=True) == before
    assert run(folder) is Ending.FINISHED
    assert dump(folder, measured=True) == before


def test_a_second_bot_that_is_found_out_among_settled_blocks_is_withdrawn_too(tmp_path: Path) -> None:
    """On a ladder with this seed the second verdict falls when the first bot's blocks are given up, and only so when
    the event is loaded: while it ran, the verdict came with a result. The waves to come are the same all the same."""
    folder, notes = (
        make_event(
            tmp_path,
            format="ladder",
            rounds=16,
            bots=["crash1", "ann", "bob", "crash2", "cid"],
            concurrency=1,
            seed="a",
        ),
        Notes(),
    )
    run(folder, notes)
    assert sum("QUARANTINE" in text for text in notes.warnings) == 2
    check_whole(folder)


@pytest.mark.system
@pytest.mark.parametrize("format_name", QUARANTINE)
def test_a_half_kept_block_of_a_bot_in_quarantine_is_finished(format_name: str, tmp_path: Path) -> None:
    """As a kill between the two records of a block leaves it."""
    keys: dict[str, Any] = {"bots": ["ann", "bob", "cid", "crash"], **QUARANTINE[format_name]}
    folder = make_event(tmp_path, format=format_name, **keys)
    run(folder)
    with Store.read_only(folder.database) as store:
        lost = [match for match in store.matches() if "crash" in match.bots][-1]
    folder.record(lost.match_id).unlink()
    folder.database.unlink()
    folder.journal.unlink()  # it told of the lost match already, and will again
    assert run(folder) is Ending.FINISHED
    assert folder.record(lost.match_id).exists()
    check_whole(folder)


def check_whole(folder: Folder) -> None:
    """Every block is whole, each rotation once, numbered by the schedule, and every match sums to nought."""
    with Store.read_only(folder.database) as store:
        matches = list(store.matches())
    blocks = Counter((match.contest, match.block) for match in matches)
    seats = {match.block: len(match.seats) for match in matches}
    assert all(count == seats[block] for (_, block), count in blocks.items())
    assert sorted(line["match"] for line in lines(folder, "match_finished")) == sorted(m.match_id for m in matches)
    sums: Counter[str] = Counter()
    rows = dump(folder)["live_elo"]
    for row in rows:
        sums[row[0]] += row[-1]
    assert set(sums.values()) <= {0}
    rated = [match for match in matches if not match.is_unplayed]
    assert len(rows) == sum(len(match.seats) for match in rated), "every match has moved the live ladder"
    with Store.open(folder.database) as store:
        [state] = load_contests(folder.require_agreement(), store)
    drawn = {block.number: block.bots for block in state._schedule.blocks(state._results)}
    assert {match.block: match.bots for match in matches}.items() <= drawn.items(), "the schedule fits the results"


# Void blocks


def test_a_void_block_is_played_again_and_said_once_a_time(tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "whole")
    folder, notes, jobs = make_event(tmp_path / "event"), Notes(), list[BlockJob]()
    pool = spoiling(lambda job, before: job.block % 3 == 0 and before < 2, jobs)
    assert run(folder, notes, pool) is Ending.FINISHED
    assert dump(folder) == expected
    assert len([text for text in notes.warnings if "again: the host was late" in text]) == 4
    assert [line["block"] for line in lines(folder, "match_void")].count(3) == 2
    assert read_status(folder).void == 4
    by_block: dict[int, list[BlockJob]] = {}
    for job in jobs:
        by_block.setdefault(job.block, []).append(job)
    assert {len(again) for again in by_block.values()} == {1, 3}
    for again in by_block.values():
        assert all(job == again[0] for job in again), "the same rotations with the same luck"


def test_a_void_match_within_a_block_is_counted_but_costs_nothing(tmp_path: Path) -> None:
    """The worker played it again by itself: the report has its matches and the reason."""

    class LatePool(InProcessPool):
        async def _play(self, worker: Any, job: BlockJob) -> None:
            report = await play_job(job)
            worker.give_back(job.key)
            self._finished(replace(report, voids=(VoidMatch("x: the host was late", ("bob", "ann")),)))

    folder, notes = make_event(tmp_path / "event"), Notes()
    assert run(folder, notes, LatePool) is Ending.FINISHED
    assert dump(folder) == undisturbed(tmp_path / "whole")
    status = read_status(folder)
    assert (notes.warnings, status.void, status.void_for) == ([], 6, {"bob": 6, "ann": 6})
    shown = CliRunner().invoke(main, ["tournament", "status", str(folder.path)])
    assert re.search(r"host was .*: bob 6, ann 6", shown.output)


def test_a_block_that_is_always_void_is_left_for_the_next_run_and_stops_no_other(tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "whole")
    folder, jobs = make_event(tmp_path / "event"), list[BlockJob]()
    reason = rf"pavillon_noir-2\b.*\b2\b.*\b{BLOCK_ATTEMPTS} times: the host was late"
    with pytest.raises(TortugaError, match=reason):
        run(folder, Notes(), spoiling(lambda job, before: job.block == 2, jobs))
    assert sum(job.block == 2 for job in jobs) == BLOCK_ATTEMPTS
    assert dump(folder)["match"] == [row for row in expected["match"] if row[3] != 2]
    assert run(folder) is Ending.FINISHED
    assert dump(folder) == expected


def test_a_bot_s_excuses_are_counted_over_blocks_and_runs(tmp_path: Path) -> None:
    """Bob is excused in each of his blocks: every block is told how many excuses are left, except for those in hand."""
    folder, jobs = make_event(tmp_path / "event", excuses=3, concurrency=1), list[BlockJob]()

    class LatePool(InProcessPool):
        async def _play(self, worker: Any, job: BlockJob) -> None:
            jobs.append(job)
            late = ("bob",) if "bob" in job.excuses_left else ()
            worker.give_back(job.key)
            self._finished(replace(await play_job(job), voids=(VoidMatch("x: the host was late", late),)))

    stop = asyncio.Event()
    stop.set()
    run(folder, Notes(), LatePool, stop=stop)
    run(folder, Notes(), LatePool)
    told = [job.excuses_left for job in jobs]
    assert [left["bob"] for left in told if "bob" in left] == [3, 2, 2, 1]
    assert all(left[bot] == 3 for left in told for bot in left if bot != "bob")


# People in a hurry


class Hasty(Notes):
    """Presses Ctrl-C after some matches."""

    def __init__(self, after: int, presses: int = 1) -> None:
        super().__init__()
        self._after = after
        self._presses = presses

    def match_finished(self, match: Any, done: int, planned: int | None) -> None:
        super().match_finished(match, done, planned)
        if len(self.finished) == self._after:
            for _ in range(self._presses):
                os.kill(os.getpid(), signal.SIGINT)


class Heard(Notes):
    """Tells when something was said."""

    def __init__(self) -> None:
        super().__init__()
        self.warning = asyncio.Event()

    def warned(self, text: str) -> None:
        super().warned(text)
        self.warning.set()


def test_ctrl_c_finishes_what_runs_and_the_next_run_goes_on(tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "whole", rounds=10)
    folder, notes = make_event(tmp_path / "event", rounds=10), Hasty(after=6)
    assert run(folder, notes) is Ending.INTERRUPTED
    started = {line["match"] for line in lines(folder, "match_started")}
    assert started == set(notes.finished), "what had begun was finished"
    assert 6 <= len(started) < 60
    [warning] = notes.warnings
    assert warning.startswith("stopping: ")
    [told] = lines(folder, "run_interrupted")
    assert (told["matches_done"], told["matches_planned"]) == (len(started), 60)
    assert "seed" not in told, "the luck of what is still to come stays secret"
    assert run(folder) is Ending.FINISHED
    assert dump(folder) == expected


def test_ctrl_c_twice_stops_at_once(tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "whole")
    folder = make_event(tmp_path / "event")

    async def hurry() -> Ending:
        gate, began, heard = asyncio.Event(), asyncio.Event(), Heard()
        task = asyncio.create_task(run_event(folder, heard, make_pool=gated(gate, began)))
        await began.wait()
        os.kill(os.getpid(), signal.SIGINT)
        await heard.warning.wait()
        os.kill(os.getpid(), signal.SIGINT)
        return await asyncio.wait_for(task, 20)

    assert asyncio.run(hurry()) is Ending.INTERRUPTED
    assert dump(folder)["match"] == []
    assert run(folder) is Ending.FINISHED
    assert dump(folder) == expected


def test_sigterm_finishes_what_runs(tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "whole")
    folder = make_event(tmp_path / "event")

    async def terminate() -> Ending:
        gate, began, heard = asyncio.Event(), asyncio.Event(), Heard()
        task = asyncio.create_task(run_event(folder, heard, make_pool=gated(gate, began)))
        await began.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        await heard.warning.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        gate.set()
        return await asyncio.wait_for(task, 20)

    assert asyncio.run(terminate()) is Ending.INTERRUPTED
    assert {line["match"] for line in lines(folder, "match_started")} == {row[0] for row in dump(folder)["match"]}
    assert run(folder) is Ending.FINISHED
    assert dump(folder) == expected


def test_ctrl_c_twice_while_results_are_being_written_leaves_nothing_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that writes goes on after its task was cancelled: the folder may not be given up before it is done."""
    expected = undisturbed(tmp_path / "whole", rounds=6)
    folder, locked, notes = make_event(tmp_path / "event", rounds=6), list[bool](), Notes()
    store_matches = results.store_matches

    def slowly(folder: Folder, *rest: Any) -> None:
        if len(locked) == 2:
            os.kill(os.getpid(), signal.SIGINT)
            while not notes.warnings:
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)  # long enough for the runner to go, if it did not wait
        store_matches(folder, *rest)
        locked.append(lock_holder(folder) is not None)

    monkeypatch.setattr(runner_module, "store_matches", slowly)
    assert run(folder, notes) is Ending.INTERRUPTED
    assert len(locked) >= 3
    assert all(locked)
    monkeypatch.undo()
    rows = {row[0] for row in dump(folder)["match"]}
    assert {path.name.removesuffix(".tortuga") for path in folder.records.iterdir()} == rows
    assert run(folder) is Ending.FINISHED
    assert dump(folder) == expected


# Disks


def failing(errors: Sequence[Exception | None], *, after: bool = False) -> Callable[..., None]:
    """store_matches that fails as told, one call after the other: before anything is written, or before the rows."""
    left, store_matches = list(errors), results.store_matches

    def store(folder: Folder, store: Store, matches: Any, changes: Any) -> None:
        error = left.pop(0) if left else None
        if error is not None:
            if after:
                key = SigningKey.open(folder.key)
                for match in matches:
                    signed = sign_match(match, key) if key else match
                    folder.record(match.summary.match_id).write_bytes(signed.packed)
            raise error
        store_matches(folder, store, matches, changes)

    return store


FULL = [
    OSError(errno.ENOSPC, "No space left on device"),
    OSError(errno.EDQUOT, "Disk quota exceeded"),
    sqlite3.OperationalError("database or disk is full"),
]


@pytest.mark.few(2)
@pytest.mark.parametrize("after", [False, True], ids=["records", "rows"])
@pytest.mark.parametrize("error", FULL, ids=["space", "quota", "sqlite"])
def test_while_the_disk_is_full_the_event_waits_and_loses_nothing(
    error: Exception, after: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = undisturbed(tmp_path / "whole")
    folder, notes = make_event(tmp_path / "event"), Notes()
    monkeypatch.setattr(results, "RETRY_SECONDS", 0.001)
    monkeypatch.setattr(runner_module, "store_matches", failing([None, *[error] * 5], after=after))
    assert run(folder, notes) is Ending.FINISHED
    [warning] = notes.warnings
    assert warning.startswith(f"{folder.path}: the disk is full")
    assert dump(folder) == expected
    check_whole(folder)


@pytest.mark.few(2)
@pytest.mark.parametrize("after", [False, True], ids=["records", "rows"])
@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EIO, "Input/output error"),
        PermissionError(errno.EACCES, "no"),
        sqlite3.OperationalError("disk I/O error"),
    ],
    ids=["io", "access", "sqlite"],
)
def test_another_error_of_the_disk_stops_the_event_with_nothing_half(
    error: Exception, after: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = undisturbed(tmp_path / "whole")
    folder = make_event(tmp_path / "event")
    monkeypatch.setattr(runner_module, "store_matches", failing([None, error], after=after))
    with pytest.raises(RecordError, match=rf"cannot be written .*{folder.path}"):
        run(folder)
    monkeypatch.undo()
    notes = Notes()
    assert run(folder, notes) is Ending.FINISHED
    assert (dump(folder), notes.warnings) == (expected, [])
    check_whole(folder)


def test_a_database_that_another_program_has_locked_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = undisturbed(tmp_path / "whole")
    folder, notes = make_event(tmp_path / "event"), Notes()
    monkeypatch.setattr(results, "RETRY_SECONDS", 0.001)
    errors = [None, *[sqlite3.OperationalError("database is locked")] * 3]
    monkeypatch.setattr(runner_module, "store_matches", failing(errors))
    assert run(folder, notes) is Ending.FINISHED
    [warning] = notes.warnings
    assert all(fact in warning for fact in (str(folder.path), "locked", "waiting"))
    assert dump(folder) == expected


def test_only_what_may_pass_is_waited_for() -> None:
    for error in (OSError(errno.EIO, ""), sqlite3.OperationalError("no such table")):
        assert passing_trouble(error) == ""


REAL = """
import asyncio, os, subprocess, sys
from pathlib import Path
from support.events import Notes, dump, make_event, run
from server.tournament import results
from server.tournament.runner import Ending
base = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", base], check=True)
results.RETRY_SECONDS = 0.01
folder, ballast = make_event(base / "event", rounds=6), base / "ballast"
class Greedy(Notes):
    def match_finished(self, match, done, planned):
        super().match_finished(match, done, planned)
        if done in (6, 20):
            try:
                with ballast.open("ab", buffering=0) as file:
                    while True: file.write(bytes(1024))
            except OSError: pass
    def warned(self, text):
        super().warned(text)
        ballast.unlink(missing_ok=True)
notes = Greedy()
assert run(folder, notes) is Ending.FINISHED
print(len(notes.warnings) >= 2, all("is full" in text for text in notes.warnings))
print(repr(dump(folder)))
print(len(notes.finished), sum('"match_finished"' in line for line in folder.journal.read_text().splitlines()))
"""


@pytest.mark.system
@pytest.mark.skipif(
    not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], check=False).returncode != 0,
    reason="needs a mount namespace",
)
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    """A tmpfs that somebody else fills up twice, under records, database and journal alike."""
    (tmp_path / "disk").mkdir()
    tests = Path(__file__).parents[2]
    done = subprocess.run(
        ["unshare", "-rm", sys.executable, "-c", REAL, str(tmp_path / "disk")],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent), os.environ.get("PYTHONPATH", "")]),
        },
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    warned, tables, finished = done.stdout.splitlines()[-3:]
    assert warned == "True True"
    assert tables == repr(undisturbed(tmp_path / "whole", rounds=6))
    assert finished == "36 36"


# Clocks


@pytest.mark.system
def test_a_calendar_clock_that_is_set_back_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = undisturbed(tmp_path / "whole", rounds=10)
    folder, now = make_event(tmp_path / "event", rounds=10), [time.time()]

    def back() -> float:
        now[0] -= 3600
        return now[0]

    monkeypatch.setattr(time, "time", back)
    assert run(folder, Hasty(after=4)) is Ending.INTERRUPTED
    assert run(folder) is Ending.FINISHED
    monkeypatch.undo()
    assert dump(folder) == expected


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["round-robin", "swiss", "knockout", "ladder"])
def test_however_few_blocks_are_made_ready_the_event_is_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dumps = []
    for queue in (1, 256):
        monkeypatch.setattr(dispatch, "QUEUE", queue)
        folder = make_event(tmp_path / str(queue), format=name, bots=("ann", "bob", "cid", "dan", "eva"), rounds=3)
        assert run(folder) is Ending.FINISHED
        dumps.append(dump(folder))
    assert dumps[0] == dumps[1]
