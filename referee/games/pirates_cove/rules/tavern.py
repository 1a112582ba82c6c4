"""The Tavern deck: drawing cards and settling parrots. Spec section 6.9, rulings R29 and R30."""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.agenda import SeatQuestion, Task, push
from referee.chance import TABLE
from referee.engine import Seat
from referee.games.pirates_cove.actions import Keep, ParrotAction, SwapParrot
from referee.games.pirates_cove.data import PARROT_SWAP_FAME, PARROTS
from referee.games.pirates_cove.events import CardDrawn, ParrotDrawn, ParrotSettled, TavernReshuffled
from referee.games.pirates_cove.rules.ships import change_fame
from referee.games.pirates_cove.state import State
from referee.games.pirates_cove.terms import Card, FameReason
from referee.parts import immutable

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
            draft.tavern = draft.chance.shuffle(TAVERN, TABLE, draft.tavern_discard)
            draft.tavern_discard = []
        take_card(draft, self.seat, draft.tavern.pop())


def take_card(draft: State, seat: Seat, card: Card) -> None:
    """A drawn card goes into the hand; a parrot perches, or asks for its place."""
    ship = draft.ships[seat]
    if card not in PARROTS:
        ship.hand.append(card)
        draft.events.append(CardDrawn(seat, card))
        return
    draft.events.append(ParrotDrawn(seat, card, ship.parrot is None))
    if ship.parrot is None:
        ship.parrot = card
    else:
        push(draft, ParrotOffer(seat, card))


@immutable(frozen=True, slots=True)
class ParrotOffer(SeatQuestion[State, ParrotAction]):
    """`PARROT_SWAP`: a seat with a parrot drew another one, which waits here."""

    TAG: ClassVar[str] = "ParrotOffer"
    kind = "PARROT_SWAP"
    parrot: Card

    def options(self, state: State) -> tuple[ParrotAction, ...]:
        """A swap has to be paid, so at fame 0 the old parrot stays (R29)."""
        return (Keep(), SwapParrot()) if state.ships[self.seat].fame >= PARROT_SWAP_FAME else (Keep(),)

    def choose(self, draft: State, action: ParrotAction) -> None:
        """One parrot stays aboard, the other goes back into the draw pile."""
        ship = draft.ships[self.seat]
        assert ship.parrot is not None
        match action:
            case Keep():
                swapped, back = False, self.parrot
            case SwapParrot():
                swapped, back = True, ship.parrot
                ship.parrot, ship.parrot_wounded = self.parrot, False
                change_fame(draft, self.seat, -PARROT_SWAP_FAME, FameReason.PARROT_SWAP)
            case _:
                assert_never(action)
        draft.events.append(ParrotSettled(self.seat, ship.parrot, swapped))
        draft.tavern = draft.chance.shuffle(TAVERN, TABLE, [*draft.tavern, back])
