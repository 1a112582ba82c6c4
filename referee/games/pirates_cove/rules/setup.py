"""Before the first month: piles, black ships, first cards, `OUTFIT`. Spec section 4."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, product

from referee.chance import TABLE, Chance
from referee.engine import Seat
from referee.games.pirates_cove.actions import Action, Outfit
from referee.games.pirates_cove.data import (
    BLACK_SHIP_STARTS,
    CARDS,
    COST,
    GOLD,
    LEGEND_DECK,
    MONTHS,
    START_GOLD,
    START_LEVEL,
    TREASURE_COPIES,
    TREASURES,
)
from referee.games.pirates_cove.events import Log, Outfitted
from referee.games.pirates_cove.ids import OUTER_ISLANDS
from referee.games.pirates_cove.rules.legends import LEGENDS_PILE
from referee.games.pirates_cove.rules.tavern import TAVERN
from referee.games.pirates_cove.state import BeginMonth, BlackShip, Draw, FitOut, Ship, State

MAX_INCREMENT = 4
PRICES = (0, *accumulate(COST[START_LEVEL : START_LEVEL + MAX_INCREMENT]))
"""Of an increment of 0 to 4 levels."""


def outfit_price(outfit: Outfit) -> int:
    """What an outfit costs."""
    return PRICES[outfit.hull] + PRICES[outfit.sails] + PRICES[outfit.cannons] + PRICES[outfit.crew]


OUTFITS: tuple[Action, ...] = tuple(
    outfit
    for increments in product(range(MAX_INCREMENT + 1), repeat=4)
    if outfit_price(outfit := Outfit(*increments)) <= START_GOLD
)
DEFAULT_OUTFIT = OUTFITS.index(Outfit(1, 1, 2, 2))


def lay_out(seats: int, chance: Chance) -> State:
    """The table of spec 4, steps 1 to 5; the first cards are still to be drawn."""
    designs = [design for design in range(1, len(TREASURES) + 1) for _ in range(TREASURE_COPIES)]
    treasures = chance.shuffle("treasure", TABLE, designs)
    legends = chance.shuffle(LEGENDS_PILE, TABLE, LEGEND_DECK)
    return State(
        chance=chance,
        ships=[Ship(gold=START_GOLD) for _ in range(seats)],
        # The last task is the first: seat 0 draws, then seat 1, ... then all fit out.
        agenda=[BeginMonth(), FitOut(), *(Draw(Seat(seat), 1) for seat in reversed(range(seats)))],
        gold=GOLD - seats * START_GOLD,
        piles=tuple(tuple(treasures[at * MONTHS : (at + 1) * MONTHS]) for at in range(len(OUTER_ISLANDS))),
        tavern=chance.shuffle(TAVERN, TABLE, [card.id for card in CARDS.values() for _ in range(card.copies)]),
        black_ships=tuple(BlackShip(place, legends.pop()) for place in BLACK_SHIP_STARTS[seats]),
        legends=tuple(legends),
    )


def fit_out(draft: State, choices: Mapping[Seat, Action], log: Log) -> None:
    """All outfits are paid and published together."""
    for seat, outfit in sorted(choices.items()):
        assert isinstance(outfit, Outfit)
        ship, price = draft.ships[seat], outfit_price(outfit)
        increments = (outfit.hull, outfit.sails, outfit.cannons, outfit.crew)
        ship.levels = [level + increment for level, increment in zip(ship.levels, increments, strict=True)]
        ship.gold -= price
        draft.gold += price
        log.append(Outfitted(seat, tuple(ship.levels), price))
