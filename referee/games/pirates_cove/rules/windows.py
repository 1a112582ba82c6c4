"""The four windows in which every seat in turn plays a card or passes.

`TREASURE_EVENT`, `LOOKOUT`, `NAV_EVENT` (spec 5.2, R26) and `BOARDING` (spec 6.3, R6). Every seat has its turn, also
one that can only pass: its pass is told like any other, so that nobody learns what it holds (spec 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import ClassVar, assert_never

from referee.errors import RulesError
from referee.games.pirates_cove.actions import Pass, PlayCard, WindowAction
from referee.games.pirates_cove.events import Passed
from referee.games.pirates_cove.rules.cards import play, playable
from referee.games.pirates_cove.state import State
from referee.games.pirates_cove.terms import Window
from referee.rules.agenda import AgendaQuestion, push
from referee.rules.engine import Decision, Seat
from referee.rules.parts import immutable, replace

PASS = Pass()


@immutable(frozen=True, slots=True)
class CardWindow(AgendaQuestion[State, WindowAction]):
    """`TREASURE_EVENT`, `LOOKOUT`, `NAV_EVENT` or `BOARDING`: the first of `left` plays a card or passes."""

    TAG: ClassVar[str] = "CardWindow"
    window: Window
    order: tuple[Seat, ...]
    left: tuple[Seat, ...]
    acted: bool = False
    """Whether a card was played in this round."""

    def decision(self, state: State) -> Decision[WindowAction]:
        """Pass, or a card."""
        seat = self.left[0]
        cards = playable(state, seat, self.window)
        return Decision(kind=self.window.value, options={seat: (PASS, *cards)}) if cards else self.only_pass

    @cached_property
    def only_pass(self) -> Decision[WindowAction]:
        """Return the decision of a seat without a card to play, which most are."""
        return Decision(kind=self.window.value, options={self.left[0]: (PASS,)})

    def answer(self, draft: State, choices: Mapping[Seat, WindowAction]) -> None:
        """Pass or play; the window goes on as long as it has somebody left."""
        [(seat, action)] = choices.items()
        match action:
            case Pass():
                draft.events.append(self.passed)
                following = self.after_pass
            case PlayCard():
                play(draft, seat, action)
                following = self.after(acted=True)
            case _:
                assert_never(action)
        if draft.combat is not None and draft.combat.becalmed:
            return  # nobody can play any more, which everybody knows
        if following.left:
            push(draft, following)

    @cached_property
    def passed(self) -> Passed:
        """Return the event of a pass."""
        return Passed(self.left[0], self.window)

    @cached_property
    def after_pass(self) -> CardWindow:
        """Return who comes next after a pass."""
        return self.after(acted=False)

    def after(self, acted: bool) -> CardWindow:
        """Return who comes next, after a card or a pass of the first one."""
        rest = self.left[1:]
        match self.window:
            case Window.TREASURE_EVENT:
                return self if acted else replace(self, left=rest)
            case Window.LOOKOUT:
                return replace(self, left=() if acted else rest)
            case Window.NAV_EVENT | Window.BOARDING:  # rounds, until one whole round consists of passes
                acted = acted or self.acted
                if rest or not acted:
                    return replace(self, left=rest, acted=acted)
                return open_window(self.window, self.order)
            case Window.VOLLEY | Window.PORT | Window.NEVER:
                raise RulesError(f"{self.window} is not played by every seat in turn")
            case _:
                assert_never(self.window)


@cache
def open_window(window: Window, order: tuple[Seat, ...]) -> CardWindow:
    """Return the window as it goes on the agenda."""
    return CardWindow(window, order, order)
