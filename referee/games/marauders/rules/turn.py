"""A seat's turn (6.5): windows of the others, self-repair, storm, hunters; then its actions."""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.cards import DECLINE, Decline, PlayGlory, WindowAction
from referee.games.marauders.actions.combat import PickSection
from referee.games.marauders.cards.effects import LoseAction, StealGold
from referee.games.marauders.cards.event_texts import Storm
from referee.games.marauders.data.board import ACTIONS, LOCATIONS
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.data.glory import START_CARDS
from referee.games.marauders.events.combat import Damaged
from referee.games.marauders.events.port import SectionRepaired
from referee.games.marauders.events.round import TurnBegan
from referee.games.marauders.rules.death import Die, NewCaptain
from referee.games.marauders.rules.dice import SKULL, roll
from referee.games.marauders.rules.fighting.hunting import ArriveAtSea
from referee.games.marauders.rules.glory import play, playable
from referee.games.marauders.rules.modifiers import mod, pool, seats_after
from referee.games.marauders.rules.piles import lose_excess
from referee.games.marauders.rules.purse import gain, pay
from referee.games.marauders.rules.rewards import ship_of
from referee.games.marauders.rules.ships import damaged_sections, set_ship, standing_sections, strike, with_value
from referee.games.marauders.rules.skill_tests import SkillTest
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.rules.turn_actions import NextAction, turn_of
from referee.games.marauders.rules.windows import Window
from referee.games.marauders.state import State, Turn
from referee.games.marauders.terms import Roll, Section, Side, Skill, Timing
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


@immutable(frozen=True, slots=True)
class PlayTurn(Task[State]):
    """A seat's turn, from the new captain it may need to the end."""

    TAG: ClassVar[str] = "PlayTurn"
    seat: Seat

    def run(self, draft: State) -> None:
        """Give the seat a new captain first if one is needed, then begin the turn in the order of 6.5."""
        draft.turn = Turn(self.seat, 0, 0)
        push(draft, BeginTurn(self.seat))
        if draft.players[self.seat].captain is None:
            push(draft, NewCaptain(self.seat))


@immutable(frozen=True, slots=True)
class BeginTurn(Task[State]):
    """Actions are counted; then all that happens before the first choice."""

    TAG: ClassVar[str] = "BeginTurn"
    seat: Seat

    def run(self, draft: State) -> None:
        """Windows of the others, self-repair, storm, hunters."""
        seat = self.seat
        actions = max(0, ACTIONS + mod(draft, seat, "turn.actions"))
        free_moves = mod(draft, seat, "turn.free_moves")
        draft.turn = Turn(seat, actions, free_moves)
        tell(draft, TurnBegan, seat, actions, free_moves)
        windows = [OfferTurnStart(other) for other in seats_after(draft, seat)]
        points = mod(draft, seat, "turn.self_repair")
        push(draft, *windows, SelfRepair(seat, points), WeatherStorm(seat), ArriveAtSea(seat), NextAction(seat))


@immutable(frozen=True, slots=True)
class OfferTurnStart(Task[State]):
    """Another seat may play a card against the active one."""

    TAG: ClassVar[str] = "OfferTurnStart"
    seat: Seat

    def run(self, draft: State) -> None:
        """Only a seat with a playable card is asked."""
        if start_cards(draft, self.seat):
            push(draft, AskTurnStart(self.seat))


def start_cards(state: State, seat: Seat) -> tuple[str, ...]:
    """Cards playable at the start of the active seat's turn."""
    player, active = state.players[seat], state.players[turn_of(state).seat]
    cards = playable(player, Timing.TURN_START)
    if player.captain is None or not cards:
        return ()
    together = player.zone == active.zone and player.in_port == active.in_port
    legal_cards = []
    for card in cards:
        effect = START_CARDS[card]
        match effect:
            case LoseAction():
                legal = active.in_port
            case StealGold():
                legal = together
            case _:
                assert_never(effect)
        if legal:
            legal_cards.append(card)
    return tuple(legal_cards)


