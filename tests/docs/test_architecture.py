"""docs/architecture.md says how the code is, and the glossary's words are those the code uses."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from support.layers import room_imports

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text()
HOPS = 12


def short(room: str) -> str:
    """All games are one kind of room."""
    return "referee.games.<game>" if room.startswith("referee.games.") else room


def real_arrows() -> dict[str, set[str]]:
    """The imports between rooms, written as the page writes them."""
    found: dict[str, set[str]] = {}
    for room, targets in room_imports().items():
        names = {short(target) for target in targets} - {short(room)}
        if room.startswith(("server", "bench")):
            names = {"referee.*" if name.startswith("referee") else name.removeprefix("server.") for name in names}
        found.setdefault(short(room), set()).update(names)
    return found


@pytest.mark.system
def test_the_arrows_of_the_page_are_the_imports_of_the_code() -> None:
    rows = re.findall(r"^([\w.<>]+) +-> (.+)$", PAGE, flags=re.MULTILINE)
    told = {room: set() if names == "nothing" else set(names.split(", ")) for room, names in rows}
    assert told == real_arrows()


def test_every_room_of_the_page_is_a_folder_and_every_folder_is_a_room() -> None:
    rooms = set(re.findall(r"^\| `((?:referee|server|bench)/[^`]*)` \|", PAGE, flags=re.MULTILINE))
    tops = [ROOT / name for name in ("referee", "server", "server/arena")]
    folders = {
        f"{path.relative_to(ROOT)}/"
        for path in [ROOT / "bench", *tops, *(path for top in tops for path in top.iterdir())]
        if path != ROOT / "referee" / "games"
        and any(path.glob("*.py"))  # after a move, __pycache__ may be left of a folder
    }
    assert rooms == folders | {"referee/games/<game>/"}


def read_walks() -> dict[str, list[tuple[int, str, str]]]:
    """Return the hops of each walk by its heading: number, file, and function or Class.method.

    Every section with a numbered list is a walk.
    """
    walks = {}
    for heading, text in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, flags=re.DOTALL | re.MULTILINE):
        hops = re.findall(r"^(\d+)\. (?:`([\w./]+\.py)`, `([\w.]+)`:)?", text, flags=re.MULTILINE)
        if hops:
            walks[heading] = [(int(number), file, function) for number, file, function in hops]
    return walks


def defined_names(file: Path) -> set[str]:
    """Return the functions of a file and its methods, with and without the name of their class."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            names |= {
                f"{node.name}.{member.name}"
                for member in node.body
                if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)
            }
    return names


def test_the_page_has_these_walks() -> None:
    topics = ("decision", "ladder page", "submission", "cluster block")
    assert [topic for topic in topics if not any(topic in heading.lower() for heading in read_walks())] == []


@pytest.mark.parametrize("walk", read_walks())
def test_a_walk_has_few_hops_that_exist(walk: str) -> None:
    hops = read_walks()[walk]
    assert [number for number, _, _ in hops] == list(range(1, len(hops) + 1))
    assert 0 < len(hops) <= HOPS
    for number, file, function in hops:
        assert file, f"hop {number} names no file and function"
        assert function in defined_names(ROOT / file), f"hop {number}: {file} does not define {function}"


def test_every_file_the_page_names_is_there() -> None:
    for name in re.findall(r"`((?:referee|server|tests|sample_bots|docs)/[\w./]+\.\w+)`", PAGE):
        assert (ROOT / name).is_file(), name
