"""Names and docstrings: no two classes of one name, and docstrings of functions that begin with a verb."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.rules.infos import BUILTIN
from support.layers import ROOT

pytestmark = pytest.mark.system  # it reads the whole tree

DONE = (
    *("server/bots", "server/doctor", "server/hosting", "server/jail", "server/ratings", "server/schedule"),
    *("server/system", "server/viewer", "referee", "bench"),
    *(
        f"sample_bots/python/{folder}"
        for folder in ("admiral", "buccaneer", "commodore", "corsair", "gunner", "privateer")
    ),
    *(
        f"sample_bots/python/{folder}"
        for folder in ("bare", "quartermaster", "raider", "random", "shared", "site", "trader")
    ),
    *("server/arena/people", "server/arena/submissions", "server/arena/operations"),
    *("server/tournament/repair", "server/tournament/rulings", "server/cli/tournament", "server/cli/replay"),
)
"""Rooms in which docstrings of functions begin with a verb. The list only gets longer."""

NOT_YET = {
    "server/bots/scaffold.py",
    "server/hosting/bot_host.py",
    "server/hosting/bot_pool.py",
}
"""Files of these rooms whose docstrings are still to be rewritten. The list only gets shorter."""

NO_VERBS = {
    *("A", "All", "An", "As", "At", "By", "Each", "Every", "Everything", "From", "How", "If", "In", "No", "Of", "On"),
    *("One", "That", "The", "This", "What", "Whatever", "When", "Where", "Whether", "Which", "Who", "Whoever"),
    *("Whom", "Whose", "Why", "With"),
}
"""First words of what is no sentence that says what a function does."""


def trees(*folders: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the Python files below these folders, with what is in them."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT), ast.parse(path.read_text())


def test_no_two_classes_have_the_same_name() -> None:
    places = defaultdict(list)
    for path, tree in trees("server", "referee"):
        # Games have their own words, such as State, Event and Ship.
        if not path.is_relative_to("referee/games") and not path.is_relative_to("server/games/template"):
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(str(path))
    shared = {name: paths for name, paths in places.items() if len(paths) > 1}
    assert not shared


@pytest.mark.parametrize("room", DONE)
def test_docstrings_of_functions_begin_with_a_verb(room: str) -> None:
    wrong = [
        f"{path}:{node.lineno}: {docstring.splitlines()[0]}"
        for path, tree in trees(room)
        if str(path) not in NOT_YET
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (docstring := ast.get_docstring(node))
        and docstring.split()[0].rstrip(",:") in NO_VERBS
    ]
    assert not wrong, "\n".join(wrong)


OUR_GAMES = re.compile("|".join(f"{info}|{info.replace('_', '-')}" for info in (plugin.info.id for plugin in BUILTIN)))
DEMOS = {"server/arena/operations/demo.py"}
"""Files that may name our games: they build the sample bots of a demonstration."""


def test_no_game_of_ours_is_named_in_the_server() -> None:
    """A game of another package gets whatever ours get. Docstrings may name one as an example, as may pages' texts."""
    named = []
    for path, tree in trees("server"):
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                words = node.value
            elif isinstance(node, ast.ImportFrom):
                words = node.module or ""
            elif isinstance(node, ast.Name | ast.Attribute):
                words = node.id if isinstance(node, ast.Name) else node.attr
            else:
                continue
            if OUR_GAMES.search(words) and str(path) not in DEMOS:
                named.append(f"{path}:{node.lineno}")
    assert not named
