"""Ways in which a game can break its promises, planted into the game of the template: what the suite has to find."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from referee.rules.engine import AnyGame, Decision, Outcome, Step
from referee.rules.parts import shallow_copy


def leak_in_view(game: AnyGame) -> AnyGame:
    """A view that holds the other seat's card."""

    def view(state: Any, seat: Any) -> Any:
        shown = shallow_copy(game.view(state, seat))
        shown.shown = state.cards
        return shown

    return replace(game, view=view)


def leak_in_event_order(game: AnyGame) -> AnyGame:
    """Events in an order that depends on a hidden card."""

    def apply(state: Any, choices: Any) -> Step[Any, Any]:
        step = game.apply(state, choices)
        turned = step.events[::-1] if state.cards[0] > state.cards[1] else step.events
        return Step(state=step.state, events=turned)

    return replace(game, apply=apply)


def leak_in_events(game: AnyGame) -> AnyGame:
    """Events that everybody sees whole."""
    return replace(game, seen=lambda event, seat: event)


def leak_in_options(game: AnyGame) -> AnyGame:
    """Options in an order that depends on the other seat's card."""

    def ask(state: Any) -> Any:
        decision = game.ask(state)
        if isinstance(decision, Outcome):
            return decision
        [(seat, options)] = decision.options.items()
        return replace(decision, options={seat: options[:: 1 if state.cards[1 - seat] > 1 else -1]})

    return replace(game, ask=ask)


def nothing_hidden_by_hide(game: AnyGame) -> AnyGame:
    """A `hide` that leaves the filler's secrets where they are."""

    def hide(state: Any, seat: Any, chance: Any) -> Any:
        hidden = state.copy()
        hidden.chance = chance
        return hidden if type(chance).__name__ == "FillerChance" else game.hide(state, seat, chance)

    return replace(game, hide=hide)


def global_random(game: AnyGame) -> AnyGame:
    """Luck that is not the state's."""

    def apply(state: Any, choices: Any) -> Step[Any, Any]:
        step = game.apply(state, choices)
        step.state.chips = (step.state.chips[0] + random.choice((0, 1, 2, 3)), step.state.chips[1])
        return step

    return replace(game, apply=apply)


def mutated_argument(game: AnyGame) -> AnyGame:
    """An `apply` that changes the state it is given."""

    def apply(state: Any, choices: Any) -> Step[Any, Any]:
        step = game.apply(state, choices)
        state.acts = step.state.acts
        return step

    return replace(game, apply=apply)


def view_that_writes(game: AnyGame) -> AnyGame:
    """A `view` that changes the state."""

    def view(state: Any, seat: Any) -> Any:
        state.hands += 1
        return game.view(state, seat)

    return replace(game, view=view)


def one_option_twice(game: AnyGame) -> AnyGame:
    """A list of options with one of them twice, in bounds."""
    return _with_options(game, lambda options: (options[0], options[0]))


def options_alike(game: AnyGame) -> AnyGame:
    """Options that read alike."""
    return replace(game, text=replace(game.text, action=lambda action: "act"))


def bare_events(game: AnyGame) -> AnyGame:
    """Options that are no dataclasses."""

    def apply(state: Any, choices: Mapping[Any, Any]) -> Any:
        [(seat, word)] = choices.items()
        [options] = game.ask(state).options.values()  # type: ignore[union-attr]
        named = {type(option).__name__: option for option in options}
        return game.apply(state, {seat: named[word]})

    bare = _with_options(game, lambda options: tuple(type(option).__name__ for option in options))
    return replace(bare, apply=apply, text=replace(game.text, action=str))


def endless(game: AnyGame) -> AnyGame:
    """A game that goes round in circles."""
    return replace(game, apply=lambda state, choices: Step(state=state, events=()))


def no_ranks(game: AnyGame) -> AnyGame:
    """An outcome in which the second seat is third."""

    def ask(state: Any) -> Any:
        decision = game.ask(state)
        return replace(decision, ranks=(1, 3)) if isinstance(decision, Outcome) else decision

    return replace(game, ask=ask)


def silent_event(game: AnyGame) -> AnyGame:
    """An event without words."""
    return replace(game, text=replace(game.text, event=lambda event: ""))


def too_large_number(game: AnyGame) -> AnyGame:
    """A number that not every language can hold."""

    def view(state: Any, seat: Any) -> Any:
        shown = shallow_copy(game.view(state, seat))
        shown.hands = 2**60
        return shown

    return replace(game, view=view)


def _with_options(game: AnyGame, change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> AnyGame:
    def ask(state: Any) -> Any:
        decision = game.ask(state)
        if isinstance(decision, Outcome):
            return decision
        changed = {seat: change(options) for seat, options in decision.options.items()}
        return Decision(kind=decision.kind, options=changed)

    return replace(game, ask=ask)


DEFECTS: dict[Callable[[AnyGame], AnyGame], str] = {
    leak_in_view: "tells no secret",
    leak_in_event_order: "tells no secret",
    leak_in_events: "luck tells no secret",
    leak_in_options: "tells no secret",
    nothing_hidden_by_hide: "tells no secret",
    global_random: "same choices same states",
    mutated_argument: "state is left alone",
    view_that_writes: "state is left alone",
    one_option_twice: "options in bounds",
    options_alike: "told in words",
    silent_event: "told in words",
    bare_events: "survives the wire",
    too_large_number: "survives the wire",
    endless: "ends in bounds",
    no_ranks: "all seats ranked",
}
"""Every defect, and the promise by which it is found."""
