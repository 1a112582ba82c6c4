"""A turn: two actions, fire, draw (spec 5.2, 5.4, 6.3; rulings R6, R15 to R17, R44), and the cap on rounds."""

from __future__ import annotations

from typing import assert_never

from referee.engine import Seat, other_seat
from referee.games.pavillon_noir.actions import (
    Action,
    Aim,
    Broadside,
    ChangeTarget,
    Give,
    Patch,
    PlayTrick,
    Prepare,
    ReloadBattery,
    ReloadOne,
    SheerOff,
)
from referee.games.pavillon_noir.data import ACTIONS_PER_TURN, CARDS_PER_TURN, LONGEST_DISCARD_LIST, TRICKS
from referee.games.pavillon_noir.events import Done, TurnBegan
from referee.games.pavillon_noir.pending import (
    Act,
    BeginDraw,
    BeginFire,
    BeginTurn,
    DiscardDown,
    OpenFire,
    PatchCards,
    PayBroadside,
    PayReloadBattery,
    PayReloadOne,
    PaySheerOff,
    QuartermasterDiscard,
    TurnTask,
)
from referee.games.pavillon_noir.rules import effects
from referee.games.pavillon_noir.rules.asked import Asked, misplayed
from referee.games.pavillon_noir.rules.attacks import broadsides, can_sheer_off
from referee.games.pavillon_noir.rules.combos import count_subsets, has_pair, subsets
from referee.games.pavillon_noir.rules.damage import end_at_cap
from referee.games.pavillon_noir.rules.gunnery import aim_options, begin_laying, place
from referee.games.pavillon_noir.rules.patch import moves
from referee.games.pavillon_noir.rules.piles import draw_cards, lose_cards
from referee.games.pavillon_noir.state import State
from referee.games.pavillon_noir.terms import Cause, Deed, Phase, Timing

PREPARE, SHEER_OFF, RELOAD_ONE, RELOAD_BATTERY, PATCH, CHANGE_TARGET = (
    Prepare(),
    SheerOff(),
    ReloadOne(),
    ReloadBattery(),
    Patch(),
    ChangeTarget(),
)


def run(draft: State, task: TurnTask) -> None:
    """Enter the next turn or the next phase of this one."""
    match task:
        case BeginTurn():
            _begin_turn(draft)
        case BeginFire(seat):
            draft.phase = Phase.FIRE
            draft.push(OpenFire(seat))
        case BeginDraw(seat):
            draft.phase = Phase.DRAW
            draw_cards(draft, seat, CARDS_PER_TURN)
            draft.push(DiscardDown(seat))
        case _:
            assert_never(task)


def _begin_turn(draft: State) -> None:
    assert draft.first is not None
    if draft.turn == 2 * draft.setting.max_rounds:
        end_at_cap(draft)
        return
    seat = draft.first if draft.turn % 2 == 0 else other_seat(draft.first)
    draft.turn += 1
    draft.active, draft.phase = seat, Phase.ACTIONS
    draft.actions, draft.aimed, draft.untouched = ACTIONS_PER_TURN, False, True
    draft.tell(TurnBegan(seat, draft.turn))
    draft.push(Act(seat), BeginFire(seat), BeginDraw(seat), BeginTurn())


def cards_to_keep(state: State) -> int:
    """A card has to be left for the compulsory Aim (R15)."""
    return 0 if state.aimed else 1


# --- ACTION ----------------------------------------------------------------------------------------------


def ask_action(state: State, seat: Seat) -> Asked:
    """D7: the families of spec 5.4, in their order."""
    own = state.duelists[seat]
    options: list[Action] = [*aim_options(own.hand, len(own.targets))]
    must_aim = not state.aimed and state.actions == 1
    default = 0
    if not must_aim or not own.hand:
        default = len(options)
        options.append(PREPARE)
    if not must_aim:
        options += _paid_actions(state, seat)
    options += effects.trick_options(state, seat, _timings(state, bool(own.hand), must_aim))
    if state.untouched:
        options.append(CHANGE_TARGET)
    return Asked("ACTION", tuple(options), default)


