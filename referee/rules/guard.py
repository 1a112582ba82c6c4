"""Games from outside, guarded: whatever goes wrong in one is a `GameFault` that names the game and the broken promise.

Our own games are tested for these promises and are called directly. `tortuga game check` finds more than can be
checked during a match, such as a view that tells a secret.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any, TypeVar

from referee.errors import GameFault, TortugaError
from referee.rules.engine import AnyGame, Decision, Game, Outcome, Step, Text
from referee.rules.plugins import GamePlugin

R = TypeVar("R")


def guard(game: Any, plugin: GamePlugin) -> AnyGame:
    """Return the same game with every function guarded."""
    if not isinstance(game, Game):
        raise TypeError(f"{plugin.game} is no Game but a {type(game).__name__}")
    if game.info != plugin.info:
        raise ValueError(f"{plugin.game} has another `info` than the plug-in")
    watch = partial(_watch, f"the game {plugin.info.id} of {plugin.origin}")
    text: dict[str, Any] = {
        name: watch(f"text.{name}", getattr(game.text, name)) for name in ("event", "action", "table")
    }
    plain: dict[str, Any] = {
        name: watch(name, getattr(game, name))
        for name in ("new", "view", "seen", "fired", "hide", "luck", "settled")
        if getattr(game, name) is not None
    }
    return replace(
        game,
        origin=plugin.origin,
        ask=watch("ask", game.ask, partial(_check_ask, game)),
        apply=watch("apply", game.apply, _check_apply),
        text=Text(**{part.name: getattr(game.text, part.name) for part in fields(Text)} | text),
        **plain,
    )


def _watch(
    who: str, name: str, function: Callable[..., R], check: Callable[[R], str] | None = None
) -> Callable[..., R]:
    """Make a function that does the same, and says whose fault it is if it raises or returns what it must not."""

    def guarded(*arguments: Any) -> R:
        try:
            result = function(*arguments)
            broken = check(result) if check is not None else ""
        except TortugaError:
            raise
        except Exception as error:  # a stranger's code can raise anything
            words = " ".join(str(error).split())
            raise GameFault(f"{who}: `{name}` raised {type(error).__name__}: {words[:300]}") from error
        if broken:
            raise GameFault(f"{who}: `{name}` {broken}")
        return result

    return guarded


def _check_ask(game: AnyGame, answer: Decision[Any] | Outcome) -> str:
    """Return what is wrong with a decision or an outcome; empty if nothing is."""
    if isinstance(answer, Outcome):
        if not len(answer.ranks) == len(answer.scores) > 0:
            return "gives an outcome without one rank and one score for every seat"
        return ""
    if not isinstance(answer, Decision) or not isinstance(answer.options, Mapping):
        return f"returns a {type(answer).__name__}, expected a Decision or an Outcome"
    if not answer.options:
        return f"asks nobody at {answer.kind}"
    for seat, options in answer.options.items():
        if not isinstance(options, tuple):
            return f"gives seat {seat} its options at {answer.kind} as a {type(options).__name__}, expected a tuple"
        if not options:
            return f"gives seat {seat} an empty list of options at {answer.kind}"
        if len(options) > game.info.max_options:
            return f"gives seat {seat} {len(options)} options at {answer.kind}, more than max_options"
        try:
            distinct = len(set(options))
        except TypeError as error:
            return f"gives seat {seat} an option at {answer.kind} that cannot be hashed: {error}"
        if distinct < len(options):
            return f"gives seat {seat} the same option twice at {answer.kind}"
        if not 0 <= answer.defaults.get(seat, 0) < len(options):
            return f"names as default of seat {seat} at {answer.kind} an option that is not there"
    return ""


def _check_apply(step: Step[Any, Any]) -> str:
    if isinstance(step, Step) and isinstance(step.events, tuple):
        return ""
    return f"returns a {type(step).__name__}, expected a Step with a tuple of events"
