"""Who knows what: the one file that decides it. Spec section 3.

Everything lies open but two things: where the other seat has placed its figures, until both have finished setup, and
the cards it has face down. Cards that are never turned over stay unseen for ever, in events as well.

Views are named tuples because the wire finds their encoded pieces by hash at every question, and tuples hash fast.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from referee.chance import Chance
from referee.engine import SPECTATOR, Seat
from referee.games.broadsides.actions import Place
from referee.games.broadsides.data import Card, Point, Side, Station
from referee.games.broadsides.events import Event, FigurePlaced, ProgramLaid
from referee.games.broadsides.rules.condition import damage, damage_cards
from referee.games.broadsides.rules.setup import free_stations, new_crew, put_down
from referee.games.broadsides.state import SEATS, Boarding, Crew, Gunfire, Settings, Ship, State, other

SAILING_CARDS = (Card.AH, Card.ST, Card.PO, Card.RE)


class Part(Enum):
    """The large parts of a game."""

    SETUP = "setup"
    BROADSIDES = "broadsides"
    BOARDING = "boarding"


class ShipView(NamedTuple):
    """A ship as both seats see it."""

    point: Point
    facing: int
    aground: bool
    no_cards: bool
    cannons: tuple[Station, ...]
    masts: tuple[int, ...]
    hull: tuple[int, ...]
    damage: int
    damage_cards: int
    cards_turned: tuple[Card, ...]
    cards_face_down: int


class CrewView(NamedTuple):
    """The figures of one seat, by ship and station."""

    hands: tuple[tuple[int, ...], tuple[int, ...]]
    captain: Place | None
    figures: int


class BoardingView(NamedTuple):
    """How the ships lie alongside, and the turn under way."""

    sides: tuple[Side, Side]
    bows_opposite: bool
    seat: Seat
    turn: int
    moves_left: int
    quiet_turns: int
    contested: tuple[Place, ...]


class View(NamedTuple):
    """All that one seat may know."""

    seat: Seat
    settings: Settings
    part: Part
    round: int
    step: int
    quiet_rounds: int
    ships: tuple[ShipView, ShipView]
    crews: tuple[CrewView, CrewView]
    own_cards: tuple[Card, ...]
    gunfire: Gunfire | None
    boarding: BoardingView | None
    dice: tuple[int, ...]


def view(state: State, seat: Seat) -> View:
    """Everything that seat may know, built from nothing."""
    watching = seat == SPECTATOR
    crews = [_crew(crew) for crew in state.crews]
    if part_of(state) is Part.SETUP:
        for owner in SEATS:
            if owner != seat:
                crews[owner] = _crew(new_crew(owner))
    return View(
        seat=Seat(len(SEATS)) if watching else seat,
        settings=state.settings,
        part=part_of(state),
        round=state.round,
        step=state.step,
        quiet_rounds=state.quiet_rounds,
        ships=(_ship(state.ships[0]), _ship(state.ships[1])),
        crews=(crews[0], crews[1]),
        own_cards=() if watching else _face_down(state.ships[seat]),
        gunfire=state.gunfire,
        boarding=None if state.boarding is None else _boarding(state.boarding),
        dice=tuple(state.dice),
    )


def part_of(state: State) -> Part:
    """Which part of the game is being played."""
    if state.boarding is not None:
        return Part.BOARDING
    return Part.BROADSIDES if state.round else Part.SETUP


def _ship(ship: Ship) -> ShipView:
    return ShipView(
        point=ship.point,
        facing=ship.facing,
        aground=ship.aground,
        no_cards=ship.no_cards,
        cannons=ship.cannons,
        masts=tuple(ship.masts),
        hull=tuple(ship.hull),
        damage=damage(ship),
        damage_cards=damage_cards(ship),
        cards_turned=ship.cards[: ship.turned],
        cards_face_down=len(ship.cards) - ship.turned,
    )


def _face_down(ship: Ship) -> tuple[Card, ...]:
    return ship.cards[ship.turned :]


def _crew(crew: Crew) -> CrewView:
    return CrewView(hands=(tuple(crew.hands[0]), tuple(crew.hands[1])), captain=crew.captain, figures=crew.figures())


def _boarding(boarding: Boarding) -> BoardingView:
    return BoardingView(
        sides=boarding.sides,
        bows_opposite=boarding.bows_opposite,
        seat=boarding.seat,
        turn=boarding.turn,
        moves_left=boarding.moves_left,
        quiet_turns=boarding.quiet_turns,
        contested=tuple(boarding.contested),
    )


def seen(event: Event, seat: Seat) -> Event | None:
    """An event as that seat perceived it: what is laid or placed in secret is heard by its owner alone."""
    if isinstance(event, FigurePlaced | ProgramLaid) and event.seat != seat:
        return None
    return event


def hide(state: State, seat: Seat, chance: Chance) -> State:
    """The same state with the other seat's secrets and all future luck drawn anew."""
    draft, enemy = state.copy(), other(seat)
    draft.chance = chance
    if part_of(state) is Part.SETUP:
        _hide_placements(draft, enemy)
    _hide_cards(draft.ships[enemy], enemy, chance)
    return draft


def _hide_placements(draft: State, seat: Seat) -> None:
    count = len(draft.placements[seat])
    draft.crews[seat], draft.placements[seat] = new_crew(seat), ()
    for _ in range(count):
        free = free_stations(draft.crews[seat], seat)
        put_down(draft, seat, free[draft.chance.draw("hide", seat, len(free))])


def _hide_cards(ship: Ship, seat: Seat, chance: Chance) -> None:
    """Other face-down cards with as many DA: their number is known, their places are not."""
    cards = [
        Card.DA if card is Card.DA else SAILING_CARDS[chance.draw("hide", seat, len(SAILING_CARDS))]
        for card in _face_down(ship)
    ]
    ship.cards = ship.cards[: ship.turned] + tuple(chance.shuffle("hide", seat, cards))
