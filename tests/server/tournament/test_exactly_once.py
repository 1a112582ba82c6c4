"""Results exactly once: whatever is killed or broken, the event comes to what it would have come to undisturbed."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.journal import read_journal
from server.tournament.runner import Ending
from server.tournament.status import read_status
from support import sizes
from support.events import KILLED, Notes, dump, make_event, run, run_until

MATCHES = sizes.pick(quick=12, ci=40, full=150)
"""An event has more matches than this."""
KILLS = sizes.pick(quick=1, ci=4, full=30)
TOUCHES = sizes.pick(quick=(40, 80), ci=(40, 200), full=(20, 90))
"""How much work is done before a kill."""
EVERY = sizes.pick(quick=8, ci=1)
"""The crash matrix dies at every touch of the folder, or at every eighth."""

LENGTH = sizes.pick(quick=1, ci=3, full=10)
FORMATS = {
    # some two hundred matches each, or some sixty
    "round-robin": {"bots": ["ann", "bob", "cid", "dan", "eve"], "rounds": LENGTH},
    "gauntlet": {"bots": ["ann", "bob", "cid", "dan", "eve"], "rounds": 5 * LENGTH // 2},
    "swiss": {"bots": [f"bot{number}" for number in range(11)], "rounds": 2 * LENGTH},
    "knockout": {"bots": [f"bot{number}" for number in range(sizes.pick(quick=5, ci=12, full=32))], "rounds": 3},
    "league": {"bots": ["ann", "bob", "cid", "dan", "eve", "fay", "gus"], "rounds": 3 * LENGTH},
    "ladder": {"bots": ["ann", "bob", "cid", "dan", "eve", "fay", "gus"], "rounds": 4 * LENGTH},
}


@pytest.mark.system
@sizes.sized
def test_a_kill_at_any_touch_of_the_folder_changes_nothing(tmp_path: Path) -> None:
    """A crash matrix in the manner of SQLite: die at the n-th touch, for every n until the run gets through."""
    whole = make_event(tmp_path / "whole", bots=["ann", "bob"], rounds=2)
    assert run(whole) is Ending.FINISHED
    expected = dump(whole)
    assert len(expected["match"]) == 4
    touch, exit_code = 1 - EVERY, KILLED
    while exit_code == KILLED:
        touch += EVERY
        folder = make_event(tmp_path / f"{touch}", bots=["ann", "bob"], rounds=2)
        exit_code = run_until(folder, touch)
        assert exit_code in (0, KILLED)
        notes = Notes()
        assert run(folder, notes) is Ending.FINISHED
        assert notes.warnings == [], f"killed at touch {touch}"
        assert dump(folder) == expected, f"killed at touch {touch}"
        check_journal(folder)
        shutil.rmtree(folder.path)
    assert touch > 40, "the matrix has lost its teeth: hardly anything was touched"


@pytest.mark.few(2)
@sizes.sized
@pytest.mark.parametrize("format_name", FORMATS)
def test_an_event_of_each_format_survives_kills(format_name: str, tmp_path: Path) -> None:
    keys = {"format": format_name, **FORMATS[format_name]}
    whole = make_event(tmp_path / "whole", **keys)  # type: ignore[arg-type]
    assert run(whole) is Ending.FINISHED
    expected = dump(whole)
    assert len(expected["match"]) > MATCHES
    folder = make_event(tmp_path / "killed", **keys)  # type: ignore[arg-type]
    luck = random.Random(format_name)
    deaths = 0
    while deaths < KILLS and run_until(folder, luck.randrange(*TOUCHES)) == KILLED:
        deaths += 1
    assert deaths >= KILLS // 2, "the event was over too soon to be disturbed"
    assert run(folder) is Ending.FINISHED
    assert dump(folder) == expected
    check_journal(folder)
    before = dump(folder, measured=True)
    rebuild(folder)
    assert dump(folder, measured=True) == before


def check_journal(folder: Folder) -> None:
    """Every result is told once."""
    told = [line["match"] for line in read_journal(folder.journal) if line["event"] == "match_finished"]
    assert sorted(told) == sorted(row[0] for row in dump(folder)["match"])
    assert read_status(folder).matches_done == len(told)


def test_the_order_in_which_blocks_end_does_not_matter(tmp_path: Path) -> None:
    """Four matches at once, or one: the same live ladder."""
    one = make_event(tmp_path / "one", concurrency=1, rounds=6)
    four = make_event(tmp_path / "four", concurrency=8, rounds=6)
    run(one)
    run(four)
    assert dump(one) == dump(four)


@pytest.mark.parametrize("damage", ["deleted", "cut short", "changed", "emptied"])
def test_a_damaged_record_is_named_and_its_match_played_again(damage: str, tmp_path: Path) -> None:
    folder = make_event(tmp_path / "event")
    run(folder)
    expected = dump(folder)
    path = sorted(folder.records.iterdir())[3]
    content = path.read_bytes()
    match damage:
        case "deleted":
            path.unlink()
        case "cut short":
            path.write_bytes(content[:-10])
        case "changed":
            path.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
        case _:
            path.write_bytes(b"")
    notes = Notes()
    assert run(folder, notes) is Ending.FINISHED
    assert [path.name in text and "played again" in text for text in notes.warnings] == [True]
    assert notes.finished == [path.name.removesuffix(".tortuga")]
    assert dump(folder) == expected
    assert path.exists()


@pytest.mark.few(2)
@sizes.sized
@pytest.mark.parametrize("format_name", FORMATS)
def test_an_early_record_is_played_again_where_later_stages_were_drawn_from_it(
    format_name: str, tmp_path: Path
) -> None:
    folder = make_event(tmp_path, format=format_name, rounds=4, bots=["ann", "bob", "cid", "dan"])
    run(folder)
    expected = dump(folder)
    min(folder.records.iterdir()).unlink()
    assert run(folder) is Ending.FINISHED
    assert dump(folder) == expected


@pytest.mark.few(1)
@pytest.mark.parametrize("loss", ["deleted", "garbage", "cut short"])
def test_a_lost_database_is_made_again_from_the_records(loss: str, tmp_path: Path) -> None:
    folder = make_event(tmp_path / "event")
    run(folder)
    expected = dump(folder, measured=True)
    if loss == "deleted":
        folder.database.unlink()
    elif loss == "garbage":
        folder.database.write_bytes(b"not a database at all" * 1000)
    else:
        folder.database.write_bytes(folder.database.read_bytes()[:5000])
    notes = Notes()
    assert run(folder, notes) is Ending.FINISHED
    assert dump(folder, measured=True) == expected
    assert notes.finished == []
    assert len(notes.warnings) == (0 if loss == "deleted" else 1)


def test_a_foreign_record_is_set_aside(tmp_path: Path) -> None:
    folder, other = make_event(tmp_path / "event"), make_event(tmp_path / "other", seed="another")
    run(folder)
    run(other)
    expected = dump(folder)
    stranger = next(other.records.iterdir())
    shutil.copy(stranger, folder.records)
    notes = Notes()
    run(folder, notes)
    assert dump(folder) == expected
    assert stranger.name in notes.warnings[0]
    assert "does not belong" in notes.warnings[0]
    assert not (folder.records / stranger.name).exists()


def test_an_event_that_is_over_stays_over(tmp_path: Path) -> None:
    folder = make_event(tmp_path / "event")
    run(folder)
    expected = dump(folder, measured=True)
    notes = Notes()
    assert run(folder, notes) is Ending.FINISHED
    assert notes.finished == []
    assert dump(folder, measured=True) == expected
