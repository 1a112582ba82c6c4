"""The actions of a turn (5.1): move, enter a port, visit it, scout, retire, play a card."""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.cards import PlayGlory
from referee.games.marauders.actions.turn import (
    END,
    LEAVE,
    RETIRE,
    VISIT_PORT,
    End,
    EnterPort,
    Leave,
    Move,
    Retire,
    ScoutMerchant,
    ScoutMission,
    ScoutNpc,
    ScoutPlayer,
    ScoutRumor,
    SpendingAction,
    TurnAction,
    VisitPort,
)
from referee.games.marauders.data.board import ADJACENT, MAX_RETIREMENTS
from referee.games.marauders.events.port import Sailed
from referee.games.marauders.rules.ashore.glory_cards import card_entries, play_card
from referee.games.marauders.rules.ashore.port import BeginVisit, may_act, must_roll, ways_in
from referee.games.marauders.rules.death import RetireCaptain
from referee.games.marauders.rules.fighting.hunting import ArriveAtSea
from referee.games.marauders.rules.hold import TrimCargo
from referee.games.marauders.rules.modifiers import mod, pool
from referee.games.marauders.rules.purse import pay
from referee.games.marauders.rules.scouting import scout, scout_entries
from referee.games.marauders.rules.skill_tests import SkillTest
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import State, Turn
from referee.games.marauders.terms import Entry, Skill, Zone
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


def turn_of(state: State) -> Turn:
    """Return the turn under way."""
    assert state.turn is not None
    return state.turn


@immutable(frozen=True, slots=True)
class NextAction(Task[State]):
    """The turn goes on while the captain lives and something can be done."""

    TAG: ClassVar[str] = "NextAction"
    seat: Seat

    def run(self, draft: State) -> None:
        """Ask, or end the turn by itself."""
        turn = turn_of(draft)
        alive = draft.players[self.seat].captain is not None
        if alive and (turn.actions or turn.free_moves or card_entries(draft, self.seat)):
            push(draft, AskAction(self.seat))
        else:
            draft.turn = None


@immutable(frozen=True, slots=True)
class AskAction(SeatQuestion[State, TurnAction | PlayGlory]):
    """`action`."""

    TAG: ClassVar[str] = "AskAction"
    kind: ClassVar[str] = "action"

    def options(self, state: State) -> list[TurnAction | PlayGlory]:
        """End, retire, then whatever the place allows, then glory cards."""
        player, turn = state.players[self.seat], turn_of(state)
        options: list[TurnAction | PlayGlory] = [END]
        if can_retire(state, turn):
            options.append(RETIRE)
        options += port_entries(state, turn) if player.in_port else sea_entries(state, turn)
        options += card_entries(state, self.seat)
        return options

    def choose(self, draft: State, action: TurnAction | PlayGlory) -> None:
        """Pay for it, carry it out, go on."""
        if isinstance(action, End):
            draft.turn = None
        elif isinstance(action, Retire):
            draft.turn = None
            push(draft, RetireCaptain(self.seat))
        elif isinstance(action, PlayGlory):
            push(draft, NextAction(self.seat))
            play_card(draft, self.seat, action)
        else:
            push(draft, NextAction(self.seat))
            act(draft, self.seat, action)


def act(draft: State, seat: Seat, action: SpendingAction) -> None:
    """Pay for an action or a move, and carry it out."""
    turn = turn_of(draft)
    match action:
        case Leave():
            draft.turn = spend_move(turn, 1)
            push(draft, TrimCargo(seat), PutToSea(seat))
        case Move(zone):
            draft.turn = spend_move(turn, 1 + mod(draft, seat, "move.sea_cost"))
            sail(draft, seat, zone, in_port=False)
            push(draft, ArriveAtSea(seat))
        case EnterPort(way):
            draft.turn = spend_move(turn, 1)
            enter(draft, seat, way)
        case VisitPort():
            draft.turn = spend_action(turn)
            visit(draft, seat)
        case ScoutMerchant():
            zone = draft.players[seat].zone
            draft.turn = replace(spend_action(turn), tried_merchants=(*turn.tried_merchants, zone))
            scout(draft, seat, action)
        case ScoutPlayer() | ScoutNpc() | ScoutMission() | ScoutRumor():
            draft.turn = replace(spend_action(turn), tried=(*turn.tried, action))
            scout(draft, seat, action)
        case _:
            assert_never(action)


