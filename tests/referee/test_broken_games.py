"""What a match does when a game of another package breaks a promise: it is void, and says which promise it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from referee.errors import GameFault
from referee.games import find_game
from referee.match.match import Match, MatchResult
from referee.rules.chance import derive_secret
from referee.rules.engine import AnyGame, Decision, Step
from referee.rules.guard import guard
from referee.rules.infos import PLUGINS
from referee.wire import make_terms
from referee.wire.foreign import foreign_wire
from support.players import QuietHost, ScriptedPlayer
from support.strangers import use_kuhn
from support.virtual_time import run

pytestmark = pytest.mark.virtual_time


@pytest.fixture(autouse=True)
def kuhn(monkeypatch: pytest.MonkeyPatch) -> AnyGame:
    use_kuhn(monkeypatch)
    return find_game("kuhn")


def raising(*_: object) -> Any:
    raise ValueError("no such\ncard")


def with_options(*options: object) -> Callable[[AnyGame], AnyGame]:
    """A game whose `ask` offers these options."""
    return lambda game: replace(game, ask=lambda state: Decision(kind="OPEN", options={0: options}))  # type: ignore[dict-item]


def unprintable(game: AnyGame) -> AnyGame:
    """A game whose states hold what has no fingerprint."""

    def new(*arguments: Any) -> Any:
        state = game.new(*arguments)
        state.acts = (object(),)
        return state

    return replace(game, new=new, view=lambda state, seat: None)


DEFECTS: dict[str, tuple[Callable[[AnyGame], AnyGame], str]] = {
    "ask raises": (lambda game: replace(game, ask=raising), "`ask` raised ValueError: no such card"),
    "apply raises": (lambda game: replace(game, apply=raising), "`apply` raised ValueError"),
    "view raises": (lambda game: replace(game, view=raising), "`view` raised ValueError"),
    "seen raises": (lambda game: replace(game, seen=raising), "`seen` raised ValueError"),
    "no step": (lambda game: replace(game, apply=lambda state, choices: state), "`apply` returns a State"),
    "no decision": (lambda game: replace(game, ask=lambda state: 7), "`ask` returns a int"),  # type: ignore[arg-type, return-value]
    "nobody": (lambda game: replace(game, ask=lambda state: Decision(kind="OPEN", options={})), "asks nobody"),
    "empty": (with_options(), "empty list of options"),
    "unhashable": (with_options([1], [2]), "cannot be hashed"),
    "twice": (with_options("a", "a"), "same option twice"),
    "too many": (with_options("a", "b", "c"), "max_options"),
    "endless": (
        lambda game: replace(game, apply=lambda state, choices: Step(state=state, events=())),
        "max_decisions, 300",
    ),
    "endless without a choice": (
        lambda game: replace(
            game,
            ask=lambda state: Decision(kind="OPEN", options={0: ("a",)}),  # type: ignore[dict-item]
            apply=lambda state, choices: Step(state=state, events=()),
        ),
        "max_decisions, 300",
    ),
    "no fingerprint": (unprintable, "a state may not hold a object"),
    "no json": (lambda game: replace(game, view=lambda state, seat: object()), "cannot be sent as JSON"),
}


def play(game: AnyGame) -> MatchResult:
    plugin = replace(PLUGINS["kuhn"], package="kuhn-poker", version="1.5")
    broken = guard(replace(game, origin=""), plugin)
    terms = make_terms(broken, broken.info.read_variant({}), derive_secret("broken"), match_id="m")
    terms = replace(terms, wire=foreign_wire(broken, 1))
    players = [ScriptedPlayer(lambda question: 0) for _ in range(2)]
    return run(Match(terms, players, QuietHost(0.0)).play())


def test_a_sound_game_is_played_to_its_end(kuhn: AnyGame) -> None:
    result = play(kuhn)
    assert (result.void, result.reason) == (False, "chips")


@pytest.mark.parametrize("name", DEFECTS)
def test_a_match_of_a_broken_game_is_void_and_names_the_promise(kuhn: AnyGame, name: str) -> None:
    damage, words = DEFECTS[name]
    try:
        result = play(damage(kuhn))
    except GameFault as fault:  # before anybody was asked: `play_match` takes it for a void match as well
        reason = f"void: {fault}"
    else:
        assert result.void
        reason = result.reason
    assert reason.startswith("void: ")
    assert "kuhn-poker 1.5" in reason
    assert words in reason


def test_a_game_that_cannot_begin_makes_no_match(kuhn: AnyGame) -> None:
    with pytest.raises(GameFault, match=r"1\.5.*`new`.*ValueError"):
        play(replace(kuhn, new=raising))


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (lambda kuhn: replace(kuhn, info=replace(kuhn.info, max_options=7)), "another `info`"),
        (lambda kuhn: 7, "no Game"),
    ],
)
def test_what_is_no_game_is_not_loaded(kuhn: AnyGame, game: Callable[[AnyGame], Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        guard(game(kuhn), PLUGINS["kuhn"])
