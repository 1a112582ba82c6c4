"""Every file of an arena's folder and of an event's, with a bit flipped or cut short: what is damaged is named and
mended, or named and left, and no result changes without a word."""

from __future__ import annotations

import random
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from referee.errors import TortugaError
from server.arena.ladders.ladder import open_ladder
from server.arena.registry import Registry
from server.tournament.folder import Folder
from support.events import dump
from support.ladders import make_config
from support.played_arenas import fsck, make_played_arena
from support.sizes import pick

FLIPS = pick(ci=2, full=60)
CUTS = pick(ci=1, full=20)
RECORDS = pick(ci=1, full=10)
"""Records of each folder that are damaged."""
PLACES = ("ladder", "events/cup")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_played_arena(tmp_path_factory.mktemp("arena"))


def files_of(path: Path) -> list[Path]:
    """Return all files below a folder, but only some of its records."""
    others = [file for file in sorted(path.rglob("*")) if file.is_file() and file.parent.name != "records"]
    records = [file for place in PLACES for file in sorted((path / place / "records").iterdir())[:RECORDS]]
    return [file.relative_to(path) for file in [*others, *records] if file.stat().st_size]


def damaged(content: bytes, luck: random.Random) -> list[tuple[str, bytes]]:
    """Return what may become of a file, with the names of it."""
    result = []
    for _ in range(FLIPS):
        at, bit = luck.randrange(len(content)), luck.randrange(8)
        result.append((f"bit {bit} of byte {at}", content[:at] + bytes((content[at] ^ 1 << bit,)) + content[at + 1 :]))
    for _ in range(CUTS):
        at = luck.randrange(len(content))
        result.append((f"cut at {at}", content[:at]))
    return result


def test_no_flipped_bit_and_no_cut_changes_a_result_without_a_word(played: Path) -> None:
    expected = {place: dump(Folder(played / place), measured=True) for place in PLACES}
    told: dict[str, list[int]] = {"clean": [], "mended": [], "left": []}
    for number, file in enumerate(files_of(played)):
        for what, content in damaged((played / file).read_bytes(), random.Random(f"{file}")):
            with tempfile.TemporaryDirectory() as place:
                arena = shutil.copytree(played, Path(place) / "arena")
                (arena / file).write_bytes(content)
                found, first = fsck(arena)
                left, words = fsck(arena, "--repair")
                case = f"{file}, {what}: {words}"
                told["left" if left else "mended" if found else "clean"].append(number)
                assert "Traceback" not in first + words, case
                if left == 0:
                    assert fsck(arena)[0] == 0, case
                    for folder, rows in expected.items():
                        now = dump(Folder(arena / folder), measured=True)
                        if (
                            found and file.parent == Path(folder) / "records"
                        ):  # its match is played again: that was said
                            assert {*now["match"]} < {*rows["match"]}, case
                        else:
                            assert now == rows, case
                opens(arena)
    print({kind: len(numbers) for kind, numbers in told.items()})
    assert all(told.values())


def opens(arena: Path) -> None:
    """Open an arena as the server does, or be refused in words."""
    with (
        suppress(TortugaError),
        Registry.open(arena / "arena.db"),
        open_ladder(Folder(arena / "ladder"), make_config(), print),
    ):
        pass
