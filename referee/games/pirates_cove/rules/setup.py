"""Before the first month: piles, black ships, first cards, `OUTFIT`. Spec section 4."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, product
from typing import ClassVar

from referee.games.pirates_cove.actions import Outfit
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
from referee.games.pirates_cove.events import Outfitted
from referee.games.pirates_cove.rules.legends import LEGENDS_PILE
from referee.games.pirates_cove.rules.month import BeginMonth
from referee.games.pirates_cove.rules.tavern import TAVERN, Draw
from referee.games.pirates_cove.state import BlackShip, Ship, State
from referee.games.pirates_cove.terms import OUTER_ISLANDS
from referee.rules.agenda import AgendaQuestion, push, settle
from referee.rules.chance import TABLE, Chance
from referee.rules.engine import Decision, Seat, Variant
from referee.rules.parts import immutable, replace

MAX_INCREMENT = 4
PRICES = (0, *accumulate(COST[START_LEVEL : START_LEVEL + MAX_INCREMENT]))
"""Of an increment of 0 to 4 levels."""


def outfit_price(outfit: Outfit) -> int:
    """Return what an outfit costs."""
    return PRICES[outfit.hull] + PRICES[outfit.sails] + PRICES[outfit.cannons] + PRICES[outfit.crew]


OUTFITS = tuple(
    outfit
    for increments in product(range(MAX_INCREMENT + 1), repeat=4)
    if outfit_price(outfit := Outfit(*increments)) <= START_GOLD
)
DEFAULT_OUTFIT = OUTFITS.index(Outfit(1, 1, 2, 2))


@immutable(frozen=True, slots=True)
class FitOut(AgendaQuestion[State, Outfit]):
    """`OUTFIT`, all seats at once."""

    TAG: ClassVar[str] = "FitOut"
    kind = "OUTFIT"

    def decision(self, state: State) -> Decision[Outfit]:
        """Ask for an outfit: whatever the starting gold can pay for."""
        seats = state.seats_from(Seat(0))
        return Decision(
            kind=self.kind,
            options=dict.fromkeys(seats, OUTFITS),
            defaults=dict.fromkeys(seats, DEFAULT_OUTFIT),
        )

    def answer(self, draft: State, choices: Mapping[Seat, Outfit]) -> None:
        """Pay and publish all outfits together."""
        for seat, outfit in sorted(choices.items()):
            ship, price = draft.ships[seat], outfit_price(outfit)
            increments = (outfit.hull, outfit.sails, outfit.cannons, outfit.crew)
            levels = tuple([level + increment for level, increment in zip(ship.levels, increments, strict=True)])
            draft.set_ship(seat, replace(ship, levels=levels, gold=ship.gold - price))
            draft.gold += price
            draft.events.append(Outfitted(seat, levels, price))


def new(seats: int, variant: Variant, chance: Chance) -> State:
    """Return the table up to the first decision. The game has no variant."""
    state = lay_out(seats, chance)
    push(state, *[Draw(Seat(seat), 1) for seat in range(seats)], FitOut(), BeginMonth())
    settle(state)
    state.events.clear()
    return state


def lay_out(seats: int, chance: Chance) -> State:
    """Return the table of spec 4, steps 1 to 5; the first cards are still to be drawn."""
    designs = [design for design in range(1, len(TREASURES) + 1) for _ in range(TREASURE_COPIES)]
    treasures = chance.shuffle("treasure", TABLE, designs)
    legends = chance.shuffle(LEGENDS_PILE, TABLE, LEGEND_DECK)
    return State(
        chance=chance,
        ships=(Ship(gold=START_GOLD),) * seats,
        pending=(),
        gold=GOLD - seats * START_GOLD,
        piles=tuple(tuple(treasures[at * MONTHS : (at + 1) * MONTHS]) for at in range(len(OUTER_ISLANDS))),
        tavern=tuple(chance.shuffle(TAVERN, TABLE, [card.id for card in CARDS.values() for _ in range(card.copies)])),
        black_ships=tuple(BlackShip(place, legends.pop()) for place in BLACK_SHIP_STARTS[seats]),
        legends=tuple(legends),
    )
