"""Phase 4: the ship that holds an island takes its treasure. Spec section 6.10; rulings R23, R24, R31."""

from __future__ import annotations

from referee.engine import Seat
from referee.games.pirates_cove.data import TREASURES, Loot
from referee.games.pirates_cove.events import Log, Plundered
from referee.games.pirates_cove.ids import CREW_ISLAND, Phase, Place
from referee.games.pirates_cove.state import CallAt, Draw, PlunderAt, State


def split(amount: int) -> tuple[int, int]:
    """The Freebooter's half, rounded up, and what the victim keeps (R23)."""
    return amount - amount // 2, amount // 2


def plunder_at(draft: State, island: Place, log: Log) -> None:
    """At most one ship is left on an outer island."""
    draft.phase = Phase.PLUNDER
    draft.agenda.append(PlunderAt(island + 1) if island < CREW_ISLAND else CallAt(1))
    for seat in draft.seats_at(island):
        loot = loot_of(draft, seat, island)
        freebooter = draft.freebooter
        if freebooter is None or freebooter.victim != seat:
            hand_over(draft, seat, island, loot, False, log)
            continue
        (fame, own_fame), (gold, own_gold), (chests, own_chests), (cards, own_cards) = map(
            split, (loot.fame, loot.gold, loot.chests, loot.cards)
        )
        # The agenda is a stack: what is handed over last is drawn first, and the Freebooter draws first.
        rest = Loot(fame=own_fame, gold=own_gold, chests=own_chests, cards=own_cards)
        half = Loot(fame=fame, gold=gold, chests=chests, cards=cards)
        hand_over(draft, seat, island, rest, False, log)
        hand_over(draft, freebooter.seat, island, half, True, log)


def loot_of(draft: State, seat: Seat, island: Place) -> Loot:
    """What the island's card gives, with the Map, within what the supplies hold (R24, R31)."""
    loot = TREASURES[draft.face_up[island - 1] - 1]
    marked = draft.treasure_map
    factor = marked.chest_factor if marked and (marked.seat, marked.island) == (seat, island) else 1
    return Loot(
        fame=loot.fame,
        gold=min(loot.gold, draft.gold),
        chests=min(loot.chests * factor, draft.chests),
        cards=loot.cards,
    )


def hand_over(draft: State, seat: Seat, island: Place, loot: Loot, freebooter: bool, log: Log) -> None:
    """Fame, gold and chests at once; the Tavern cards are drawn next."""
    ship = draft.ships[seat]
    ship.fame += loot.fame
    ship.gold += loot.gold
    ship.chests += loot.chests
    draft.gold -= loot.gold
    draft.chests -= loot.chests
    log.append(Plundered(seat, island, loot.fame, loot.gold, loot.chests, loot.cards, freebooter))
    if loot.cards:
        draft.agenda.append(Draw(seat, loot.cards))
