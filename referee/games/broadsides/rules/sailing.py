"""Sailing: the start of a round, the secret programs, and the three steps in which cards are turned over.

Spec sections 6.1, 6.2 and 6.7; rulings R4 to R7, R16, R17, R20 and R22. What follows a step is handed on.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import ClassVar

from referee.games.broadsides.actions import Program, ProgramAction, Surrender
from referee.games.broadsides.data import AHEAD, CARDS_PER_ROUND, CHARTS, TURNS
from referee.games.broadsides.events import program_laid, round_started, ship_sailed, surrendered
from referee.games.broadsides.rules.collision import collide
from referee.games.broadsides.rules.condition import damage_cards, end, end_by_condition, is_immobilised
from referee.games.broadsides.rules.gunnery import any_gun_bears, open_exchange
from referee.games.broadsides.rules.round_end import EndRound
from referee.games.broadsides.state import Ship, State
from referee.games.broadsides.terms import DIRECTIONS, Card, Direction, Ground, Point, Reason
from referee.rules.agenda import AgendaQuestion, Task, push
from referee.rules.engine import DUEL, Decision, Seat, other_seat
from referee.rules.parts import Row, immutable, replace


def _program_options(owed: int) -> Row[ProgramAction]:
    """Return all programs with exactly that many DA, in the order of the cards; with three of them also SURRENDER
    (R20)."""
    programs = [
        Program((first, second, third))
        for first, second, third in product(Card, repeat=CARDS_PER_ROUND)
        if (first, second, third).count(Card.DA) == owed
    ]
    return Row([*programs, Surrender()] if owed == CARDS_PER_ROUND else programs)


def _default_program(owed: int) -> Program:
    """RE, then the damage cards; never SURRENDER."""
    first, second, third = (Card.RE,) * (CARDS_PER_ROUND - owed) + (Card.DA,) * owed
    return Program((first, second, third))


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
        draft.events.append(round_started(draft.round))
        first, second = draft.ships = tuple(
            [replace(ship, aground=False) if ship.aground else ship for ship in draft.ships]
        )
        if is_immobilised(first) and is_immobilised(second) and not any_gun_bears(draft):
            end_by_condition(draft, Reason.DEADLOCK)
            return
        push(draft, *STEPS_AND_END)
        if first.no_cards and second.no_cards:
            lay_programs(draft, {})
        else:
            push(draft, LayPrograms())


@immutable(frozen=True, slots=True)
class LayPrograms(AgendaQuestion[State, ProgramAction]):
    """`PROGRAM`: three cards for each ship that has any, with as many DA as damage demands (R16)."""

    TAG: ClassVar[str] = "LayPrograms"
    kind = "PROGRAM"

    def decision(self, state: State) -> Decision[ProgramAction]:
        """Return every program with the damage cards owed."""
        first, second = state.ships
        return _program_decision(
            None if first.no_cards else damage_cards(first), None if second.no_cards else damage_cards(second)
        )

    def answer(self, draft: State, choices: Mapping[Seat, ProgramAction]) -> None:
        """Put the cards down, or end the game for who surrendered."""
        programs = {seat: choice.cards for seat, choice in choices.items() if isinstance(choice, Program)}
        if len(programs) == len(choices):
            lay_programs(draft, programs)
            return
        losers = [seat for seat in choices if seat not in programs]
        draft.events.extend(surrendered(seat) for seat in losers)
        if len(losers) == len(DUEL):
            end(draft, None, Reason.MUTUAL_SURRENDER)
        else:
            end(draft, other_seat(losers[0]), Reason.SURRENDER)


@cache
def _program_decision(*owed: int | None) -> Decision[ProgramAction]:
    """Make the decision from the damage cards that each seat owes; None for a seat that has no cards."""
    counts = {seat: count for seat, count in zip(DUEL, owed, strict=True) if count is not None}
    return Decision(
        kind=LayPrograms.kind,
        options={seat: PROGRAM_OPTIONS[count] for seat, count in counts.items()},
        defaults={seat: PROGRAM_DEFAULTS[count] for seat, count in counts.items()},
    )


def lay_programs(draft: State, programs: Mapping[Seat, tuple[Card, ...]]) -> None:
    """Put the cards down. A ship without cards has served its round (R22)."""
    draft.events += [program_laid(seat, cards) for seat, cards in programs.items()]
    draft.ships = tuple(
        [
            replace(ship, cards=programs.get(seat, ()), turned=0, no_cards=False)
            for seat, ship in zip(DUEL, draft.ships, strict=True)
        ]
    )


@immutable(frozen=True, slots=True)
class PlayStep(Task[State]):
    """One of the three steps of a round."""

    TAG: ClassVar[str] = "PlayStep"

    def run(self, draft: State) -> None:
        """Turn over one card of each ship, move both at once, then see whether they collide or can fire."""
        draft.step += 1
        before = draft.ships
        first, second = draft.ships = (sail(draft, DUEL[0]), sail(draft, DUEL[1]))
        if first.point == second.point:
            collide(draft, moved=(first.point != before[0].point, second.point != before[1].point))
        else:
            open_exchange(draft)


def sail(draft: State, seat: Seat) -> Ship:
    """Let one ship obey its next card, if it has one and is afloat (R6).

    The other ship never blocks a move, so the order of the two ships does not matter (R7).
    """
    ship = draft.ships[seat]
    if ship.aground or not ship.cards:
        return ship
    card = ship.cards[ship.turned]
    point, facing, ground = obey(draft.settings.map, ship.point, ship.facing, card)
    draft.events.append(ship_sailed(seat, draft.step, card, point, facing, ground))
    return replace(ship, point=point, facing=facing, aground=ground is not None, turned=ship.turned + 1)


STEPS_AND_END = (*[PlayStep()] * CARDS_PER_ROUND, EndRound(), StartRound())
"""What follows the programs of a round."""


@cache
def obey(map_id: str, point: Point, facing: Direction, card: Card) -> tuple[Point, Direction, Ground | None]:
    """Return where a ship is after a card, and what it ran on.

    AH is one point along the facing, or aground on land or at the edge (R4). Diagonals pass between land points
    (R5).
    """
    if card in TURNS:
        return point, DIRECTIONS[(facing + TURNS[card]) % 8], None
    if card is not Card.AH:
        return point, facing, None
    chart, (dx, dy) = CHARTS[map_id], AHEAD[facing]
    ahead = (point[0] + dx, point[1] + dy)
    if chart.is_water(ahead):
        return ahead, facing, None
    return point, facing, Ground.ISLAND if chart.is_on_chart(ahead) else Ground.EDGE
