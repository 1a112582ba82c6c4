"""A seat's turn (5.1, 6.5): windows, self-repair, storm, hunters, then action by action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from referee.engine import Seat
from referee.errors import RulesError
from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import Decline, PlayGlory
from referee.games.marauders.actions.combat import PickSection
from referee.games.marauders.actions.turn import (
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
    VisitPort,
)
from referee.games.marauders.cards.effects import LoseAction, StealGold
from referee.games.marauders.cards.event_texts import Storm
from referee.games.marauders.data.board import ACTIONS, ADJACENT, LOCATIONS, MAX_RETIREMENTS
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.data.glory import GLORY
from referee.games.marauders.events.combat import Damaged
from referee.games.marauders.events.port import Sailed, SectionRepaired
from referee.games.marauders.events.round import TurnBegan
from referee.games.marauders.rules.death import Die, NewCaptain, RetireCaptain
from referee.games.marauders.rules.dice import SKULL, roll
from referee.games.marauders.rules.glory import play, playable
from referee.games.marauders.rules.glory_cards import card_entries, play_card
from referee.games.marauders.rules.hold import TrimCargo
from referee.games.marauders.rules.hunting import ArriveAtSea
from referee.games.marauders.rules.modifiers import mod, pool, seats_after
from referee.games.marauders.rules.piles import lose_excess
from referee.games.marauders.rules.port import BeginVisit, may_act, must_roll, ways_in
from referee.games.marauders.rules.purse import gain, pay
from referee.games.marauders.rules.rewards import ship_of
from referee.games.marauders.rules.scouting import scout, scout_entries
from referee.games.marauders.rules.ships import damaged_sections, standing_sections, strike, with_value
from referee.games.marauders.rules.skill_tests import SkillTest
from referee.games.marauders.state import SeatQuestion, State, Step, Turn
from referee.games.marauders.terms import Entry, Roll, Section, Side, Skill, Timing, Zone


def turn_of(state: State) -> Turn:
    """The turn under way."""
    assert state.turn is not None
    return state.turn


# --- The start of a turn ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlayTurn(Step):
    """A seat's turn, from the new captain it may need to the end."""

    seat: Seat

    def run(self, draft: State) -> None:
        """The order of 6.5."""
        draft.turn = Turn(self.seat, 0, 0)
        draft.push(BeginTurn(self.seat))
        if draft.players[self.seat].captain is None:
            draft.push(NewCaptain(self.seat))


@dataclass(frozen=True, slots=True)
class BeginTurn(Step):
    """Actions are counted; then all that happens before the first choice."""

    seat: Seat

    def run(self, draft: State) -> None:
        """Windows of the others, self-repair, storm, hunters."""
        seat, turn = self.seat, turn_of(draft)
        turn.actions = max(0, ACTIONS + mod(draft, seat, "turn.actions"))
        turn.free_moves = mod(draft, seat, "turn.free_moves")
        draft.tell(TurnBegan(seat, turn.actions, turn.free_moves))
        windows = [OfferTurnStart(other) for other in seats_after(draft, seat)]
        points = mod(draft, seat, "turn.self_repair")
        draft.push(*windows, SelfRepair(seat, points), WeatherStorm(seat), ArriveAtSea(seat), NextAction(seat))


@dataclass(frozen=True, slots=True)
class OfferTurnStart(Step):
    """Another seat may play a card against the active one."""

    seat: Seat

    def run(self, draft: State) -> None:
        """Only a seat with a playable card is asked."""
        if start_cards(draft, self.seat):
            draft.push(AskTurnStart(self.seat))


def start_cards(state: State, seat: Seat) -> list[str]:
    """Cards playable at the start of the active seat's turn."""
    player, active = state.players[seat], state.players[turn_of(state).seat]
    if player.captain is None:
        return []
    together = player.zone == active.zone and player.in_port == active.in_port
    found = []
    for card in playable(player, Timing.TURN_START):
        match GLORY[card].effect:
            case LoseAction():
                legal = active.in_port
            case StealGold():
                legal = together
            case _:
                legal = False
        if legal:
            found.append(card)
    return found


@dataclass(frozen=True, slots=True)
class AskTurnStart(SeatQuestion):
    """`w_turn_start`: at most one card."""

    kind: ClassVar[str] = "w_turn_start"

    def options(self, state: State) -> list[Action]:
        """Decline, or a card."""
        return [Decline(), *(PlayGlory(card) for card in start_cards(state, self.seat))]

    def chosen(self, draft: State, action: Action) -> None:
        """Actions or gold of the active seat."""
        if not isinstance(action, PlayGlory):
            return
        play(draft, self.seat, action)
        turn = turn_of(draft)
        match GLORY[action.card].effect:
            case LoseAction(count):
                turn.actions = max(0, turn.actions - count)
            case StealGold(gold):
                gold = min(gold, draft.players[turn.seat].gold)
                pay(draft, turn.seat, gold)
                gain(draft, self.seat, gold)
            case _:
                raise RulesError(f"{action.card} does nothing here")


