"""An arena whose folder was damaged: `tortuga fsck --repair` repairs it, and the arena goes on with the same table."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from server.tournament.folder import Folder
from server.tournament.store import Store
from support.command import tortuga
from support.events import dump
from support.ladders import make_config
from support.served import PATIENCE_SECONDS, Served, check_ladder, dialled_in, wait_for_matches

pytestmark = pytest.mark.timeout(3 * PATIENCE_SECONDS)


def fsck(path: Path, *words: str) -> int:
    return tortuga(path.parent, "fsck", str(path), *words).returncode


def count_rows(folder: Folder) -> int:
    with Store.read_only(folder.database) as store:
        return sum(1 for _ in store.match_ids())


def test_an_arena_goes_on_after_a_repair(tmp_path: Path) -> None:
    served = Served(tmp_path, make_config(rest_seconds=0.5)).start()  # few matches: fsck proves them all
    ladder = Folder(served.path / "ladder")
    try:
        tokens = served.add("ann", "ben")
        with dialled_in(served.bots, tokens):
            wait_for_matches(served, 5)
            assert fsck(served.path) == 2, "it is running"
            served.kill()
        assert fsck(served.path, "--repair") in (0, 1)
        before = dump(ladder, measured=True)
        ladder.database.write_bytes(b"garbage" * 5000)
        ladder.journal.write_bytes(b"\xff\n" + ladder.journal.read_bytes())
        assert [fsck(served.path), fsck(served.path, "--repair"), fsck(served.path)] == [1, 0, 0]
        assert dump(ladder, measured=True) == before
        served.start()
        with dialled_in(served.bots, tokens):
            wait_for_matches(served, len(before["match"]) + 2)
        told = served.told()
        served.close()
        check_ladder(served.path, told)
        # A record that is gone takes its row with it, and the count of the server is that of the database.
        min(ladder.records.iterdir()).unlink()
        assert [fsck(served.path), fsck(served.path, "--repair"), fsck(served.path)] == [1, 0, 0]
        left = count_rows(ladder)
        served.start()
        assert served.status().matches == left
        with dialled_in(served.bots, tokens):
            wait_for_matches(served, left + 2)
    finally:
        served.close()
    assert fsck(served.path) == 0
    shutil.rmtree(served.path)
