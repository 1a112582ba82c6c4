"""`pytest --tortuga-game NAME`: every promise of a game as a test, beside the tests that are there.

pytest loads this module in every project of an environment with tortuga, so it imports nothing else before it is asked.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from server.games.suite import SuiteReport


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our options."""
    group = parser.getgroup("tortuga")
    group.addoption(
        "--tortuga-game",
        action="append",
        default=[],
        metavar="GAME",
        help="Hold a game to every promise, a test for each: its name, or MODULE:NAME. May be repeated.",
    )
    group.addoption(
        "--tortuga-games", type=int, default=5, metavar="N", help="Games to play per number of seats and setting."
    )


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add a test for every promise of the games that were named."""
    games: list[str] = config.getoption("--tortuga-game")
    if not games:
        return
    from server.games.suite import promise_names

    for game in games:
        for promise in promise_names():
            item: PromiseItem = PromiseItem.from_parent(session, name=f"{game}: {promise}")
            item.game, item.promise = game, promise
            items.append(item)


class PromiseItem(pytest.Item):
    """One promise of one game."""

    game = ""
    promise = ""

    def runtest(self) -> None:
        """Look up what came of it; the first promise of a game plays its games."""
        [checked] = [
            checked
            for checked in _report(self.game, self.config.getoption("--tortuga-games")).promises
            if checked.promise == self.promise
        ]
        if checked.broken:
            raise AssertionError(f"{checked.meaning}\nbroken: {checked.broken}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """Return the promise and how it was broken, without a traceback."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[str, None, str]:
        """Return where the test is: nowhere in a file."""
        return "tortuga", None, self.name


@cache
def _report(game: str, games: int) -> SuiteReport:
    from server.games.suite import check_game

    return check_game(game, games=games)
