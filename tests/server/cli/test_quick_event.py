"""An event made from flags."""

from __future__ import annotations

from typing import Any

import pytest

from server.cli.common.quick_event import quick_manifest

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


def test_a_bot_that_does_not_play_a_game_is_named_with_the_games_it_plays(capsys: pytest.CaptureFixture[str]) -> None:
    bots = ("corsair", "random", "random")
    manifest = quick_manifest(games=("broadsides", "pirates_cove:3"), bots=bots, **FLAGS)
    assert [entry.name for entry in manifest.bots] == ["corsair", "random", "random-2"]
    [line] = capsys.readouterr().err.splitlines()
    for fact in ("corsair", "broadsides-2", "pirates_cove"):
        assert fact in line
    assert "pirates_cove-3" not in line


def test_nothing_is_said_of_bots_that_play_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    quick_manifest(games=("pirates_cove",), bots=("corsair", "random"), **FLAGS)
    assert capsys.readouterr().err == ""