def can_retire(state: State, turn: Turn) -> bool:
    """R16: in port, before any action, at most twice, and never with the last captain cards."""
    player = state.players[turn.seat]
    if turn.acted or not player.in_port or player.retirements >= MAX_RETIREMENTS:
        return False
    return len(state.captains) > len([other for other in state.players if other.captain is None])


def port_entries(state: State, turn: Turn) -> list[SpendingAction]:
    """List what can be done in port: leave, or act."""
    entries: list[SpendingAction] = []
    if turn.actions + turn.free_moves:
        entries.append(LEAVE)
    if turn.actions and not turn.port_used and may_act(state, turn.seat):
        entries.append(VISIT_PORT)
    return entries


def sea_entries(state: State, turn: Turn) -> list[SpendingAction]:
    """List what can be done at sea: move, enter, scout."""
    zone = state.players[turn.seat].zone
    entries: list[SpendingAction] = []
    moves = turn.actions + turn.free_moves
    if moves >= 1 + mod(state, turn.seat, "move.sea_cost"):
        entries += each(Move, ADJACENT[zone])
    if moves:
        entries += each(EnterPort, ways_in(state, turn.seat))
    if turn.actions:
        entries += scout_entries(state, turn)
    return entries


def spend_action(turn: Turn) -> Turn:
    """Return the turn with one action less."""
    return replace(turn, acted=True, actions=turn.actions - 1)


def spend_move(turn: Turn, cost: int) -> Turn:
    """Return the turn after a move, which uses free moves first."""
    free = min(cost, turn.free_moves)
    return replace(turn, acted=True, free_moves=turn.free_moves - free, actions=turn.actions - (cost - free))


def sail(draft: State, seat: Seat, zone: Zone, *, in_port: bool) -> None:
    """Sail: the ship is there now."""
    draft.set_player(seat, replace(draft.players[seat], zone=zone, in_port=in_port))
    tell(draft, Sailed, seat, zone, in_port)


@immutable(frozen=True, slots=True)
class PutToSea(Task[State]):
    """Out of the port, with no more cargo than allowed."""

    TAG: ClassVar[str] = "PutToSea"
    seat: Seat

    def run(self, draft: State) -> None:
        """Leave, and meet the hunters that may be waiting."""
        sail(draft, self.seat, draft.players[self.seat].zone, in_port=False)
        push(draft, ArriveAtSea(self.seat))


@immutable(frozen=True, slots=True)
class DropAnchor(Task[State]):
    """Into the port."""

    TAG: ClassVar[str] = "DropAnchor"
    seat: Seat

    def run(self, draft: State) -> None:
        """Enter the port of the zone."""
        sail(draft, self.seat, draft.players[self.seat].zone, in_port=True)


def enter(draft: State, seat: Seat, way: Entry) -> None:
    """Free, for gold, or with an Influence roll whose failure leaves the ship at sea."""
    if way == Entry.ROLL:
        dice = pool(draft, seat, Skill.INFLUENCE)
        push(draft, SkillTest(seat=seat, skill=Skill.INFLUENCE, pool=dice, success=(DropAnchor(seat),)))
        return
    if way == Entry.PAY:
        pay(draft, seat, mod(draft, seat, "port.outlaw"))
    push(draft, DropAnchor(seat))


def visit(draft: State, seat: Seat) -> None:
    """Begin the Port action, after a roll for those who act where they must not."""
    if must_roll(draft, seat):
        dice = pool(draft, seat, Skill.INFLUENCE)
        push(draft, SkillTest(seat=seat, skill=Skill.INFLUENCE, pool=dice, success=(BeginVisit(seat),)))
    else:
        push(draft, BeginVisit(seat))
