"""kill -9 of the whole process tree of an event at random instants: it comes to what it would have come to undisturbed.

`make chaos` runs it in full: six formats, 600 matches, 30 kills each. Else: one format, 160 matches, 2 kills.
The seed of the instants is in the name of each test's event, and printed with a failure.
"""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.journal import read_journal
from server.tournament.manifest import make_manifest, write_text
from server.tournament.status import read_status
from support import sizes
from support.chaos import kill_tree
from support.command import assert_nothing_left, start
from support.events import dump

KILLS = sizes.pick(ci=2, full=30)
EVENTS: dict[str, tuple[int, dict[str, Any]]] = sizes.pick(
    ci={"ladder": (4, {"rounds": 40})},
    full={
        # some six hundred matches each: bots, and what makes it long
        "round-robin": (5, {"rounds": 30}),
        "gauntlet": (5, {"rounds": 75}),
        "swiss": (6, {"rounds": 100}),
        "knockout": (8, {"rounds": 42}),
        "league": (5, {"rounds": 150}),
        "ladder": (5, {"rounds": 150}),
    },
)
PATIENCE_SECONDS = 1200.0
"""For one run of the command. A machine may be busy with anything else."""


def make_event(path: Path, format_name: str) -> Folder:
    """An event of sample bots, which answer by the name of the match and of nothing else."""
    bots, keys = EVENTS[format_name]
    table = {
        "name": "chaos",
        "seed": format_name,
        "format": format_name,
        "concurrency": 4,
        # A busy machine must not make anybody late: that would be another result, and rightly so.
        "clock": "3600+60/600",
        "start_seconds": 600,
        "games": [{"id": "pavillon_noir", "variant": {"max_rounds": 1}}],
        "bots": [{"spec": ("random", "gunner")[number % 2], "name": f"bot{number}"} for number in range(bots)],
        **keys,
    }
    path.mkdir()
    folder = Folder(path)
    folder.manifest.write_text(write_text(make_manifest(table)))
    return folder


def begin(base: Path, folder: Folder) -> subprocess.Popen[str]:
    """Start the command, or go on with it."""
    return start(base, "tournament", "run", folder.path.name)


def finish(base: Path, folder: Folder) -> None:
    """Run it to the end."""
    command = begin(base, folder)
    _, err = command.communicate(timeout=PATIENCE_SECONDS)
    assert command.returncode == 0, err


def done(folder: Folder) -> int:
    """Matches that were told so far."""
    return sum(line["event"] == "match_finished" for line in read_journal(folder.journal))


def disturb(base: Path, folder: Folder, matches: int, seconds: float) -> bool:
    """Kill it when it has come so far, and a moment later; tells whether it was still at it."""
    command = begin(base, folder)
    end = time.monotonic() + PATIENCE_SECONDS
    while done(folder) < matches and command.poll() is None:
        assert time.monotonic() < end, "it never came so far"
        time.sleep(0.02)
    time.sleep(seconds)
    alive = command.poll() is None
    kill_tree(command.pid, base)
    command.communicate(timeout=60)
    return alive


@pytest.mark.timeout(4 * PATIENCE_SECONDS)
@pytest.mark.parametrize("format_name", EVENTS)
def test_an_event_that_is_killed_again_and_again_comes_to_the_same(format_name: str, tmp_path: Path) -> None:
    whole = make_event(tmp_path / "whole", format_name)
    finish(tmp_path, whole)
    expected = dump(whole)
    planned = len(expected["match"])
    assert planned >= sizes.pick(ci=160, full=500)

    folder, luck = make_event(tmp_path / "killed", format_name), random.Random(f"{format_name} {KILLS}")
    deaths = 0
    for number in range(KILLS):
        # Some die while everything is being started, the others anywhere on their way to the end.
        goal = max(round(planned * number / (KILLS + 1)), done(folder) + 1) if number % 4 else 0
        deaths += disturb(tmp_path, folder, goal, luck.uniform(0, 1.5 if goal == 0 else 0.1))
    assert deaths > KILLS / 2, "it was over too soon to be disturbed"
    finish(tmp_path, folder)

    assert dump(folder) == expected
    found = read_status(folder)
    assert (found.matches_done, found.faults, found.running) == (planned, 0, 0)
    told = [line["match"] for line in read_journal(folder.journal) if line["event"] == "match_finished"]
    assert sorted(told) == sorted(row[0] for row in expected["match"]), "every result is told once"
    assert sorted(path.stem for path in folder.records.iterdir()) == sorted(told), "one record each, and no draft"
    before = dump(folder, measured=True)
    rebuild(folder)
    assert dump(folder, measured=True) == before, "the records give the same database"
    assert_nothing_left(tmp_path)