@dataclass(frozen=True, slots=True)
class SelfRepair(Step):
    """`turn.self_repair`, point by point."""

    seat: Seat
    points: int

    def run(self, draft: State) -> None:
        """Ask while there are points and damage."""
        if self.points and damaged_sections(ship_of(draft.players[self.seat])):
            draft.push(AskSelfRepair(self.seat), SelfRepair(self.seat, self.points - 1))


@dataclass(frozen=True, slots=True)
class AskSelfRepair(SeatQuestion):
    """`self_repair`: a damaged section but Crew."""

    kind: ClassVar[str] = "self_repair"

    def options(self, state: State) -> list[Action]:
        """In list order."""
        return [PickSection(section) for section in damaged_sections(ship_of(state.players[self.seat]))]

    def chosen(self, draft: State, action: Action) -> None:
        """One point back."""
        if not isinstance(action, PickSection):
            raise RulesError(f"{self.kind}: {action!r}")
        player = draft.players[self.seat]
        ship = ship_of(player)
        player.ship = with_value(ship, action.section, ship.value(action.section) + 1)
        draft.tell(SectionRepaired(self.seat, action.section, 1))


@dataclass(frozen=True, slots=True)
class WeatherStorm(Step):
    """`STORM`: a Seamanship test for a captain at sea."""

    seat: Seat

    def run(self, draft: State) -> None:
        """A failure costs a hit."""
        stormy = draft.event is not None and isinstance(EVENTS[draft.event].text, Storm)
        if stormy and not draft.players[self.seat].in_port:
            dice = pool(draft, self.seat, Skill.SEAMANSHIP)
            test = SkillTest(seat=self.seat, skill=Skill.SEAMANSHIP, pool=dice, failure=(StormHit(self.seat),))
            draft.push(test)


@dataclass(frozen=True, slots=True)
class StormHit(Step):
    """One location die; on a skull the captain chooses the section."""

    seat: Seat

    def run(self, draft: State) -> None:
        """Roll it."""
        die = roll(draft, Side(self.seat), Roll.LOCATION, 1)[0]
        if die >= SKULL:
            draft.push(AskStormHit(self.seat))
        else:
            take_storm_hit(draft, self.seat, LOCATIONS[die])


@dataclass(frozen=True, slots=True)
class AskStormHit(SeatQuestion):
    """`assign_hit` of a storm."""

    kind: ClassVar[str] = "assign_hit"

    def options(self, state: State) -> list[Action]:
        """Sections above 0."""
        return [PickSection(section) for section in standing_sections(ship_of(state.players[self.seat]))]

    def chosen(self, draft: State, action: Action) -> None:
        """There it hits."""
        if not isinstance(action, PickSection):
            raise RulesError(f"{self.kind}: {action!r}")
        take_storm_hit(draft, self.seat, action.section)


def take_storm_hit(draft: State, seat: Seat, section: Section) -> None:
    """Damage, lost cargo, perhaps death."""
    player = draft.players[seat]
    player.ship = strike(ship_of(player), [section])
    draft.tell(Damaged(Side(seat), player.ship.sections))
    if player.ship.value(Section.HULL):
        lose_excess(draft, seat)
    else:
        draft.push(Die(seat))


# --- Actions ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NextAction(Step):
    """The turn goes on while the captain lives and something can be done."""

    seat: Seat

    def run(self, draft: State) -> None:
        """Ask, or end the turn by itself."""
        turn = turn_of(draft)
        alive = draft.players[self.seat].captain is not None
        if alive and (turn.actions or turn.free_moves or card_entries(draft, self.seat)):
            draft.push(AskAction(self.seat))
        else:
            draft.turn = None


