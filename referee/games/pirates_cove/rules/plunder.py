"""Phase 4: the ship that holds an island takes its treasure. Spec section 6.10; rulings R23, R24, R31."""

from __future__ import annotations

from typing import ClassVar

from referee.games.pirates_cove.data import TREASURES, Loot
from referee.games.pirates_cove.events import plundered
from referee.games.pirates_cove.rules.tavern import Draw
from referee.games.pirates_cove.state import State
from referee.games.pirates_cove.terms import CREW_ISLAND, Phase, Place
from referee.rules.agenda import Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


def split(amount: int) -> tuple[int, int]:
    """Return the Freebooter's half, rounded up, and what the victim keeps (R23)."""
    return amount - amount // 2, amount // 2


@immutable(frozen=True, slots=True)
class PlunderAt(Task[State]):
    """Phase 4 at one island, and then at those after it."""

    TAG: ClassVar[str] = "PlunderAt"
    island: Place

    def run(self, draft: State) -> None:
        """Let the ship on an outer island plunder: at most one is left. It draws its cards before the next island's
        turn."""
        draft.phase = Phase.PLUNDER
        islands = draft.occupied(self.island, CREW_ISLAND)
        if not islands:
            return
        island = islands[0]
        if island < CREW_ISLAND:
            push(draft, PlunderAt(island + 1))
        for seat in draft.seats_at(island):
            share_out(draft, seat, island, loot_of(draft, seat, island))


def share_out(draft: State, seat: Seat, island: Place, loot: Loot) -> None:
    """Give all of the loot to the ship that holds the island, or half of it to a Freebooter."""
    freebooter = draft.freebooter
    if freebooter is None or freebooter.victim != seat:
        hand_over(draft, seat, island, loot, False)
        return
    (fame, own_fame), (gold, own_gold), (chests, own_chests), (cards, own_cards) = map(
        split, (loot.fame, loot.gold, loot.chests, loot.cards)
    )
    # The agenda is a stack: what is handed over last is drawn first, and the Freebooter draws first.
    rest = Loot(fame=own_fame, gold=own_gold, chests=own_chests, cards=own_cards)
    half = Loot(fame=fame, gold=gold, chests=chests, cards=cards)
    hand_over(draft, seat, island, rest, False)
    hand_over(draft, freebooter.seat, island, half, True)


def loot_of(draft: State, seat: Seat, island: Place) -> Loot:
    """Return what the island's card gives, with the Map, within what the supplies hold (R24, R31)."""
    loot = TREASURES[draft.face_up[island - 1] - 1]
    marked = draft.treasure_map
    factor = marked.chest_factor if marked and (marked.seat, marked.island) == (seat, island) else 1
    return Loot(
        fame=loot.fame,
        gold=min(loot.gold, draft.gold),
        chests=min(loot.chests * factor, draft.chests),
        cards=loot.cards,
    )


def hand_over(draft: State, seat: Seat, island: Place, loot: Loot, freebooter: bool) -> None:
    """Fame, gold and chests at once; the Tavern cards are drawn next."""
    ship = draft.ships[seat]
    fame, gold, chests = ship.fame + loot.fame, ship.gold + loot.gold, ship.chests + loot.chests
    draft.set_ship(seat, replace(ship, fame=fame, gold=gold, chests=chests))
    draft.gold -= loot.gold
    draft.chests -= loot.chests
    draft.events.append(plundered(seat, island, loot.fame, loot.gold, loot.chests, loot.cards, freebooter))
    if loot.cards:
        push(draft, Draw(seat, loot.cards))
