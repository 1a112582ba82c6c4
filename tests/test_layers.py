"""Imports point one way. This test reads them and names any arrow that turned round."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

FORBIDDEN = [
    # where, what it may not import, why
    ("referee", ("server", "sample_bots", "tortuga_bot"), "the referee knows nothing of the server or of bots"),
    ("referee/games", ("google", "tortuga", "grpc", "referee.wire", "referee.match"), "a game knows no wire"),
    ("referee/games", ("asyncio", "time", "random", "os", "logging", "structlog", "secrets"), "a game is pure"),
    ("referee/engine.py", ("referee.games", "referee.wire", "google", "tortuga"), "the contract knows no game"),
    ("referee/chance.py", ("referee.games", "referee.engine", "random", "secrets"), "luck is keyed, nothing else"),
    ("referee/course.py", ("asyncio", "google", "tortuga", "referee.wire"), "a course has no clock and no wire"),
    (
        "referee/match.py",
        ("grpc", "google", "tortuga", "referee.door.session", "referee.door.service"),
        "no gRPC in a match",
    ),
    ("referee/door/session.py", ("grpc", "referee.door.service"), "a session is bytes in, bytes out"),
    ("referee/door/player.py", ("grpc", "referee.door.service"), "a table is bytes in, bytes out"),
    ("referee/door/remote_bots.py", ("grpc", "referee.door.service"), "remote bots are sessions, not streams"),
    (
        "referee/door/spectator.py",
        ("grpc", "referee.door.session", "referee.door.service"),
        "a feed shows messages, not transport",
    ),
    ("referee/wire", ("grpc", "referee.door.session", "referee.door.service"), "the wire is messages, not transport"),
    ("sample_bots", ("server", "referee"), "a bot knows the protocol and nothing else of ours"),
    (
        "server/ratings",
        ("asyncio", "time", "random", "os", "scipy", "google", "grpc", "tortuga", "referee"),
        "ratings are pure",
    ),
    (
        "server/schedule",
        ("asyncio", "time", "random", "os", "numpy", "google", "grpc", "tortuga", "server.tournament"),
        "schedules are pure",
    ),
    ("server/hosting/keeper.py", ("server", "referee", "grpc", "google"), "the keeper is the standard library alone"),
]


def imports(path: Path) -> list[str]:
    """Everything a file imports, wherever in it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


@pytest.mark.parametrize(("where", "what", "why"), FORBIDDEN)
def test_no_arrow_turns_round(where: str, what: tuple[str, ...], why: str) -> None:
    place = ROOT / where
    files = [place] if place.is_file() else sorted(place.rglob("*.py"))
    assert files, f"{where} is gone: mend this test"
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files
        for name in imports(path)
        if any(name == word or name.startswith(f"{word}.") for word in what)
    ]
    assert not wrong, f"{why}: {wrong}"


def test_a_game_imports_no_other_game() -> None:
    for folder in (ROOT / "referee/games").iterdir():
        if folder.is_dir() and not folder.name.startswith("_"):
            for path in folder.rglob("*.py"):
                for name in imports(path):
                    own = f"referee.games.{folder.name}"
                    assert not name.startswith("referee.games.") or name.startswith(own), f"{path} imports {name}"
