"""All games speak one dialect: the same files, the same entry point, and no `match` that forgets a case in silence."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from referee.games import GAMES

FOLDER = Path(__file__).parents[3] / "referee/games"
FILES = ("terms", "data", "state", "actions", "events", "rules", "view", "text", "rules_text")
"""In every game, as a file or, past some 400 lines, as a folder; `cards` besides, where cards have effects, and
`luck`, where counting it pays."""


def matches_of(game_id: str) -> Iterator[tuple[Path, ast.Match]]:
    """Every match statement of a game."""
    for path in sorted((FOLDER / game_id).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Match):
                yield path, node


@pytest.mark.parametrize("game_id", GAMES)
def test_the_same_files_are_in_every_game(game_id: str) -> None:
    found = {path.stem for path in (FOLDER / game_id).iterdir() if not path.name.startswith("_")}
    assert set(FILES) <= found <= {*FILES, "cards", "luck"}


@pytest.mark.parametrize("game_id", GAMES)
def test_the_same_functions_are_the_entry_point_of_every_game(game_id: str) -> None:
    game, package = GAMES[game_id], f"referee.games.{game_id}"
    rules = importlib.import_module(f"{package}.rules")
    view = importlib.import_module(f"{package}.view")
    text = importlib.import_module(f"{package}.text")
    assert set(rules.__all__) == {"new", "ask", "apply"}
    assert (game.new, game.ask, game.apply) == (rules.new, rules.ask, rules.apply)
    assert (game.view, game.seen, game.hide) == (view.view, view.seen, view.hide)
    assert (game.text, game.fired) == (text.TEXT, text.fired)
    assert game.text.event.__name__ == "tell_event"
    assert game.text.action.__name__ == "tell_action"
    assert game.text.table.__name__ == "tell_table"


@pytest.mark.parametrize("game_id", GAMES)
def test_every_match_names_all_its_cases(game_id: str) -> None:
    """It ends in `assert_never`, so that the type check names a forgotten one. What is pending may be anything."""
    for path, node in matches_of(game_id):
        if "pending" not in ast.unparse(node.subject):
            where = f"{path.relative_to(FOLDER)}:{node.lineno}"
            assert "assert_never(" in ast.unparse(node.cases[-1]), f"{where} does not end in assert_never"


@pytest.mark.parametrize("game_id", GAMES)
def test_a_view_is_built_by_the_names_of_its_fields(game_id: str) -> None:
    """No secret depends on the order of positional arguments."""
    parts = fields(importlib.import_module(f"referee.games.{game_id}.view").View)
    assert all(part.kw_only for part in parts)
