"""A run that is started on a full disk: it says so, and leaves nothing behind that keeps the next one from starting."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.errors import TortugaError
from server.arena.ladders.ladder import open_ladder
from server.arena.registry import Registry
from server.system.files import naming
from server.tournament.folder import Folder
from server.tournament.repair.fsck import check_event
from server.tournament.runner import Ending
from support.command import environment
from support.events import Notes, dump, make_event, run
from support.ladders import make_config
from support.sizes import pick, sized

DISK_BYTES = 1024 * 1024
STEPS = range(0, 256, pick(quick=32, ci=4))
"""Free kilobytes at the start: from nothing to more than an event needs before its first match."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(place)]
    if os.getuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path, *, leave: int) -> None:
    """Take all space but so many bytes."""
    space = os.statvfs(disk)
    with (disk / "filler").open("wb") as file:
        file.write(bytes(max(0, space.f_bavail * space.f_frsize - leave)))


class MakesSpace(Notes):
    """An organiser who makes space when told that the disk is full."""

    def __init__(self, disk: Path) -> None:
        super().__init__()
        self._disk = disk

    def warned(self, text: str) -> None:
        super().warned(text)
        assert "disk is full: waiting" in text
        (self._disk / "filler").unlink()


@pytest.mark.system
@sized
def test_an_event_started_with_any_space_says_so_and_can_be_started_again(small_disk: Path, tmp_path: Path) -> None:
    whole = make_event(tmp_path / "whole", bots=["ann", "bob"], rounds=2)
    run(whole)
    refused, waited = 0, 0
    for kilobytes in STEPS:
        folder = make_event(small_disk / f"{kilobytes}", bots=["ann", "bob"], rounds=2)
        fill(small_disk, leave=kilobytes * 1024)
        organiser = MakesSpace(small_disk)
        why = ""
        try:
            with naming(folder.path):
                assert run(folder, organiser) is Ending.FINISHED
            waited += bool(organiser.warnings)
        except (OSError, TortugaError) as error:
            why, refused = str(error), refused + 1
        check_words(why, folder.path)
        (small_disk / "filler").unlink(missing_ok=True)
        notes = Notes()
        assert run(folder, notes) is Ending.FINISHED
        assert notes.warnings == [], kilobytes
        assert dump(folder) == dump(whole)
        assert check_event(folder) == []
        shutil.rmtree(folder.path)
    assert refused
    assert waited


@sized
def test_an_arena_started_with_any_space_says_so_and_can_be_started_again(small_disk: Path) -> None:
    refused = 0
    for kilobytes in STEPS:
        place = small_disk / f"{kilobytes}"
        place.mkdir()
        fill(small_disk, leave=kilobytes * 1024)
        why = ""
        try:
            open_arena(place)
        except (OSError, TortugaError) as error:
            why, refused = str(error), refused + 1
        check_words(why, place)
        (small_disk / "filler").unlink()
        open_arena(place)
        assert check_event(Folder(place / "ladder")) == []
        shutil.rmtree(place)
    assert refused


def check_words(why: str, place: Path) -> None:
    """Who is refused is told why, and where."""
    assert not why or ("No space left on device" in why and str(place) in why)


def open_arena(place: Path) -> None:
    """What `tortuga serve` does before it opens its doors."""
    with (
        naming(place),
        Registry.open(place / "arena.db"),
        open_ladder(Folder(place / "ladder"), make_config(), pytest.fail),
    ):
        pass


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("words", "words_of_it"),
    [
        (["tournament", "run", "event", "--jail", "none"], "event: File too large"),
        (["tournament", "run", "event", "--jail", "auto"], ""),
        (
            ["tournament", "run", "new", *("--game", "pavillon_noir", "--bot", "random", "--bot", "random")],
            "new: File too large",
        ),
        (["serve", "arena"], "arena: File too large"),
    ],
    ids=["event", "event in a jail", "quick event", "arena"],
)
def test_a_command_that_may_write_nothing_says_so_in_one_line(
    words: list[str], words_of_it: str, tmp_path: Path
) -> None:
    """A limit on the size of files stands for a full disk: everybody may set it."""
    make_event(tmp_path / "event", bots=["ann", "bob"], rounds=1)
    command = [sys.executable, "-m", "server", *words]
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 0 && exec "$@"', "sh", *command],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert last.startswith("tortuga: ")
    assert words_of_it in last
    assert "; free some space" in last
    assert last.endswith("the same command again")
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.name in ("arena.toml", "event.json")]
    assert not (tmp_path / "new" / "tournament.toml").exists()
