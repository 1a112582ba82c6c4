"""Imports point one way. The arrows between the rooms are in tests/support/layers.py; this test reads every import and
names those that are not in the table, module cycles, knots of rooms, and whatever makes a pure room impure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.layers import (
    ARROWS,
    BRING_RULES,
    GAMES,
    ROOT,
    imported_names,
    imports,
    knots,
    modules,
    room_imports,
    room_of,
)

pytestmark = pytest.mark.system  # it reads the whole tree

PURE = {
    *(
        "__future__",
        "abc",
        "bisect",
        "collections",
        "dataclasses",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
    ),
    *("itertools", "math", "operator", "re", "statistics", "string", "types", "typing"),
}
"""What a pure room may use of the outside: no file, no clock, no random generator, no process, no protobuf."""

STDLIB = sys.stdlib_module_names
TAKEN = ("server.jail.enclosure", "server.jail.dialler", "server.jail.group", "server.jail.tree")
"""What the keeper imports of ours."""

RULES_KIT = ("agenda", "chance", "engine", "infos", "parts")
GAME_MAY_USE = {"referee.errors", "referee.text", *(f"referee.rules.{file}" for file in RULES_KIT)}
"""The files of `referee/` that are made for games."""

FORBIDDEN = [
    # where, what it may not import, why
    ("referee/rules/chance.py", ("referee.rules.engine",), "luck is keyed, nothing else"),
    ("referee/rules/engine.py", ("asyncio",), "the contract of a game is pure"),
    ("referee/rules/course.py", ("asyncio", "referee.match.clock"), "a course has no clock"),
    ("referee/door/outbox.py", ("grpc",), "an outbox is bytes, not transport"),
    ("referee/door/player.py", ("grpc",), "a player is bytes, not transport"),
    ("referee/door/remote_bots.py", ("grpc",), "remote bots are sessions, not streams"),
    ("referee/door/session.py", ("grpc",), "a session is bytes in, bytes out"),
    ("referee/door/spectator.py", ("grpc", "referee.door.service", "referee.door.session"), "a feed is messages"),
    ("referee/records", ("grpc",), "a record is a file"),
    ("referee/wire", ("grpc",), "the wire is messages, not transport"),
    ("referee/wire", tuple(f"{game}.rules" for game in GAMES), "the wire translates values, it applies no rules"),
]


def test_every_room_stands_in_the_table() -> None:
    rooms = {room_of(module) for module in modules()}
    assert rooms == set(ARROWS), "a folder came or went: mend ARROWS in tests/support/layers.py"


@pytest.mark.parametrize("room", ARROWS)
def test_a_room_imports_only_what_the_table_allows(room: str) -> None:
    wrong = [
        f"{module} imports {target}"
        for module, targets in imports().items()
        for target in sorted(targets)
        if room_of(module) == room != room_of(target) and room_of(target) not in ARROWS[room]
    ]
    assert not wrong, f"arrows that are not in ARROWS of tests/support/layers.py: {wrong}"


def test_the_table_itself_has_no_knot() -> None:
    assert knots(ARROWS) == []


def test_no_knot_of_rooms() -> None:
    assert knots(room_imports()) == []


def test_no_cycle_of_modules() -> None:
    assert knots(imports()) == []


@pytest.mark.parametrize(("where", "what", "why"), FORBIDDEN)
def test_a_file_imports_nothing_it_should_not_know(where: str, what: tuple[str, ...], why: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files_in(where)
        for name in sorted(imported_names(path))
        if any(f"{name}.".startswith(f"{word}.") for word in what)
    ]
    assert not wrong, f"{why}: {wrong}"


def test_a_match_runs_without_grpc_and_protobuf() -> None:
    for module, path in modules().items():
        if room_of(module) in ("referee", "referee.rules", "referee.match"):
            outside = {name.partition(".")[0] for name in imported_names(path)}
            assert not outside & {"grpc", "google", "tortuga"}, module


@pytest.mark.parametrize(
    ("where", "besides"), [("referee/games", set()), ("server/schedule", {"numpy"}), ("server/ratings", {"numpy"})]
)
def test_a_pure_room_imports_nothing_that_knows_the_world(where: str, besides: set[str]) -> None:
    allowed = PURE | besides | {"referee", "server"}
    wrong = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files_in(where)
        for name in imported_names(path)
        if name.partition(".")[0] not in allowed
    }
    assert not wrong


def test_a_game_uses_only_what_is_made_for_games() -> None:
    for module, targets in imports().items():
        if room_of(module) in GAMES:
            foreign = {target for target in targets if room_of(target) != room_of(module)}
            assert foreign <= GAME_MAY_USE, f"{module} imports {foreign - GAME_MAY_USE}"


def test_a_bot_that_does_not_search_does_without_the_rules() -> None:
    """Only what stands behind `tortuga_bot.model` imports `referee`, and it is imported when it is called for."""
    script = "import sys, tortuga_bot; print([name for name in sys.modules if name in ('referee', 'server')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert set(modules()) >= BRING_RULES
    for module, path in modules().items():
        if room_of(module) == "sample_bots":
            foreign = {name for name in imported_names(path) if name.partition(".")[0] in ("referee", "server")}
            assert not foreign, f"{module} imports {foreign}"


def test_the_keeper_is_the_standard_library_alone() -> None:
    """And so are the files that it takes from the jail."""
    [keeper] = files_in("server/hosting/keeper.py")
    names = {name for name in imported_names(keeper) if not name.startswith(TAKEN)}
    for module in TAKEN:
        names |= imported_names(modules()[module])
    assert {name.partition(".")[0] for name in names} <= STDLIB


def test_the_core_watch_is_the_standard_library_alone() -> None:
    [script] = files_in("server/hosting/core_watch.py")
    assert {name.partition(".")[0] for name in imported_names(script)} <= STDLIB


def files_in(where: str) -> list[Path]:
    place = ROOT / where
    files = [place] if place.is_file() else sorted(place.rglob("*.py"))
    assert files, f"{where} is gone: mend this test"
    return files


def test_imports_are_found_wherever_they_stand(tmp_path: Path) -> None:
    for name, text in {
        "referee/__init__.py": "",
        "referee/a.py": "def f():\n    from referee.door import b\n",
        "referee/door/__init__.py": "",
        "referee/door/b.py": "if TYPE_CHECKING:\n    import referee.door.c\n",
        "referee/door/c.py": "from .. import a\nfrom . import d\nimport os.path\n",
        "referee/door/d.py": "",
        "server/__main__.py": "from server.cli.main import run\n",
        "server/cli/main.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = imports(tmp_path)
    assert found["referee.a"] == {"referee.door.b"}
    assert found["referee.door.b"] == {"referee.door.c"}
    assert found["referee.door.c"] == {"referee.a", "referee.door.d"}
    assert knots(found) == [["referee.a", "referee.door.b", "referee.door.c"]]
    assert knots(room_imports(tmp_path)) == [["referee", "referee.door"]]
    assert room_of("server.__main__", tmp_path) == room_of("server.cli.main", tmp_path) == "server.cli"
