"""Who knows what: the one file that decides it. Spec section 3.

Everything lies open but two things: where the other seat has placed its figures, until both have finished setup, and
the cards it has face down. Cards that are never turned over stay unseen for ever, in events as well.

A view is built from nothing, field by field and by name: what we forget to add stays hidden. A ship, crew or boarding
that did not change since the last question is not viewed again: its view is kept with it, and so are the bytes of that.
"""

from __future__ import annotations

from referee.games.broadsides.events import Event, FigurePlaced, ProgramLaid
from referee.games.broadsides.rules.condition import damage_cards
from referee.games.broadsides.rules.contact import crossings
from referee.games.broadsides.rules.setup import free_stations, new_crew, put_down
from referee.games.broadsides.state import Boarding, Crew, Gunfire, Settings, Ship, State
from referee.games.broadsides.terms import Card, Direction, Phase, Place, Point, Side, Station
from referee.rules.chance import Chance
from referee.rules.engine import DUEL, SPECTATOR, Seat, other_seat
from referee.rules.parts import Part, immutable, kept, put, replace

SECRET_EVENTS = (FigurePlaced, ProgramLaid)

SAILING_CARDS = (Card.AH, Card.ST, Card.PO, Card.RE)


@immutable(frozen=True, kw_only=True, slots=True)
class ShipView(Part):
    """A ship as both seats see it."""

    point: Point
    facing: Direction
    aground: bool
    no_cards: bool
    cannons: tuple[Station, ...]
    masts: tuple[int, ...]
    hull: tuple[int, ...]
    damage: int
    damage_cards: int
    cards_turned: tuple[Card, ...]
    cards_face_down: int


@immutable(frozen=True, kw_only=True, slots=True)
class CrewView(Part):
    """The figures of one seat, by ship and station."""

    hands: tuple[tuple[int, ...], ...]
    captain: Place | None
    figures: int


@immutable(frozen=True, kw_only=True, slots=True)
class BoardingView(Part):
    """How the ships lie alongside, and the turn under way."""

    sides: tuple[Side, Side]
    bows_opposite: bool
    crossings: tuple[tuple[Station, Station], ...]
    """The stations between which crews can cross: on ship 0, on ship 1."""
    seat: Seat
    turn: int
    moves_left: int
    quiet_turns: int
    contested: tuple[Place, ...]


@immutable(frozen=True, kw_only=True, slots=True)
class View:
    """All that one seat may know."""

    seat: Seat
    settings: Settings
    phase: Phase
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
    """Return everything that seat may know, built from nothing."""
    watching = seat == SPECTATOR
    phase, (first, second), crews = state.phase, state.ships, state.crews
    if phase is Phase.SETUP:
        crews = tuple([crews[owner] if owner == seat else new_crew(owner) for owner in DUEL])
    return View(
        seat=Seat(len(DUEL)) if watching else seat,
        settings=state.settings,
        phase=phase,
        round=state.round,
        step=state.step,
        quiet_rounds=state.quiet_rounds,
        ships=(_ship(first), _ship(second)),
        crews=(_crew(crews[0]), _crew(crews[1])),
        own_cards=() if watching else _face_down(state.ships[seat]),
        gunfire=state.gunfire,
        boarding=None if state.boarding is None else _boarding(state.boarding),
        dice=state.dice,
    )


@kept
def _ship(ship: Ship) -> ShipView:
    return ShipView(
        point=ship.point,
        facing=ship.facing,
        aground=ship.aground,
        no_cards=ship.no_cards,
        cannons=ship.cannons,
        masts=ship.masts,
        hull=ship.hull,
        damage=ship.damage,
        damage_cards=damage_cards(ship),
        cards_turned=ship.cards[: ship.turned],
        cards_face_down=len(ship.cards) - ship.turned,
    )


def _face_down(ship: Ship) -> tuple[Card, ...]:
    return ship.cards[ship.turned :]


@kept
def _crew(crew: Crew) -> CrewView:
    return CrewView(hands=crew.hands, captain=crew.captain, figures=crew.figures)


@kept
def _boarding(boarding: Boarding) -> BoardingView:
    return BoardingView(
        sides=boarding.sides,
        bows_opposite=boarding.bows_opposite,
        crossings=crossings(boarding.sides, boarding.bows_opposite),
        seat=boarding.seat,
        turn=boarding.turn,
        moves_left=boarding.moves_left,
        quiet_turns=boarding.quiet_turns,
        contested=boarding.contested,
    )


def seen(event: Event, seat: Seat) -> Event | None:
    """Return an event as that seat perceived it: what is laid or placed in secret is heard by its owner alone."""
    if isinstance(event, SECRET_EVENTS) and event.seat != seat:
        return None
    return event


def hide(state: State, seat: Seat, chance: Chance) -> State:
    """Return the same state with the other seat's secrets and all future luck drawn anew."""
    draft, enemy = state.copy(), other_seat(seat)
    draft.chance = chance
    if state.phase is Phase.SETUP:
        _hide_placements(draft, enemy)
    _hide_cards(draft, enemy)
    return draft


def _hide_placements(draft: State, seat: Seat) -> None:
    count = len(draft.placements[seat])
    draft.set_crew(seat, new_crew(seat))
    draft.placements = put(draft.placements, seat, ())
    for _ in range(count):
        free = free_stations(draft.crews[seat], seat)
        put_down(draft, seat, free[draft.chance.draw("hide", seat, len(free))])


def _hide_cards(draft: State, seat: Seat) -> None:
    """Other face-down cards with as many DA: their number is known, their places are not."""
    ship, chance = draft.ships[seat], draft.chance
    cards = [
        Card.DA if card is Card.DA else SAILING_CARDS[chance.draw("hide", seat, len(SAILING_CARDS))]
        for card in _face_down(ship)
    ]
    shuffled = chance.shuffle("hide", seat, cards)
    draft.set_ship(seat, replace(ship, cards=(*ship.cards[: ship.turned], *shuffled)))