@dataclass(frozen=True, slots=True)
class AskAction(SeatQuestion):
    """`action`."""

    kind: ClassVar[str] = "action"

    def options(self, state: State) -> list[Action]:
        """End, retire, then whatever the place allows, then glory cards."""
        player, turn = state.players[self.seat], turn_of(state)
        found: list[Action] = [End()]
        if can_retire(state, turn):
            found.append(Retire())
        found += port_entries(state, turn) if player.in_port else sea_entries(state, turn)
        return found + card_entries(state, self.seat)

    def chosen(self, draft: State, action: Action) -> None:
        """Pay for it, carry it out, go on."""
        turn = turn_of(draft)
        if isinstance(action, End):
            draft.turn = None
            return
        if isinstance(action, PlayGlory):
            draft.push(NextAction(self.seat))
            play_card(draft, self.seat, action)
            return
        turn.acted = True
        if isinstance(action, Retire):
            draft.turn = None
            draft.push(RetireCaptain(self.seat))
            return
        draft.push(NextAction(self.seat))
        self._act(draft, turn, action)

    def _act(self, draft: State, turn: Turn, action: Action) -> None:
        match action:
            case Leave():
                spend_move(turn, 1)
                draft.push(TrimCargo(self.seat), PutToSea(self.seat))
            case Move(zone):
                spend_move(turn, 1 + mod(draft, self.seat, "move.sea_cost"))
                sail(draft, self.seat, zone, in_port=False)
                draft.push(ArriveAtSea(self.seat))
            case EnterPort(way):
                spend_move(turn, 1)
                enter(draft, self.seat, way)
            case VisitPort():
                turn.actions -= 1
                visit(draft, self.seat)
            case ScoutMerchant():
                turn.actions -= 1
                turn.tried_merchants += (draft.players[self.seat].zone,)
                scout(draft, self.seat, action)
            case ScoutPlayer() | ScoutNpc() | ScoutMission() | ScoutRumor():
                turn.actions -= 1
                turn.tried += (action,)
                scout(draft, self.seat, action)
            case _:
                raise RulesError(f"{self.kind}: {action!r}")


def can_retire(state: State, turn: Turn) -> bool:
    """R16: in port, before any action, at most twice, and never with the last captain cards."""
    player = state.players[turn.seat]
    without = sum(other.captain is None for other in state.players)
    return not turn.acted and player.in_port and player.retirements < MAX_RETIREMENTS and len(state.captains) > without


def port_entries(state: State, turn: Turn) -> list[Action]:
    """In port: leave, or act."""
    found: list[Action] = []
    if turn.actions + turn.free_moves:
        found.append(Leave())
    if turn.actions and not turn.port_used and may_act(state, turn.seat):
        found.append(VisitPort())
    return found


def sea_entries(state: State, turn: Turn) -> list[Action]:
    """At sea: move, enter, scout."""
    zone = state.players[turn.seat].zone
    found: list[Action] = []
    if turn.actions + turn.free_moves >= 1 + mod(state, turn.seat, "move.sea_cost"):
        found += [Move(other) for other in ADJACENT[zone]]
    if turn.actions + turn.free_moves:
        found += [EnterPort(way) for way in ways_in(state, turn.seat)]
    if turn.actions:
        found += scout_entries(state, turn)
    return found


def spend_move(turn: Turn, cost: int) -> None:
    """A move uses free moves first."""
    free = min(cost, turn.free_moves)
    turn.free_moves -= free
    turn.actions -= cost - free


def sail(draft: State, seat: Seat, zone: Zone, *, in_port: bool) -> None:
    """The ship is there now."""
    player = draft.players[seat]
    player.zone = zone
    player.in_port = in_port
    draft.tell(Sailed(seat, zone, in_port))


@dataclass(frozen=True, slots=True)
class PutToSea(Step):
    """Out of the port, with no more cargo than allowed."""

    seat: Seat

    def run(self, draft: State) -> None:
        """Hunters may be waiting."""
        sail(draft, self.seat, draft.players[self.seat].zone, in_port=False)
        draft.push(ArriveAtSea(self.seat))


@dataclass(frozen=True, slots=True)
class DropAnchor(Step):
    """Into the port."""

    seat: Seat

    def run(self, draft: State) -> None:
        """Safe."""
        sail(draft, self.seat, draft.players[self.seat].zone, in_port=True)


def enter(draft: State, seat: Seat, way: Entry) -> None:
    """Free, for gold, or with an Influence roll whose failure leaves the ship at sea."""
    if way == Entry.ROLL:
        dice = pool(draft, seat, Skill.INFLUENCE)
        draft.push(SkillTest(seat=seat, skill=Skill.INFLUENCE, pool=dice, success=(DropAnchor(seat),)))
        return
    if way == Entry.PAY:
        pay(draft, seat, mod(draft, seat, "port.outlaw"))
    draft.push(DropAnchor(seat))


def visit(draft: State, seat: Seat) -> None:
    """The Port action, after a roll for those who act where they must not."""
    if must_roll(draft, seat):
        dice = pool(draft, seat, Skill.INFLUENCE)
        draft.push(SkillTest(seat=seat, skill=Skill.INFLUENCE, pool=dice, success=(BeginVisit(seat),)))
    else:
        draft.push(BeginVisit(seat))
