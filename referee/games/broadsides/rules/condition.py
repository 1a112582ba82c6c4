"""The state of a ship: damage, losing conditions, comparisons, and how a game is declared over.

Spec sections 6.5, 6.7 and 8; rulings R16, R18, R19, R21, R40 and R42.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.games.broadsides.data import CARDS_PER_ROUND, MARKERS_PER_SECTION, SECTIONS_TO_SINK
from referee.games.broadsides.events import game_ended
from referee.games.broadsides.state import Crew, Ship, State
from referee.games.broadsides.terms import Reason
from referee.rules.engine import DUEL, Seat, other_seat


def damage_cards(ship: Ship) -> int:
    """Return how many cards of the next program have to be DA."""
    return min(CARDS_PER_ROUND, ship.damage)


def is_immobilised(ship: Ship) -> bool:
    """Check whether damage takes every card: the ship neither moves nor turns, but fires and may surrender (R19)."""
    return ship.damage >= CARDS_PER_ROUND


def is_sunk(ship: Ship) -> bool:
    """Check whether three hull sections are destroyed, whatever the masts (R18)."""
    return ship.hull.count(MARKERS_PER_SECTION) >= SECTIONS_TO_SINK


def is_eliminated(crew: Crew) -> bool:
    """Check whether neither captain nor crew is left (R21); then there is no cannon either (R23)."""
    return crew.captain is None and crew.figures == 0


def end(draft: State, winner: Seat | None, reason: Reason) -> None:
    """Declare the game over: nothing else is to happen."""
    draft.ending = game_ended(winner, reason)
    draft.events.append(draft.ending)
    draft.pending = ()


def end_by_condition(draft: State, reason: Reason) -> None:
    """Let the ship in the better condition win: less damage, more figures, more cannons, fewer hull markers (8.2)."""
    keys = [
        (-ship.damage, crew.figures, len(ship.cannons), -sum(ship.hull))
        for ship, crew in zip(draft.ships, draft.crews, strict=True)
    ]
    end(draft, _better(keys), reason)


def end_by_figures(draft: State, reason: Reason) -> None:
    """More figures win, then more figures on the enemy's ship (8.3)."""
    keys = [
        (crew.figures, sum(crew.hands[other_seat(seat)]) + (crew.captain is not None and crew.captain.ship != seat))
        for seat, crew in zip(DUEL, draft.crews, strict=True)
    ]
    end(draft, _better(keys), reason)


def _better(keys: Sequence[tuple[int, ...]]) -> Seat | None:
    if keys[0] == keys[1]:
        return None
    return DUEL[keys[1] > keys[0]]
