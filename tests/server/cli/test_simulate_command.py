"""What `tortuga simulate` prints: the result last, counts when asked for, and the cards that could have been played."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from referee.games import GAMES
from server.cli.main import main

GAME = ("simulate", "pavillon_noir", "--games", "2", "--seed", "s", "--variant", "max_rounds=2")


def printed(*words: str) -> str:
    done = CliRunner().invoke(main, [*GAME, *words], env={"COLUMNS": "120"})
    assert (done.exit_code, done.exception) == (0, None), done.output
    return done.stdout


def report(*words: str) -> dict[str, Any]:
    counted: dict[str, Any] = json.loads(printed("--json", *words))
    return counted


def test_counts_of_events_and_cards_are_shown_on_demand_only() -> None:
    short, long = printed(), printed("--counts")
    names = [name for name in report()["fired"] if len(name) > 4]
    assert names
    assert not any(name in short for name in names)
    assert all(name in long for name in names)
    assert len(short.splitlines()) < 20


def test_the_result_comes_last() -> None:
    bots = ("--bot", "gunner", "--bot", "random")
    last = printed("--counts", *bots).splitlines()[-1]
    assert last.startswith("wins: ")
    for bot in report(*bots)["wins_by_bot"]:
        assert f"{bot['bot']} {bot['share']:.1%} (" in last


@pytest.mark.parametrize(
    ("variant", "decks"),
    [("base", set()), ("tricks", {"trick"}), ("reputation", {"reputation"}), ("full", {"reputation", "trick"})],
)
def test_never_played_are_only_cards_that_can_be_played_in_the_variant(variant: str, decks: set[str]) -> None:
    counted = report("--variant", f"variant={variant}")
    in_play = [card for card in GAMES["pavillon_noir"].cards if card.split()[0] in decks]
    assert counted["cards_in_play"] == len(in_play)
    assert set(counted["never_fired"]) == set(in_play) - counted["fired"].keys()
