"""What is said of the games before they are imported is what they turn out to be."""

from __future__ import annotations

import pytest

from referee.errors import ConfigError
from referee.games import GAMES
from referee.games.broadsides.data import CHARTS
from referee.games.marauders.data.board import MAX_CHOICES
from referee.games.pavillon_noir.terms import Decks
from referee.rules.infos import INFOS, find_info


def test_every_game_takes_its_own_row() -> None:
    assert list(INFOS) == list(GAMES)
    for name, game in GAMES.items():
        assert game.info is INFOS[name]
        assert game.info.id == name


def test_settings_name_what_the_rules_know() -> None:
    values = {
        (info.id, setting.name): setting.values
        for info in INFOS.values()
        for setting in info.settings
        if hasattr(setting, "values")
    }
    assert values["broadsides", "map"] == tuple(CHARTS)
    assert values["pavillon_noir", "variant"] == tuple(decks.value for decks in Decks)
    assert INFOS["marauders"].max_decisions == MAX_CHOICES


def test_an_unknown_game_is_answered_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"'chess'.*pavillon_noir.*broadsides"):
        find_info("chess")


def test_no_two_endings_share_a_name() -> None:
    for info in INFOS.values():
        assert len(set(info.endings.values())) == len(info.endings), info.id
