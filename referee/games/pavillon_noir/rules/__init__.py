"""The rules: `new`, `ask` and `apply`. What is on top of the stack says which module has the word.

setup      spec 4         gunnery    6.1, 6.2     attacks    6.4, 6.5     damage     6.10, 8.2
turn       5.2, 5.4, 6.3  shots      6.8, 6.9     reload     6.6          combos     5.5
effects    2.10, 2.11     followups  D24 to D30   patch      6.7          reading    2.6, 2.7
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from referee.engine import Decision, Outcome, Seat, Step, duel
from referee.games.pavillon_noir.actions import Action
from referee.games.pavillon_noir.events import Event
from referee.games.pavillon_noir.pending import (
    Act,
    BeginDraw,
    BeginFire,
    BeginLaying,
    BeginTurn,
    Boost,
    BroadsideHits,
    CheckDisasters,
    ChooseReputation,
    ChooseRestore,
    ChooseReturn,
    ChooseShot,
    ChooseTrack,
    ChooseTrick,
    ChooseZone,
    DealHands,
    DealReputations,
    DealTricks,
    DiscardDown,
    Dodge,
    GiveUpAim,
    HastyDiscard,
    Lay,
    Load,
    LoseCards,
    OpenFire,
    PatchCards,
    PatchMove,
    PayBroadside,
    PayReloadBattery,
    PayReloadOne,
    PaySheerOff,
    Pending,
    QuartermasterDiscard,
    React,
    Remove,
    SeatQuestion,
    SetupCannons,
    SetupLoad,
    SetupOfficers,
    Sharpshoot,
    ShotEnds,
    ShotLands,
    Spy,
    StripOpposingTarget,
    SwapOwnTarget,
    Task,
    TrickAim,
)
from referee.games.pavillon_noir.rules import attacks, damage, followups, gunnery, patch, reload, setup, shots, turn
from referee.games.pavillon_noir.rules.asked import Asked
from referee.games.pavillon_noir.rules.setup import new
from referee.games.pavillon_noir.state import State

__all__ = ["apply", "ask", "new"]

_FOR_BOTH = (SetupOfficers, SetupCannons, SetupLoad, ChooseReputation, ChooseTrick)
_TASKS = (
    BeginLaying,
    DealReputations,
    DealTricks,
    DealHands,
    BeginTurn,
    BeginFire,
    BeginDraw,
    BroadsideHits,
    LoseCards,
    CheckDisasters,
    ShotLands,
    ShotEnds,
)


def ask(state: State) -> Decision[Action] | Outcome:
    """Who chooses among what, or how it ended."""
    if state.ending is not None:
        return duel(state.ending.winner, state.ending.reason)
    top = state.pending[-1]
    if isinstance(top, _FOR_BOTH):
        both = setup.ask(state, top)
        return Decision(
            kind=both[Seat(0)].kind,
            options={seat: asked.options for seat, asked in both.items()},
            defaults={seat: asked.default for seat, asked in both.items()},
        )
    assert not isinstance(top, _TASKS)
    asked = _ask(state, top)
    return Decision(kind=asked.kind, options={top.seat: asked.options}, defaults={top.seat: asked.default})


def apply(state: State, choices: Mapping[Seat, Action]) -> Step[State, Event]:
    """Play the choices, and go on until the next question."""
    draft = state.copy()
    top = draft.pending[-1]
    if isinstance(top, _FOR_BOTH):
        setup.play(draft, choices)
    else:
        assert not isinstance(top, _TASKS)
        _play(draft, top, choices[top.seat])
    proceed(draft)
    events, draft.news = tuple(draft.news), []
    return Step(state=draft, events=events)


def proceed(draft: State) -> None:
    """Do tasks and skip questions that have lost their point, until there is something to choose or all is over."""
    while draft.pending:
        top = draft.pending[-1]
        if isinstance(top, _TASKS):
            draft.pending.pop()
            _run(draft, top)
        elif _is_moot(draft, top):
            draft.pending.pop()
        else:
            return


def _is_moot(state: State, top: Pending) -> bool:
    match top:
        case Act():
            return state.actions == 0
        case DiscardDown(seat):
            return turn.surplus(state, seat) <= 0
        case Dodge():
            return shots.is_beyond_evasion(state)
        case HastyDiscard(seat, count):
            return not count or not state.duelists[seat].hand
        case GiveUpAim(_, count):
            return not count
        case Remove(seat):
            return not damage.losses(state.duelists[seat].ship, top)
        case PatchMove(seat, left):
            return not left or not patch.moves(state.duelists[seat].ship)
        case _:
            return False


def _ask(state: State, top: SeatQuestion) -> Asked:
    match top:
        case Act(seat):
            return turn.ask_action(state, seat)
        case OpenFire():
            return shots.ask_fire(state, top)
        case DiscardDown(seat):
            return turn.ask_discard(state, seat)
        case Lay():
            return gunnery.ask(state, top)
        case HastyDiscard():
            return shots.ask_hasty(state, top)
        case Boost():
            return shots.ask_boost(state, top)
        case Dodge():
            return shots.ask_evade(state, top)
        case PayBroadside():
            return attacks.ask_broadside_payment(state, top, turn.cards_to_keep(state))
        case ChooseShot():
            return attacks.ask_shot(state, top)
        case React():
            return attacks.ask_react(state, top)
        case GiveUpAim():
            return attacks.ask_aim_loss(state, top)
        case Remove():
            return damage.ask(state, top)
        case PaySheerOff():
            return attacks.ask_sheer_payment(state, top, turn.cards_to_keep(state))
        case PayReloadOne() | PayReloadBattery():
            return reload.ask_payment(state, top)
        case ChooseReturn():
            return reload.ask_return(state, top)
        case Load(seat):
            return reload.ask_load(state, seat)
        case PatchCards():
            return patch.ask_cards(state, top, turn.cards_to_keep(state))
        case PatchMove():
            return patch.ask_move(state, top)
        case QuartermasterDiscard(seat):
            return turn.ask_quartermaster(state, seat)
        case (
            TrickAim()
            | ChooseRestore()
            | Spy()
            | ChooseZone()
            | Sharpshoot()
            | ChooseTrack()
            | SwapOwnTarget()
            | StripOpposingTarget()
        ):
            return followups.ask(state, top)
        case _:
            assert_never(top)


def _play(draft: State, top: SeatQuestion, action: Action) -> None:
    match top:
        case Act():
            turn.play_action(draft, top, action)
        case OpenFire():
            shots.play_fire(draft, top, action)
        case DiscardDown():
            turn.play_discard(draft, top, action)
        case Lay():
            gunnery.play(draft, top, action)
        case HastyDiscard():
            shots.play_hasty(draft, top, action)
        case Boost():
            shots.play_boost(draft, top, action)
        case Dodge():
            shots.play_evade(draft, top, action)
        case PayBroadside():
            attacks.play_broadside_payment(draft, top, action)
        case ChooseShot():
            attacks.play_shot(draft, top, action)
        case React():
            attacks.play_react(draft, top, action)
        case GiveUpAim():
            attacks.play_aim_loss(draft, top, action)
        case Remove():
            damage.play(draft, top, action)
        case PaySheerOff():
            attacks.play_sheer_payment(draft, top, action)
        case PayReloadOne() | PayReloadBattery():
            reload.play_payment(draft, top, action)
        case ChooseReturn():
            reload.play_return(draft, top, action)
        case Load():
            reload.play_load(draft, top, action)
        case PatchCards():
            patch.play_cards(draft, top, action)
        case PatchMove():
            patch.play_move(draft, top, action)
        case QuartermasterDiscard():
            turn.play_quartermaster(draft, top, action)
        case (
            TrickAim()
            | ChooseRestore()
            | Spy()
            | ChooseZone()
            | Sharpshoot()
            | ChooseTrack()
            | SwapOwnTarget()
            | StripOpposingTarget()
        ):
            followups.play(draft, top, action)
        case _:
            assert_never(top)


def _run(draft: State, task: Task) -> None:
    match task:
        case BeginTurn() | BeginFire() | BeginDraw():
            turn.run(draft, task)
        case BeginLaying() | DealReputations() | DealTricks() | DealHands():
            setup.run(draft, task)
        case BroadsideHits():
            attacks.strike(draft, task)
        case LoseCards():
            attacks.shake(draft, task)
        case CheckDisasters():
            damage.check_disasters(draft, task)
        case ShotLands():
            shots.land(draft, task)
        case ShotEnds():
            shots.finish(draft, task)
        case _:
            assert_never(task)
