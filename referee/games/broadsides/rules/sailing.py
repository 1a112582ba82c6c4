"""Sailing: the start of a round, the secret programs, and the three steps in which cards are turned over.

Spec sections 6.1, 6.2 and 6.7; rulings R4 to R7, R16, R17, R20 and R22. What follows a step is handed on.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from referee.engine import Decision, Seat
from referee.games.broadsides.actions import Action, Program, Surrender
from referee.games.broadsides.data import CARDS_PER_ROUND, CHARTS, DIRECTIONS, TURNS, Card, Point
from referee.games.broadsides.events import (
    Event,
    Ground,
    ProgramLaid,
    Reason,
    RoundStarted,
    ShipSailed,
    Surrendered,
)
from referee.games.broadsides.rules.collision import collide
from referee.games.broadsides.rules.condition import damage_cards, end, end_by_condition, is_immobilised
from referee.games.broadsides.rules.gunnery import any_gun_bears, open_exchange
from referee.games.broadsides.state import SEATS, Phase, Ship, State, other


def _program_options(owed: int) -> tuple[Action, ...]:
    """All programs with exactly that many DA, in the order of the cards; with three of them also SURRENDER (R20)."""
    programs = tuple(
        Program((one, two, three))
        for one, two, three in product(Card, repeat=CARDS_PER_ROUND)
        if (one, two, three).count(Card.DA) == owed
    )
    return (*programs, Surrender()) if owed == CARDS_PER_ROUND else programs


def _default_program(owed: int) -> Action:
    """RE, then the damage cards; never SURRENDER."""
    one, two, three = (Card.RE,) * (CARDS_PER_ROUND - owed) + (Card.DA,) * owed
    return Program((one, two, three))


PROGRAM_OPTIONS = tuple(_program_options(owed) for owed in range(CARDS_PER_ROUND + 1))
"""The legal list of PROGRAM, by the number of damage cards owed."""
PROGRAM_DEFAULTS = tuple(options.index(_default_program(owed)) for owed, options in enumerate(PROGRAM_OPTIONS))


def start_round(draft: State, told: list[Event]) -> Phase:
    """Count the round, see whether anything can still happen, and let those with cards program."""
    draft.round += 1
    draft.step = 0
    draft.shot_fired = False
    told.append(RoundStarted(draft.round))
    for ship in draft.ships:
        ship.aground = False
    if all(is_immobilised(ship) for ship in draft.ships) and not any_gun_bears(draft):
        return end_by_condition(draft, Reason.DEADLOCK, told)
    if all(ship.no_cards for ship in draft.ships):
        return lay_programs(draft, {}, told)
    return Phase.PROGRAM


def ask_program(state: State) -> Decision[Action]:
    """PROGRAM: three cards for each ship that has any, with as many DA as damage demands (R16)."""
    owed = {seat: damage_cards(state.ships[seat]) for seat in SEATS if not state.ships[seat].no_cards}
    return Decision(
        kind="PROGRAM",
        options={seat: PROGRAM_OPTIONS[count] for seat, count in owed.items()},
        defaults={seat: PROGRAM_DEFAULTS[count] for seat, count in owed.items()},
    )


def lay_programs(draft: State, choices: Mapping[Seat, Action], told: list[Event]) -> Phase:
    """Put the cards down, or end the game for who surrendered. A ship without cards has served its round (R22)."""
    losers = [seat for seat, choice in choices.items() if isinstance(choice, Surrender)]
    if losers:
        told.extend(Surrendered(seat) for seat in losers)
        if len(losers) == len(SEATS):
            return end(draft, None, Reason.MUTUAL_SURRENDER, told)
        return end(draft, other(losers[0]), Reason.SURRENDER, told)
    for seat in SEATS:
        ship, choice = draft.ships[seat], choices.get(seat)
        ship.cards = choice.cards if isinstance(choice, Program) else ()
        ship.turned = 0
        ship.no_cards = False
        if ship.cards:
            told.append(ProgramLaid(seat, ship.cards))
    return Phase.STEP


def play_step(draft: State, told: list[Event]) -> Phase:
    """Turn over one card of each ship, move both at once, then see whether they collide or can fire."""
    draft.step += 1
    moved = tuple([sail(draft, seat, told) for seat in SEATS])
    one, two = draft.ships
    if one.point == two.point:
        return collide(draft, (moved[0], moved[1]), told)
    return open_exchange(draft, told)


def sail(draft: State, seat: Seat, told: list[Event]) -> bool:
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
        ship.facing = (ship.facing + TURNS[card]) % 8
    elif card is Card.AH:
        ground = go_ahead(ship, draft.settings.map)
    told.append(ShipSailed(seat, draft.step, card, ship.point, ship.facing, ground))
    return ship.point != before


def go_ahead(ship: Ship, map_id: str) -> Ground | None:
    """One point along the facing, or aground on land or at the edge (R4). Diagonals pass between land points (R5)."""
    chart, (dx, dy) = CHARTS[map_id], DIRECTIONS[ship.facing]
    target: Point = (ship.point[0] + dx, ship.point[1] + dy)
    if chart.is_water(target):
        ship.point = target
        return None
    ship.aground = True
    return Ground.ISLAND if chart.is_on_chart(target) else Ground.EDGE
