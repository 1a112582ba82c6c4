"""The tables of an arena's ladders: of one moment, and made by a process that does not outlive the server."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from server.arena.reading import fits, standings_maker
from server.play.summary import MatchSummary
from server.tournament.agreement import Agreement, Entry
from server.tournament.folder import Folder
from server.tournament.standings import read_contest
from server.tournament.store import Store
from support.arena import LADDER, Arena, block, fill, make_tables_here, open_manifest
from support.command import ROOT
from tortuga.v1 import arena_pb2 as pb

PARENT = """
import os, time
from server.arena.reading.standings_maker import StandingsMaker

if __name__ == "__main__":
    maker = StandingsMaker(None)._process()  # held: a pool that nobody knows any more ends by itself
    print(maker.submit(os.getpid).result(), flush=True)
    maker.submit(time.sleep, 600)
    time.sleep(600)
"""


def test_a_newcomer_who_plays_while_the_table_is_made_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path)
    fill(folder, [block(0, ["ann", "bob"])])
    read = Folder.read_agreement

    def read_late(self: Folder) -> Agreement | None:
        """Between a look at the database and one at the roster, or the other way round, somebody joins and plays."""
        found = read(self)
        assert found is not None
        if len(found.roster) == 4:
            newcomer = Entry(name="dan", bot="dan")
            self.write_agreement(replace(found, roster=(*found.roster, newcomer)))
            with Store.open(self.database) as store:
                store.add(block(1, ["ann", "dan"]), ())
        return found

    monkeypatch.setattr(Folder, "read_agreement", read_late)
    first = read_contest(folder, LADDER)
    second = read_contest(folder, LADDER)
    assert first is not None
    assert second is not None
    assert (first.standings.fitted.matches, second.standings.fitted.matches) == (2, 4)
    assert {line.bot for line in second.standings.lines} - {line.bot for line in first.standings.lines} == {"dan"}


def test_a_ladder_of_which_nothing_is_known_has_no_table(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert read_contest(folder, LADDER) is None
    fill(folder, [], open_manifest())
    assert read_contest(folder, "chess-2") is None
    empty = read_contest(folder, LADDER)
    assert empty is not None
    assert empty.standings.fitted.matches == 0


def test_the_table_maker_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen(
        [sys.executable, str(script)], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert Path(f"/proc/{child}").exists()
        parent.kill()
    while Path(f"/proc/{child}").exists() and is_alive(child):
        time.sleep(0.02)  # until it is gone; the test's own limit is the end of patience


def is_alive(pid: int) -> bool:
    """A process that nobody has waited for yet is gone too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


GAMES = [{"id": "pavillon_noir"}, {"id": "broadsides"}]


def of_both_games(number: int) -> list[list[MatchSummary]]:
    """The same block of each game."""
    matches = block(number, ["ann", "bob"], [[1, 2], [2, 1]])
    other = [replace(match, match_id=f"{match.match_id}-other", contest="broadsides-2") for match in matches]
    return [matches, [replace(match, block=match.block + 1000) for match in other]]


def test_a_table_over_all_ladders_has_new_matches_unless_there_are_too_many_bots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tables_here(monkeypatch)
    monkeypatch.setattr(fits, "GOOD_SECONDS", 0.0)
    monkeypatch.setattr(fits, "GOOD_TIMES", 0.0)
    monkeypatch.setattr(fits, "STALE_SECONDS", 0.0)
    with Arena(tmp_path) as arena:
        arena.add_bots("ann", "bob", "cid")
        assert arena.api.GetOverall(pb.GetOverallRequest()).quiet, "nothing was played"
        fill(arena.archive.ladder, of_both_games(0) + of_both_games(1), open_manifest(games=GAMES))
        answer = arena.api.GetOverall(pb.GetOverallRequest())
        assert (answer.table.table_matches, list(answer.contests)) == (8, ["pavillon_noir-2", "broadsides-2"])
        assert {row.entry: (row.bot, row.version, row.matches, row.faults) for row in answer.table.rows} == {
            "ann": ("ann", "1", 8, 0),
            "bob": ("bob", "1", 8, 8),
        }
        with Store.open(arena.archive.ladder.database) as store:
            for matches in of_both_games(2):
                store.add(matches, ())
        assert arena.api.GetOverall(pb.GetOverallRequest()).table.table_matches == 12
        monkeypatch.setattr(standings_maker, "FEWEST_FITS", 1)
        monkeypatch.setattr(standings_maker, "MOST_CELLS", 1)
        refused = arena.api.GetOverall(pb.GetOverallRequest())
        assert refused.quiet
        assert not refused.HasField("table")
