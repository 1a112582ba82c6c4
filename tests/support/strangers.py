"""Packages of strangers with a game: files as an installer would leave them, in a folder on the path."""

from __future__ import annotations

from pathlib import Path

import pytest

import server
from referee.rules.infos import PLUGINS
from referee.rules.plugins import VARIABLE

TEMPLATE = Path(server.__file__).parent / "games" / "template"
KUHN = f"{TEMPLATE / 'kuhn'}:PLUGIN"
"""The game of the template, for TORTUGA_GAMES."""

PLUGIN = """
from tortuga.engine import GameInfo, GamePlugin

INFO = GameInfo(id={id!r}, title={id!r}, min_seats=2, max_seats=2, rules_version=1)
PLUGIN = GamePlugin(info=INFO, game="{module}:GAME")
"""


def install(folder: Path, package: str, *, games: dict[str, str], version: str = "1.0") -> None:
    """Write what an installer writes of a package: its entry points, each a game and where its plug-in is."""
    info = folder / f"{package.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    lines = [f"{game} = {place}" for game, place in games.items()]
    (info / "entry_points.txt").write_text("\n".join(["[tortuga.games]", *lines, ""]))


def write_plugin(folder: Path, module: str, game_id: str) -> None:
    """Write a module with the plug-in of a game whose rules are nowhere."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{module}.py").write_text(PLUGIN.format(id=game_id, module=f"{module}_rules"))


def use_kuhn(monkeypatch: pytest.MonkeyPatch, *places: str) -> None:
    """Register the game of the template, and perhaps others, for one test and for the processes that it starts."""
    monkeypatch.setattr(PLUGINS, "_loaded", {})
    monkeypatch.setattr(PLUGINS, "_files", set())
    monkeypatch.setenv(VARIABLE, ",".join([KUHN, *places]))
