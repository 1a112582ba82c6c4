"""The Tavern deck: drawing cards and settling parrots. Spec section 6.9, rulings R29 and R30."""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.pirates_cove.actions import Keep, ParrotAction, SwapParrot
from referee.games.pirates_cove.data import PARROT_SWAP_FAME, PARROTS
from referee.games.pirates_cove.events import ParrotDrawn, ParrotSettled, TavernReshuffled, card_drawn
from referee.games.pirates_cove.rules.ships import change_fame
from referee.games.pirates_cove.state import State
from referee.games.pirates_cove.terms import Card, FameReason
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.chance import TABLE
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace

KEEP = Keep()
SWAP = SwapParrot()
TAVERN = "tavern"
"""The pile's name for keyed chance."""


@immutable(frozen=True, slots=True)
class Draw(Task[State]):
    """A seat draws Tavern cards, one by one: a parrot among them may ask a question before the next one."""

    TAG: ClassVar[str] = "Draw"
    seat: Seat
    count: int

    def run(self, draft: State) -> None:
        """Draw the first of the cards due."""
        if self.count > 1:
            push(draft, Draw(self.seat, self.count - 1))
        if not draft.tavern:
            if not draft.tavern_discard:
                return
            draft.events.append(TavernReshuffled(len(draft.tavern_discard)))
            draft.tavern = tuple(draft.chance.shuffle(TAVERN, TABLE, draft.tavern_discard))
            draft.tavern_discard = ()
        card = draft.tavern[-1]
        draft.tavern = draft.tavern[:-1]
        take_card(draft, self.seat, card)


def take_card(draft: State, seat: Seat, card: Card) -> None:
    """Take a drawn card into the hand; a parrot perches, or asks for its place."""
    ship = draft.ships[seat]
    if card not in PARROTS:
        draft.set_ship(seat, replace(ship, hand=(*ship.hand, card)))
        draft.events.append(card_drawn(seat, card))
        return
    draft.events.append(ParrotDrawn(seat, card, ship.parrot is None))
    if ship.parrot is None:
        draft.set_ship(seat, replace(ship, parrot=card))
    else:
        push(draft, ParrotOffer(seat, card))


@immutable(frozen=True, slots=True)
class ParrotOffer(SeatQuestion[State, ParrotAction]):
    """`PARROT_SWAP`: a seat with a parrot drew another one, which waits here."""

    TAG: ClassVar[str] = "ParrotOffer"
    kind = "PARROT_SWAP"
    parrot: Card

    def options(self, state: State) -> tuple[ParrotAction, ...]:
        """Return the options: a swap has to be paid, so at fame 0 the old parrot stays (R29)."""
        return (KEEP, SWAP) if state.ships[self.seat].fame >= PARROT_SWAP_FAME else (KEEP,)

    def choose(self, draft: State, action: ParrotAction) -> None:
        """Keep one parrot aboard; the other goes back into the draw pile."""
        ship = draft.ships[self.seat]
        assert ship.parrot is not None
        match action:
            case Keep():
                swapped, aboard, back = False, ship.parrot, self.parrot
            case SwapParrot():
                swapped, aboard, back = True, self.parrot, ship.parrot
                draft.set_ship(self.seat, replace(ship, parrot=aboard, parrot_wounded=False))
                change_fame(draft, self.seat, -PARROT_SWAP_FAME, FameReason.PARROT_SWAP)
            case _:
                assert_never(action)
        draft.events.append(ParrotSettled(self.seat, aboard, swapped))
        draft.tavern = tuple(draft.chance.shuffle(TAVERN, TABLE, (*draft.tavern, back)))
