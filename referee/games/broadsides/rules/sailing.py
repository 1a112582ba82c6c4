"""Sailing: the start of a round, the secret programs, and the three steps in which cards are turned over.

Spec sections 6.1, 6.2 and 6.7; rulings R4 to R7, R16, R17, R20 and R22. What follows a step is handed on.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import ClassVar

from referee.agenda import Question, Task, push
from referee.engine import DUEL, Decision, Seat, other_seat
from referee.games.broadsides.actions import Program, ProgramAction, Surrender
from referee.games.broadsides.data import AHEAD, CARDS_PER_ROUND, CHARTS, TURNS
from referee.games.broadsides.events import ProgramLaid, RoundStarted, ShipSailed, Surrendered
from referee.games.broadsides.rules.collision import collide
from referee.games.broadsides.rules.condition import damage_cards, end, end_by_condition, is_immobilised
from referee.games.broadsides.rules.gunnery import any_gun_bears, open_exchange
from referee.games.broadsides.rules.round_end import EndRound
from referee.games.broadsides.state import Ship, State
from referee.games.broadsides.terms import DIRECTIONS, Card, Ground, Point, Reason
from referee.parts import immutable


def _program_options(owed: int) -> tuple[ProgramAction, ...]:
    """All programs with exactly that many DA, in the order of the cards; with three of them also SURRENDER (R20)."""
    programs = tuple(
        Program((one, two, three))
        for one, two, three in product(Card, repeat=CARDS_PER_ROUND)
        if (one, two, three).count(Card.DA) == owed
    )
    return (*programs, Surrender()) if owed == CARDS_PER_ROUND else programs


def _default_program(owed: int) -> Program:
    """RE, then the damage cards; never SURRENDER."""
    one, two, three = (Card.RE,) * (CARDS_PER_ROUND - owed) + (Card.DA,) * owed
    return Program((one, two, three))


PROGRAM_OPTIONS = tuple(_program_options(owed) for owed in range(CARDS_PER_ROUND + 1))
"""The legal list of PROGRAM, by the number of damage cards owed."""
PROGRAM_DEFAULTS = tuple(options.index(_default_program(owed)) for owed, options in enumerate(PROGRAM_OPTIONS))


@immutable(frozen=True, slots=True)
class StartRound(Task[State]):
    """A round of Broadsides: programs, three steps, the end of the round, and then the next one."""

    TAG: ClassVar[str] = "StartRound"

    def run(self, draft: State) -> None:
        """Count the round, see whether anything can still happen, and let those with cards program."""
        draft.round += 1
        draft.step = 0
        draft.shot_fired = False
        draft.events.append(RoundStarted(draft.round))
        for ship in draft.ships:
            ship.aground = False
        if all(is_immobilised(ship) for ship in draft.ships) and not any_gun_bears(draft):
            end_by_condition(draft, Reason.DEADLOCK)
            return
        push(draft, *[PlayStep()] * CARDS_PER_ROUND, EndRound(), StartRound())
        if all(ship.no_cards for ship in draft.ships):
            lay_programs(draft, {})
        else:
            push(draft, LayPrograms())


@immutable(frozen=True, slots=True)
class LayPrograms(Question[State, ProgramAction]):
    """`PROGRAM`: three cards for each ship that has any, with as many DA as damage demands (R16)."""

    TAG: ClassVar[str] = "LayPrograms"
    kind = "PROGRAM"

    def decision(self, state: State) -> Decision[ProgramAction]:
        """Every program with the damage cards owed."""
        owed = {seat: damage_cards(state.ships[seat]) for seat in DUEL if not state.ships[seat].no_cards}
        return Decision(
            kind=self.kind,
            options={seat: PROGRAM_OPTIONS[count] for seat, count in owed.items()},
            defaults={seat: PROGRAM_DEFAULTS[count] for seat, count in owed.items()},
        )

    def answer(self, draft: State, choices: Mapping[Seat, ProgramAction]) -> None:
        """Put the cards down, or end the game for who surrendered."""
        losers = [seat for seat, choice in choices.items() if isinstance(choice, Surrender)]
        if not losers:
            lay_programs(draft, {seat: choice for seat, choice in choices.items() if isinstance(choice, Program)})
            return
        draft.events.extend(Surrendered(seat) for seat in losers)
        if len(losers) == len(DUEL):
            end(draft, None, Reason.MUTUAL_SURRENDER)
        else:
            end(draft, other_seat(losers[0]), Reason.SURRENDER)


def lay_programs(draft: State, programs: Mapping[Seat, Program]) -> None:
    """Put the cards down. A ship without cards has served its round (R22)."""
    for seat in DUEL:
        ship, program = draft.ships[seat], programs.get(seat)
        ship.cards = () if program is None else program.cards
        ship.turned = 0
        ship.no_cards = False
        if ship.cards:
            draft.events.append(ProgramLaid(seat, ship.cards))


@immutable(frozen=True, slots=True)
class PlayStep(Task[State]):
    """One of the three steps of a round."""

    TAG: ClassVar[str] = "PlayStep"

    def run(self, draft: State) -> None:
        """Turn over one card of each ship, move both at once, then see whether they collide or can fire."""
        draft.step += 1
        moved = (sail(draft, DUEL[0]), sail(draft, DUEL[1]))
        one, two = draft.ships
        if one.point == two.point:
            collide(draft, moved)
        else:
            open_exchange(draft)


def sail(draft: State, seat: Seat) -> bool:
    """One ship obeys its next card, if it has one and is afloat (R6). Whether it moved.

    The other ship never blocks a move, so the order of the two ships does not matter (R7).
    """
    ship = draft.ships[seat]
    if ship.aground or not ship.cards:
        return False
    card = ship.cards[ship.turned]
    ship.turned += 1
    ground, before = None, ship.point
    if card in TURNS:
        ship.facing = DIRECTIONS[(ship.facing + TURNS[card]) % 8]
    elif card is Card.AH:
        ground = go_ahead(ship, draft.settings.map)
    draft.events.append(ShipSailed(seat, draft.step, card, ship.point, ship.facing, ground))
    return ship.point != before


def go_ahead(ship: Ship, map_id: str) -> Ground | None:
    """One point along the facing, or aground on land or at the edge (R4). Diagonals pass between land points (R5)."""
    chart, (dx, dy) = CHARTS[map_id], AHEAD[ship.facing]
    target: Point = (ship.point[0] + dx, ship.point[1] + dy)
    if chart.is_water(target):
        ship.point = target
        return None
    ship.aground = True
    return Ground.ISLAND if chart.is_on_chart(target) else Ground.EDGE
