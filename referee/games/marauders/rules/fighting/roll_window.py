"""The windows `w_contest` and `w_crew`: both sides may re-roll until both pass in a row (6.9 d, R4, R5)."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar, assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.cards import DECLINE, Decline, PlayGlory, WindowAction
from referee.games.marauders.actions.raid import UseWeapon
from referee.games.marauders.rules.dice import reroll, touches
from referee.games.marauders.rules.fighting.fighters import combat_of, player_of, set_fighter
from referee.games.marauders.rules.fighting.volley import use_weapon
from referee.games.marauders.rules.glory import HANDS, holds, play, playable
from referee.games.marauders.rules.windows import Window
from referee.games.marauders.state import State
from referee.games.marauders.terms import MODES, Mode, Roll, Stance, Timing, Weapon
from referee.rules.agenda import Task, push
from referee.rules.parts import immutable, replace

ROLLS = {Timing.CONTEST: Roll.CONTEST, Timing.CREW: Roll.CREW}


@immutable(frozen=True, slots=True)
class RollWindow(Task[State]):
    """Both pools lie on the table; `then` follows when nobody plays anything more."""

    TAG: ClassVar[str] = "RollWindow"
    timing: Timing
    then: Task[State]

    def run(self, draft: State) -> None:
        """Ask the attacker first."""
        combat = combat_of(draft)
        if combat.glory_played:
            draft.combat = replace(combat, glory_played=False)
        if can_play(draft, 0, self.timing) or can_play(draft, 1, self.timing):
            push(draft, WindowTurn(self, 0, 0))
        else:
            push(draft, self.then)


@immutable(frozen=True, slots=True)
class WindowTurn(Task[State]):
    """One side's turn to play something; `passes` counts passes in a row."""

    TAG: ClassVar[str] = "WindowTurn"
    window: RollWindow
    index: int
    passes: int

    def run(self, draft: State) -> None:
        """Only a seat with something playable is asked."""
        if self.passes == 2:
            push(draft, self.window.then)
        elif can_play(draft, self.index, self.window.timing):
            seat = combat_of(draft).fighters[self.index].side.seat
            assert seat is not None
            asks = AskContestReroll if self.window.timing == Timing.CONTEST else AskCrewReroll
            push(draft, asks(seat, self))
        else:
            push(draft, self.passed())

    def passed(self) -> WindowTurn:
        """Return the other side's turn after a pass."""
        return WindowTurn(self.window, 1 - self.index, self.passes + 1)

    def played(self) -> WindowTurn:
        """Return the other side's turn after a card."""
        return WindowTurn(self.window, 1 - self.index, 0)


def timings(state: State, timing: Timing) -> tuple[Timing, ...]:
    """Return what fits the window: its own cards, and copies once a glory card was played in it."""
    return (timing, Timing.COPY) if combat_of(state).glory_played else (timing,)


def can_grapple(state: State, index: int, timing: Timing) -> bool:
    """`grapple`: in a contest, by a side that declared Board."""
    fighter = combat_of(state).fighters[index]
    player = player_of(state, fighter)
    return (
        timing == Timing.CONTEST
        and fighter.stance == Stance.BOARD
        and player is not None
        and Weapon.GRAPPLE in player.weapons
    )


def can_play(state: State, index: int, timing: Timing) -> bool:
    """Check whether a side has something for the window."""
    player = player_of(state, combat_of(state).fighters[index])
    if player is None:
        return False
    return holds(player, *timings(state, timing)) or can_grapple(state, index, timing)


@lru_cache(HANDS)
def rerolls(cards: tuple[str, ...]) -> tuple[PlayGlory, ...]:
    """Return each card in each mode."""
    return tuple([PlayGlory(card, mode=mode) for card in cards for mode in MODES])


@immutable(frozen=True, slots=True)
class AskContestReroll(Window[WindowAction | UseWeapon]):
    """`w_contest`: pass, cards in each mode, grapple."""

    TAG: ClassVar[str] = "AskContestReroll"
    kind: ClassVar[str] = "w_contest"
    turn: WindowTurn

    def options(self, state: State) -> list[WindowAction | UseWeapon]:
        """List the options in the order of the card table."""
        timing = self.turn.window.timing
        cards = playable(state.players[self.seat], *timings(state, timing))
        options: list[WindowAction | UseWeapon] = [DECLINE, *rerolls(cards)]
        if can_grapple(state, self.turn.index, timing):
            options += each(UseWeapon, (Weapon.GRAPPLE,))
        return options

    def choose(self, draft: State, action: WindowAction | UseWeapon) -> None:
        """Re-roll, and the other side's turn."""
        match action:
            case Decline():
                push(draft, self.turn.passed())
                return
            case PlayGlory(mode=mode):
                assert mode is not None
                play(draft, self.seat, action)
                draft.combat = replace(combat_of(draft), glory_played=True)
                self._reroll(draft, mode)
            case UseWeapon(weapon):
                use_weapon(draft, self.seat, weapon)
                self._reroll(draft, Mode.OWN)
            case _:
                assert_never(action)
        push(draft, self.turn.played())

    def _reroll(self, draft: State, mode: Mode) -> None:
        """Own dice that are no skulls, the enemy's skulls, or both."""
        fighters, what, index = combat_of(draft).fighters, ROLLS[self.turn.window.timing], self.turn.index
        own, enemy = fighters[index], fighters[1 - index]
        if touches(mode, Mode.OWN):
            dice = reroll(draft, own.side, what, own.dice, skulls=False)
            set_fighter(draft, index, replace(own, dice=dice))
        if touches(mode, Mode.ENEMY):
            dice = reroll(draft, enemy.side, what, enemy.dice, skulls=True, meets=self.seat)
            set_fighter(draft, 1 - index, replace(enemy, dice=dice))


@immutable(frozen=True, slots=True)
class AskCrewReroll(AskContestReroll):
    """`w_crew`: pass, cards in each mode."""

    TAG: ClassVar[str] = "AskCrewReroll"
    kind: ClassVar[str] = "w_crew"
