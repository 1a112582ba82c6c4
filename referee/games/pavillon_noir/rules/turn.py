"""A turn: two actions, fire, draw (spec 5.2, 5.4, 6.3; rulings R6, R15 to R17, R44), and the cap on rounds."""

from __future__ import annotations

from typing import ClassVar, TypeAlias, assert_never

from referee.games.pavillon_noir.actions import (
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
    give,
)
from referee.games.pavillon_noir.data import ACTIONS_PER_TURN, CARDS_PER_TURN, LONGEST_DISCARD_LIST, TRICKS
from referee.games.pavillon_noir.events import done, turn_began
from referee.games.pavillon_noir.rules.attacks import PayBroadside, PaySheerOff, broadsides, can_sheer_off
from referee.games.pavillon_noir.rules.combos import count_subsets, has_pair, subsets
from referee.games.pavillon_noir.rules.damage import end_at_cap
from referee.games.pavillon_noir.rules.gunnery import aim_from_hand, aim_options, begin_laying
from referee.games.pavillon_noir.rules.patch import PatchCards, moves
from referee.games.pavillon_noir.rules.piles import cards_to_keep, draw_cards, lose_cards
from referee.games.pavillon_noir.rules.reload import PayReloadBattery, PayReloadOne
from referee.games.pavillon_noir.rules.reputations import perks, use_reputation
from referee.games.pavillon_noir.rules.shots import OpenFire
from referee.games.pavillon_noir.rules.tricks import play_trick, trick_options
from referee.games.pavillon_noir.state import State
from referee.games.pavillon_noir.terms import Cause, Deed, Phase, Timing
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import DUEL, Seat, other_seat
from referee.rules.parts import immutable

PREPARE, SHEER_OFF, RELOAD_ONE, RELOAD_BATTERY, PATCH, CHANGE_TARGET = (
    Prepare(),
    SheerOff(),
    ReloadOne(),
    ReloadBattery(),
    Patch(),
    ChangeTarget(),
)


TurnAction: TypeAlias = (
    Aim | Prepare | Broadside | SheerOff | ReloadOne | ReloadBattery | Patch | PlayTrick | ChangeTarget
)

# --- The turn and its phases -----------------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class BeginTurn(Task[State]):
    """The next seat's turn, or the end at the cap."""

    TAG: ClassVar[str] = "BeginTurn"

    def run(self, draft: State) -> None:
        """Its actions, fire and draw, then the next turn."""
        assert draft.first is not None
        if draft.turn == 2 * draft.settings.max_rounds:
            end_at_cap(draft)
            return
        seat = draft.first if draft.turn % 2 == 0 else other_seat(draft.first)
        draft.turn += 1
        draft.active, draft.phase = seat, Phase.ACTIONS
        draft.actions, draft.aimed, draft.untouched = ACTIONS_PER_TURN, False, True
        draft.events.append(turn_began(seat, draft.turn))
        push(draft, *PHASES[seat], self)


@immutable(frozen=True, slots=True)
class BeginFire(Task[State]):
    """Phase 2 of a turn."""

    TAG: ClassVar[str] = "BeginFire"

    seat: Seat

    def run(self, draft: State) -> None:
        """Let the seat fire."""
        draft.phase = Phase.FIRE
        push(draft, OpenFire(self.seat))


@immutable(frozen=True, slots=True)
class BeginDraw(Task[State]):
    """Phase 3 of a turn."""

    TAG: ClassVar[str] = "BeginDraw"

    seat: Seat

    def run(self, draft: State) -> None:
        """Let the seat draw, then discard down to its limit."""
        draft.phase = Phase.DRAW
        draw_cards(draft, self.seat, CARDS_PER_TURN)
        push(draft, DiscardDown(self.seat))


# --- ACTION ----------------------------------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class Act(SeatQuestion[State, TurnAction]):
    """Decision D7: an action, as long as any are left."""

    TAG: ClassVar[str] = "Act"
    kind: ClassVar[str] = "ACTION"

    def is_moot(self, state: State) -> bool:
        """Check that all actions are used up."""
        return state.actions == 0

    def options(self, state: State) -> list[TurnAction]:
        """Return the families of spec 5.4, in their order."""
        own = state.duelists[self.seat]
        options: list[TurnAction] = [*aim_options(own.hand, len(own.targets))]
        must_aim = _must_aim(state)
        if not must_aim or not own.hand:
            options.append(PREPARE)
        if not must_aim:
            options += _paid_actions(state, self.seat)
        if own.tricks:
            options += trick_options(state, self.seat, _timings(state, bool(own.hand), must_aim))
        if state.untouched:
            options.append(CHANGE_TARGET)
        return options

    def default(self, state: State, options: tuple[TurnAction, ...]) -> int:
        """Prepare; where that is not allowed, the first Aim."""
        if _must_aim(state) and state.duelists[self.seat].hand:
            return 0
        index = len(options) - 1  # from the end: only the Aims, most of the list, come before it
        while options[index] is not PREPARE:
            index -= 1
        return index

    def choose(self, draft: State, action: TurnAction) -> None:
        """Do one action, or push its first question; then the next action."""
        push(draft, self)
        draft.untouched = False
        if isinstance(action, PlayTrick):
            _play_trick(draft, self.seat, action)
        else:
            draft.actions -= 1
            _do(draft, self.seat, action)