def _paid_actions(state: State, seat: Seat) -> list[Action]:
    own, keep = state.duelists[seat], cards_to_keep(state)
    spendable = len(own.hand) - keep
    options: list[Action] = []
    if spendable >= 1:
        options += broadsides(own, keep)
        if state.duelists[other_seat(seat)].hand and can_sheer_off(own, keep):
            options.append(SHEER_OFF)
        if spendable >= effects.perks(own).reload_price:
            options.append(RELOAD_ONE)
        if spendable >= 2 and has_pair(own.hand):
            options.append(RELOAD_BATTERY)
        if moves(own.ship):
            options.append(PATCH)
    return options


def _timings(state: State, has_cards: bool, must_aim: bool) -> tuple[Timing, ...]:
    """Tricks that cost an action may not use up the last card's chance to be aimed."""
    if not must_aim and (state.aimed or has_cards):
        return (Timing.FREE, Timing.ACT, Timing.AIM)
    return (Timing.FREE, Timing.AIM)


def play_action(draft: State, question: Act, action: Action) -> None:
    """Do one action, or put its first question on the stack."""
    seat = question.seat
    draft.untouched = False
    if isinstance(action, PlayTrick):
        _play_trick(draft, seat, action)
        return
    draft.actions -= 1
    match action:
        case Aim():
            draft.aimed = True
            draft.duelists[seat].hand.remove(action.card)
            place(draft, seat, action)
        case Prepare():
            _prepare(draft, seat)
        case Broadside(suit):
            draft.push(PayBroadside(seat, suit))
        case SheerOff():
            draft.push(PaySheerOff(seat))
        case ReloadOne():
            draft.push(PayReloadOne(seat))
        case ReloadBattery():
            draft.push(PayReloadBattery(seat))
        case Patch():
            draft.push(PatchCards(seat))
        case ChangeTarget():
            draft.actions = 0
            draft.tell(Done(seat, Deed.CHANGE_TARGET))
            begin_laying(draft, seat, barred=draft.duelists[seat].zone)
        case _:
            raise misplayed(question, action)


def _play_trick(draft: State, seat: Seat, action: PlayTrick) -> None:
    timing = TRICKS[action.trick].when
    draft.actions -= timing is not Timing.FREE
    draft.aimed = draft.aimed or timing is Timing.AIM
    effects.play_trick(draft, seat, action)


def _prepare(draft: State, seat: Seat) -> None:
    perks = effects.perks(draft.duelists[seat])
    draft.tell(Done(seat, Deed.PREPARE))
    if perks.prepare_discards:
        effects.use_reputation(draft, seat)
        draft.push(QuartermasterDiscard(seat))
    draw_cards(draft, seat, perks.prepare_draws)


def ask_quartermaster(state: State, seat: Seat) -> Asked:
    """D23."""
    return Asked("QM_DISCARD", tuple(map(Give, subsets(state.duelists[seat].hand, 1))))


def play_quartermaster(draft: State, question: QuartermasterDiscard, action: Action) -> None:
    """The card goes to the discard pile."""
    if not isinstance(action, Give):
        raise misplayed(question, action)
    draft.pending.pop()
    lose_cards(draft, question.seat, action.cards, Cause.QUARTERMASTER)


# --- DISCARD ---------------------------------------------------------------------------------------------


def surplus(state: State, seat: Seat) -> int:
    """Cards above the hand limit."""
    own = state.duelists[seat]
    return len(own.hand) - own.ship.hand_limit


def ask_discard(state: State, seat: Seat) -> Asked:
    """D22: all at once, or card by card while the list would be too long."""
    hand, size = state.duelists[seat].hand, surplus(state, seat)
    if count_subsets(hand, size) > LONGEST_DISCARD_LIST:
        size = 1
    return Asked("DISCARD", tuple(map(Give, subsets(hand, size))))


def play_discard(draft: State, question: DiscardDown, action: Action) -> None:
    """Asked again until the hand is within its limit."""
    if not isinstance(action, Give):
        raise misplayed(question, action)
    lose_cards(draft, question.seat, action.cards, Cause.HAND_LIMIT)
