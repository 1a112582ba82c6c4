"""Collision: the ships come to lie alongside, and the last salvo opens.

Spec section 6.9, steps 1 to 3; rulings R25 to R27.
"""

from __future__ import annotations

from referee.games.broadsides.data import BLOWS, BROADSIDE
from referee.games.broadsides.events import ships_collided
from referee.games.broadsides.rules.boarding import StartBoarding
from referee.games.broadsides.rules.contact import blow_direction, contact_sides
from referee.games.broadsides.rules.gunnery import open_fire
from referee.games.broadsides.rules.round_end import ReplaceCaptains, take_back_cards
from referee.games.broadsides.state import Boarding, Ship, State
from referee.games.broadsides.terms import FireMode, Side
from referee.rules.agenda import push
from referee.rules.engine import DUEL


def collide(draft: State, moved: tuple[bool, bool]) -> None:
    """Lay the ships alongside and open the last salvo. The round ends here, its other cards are discarded unseen."""
    reference = DUEL[moved[0] and not moved[1]]
    first, second = draft.ships
    blow = blow_direction(draft.ships[reference], draft.ships[1 - reference])
    sides = contact_sides(blow, reference)
    draft.boarding = Boarding(sides=sides, bows_opposite=BLOWS[blow].bows_opposite)
    take_back_cards(draft)
    draft.events.append(ships_collided(first.point, reference, all(moved), blow, sides, BLOWS[blow].bows_opposite))
    draft.pending = ()
    push(draft, ReplaceCaptains(), StartBoarding())
    open_fire(draft, FireMode.LAST_SALVO, (cannons_on(first, sides[0]), cannons_on(second, sides[1])))


def cannons_on(ship: Ship, side: Side) -> int:
    """Return how many cannons stand on one side; in the last salvo all of them fire (R27)."""
    return sum(station in BROADSIDE[side] for station in ship.cannons)