PHASES = [(Act(seat), BeginFire(seat), BeginDraw(seat)) for seat in DUEL]
"""What a seat's turn consists of."""


def _must_aim(state: State) -> bool:
    """Check whether the action has to be an Aim: the last one has to, if none before it was (R15)."""
    return not state.aimed and state.actions == 1


def _paid_actions(state: State, seat: Seat) -> list[TurnAction]:
    own, keep = state.duelists[seat], cards_to_keep(state)
    spendable = len(own.hand) - keep
    options: list[TurnAction] = []
    if spendable >= 1:
        options += broadsides(own, keep)
        if state.duelists[other_seat(seat)].hand and can_sheer_off(own, keep):
            options.append(SHEER_OFF)
        if spendable >= perks(own).reload_price:
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


def _do(
    draft: State,
    seat: Seat,
    action: Aim | Prepare | Broadside | SheerOff | ReloadOne | ReloadBattery | Patch | ChangeTarget,
) -> None:
    match action:
        case Aim():
            draft.aimed = True
            aim_from_hand(draft, seat, action)
        case Prepare():
            _prepare(draft, seat)
        case Broadside(suit):
            push(draft, PayBroadside(seat, suit))
        case SheerOff():
            push(draft, PaySheerOff(seat))
        case ReloadOne():
            push(draft, PayReloadOne(seat))
        case ReloadBattery():
            push(draft, PayReloadBattery(seat))
        case Patch():
            push(draft, PatchCards(seat))
        case ChangeTarget():
            draft.actions = 0
            draft.events.append(done(seat, Deed.CHANGE_TARGET))
            begin_laying(draft, seat, barred=draft.duelists[seat].zone)
        case _:
            assert_never(action)


def _play_trick(draft: State, seat: Seat, action: PlayTrick) -> None:
    timing = TRICKS[action.trick].when
    draft.actions -= timing is not Timing.FREE
    draft.aimed = draft.aimed or timing is Timing.AIM
    play_trick(draft, seat, action)


def _prepare(draft: State, seat: Seat) -> None:
    own = perks(draft.duelists[seat])
    draft.events.append(done(seat, Deed.PREPARE))
    if own.prepare_discards:
        use_reputation(draft, seat)
        push(draft, QuartermasterDiscard(seat))
    draw_cards(draft, seat, own.prepare_draws)


@immutable(frozen=True, slots=True)
class QuartermasterDiscard(SeatQuestion[State, Give]):
    """Decision D23: the card that the quartermaster's owner discards."""

    TAG: ClassVar[str] = "QuartermasterDiscard"
    kind: ClassVar[str] = "QM_DISCARD"

    def options(self, state: State) -> tuple[Give, ...]:
        """Any card of the hand."""
        return tuple(map(give, subsets(state.duelists[self.seat].hand, 1)))

    def choose(self, draft: State, action: Give) -> None:
        """Put the card on the discard pile."""
        lose_cards(draft, self.seat, action.cards, Cause.QUARTERMASTER)


# --- DISCARD ---------------------------------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class DiscardDown(SeatQuestion[State, Give]):
    """Decision D22: the cards to discard, until the hand is within its limit."""

    TAG: ClassVar[str] = "DiscardDown"
    kind: ClassVar[str] = "DISCARD"

    def is_moot(self, state: State) -> bool:
        """Check that the hand is within its limit."""
        return self.surplus(state) <= 0

    def surplus(self, state: State) -> int:
        """Cards above the hand limit."""
        own = state.duelists[self.seat]
        return len(own.hand) - own.ship.hand_limit

    def options(self, state: State) -> tuple[Give, ...]:
        """Return all at once, or card by card while the list would be too long."""
        hand, size = state.duelists[self.seat].hand, self.surplus(state)
        if count_subsets(hand, size) > LONGEST_DISCARD_LIST:
            size = 1
        return tuple(map(give, subsets(hand, size)))

    def choose(self, draft: State, action: Give) -> None:
        """Discard them, and look again."""
        lose_cards(draft, self.seat, action.cards, Cause.HAND_LIMIT)
        push(draft, self)
