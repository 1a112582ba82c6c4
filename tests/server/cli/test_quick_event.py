"""An event made from flags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from referee.errors import ConfigError
from server.cli.common.quick_event import quick_manifest, start_quick_event
from server.tournament.folder import Folder

FLAGS: dict[str, Any] = {
    "format_name": "round-robin",
    "rounds": 1,
    "seed": "s",
    "variants": (),
    "clock": "60+0.1/1",
    "faults": "strict",
    "no_mirror": False,
    "restart": "never",
}


def test_a_bot_that_does_not_play_a_game_is_named_with_the_games_it_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bots = ("corsair", "random", "random")
    manifest = quick_manifest(games=("broadsides", "pirates_cove:3"), bots=bots, **FLAGS)
    start_quick_event(Folder(tmp_path), manifest)
    assert [entry.name for entry in manifest.bots] == ["corsair", "random", "random-2"]
    [line] = capsys.readouterr().err.splitlines()
    for fact in ("corsair", "broadsides-2", "pirates_cove"):
        assert fact in line
    assert "pirates_cove-3" not in line


def test_an_event_that_cannot_be_played_says_only_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = quick_manifest(games=("broadsides",), bots=("corsair", "random"), **FLAGS)
    with pytest.raises(ConfigError, match=r"corsair.*pirates_cove"):
        start_quick_event(Folder(tmp_path), manifest)
    assert capsys.readouterr().err == ""


def test_nothing_is_said_of_bots_that_play_every_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start_quick_event(Folder(tmp_path), quick_manifest(games=("pirates_cove",), bots=("corsair", "random"), **FLAGS))
    assert capsys.readouterr().err == ""
