"""The four windows in which every seat in turn plays a card or passes.

`TREASURE_EVENT`, `LOOKOUT`, `NAV_EVENT` (spec 5.2, R26) and `BOARDING` (spec 6.3, R6). Every seat has its turn, also
one that can only pass: its pass is told like any other, so that nobody learns what it holds (spec 3).
"""

from __future__ import annotations

from dataclasses import replace

from referee.engine import Seat
from referee.games.pirates_cove.actions import Action, Pass, PlayCard
from referee.games.pirates_cove.events import Log, Passed
from referee.games.pirates_cove.ids import Window
from referee.games.pirates_cove.rules.cards import play, playable
from referee.games.pirates_cove.state import CardWindow, State

PASS = Pass()


def open_window(window: Window, order: tuple[Seat, ...]) -> CardWindow:
    """The window as it goes on the agenda."""
    return CardWindow(window, order, order)


def window_options(state: State, task: CardWindow) -> tuple[Action, ...]:
    """Pass, or a card."""
    return (PASS, *playable(state, task.left[0], task.window))


def answer_window(draft: State, task: CardWindow, choice: Action, log: Log) -> None:
    """The seat passes or plays; the window goes on as long as it has somebody left."""
    seat = task.left[0]
    if isinstance(choice, PlayCard):
        play(draft, seat, choice, log)
    else:
        log.append(Passed(seat, task.window))
    following = go_on(task, isinstance(choice, PlayCard))
    if draft.combat is not None and draft.combat.becalmed:
        return  # nobody can play any more, which everybody knows
    if following.left:
        draft.agenda.append(following)


def go_on(task: CardWindow, acted: bool) -> CardWindow:
    """Who comes next, after a card or a pass of the first one."""
    rest = task.left[1:]
    match task.window:
        case Window.TREASURE_EVENT:
            return task if acted else replace(task, left=rest)
        case Window.LOOKOUT:
            return replace(task, left=() if acted else rest)
        case _:  # rounds, until one whole round consists of passes
            acted = acted or task.acted
            if rest or not acted:
                return replace(task, left=rest, acted=acted)
            return open_window(task.window, task.order)
