"""`tortuga game check`: a sound game keeps every promise, and each planted defect is found by the promise it breaks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.games import GAMES, find_game
from referee.rules.engine import AnyGame
from referee.wire import WIRES
from referee.wire.foreign import foreign_wire
from server.games import suite
from server.games.suite import check_game
from support.defects import DEFECTS
from support.strangers import use_kuhn


@pytest.fixture(autouse=True)
def kuhn(monkeypatch: pytest.MonkeyPatch) -> AnyGame:
    use_kuhn(monkeypatch)
    return find_game("kuhn")


def test_the_game_of_the_template_keeps_every_promise() -> None:
    report = check_game("kuhn", games=2)
    assert report.is_sound, report
    assert all(promise.held for promise in report.promises)
    assert report.hidden > 50


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.__name__)
def test_a_planted_defect_is_found(
    kuhn: AnyGame, monkeypatch: pytest.MonkeyPatch, defect: Callable[[AnyGame], AnyGame]
) -> None:
    damaged = defect(kuhn)
    monkeypatch.setitem(GAMES._values, "kuhn", damaged)
    monkeypatch.setitem(WIRES._values, "kuhn", foreign_wire(damaged, 1))
    monkeypatch.setattr(suite, "same_in_every_process", lambda game, seed: None)
    suite.same_in_every_process.__doc__, suite.same_in_every_process.__name__ = "", "same_in_every_process"
    broken = {promise.promise: promise.broken for promise in check_game("kuhn", games=2).promises if promise.broken}
    assert DEFECTS[defect] in broken, broken
    assert "seed 'check 0', 2 seats" in broken[DEFECTS[defect]]


def test_options_in_the_order_of_a_set_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only another process shows it: within one, a set has one order."""
    source = (
        "from dataclasses import replace\n"
        "from kuhn import INFO\n"
        "from kuhn.rules import GAME as KUHN\n"
        "from tortuga.engine import Decision, GamePlugin\n"
        "def ask(state):\n"
        "    decision = KUHN.ask(state)\n"
        "    if not isinstance(decision, Decision):\n"
        "        return decision\n"
        "    [(seat, options)] = decision.options.items()\n"
        "    names = {type(option).__name__: option for option in options}\n"
        "    return Decision(kind=decision.kind, options={seat: tuple(names[name] for name in set(names))})\n"
        "INFO = replace(INFO, id='unsorted')\n"
        "GAME = replace(KUHN, info=INFO, ask=ask)\n"
        "PLUGIN = GamePlugin(info=INFO, game='unsorted_kuhn:GAME')\n"
    )
    (tmp_path / "unsorted_kuhn.py").write_text(source)
    places = [f"{tmp_path}/unsorted_kuhn:PLUGIN"]
    use_kuhn(monkeypatch, *places)
    report = check_game("unsorted", games=1)
    assert "same in every process" in [promise.promise for promise in report.promises if promise.broken]


def test_our_own_games_are_checked_by_our_own_tests() -> None:
    with pytest.raises(ConfigError, match="broadsides"):
        check_game("broadsides")
