"""The Tavern deck: drawing cards and settling parrots. Spec section 6.9, rulings R29 and R30."""

from __future__ import annotations

from referee.chance import TABLE
from referee.games.pirates_cove.actions import Action, Keep, SwapParrot
from referee.games.pirates_cove.data import PARROT_SWAP_FAME, PARROTS
from referee.games.pirates_cove.events import (
    CardDrawn,
    FameReason,
    Log,
    ParrotDrawn,
    ParrotSettled,
    TavernReshuffled,
)
from referee.games.pirates_cove.rules.ships import change_fame
from referee.games.pirates_cove.state import Draw, ParrotOffer, State

TAVERN = "tavern"
"""The pile's name for keyed chance."""


def draw_cards(draft: State, task: Draw, log: Log) -> None:
    """Draw the first of the cards due; the others stay on the agenda, because a parrot may ask a question first."""
    if task.count > 1:
        draft.agenda.append(Draw(task.seat, task.count - 1))
    if not draft.tavern:
        if not draft.tavern_discard:
            return
        log.append(TavernReshuffled(len(draft.tavern_discard)))
        draft.tavern = draft.chance.shuffle(TAVERN, TABLE, draft.tavern_discard)
        draft.tavern_discard = []
    card = draft.tavern.pop()
    ship = draft.ships[task.seat]
    if card not in PARROTS:
        ship.hand.append(card)
        log.append(CardDrawn(task.seat, card))
        return
    log.append(ParrotDrawn(task.seat, card, ship.parrot is None))
    if ship.parrot is None:
        ship.parrot = card
    else:
        draft.agenda.append(ParrotOffer(task.seat, card))


def parrot_options(state: State, task: ParrotOffer) -> tuple[Action, ...]:
    """A swap has to be paid, so at fame 0 the old parrot stays (R29)."""
    return (Keep(), SwapParrot()) if state.ships[task.seat].fame >= PARROT_SWAP_FAME else (Keep(),)


def settle_parrot(draft: State, task: ParrotOffer, choice: Action, log: Log) -> None:
    """One parrot stays aboard, the other goes back into the draw pile."""
    ship = draft.ships[task.seat]
    assert ship.parrot is not None
    swapped = isinstance(choice, SwapParrot)
    back = task.parrot
    if swapped:
        back, ship.parrot, ship.parrot_wounded = ship.parrot, task.parrot, False
        change_fame(draft, task.seat, -PARROT_SWAP_FAME, FameReason.PARROT_SWAP, log)
    log.append(ParrotSettled(task.seat, ship.parrot, swapped))
    draft.tavern = draft.chance.shuffle(TAVERN, TABLE, [*draft.tavern, back])
