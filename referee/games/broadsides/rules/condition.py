"""The state of a ship: damage, losing conditions, comparisons, and how a game is declared over.

Spec sections 6.5, 6.7 and 8; rulings R16, R18, R19, R21, R40 and R42.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.engine import Seat
from referee.games.broadsides.data import CARDS_PER_ROUND, MARKERS_PER_SECTION, SECTIONS_TO_SINK
from referee.games.broadsides.events import Event, GameEnded, Reason
from referee.games.broadsides.state import SEATS, Crew, Phase, Ship, State, other


def damage(ship: Ship) -> int:
    """D: masts gone plus hull sections destroyed."""
    return ship.masts.count(0) + ship.hull.count(MARKERS_PER_SECTION)


def damage_cards(ship: Ship) -> int:
    """How many cards of the next program have to be DA."""
    return min(CARDS_PER_ROUND, damage(ship))


def is_immobilised(ship: Ship) -> bool:
    """Whether damage takes every card: the ship neither moves nor turns, but fires and may surrender (R19)."""
    return damage(ship) >= CARDS_PER_ROUND


def is_sunk(ship: Ship) -> bool:
    """Whether three hull sections are destroyed, whatever the masts (R18)."""
    return ship.hull.count(MARKERS_PER_SECTION) >= SECTIONS_TO_SINK


def is_eliminated(crew: Crew) -> bool:
    """Whether neither captain nor crew is left (R21); then there is no cannon either (R23)."""
    return crew.figures() == 0


def every_captain_stands(state: State) -> bool:
    """Whether no captain has to be replaced."""
    return all(crew.captain is not None for crew in state.crews)


def end(draft: State, winner: Seat | None, reason: Reason, told: list[Event]) -> Phase:
    """Declare the game over."""
    draft.ending = GameEnded(winner, reason)
    told.append(draft.ending)
    return Phase.GAME_OVER


def end_by_condition(draft: State, reason: Reason, told: list[Event]) -> Phase:
    """The ship in the better condition wins: less damage, more figures, more cannons, fewer hull markers (8.2)."""
    keys = [
        (-damage(ship), crew.figures(), len(ship.cannons), -sum(ship.hull))
        for ship, crew in zip(draft.ships, draft.crews, strict=True)
    ]
    return end(draft, _better(keys), reason, told)


def end_by_figures(draft: State, reason: Reason, told: list[Event]) -> Phase:
    """More figures win, then more figures on the enemy's ship (8.3)."""
    keys = [
        (crew.figures(), sum(crew.hands[other(seat)]) + (crew.captain is not None and crew.captain.ship != seat))
        for seat, crew in zip(SEATS, draft.crews, strict=True)
    ]
    return end(draft, _better(keys), reason, told)


def _better(keys: Sequence[tuple[int, ...]]) -> Seat | None:
    if keys[0] == keys[1]:
        return None
    return SEATS[keys[1] > keys[0]]
