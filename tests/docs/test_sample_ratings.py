"""The event behind the published ratings names every Python sample bot, and the pages show what it printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.rules.infos import INFOS
from server.bots.spec import find_bot
from server.tournament.manifest import Manifest, read_manifest
from support.command import ROOT

MANIFEST = ROOT / "examples/sample_ratings.toml"
LEFT_OUT = {"bare", "chat"}


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    """The example."""
    return read_manifest(MANIFEST)


def test_every_python_sample_bot_is_rated(manifest: Manifest) -> None:
    there = {path.parent.name for path in (ROOT / "sample_bots/python").glob("*/bot.toml")} - {"scaffold"} - LEFT_OUT
    assert {bot.spec for bot in manifest.bots} == there


def test_every_game_is_anchored_to_a_bot_that_knows_it(manifest: Manifest) -> None:
    assert {contest.game for contest in manifest.contests} == set(INFOS)
    assert {anchor.game: list(find_bot(anchor.bot).games) for anchor in manifest.anchors} == {
        game: [game] for game in INFOS
    }


@pytest.mark.parametrize("game", ["broadsides", "pirates_cove"])
def test_the_page_of_a_game_shows_its_bots(game: str, manifest: Manifest) -> None:
    page = Path(ROOT / f"docs/games/{game}.md").read_text().partition("## How good the sample bots are")[2]
    bots = {bot.spec for bot in manifest.bots if find_bot(bot.spec).games in ((), (game,))}
    assert bots
    for bot in bots:
        assert f"│ {bot}" in page