@immutable(frozen=True, slots=True)
class AskTurnStart(Window[WindowAction]):
    """`w_turn_start`: at most one card."""

    TAG: ClassVar[str] = "AskTurnStart"
    kind: ClassVar[str] = "w_turn_start"

    def options(self, state: State) -> list[WindowAction]:
        """Decline, or a card."""
        return [DECLINE, *each(PlayGlory, start_cards(state, self.seat))]

    def choose(self, draft: State, action: WindowAction) -> None:
        """Actions or gold of the active seat."""
        if isinstance(action, Decline):
            return
        play(draft, self.seat, action)
        turn = turn_of(draft)
        effect = START_CARDS[action.card]
        match effect:
            case LoseAction(count):
                draft.turn = replace(turn, actions=max(0, turn.actions - count))
            case StealGold(gold):
                gold = min(gold, draft.players[turn.seat].gold)
                pay(draft, turn.seat, gold)
                gain(draft, self.seat, gold)
            case _:
                assert_never(effect)


@immutable(frozen=True, slots=True)
class SelfRepair(Task[State]):
    """`turn.self_repair`, point by point."""

    TAG: ClassVar[str] = "SelfRepair"
    seat: Seat
    points: int

    def run(self, draft: State) -> None:
        """Ask while there are points and damage."""
        if self.points and damaged_sections(ship_of(draft.players[self.seat])):
            push(draft, AskSelfRepair(self.seat), SelfRepair(self.seat, self.points - 1))


@immutable(frozen=True, slots=True)
class AskSelfRepair(SeatQuestion[State, PickSection]):
    """`self_repair`: a damaged section but Crew."""

    TAG: ClassVar[str] = "AskSelfRepair"
    kind: ClassVar[str] = "self_repair"

    def options(self, state: State) -> tuple[PickSection, ...]:
        """Return the options in list order."""
        return each(PickSection, damaged_sections(ship_of(state.players[self.seat])))

    def choose(self, draft: State, action: PickSection) -> None:
        """Repair one point of it."""
        ship = ship_of(draft.players[self.seat])
        set_ship(draft, self.seat, with_value(ship, action.section, ship.value(action.section) + 1))
        tell(draft, SectionRepaired, self.seat, action.section, 1)


@immutable(frozen=True, slots=True)
class WeatherStorm(Task[State]):
    """`STORM`: a Seamanship test for a captain at sea."""

    TAG: ClassVar[str] = "WeatherStorm"
    seat: Seat

    def run(self, draft: State) -> None:
        """Take a hit after a failure."""
        stormy = draft.event is not None and isinstance(EVENTS[draft.event].text, Storm)
        if stormy and not draft.players[self.seat].in_port:
            dice = pool(draft, self.seat, Skill.SEAMANSHIP)
            test = SkillTest(seat=self.seat, skill=Skill.SEAMANSHIP, pool=dice, failure=(StormHit(self.seat),))
            push(draft, test)


@immutable(frozen=True, slots=True)
class StormHit(Task[State]):
    """One location die; on a skull the captain chooses the section."""

    TAG: ClassVar[str] = "StormHit"
    seat: Seat

    def run(self, draft: State) -> None:
        """Roll the die."""
        die = roll(draft, Side(self.seat), Roll.LOCATION, 1)[0]
        if die >= SKULL:
            push(draft, AskStormHit(self.seat))
        else:
            take_storm_hit(draft, self.seat, LOCATIONS[die])


@immutable(frozen=True, slots=True)
class AskStormHit(SeatQuestion[State, PickSection]):
    """`assign_hit` of a storm."""

    TAG: ClassVar[str] = "AskStormHit"
    kind: ClassVar[str] = "assign_hit"

    def options(self, state: State) -> tuple[PickSection, ...]:
        """Sections above 0."""
        return each(PickSection, standing_sections(ship_of(state.players[self.seat])))

    def choose(self, draft: State, action: PickSection) -> None:
        """Take the hit on that section."""
        take_storm_hit(draft, self.seat, action.section)


def take_storm_hit(draft: State, seat: Seat, section: Section) -> None:
    """Damage, lost cargo, perhaps death."""
    ship = strike(ship_of(draft.players[seat]), [section])
    set_ship(draft, seat, ship)
    tell(draft, Damaged, Side(seat), ship.sections)
    if ship.value(Section.HULL):
        lose_excess(draft, seat)
    else:
        push(draft, Die(seat))
