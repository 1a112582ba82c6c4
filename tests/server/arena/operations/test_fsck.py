"""`tortuga fsck` on the folder of an arena: its settings, its registry, its ladders and its events."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from server.arena.config import FILE
from server.arena.ladders.ladder import open_ladder
from server.arena.registry import Registry
from server.tournament.folder import Folder, lock_folder
from server.tournament.store import Store
from support.events import dump
from support.ladders import make_config
from support.played_arenas import fsck, make_played_arena, write_settings


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_played_arena(tmp_path_factory.mktemp("arena"))


@pytest.fixture
def arena(played: Path, tmp_path: Path) -> Path:
    return shutil.copytree(played, tmp_path / "arena")


def sql(script: str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        database = sqlite3.connect(path / "arena.db")
        database.executescript(script)
        database.close()

    return damage


def spoil_index(path: Path) -> None:
    """Write over the page of an index: all rows are still there."""
    database = sqlite3.connect(path / "arena.db")
    size = database.execute("PRAGMA page_size").fetchone()[0]
    page = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'bot_of_token'").fetchone()[0]
    database.close()
    with (path / "arena.db").open("rb+") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


def registry_rows(path: Path) -> list[list[tuple[object, ...]]]:
    database = sqlite3.connect(path / "arena.db")
    try:
        return [database.execute(f"SELECT * FROM {table}").fetchall() for table in ("bot", "event", "entry", "paused")]
    finally:
        database.close()


def pipe_for_admin(path: Path) -> None:
    os.mkfifo(path / "admin.sock")


def spoil_ladder(path: Path) -> None:
    (path / "ladder" / "tortuga.db").write_bytes(b"garbage" * 1000)
    (path / "ladder" / "events.jsonl").write_bytes((path / "ladder" / "events.jsonl").read_bytes() + b"\xff\n")


def spoil_event(path: Path) -> None:
    (path / "events" / "cup" / "event.json").write_bytes(b"[" * 100_000)


MENDED: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "index": (spoil_index, "arena.db", "all of which can be read (40 of bot, 2 of event, 4 of entry, 1 of paused)"),
    "entry of nobody": (sql("INSERT INTO entry VALUES ('cup', 'nobody', 9, 0)"), "arena.db", "does not have"),
    "admin door": (pipe_for_admin, "admin.sock", "it is a pipe"),
    "settings for all": (lambda path: (path / FILE).chmod(0o644), FILE, "other users"),
    "registry for all": (lambda path: (path / "arena.db").chmod(0o640), "arena.db", "other users"),
    "ladder": (spoil_ladder, "ladder/tortuga.db", "damaged"),
    "journal of the ladder": (spoil_ladder, "ladder/events.jsonl", "1 line cannot be read"),
    "event": (spoil_event, "events/cup/event.json", "rebuilds it from tournament.toml"),
}


def test_a_sound_arena_is_clean(arena: Path) -> None:
    assert fsck(arena) == fsck(arena, "--repair") == (0, f"{arena}: all is well\n")


@pytest.mark.few(3)
@pytest.mark.parametrize("case", MENDED)
def test_what_is_damaged_is_named_and_mended(case: str, arena: Path, played: Path) -> None:
    damage, file, words = MENDED[case]
    damage(arena)
    code, output = fsck(arena)
    assert code == 1
    assert [line for line in output.splitlines() if line.startswith(file) and words in line], output
    code, output = fsck(arena, "--repair")
    assert (code, f"mended: {file}" in output) == (0, True), output
    assert fsck(arena) == (0, f"{arena}: all is well\n")
    assert registry_rows(arena) == registry_rows(played)
    with (
        Registry.open(arena / "arena.db") as registry,
        open_ladder(Folder(arena / "ladder"), make_config(), pytest.fail),
    ):
        assert len(registry.bots()) == 40
    for place in ("ladder", "events/cup"):
        assert dump(Folder(arena / place), measured=True) == dump(Folder(played / place), measured=True)


def lose_rows(path: Path) -> None:
    content = (path / "arena.db").read_bytes()
    (path / "arena.db").write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))


LEFT: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "rows": (lose_rows, "arena.db", "take it from a backup: not all rows can be read"),
    "registry gone": (lambda path: (path / "arena.db").unlink(), "arena.db", "bots, tokens and the calendar are lost"),
    "state": (sql("UPDATE event SET state = 'odd'"), "arena.db", "'odd' is not a valid EventState"),
    "games": (sql("UPDATE bot SET games = '['"), "arena.db", "it cannot be understood"),
    "newer": (sql("PRAGMA user_version = 99"), "arena.db", "newer version of tortuga"),
    "settings": (lambda path: (path / FILE).write_text("listen = 3"), FILE, "the server cannot start"),
    "settings gone": (lambda path: (path / FILE).unlink(), FILE, "default settings"),
    "event gone": (lambda path: shutil.rmtree(path / "events" / "cup"), "events/cup", "its results are lost"),
    "event of no calendar": (
        lambda path: shutil.copytree(path / "events" / "cup", path / "events" / "other"),
        "events/other",
        "the calendar does not have this event",
    ),
    "agreement of the ladder": (
        lambda path: (path / "ladder" / "event.json").write_bytes(b"{"),
        "ladder/event.json",
        "take it from a backup",
    ),
}


@pytest.mark.few(4)
@pytest.mark.parametrize("case", LEFT)
def test_what_cannot_be_mended_is_left_with_what_helps(case: str, arena: Path) -> None:
    damage, file, words = LEFT[case]
    damage(arena)
    for flags in ((), ("--repair",)):
        code, output = fsck(arena, *flags)
        assert code == 1
        assert [line for line in output.splitlines() if line.startswith(file) and words in line], output
    assert not list(arena.glob("*.damaged"))


@pytest.mark.parametrize("place", ["", "ladder", "events/cup"])
def test_an_arena_of_which_somebody_runs_a_part_is_left_alone(place: str, arena: Path) -> None:
    with lock_folder(Folder(arena / place)):
        code, output = fsck(arena)
    assert (code, f"{Folder(arena / place).path} is being run by process {os.getpid()}" in output) == (2, True)


def test_a_new_arena_and_one_that_was_killed_while_it_began_are_clean(tmp_path: Path) -> None:
    write_settings(tmp_path)
    assert fsck(tmp_path)[0] == 0
    Registry.open(tmp_path / "arena.db").close()
    folder = Folder(tmp_path / "ladder")
    folder.prepare()
    Store.open(folder.database).close()
    assert fsck(tmp_path)[0] == 0
