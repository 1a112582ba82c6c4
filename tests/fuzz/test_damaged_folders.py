"""A folder that was damaged in several places: `fsck --repair` repairs it or says what is left, and what it calls
mended goes on with the same table."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from server.tournament.folder import Folder, lock_folder
from server.tournament.repair.fsck import check_event
from server.tournament.repair.problems import diagnose
from server.tournament.runner import Ending
from support.events import dump, make_event, run
from support.sizes import pick, sized

FILES = ("event.json", "events.jsonl", "tortuga.db", "records")
"""tournament.toml is the organiser's, who may change it at will: it is left alone."""

damages = st.lists(
    st.tuples(
        st.sampled_from(FILES),
        st.integers(0, 20),
        st.sampled_from(["delete", "cut", "flip", "splice", "pipe", "folder", "stranger", "copy"]),
        st.floats(0, 1),
        st.binary(min_size=1, max_size=20),
    ),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    made = make_event(tmp_path_factory.mktemp("played"), bots=["ann", "crash"], rounds=2)
    run(made)
    return made


def damage(folder: Folder, name: str, number: int, how: str, where: float, content: bytes) -> None:
    path = folder.path / name
    if name == "records":
        files = sorted(path.iterdir())
        path = files[number % len(files)] if files else path / "x.tortuga"
    old = path.read_bytes() if path.is_file() else b""
    at = int(where * len(old))
    if how in ("delete", "pipe", "folder"):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    match how:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "cut" if path.is_file():
            path.write_bytes(old[:at])
        case "flip" if path.is_file() and old:
            at = min(at, len(old) - 1)
            path.write_bytes(old[:at] + bytes([old[at] ^ content[0] | 1]) + old[at + 1 :])
        case "splice" if path.is_file():
            path.write_bytes(old[:at] + content + old[at:])
        case "stranger":
            (path.parent / f"{number}.tortuga").write_bytes(content)
        case "copy" if path.is_file():
            path.with_name(f"{number}.tortuga").write_bytes(old)


@sized
@settings(
    deadline=None,
    max_examples=pick(quick=15, ci=100, full=3000),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(damages)
@example([("event.json", 0, "splice", 0.8125, b" ")])  # into the content of the anchor
def test_what_is_called_mended_goes_on_with_the_same_table(
    played: Folder, what: list[tuple[str, int, str, float, bytes]]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Folder(Path(place) / "event")
        shutil.copytree(played.path, folder.path)
        for one in what:
            damage(folder, *one)
        with lock_folder(folder):
            found = diagnose(lambda: check_event(folder), repair=True)
        assert all(problem.repair for problem in found.left)
        if not found.left:
            assert run(folder) is Ending.FINISHED
            assert dump(folder) == dump(played)
            assert check_event(folder) == []
