"""Selling and buying goods, and what ports want (5.2, 6.6 "Sell" and "Buy", R22, R23, R35, R36)."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from referee.games.marauders.actions import each
from referee.games.marauders.actions.port import BUY_DRAW, Buy, BuyDraw, PickDemand, Sell
from referee.games.marauders.data.board import (
    BUY_CARDS,
    BUY_CARDS_AGAIN,
    DEMAND_SALE,
    GLORY_SALE,
    GOODS_PRICE,
    PLAIN_SALE,
)
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.events.round import DemandChanged
from referee.games.marauders.events.trade import GoodsBought, GoodsOffered, GoodsSold
from referee.games.marauders.rules.glory import ScorePoint
from referee.games.marauders.rules.modifiers import mod
from referee.games.marauders.rules.piles import discard_cargo, draw_card, held_goods, lay_on_discard, remove_goods
from referee.games.marauders.rules.purse import available, gain, pay
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import State, Visit
from referee.games.marauders.terms import GOODS, Activity, Feat, Good, Zone
from referee.rules.agenda import SeatQuestion, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, put, replace


def visit_of(state: State) -> Visit:
    """Return the Port action under way."""
    assert state.visit is not None
    return state.visit


def may_use(visit: Visit, activity: Activity) -> bool:
    """Check whether an activity is open, or was not opened yet in this Port action."""
    return visit.open == activity or activity not in visit.used


# --- Sell -------------------------------------------------------------------------------------------------------------


def sell_entries(state: State, seat: Seat) -> list[Sell]:
    """Before anything else, each good once."""
    visit = visit_of(state)
    if visit.sell_closed or visit.used not in ((), (Activity.SELL,)):
        return []
    held = [(good, most) for good, most in held_goods(state.players[seat].cargo) if good not in visit.sold]
    return [option for good, most in held for option in sales(good, most, sale_price(state, seat, good))]


@cache
def sales(good: Good, most: int, price: int) -> tuple[Sell, ...]:
    """Return one card or more of a good, at a price per card."""
    return tuple([Sell(good, count, count * price) for count in range(1, most + 1)])


def sale_price(state: State, seat: Seat, good: Good) -> int:
    """6 in demand, 3 otherwise, with modifiers."""
    if good == state.demand[state.players[seat].zone - 1]:
        return max(1, DEMAND_SALE + mod(state, seat, "price.demand"))
    return max(1, PLAIN_SALE + mod(state, seat, "price.sell"))


def sell(draft: State, seat: Seat, good: Good, count: int) -> None:
    """Cards against gold; three or more in demand at once give a glory point."""
    visit = visit_of(draft)
    gold = count * sale_price(draft, seat, good)
    lay_on_discard(draft, draft.cargo, remove_goods(draft, seat, good, count))
    tell(draft, GoodsSold, seat, good, count, gold)
    gain(draft, seat, gold)
    in_demand = good == draft.demand[draft.players[seat].zone - 1]
    draft.visit = replace(visit, sold=(*visit.sold, good), sold_demand=visit.sold_demand or in_demand)
    if in_demand and count >= GLORY_SALE:
        push(draft, ScorePoint(seat, Feat.SALE))


def close_sell(draft: State, seat: Seat) -> None:
    """End selling for this turn; a demand that was served changes."""
    visit = visit_of(draft)
    if visit.sold_demand and not visit.sell_closed:
        replace_demand(draft, draft.players[seat].zone, seat)
    draft.visit = replace(visit, sell_closed=True)


# --- Demand tokens ----------------------------------------------------------------------------------------------------


def draw_demand(draft: State, owner: int) -> Good:
    """Draw a random token of the supply."""
    supply = list(draft.supply)
    good = supply.pop(draft.chance.draw("demand", owner, len(supply)))
    draft.supply = tuple(supply)
    return good


def return_demand(draft: State, good: Good) -> None:
    """Return a token to the supply, which is kept in order."""
    draft.supply = tuple(sorted((*draft.supply, good)))


def lay_demand(draft: State, zone: Zone, good: Good) -> None:
    """Lay a new token on a port; the old one joins the supply."""
    old = draft.demand[zone - 1]
    draft.demand = put(draft.demand, zone - 1, good)
    if old is not None:
        return_demand(draft, old)
    tell(draft, DemandChanged, zone, good)


def replace_demand(draft: State, zone: Zone, owner: int) -> None:
    """Let the port want something else, or by chance the same again."""
    lay_demand(draft, zone, draw_demand(draft, owner))


@immutable(frozen=True, slots=True)
class AskDemand(SeatQuestion[State, PickDemand]):
    """`pick_demand`: one of the tokens drawn, which only this seat sees (R34)."""

    TAG: ClassVar[str] = "AskDemand"
    kind: ClassVar[str] = "pick_demand"
    drawn: tuple[Good, ...]

    def options(self, state: State) -> tuple[PickDemand, ...]:
        """Distinct goods in order."""
        return each(PickDemand, tuple([good for good in GOODS if good in self.drawn]))

    def choose(self, draft: State, action: PickDemand) -> None:
        """Lay it on this port, return the rest."""
        rest = list(self.drawn)
        rest.remove(action.good)
        for good in rest:
            return_demand(draft, good)
        lay_demand(draft, draft.players[self.seat].zone, action.good)


# --- Buy --------------------------------------------------------------------------------------------------------------


def buy_entries(state: State, seat: Seat) -> list[BuyDraw | Buy]:
    """First the draw, then each good of the draw once."""
    visit = visit_of(state)
    if Activity.BUY not in visit.used:
        return [BUY_DRAW] if available(state, seat) else []
    if visit.open != Activity.BUY:
        return []
    gold = available(state, seat)
    drawn = dict(held_goods(visit.offer))
    return [option for good, price in visit.prices for option in purchases(good, min(drawn[good], gold // price))]


@cache
def purchases(good: Good, most: int) -> tuple[Buy, ...]:
    """Return one card or more of a good."""
    return tuple([Buy(good, count) for count in range(1, most + 1)])


def buy_draw(draft: State, seat: Seat) -> None:
    """Draw what the port offers; prices are fixed now."""
    player = draft.players[seat]
    again = player.bought_zone == player.zone and player.bought_round == draft.round - 1
    count = BUY_CARDS_AGAIN if again else max(0, BUY_CARDS + mod(draft, seat, "cards.buy"))
    draft.set_player(seat, replace(player, bought_zone=player.zone, bought_round=draft.round))
    offer = draw_offer(draft, seat, count)
    discount = mod(draft, seat, "price.buy")
    prices = [(good, max(1, max(1, GOODS_PRICE + 1 - number) + discount)) for good, number in held_goods(offer)]
    draft.visit = replace(visit_of(draft), offer=offer, prices=tuple(prices))
    tell(draft, GoodsOffered, seat, offer, len(offer))


def draw_offer(draft: State, seat: Seat, count: int) -> tuple[str, ...]:
    """Cards of the good in demand are replaced by further draws and discarded once the draw is complete."""
    wanted = draft.demand[draft.players[seat].zone - 1]
    offer: list[str] = []
    aside: list[str] = []
    while len(offer) < count:
        card = draw_card(draft, draft.cargo)
        if card is None:
            break
        (aside if CARGO[card].good == wanted else offer).append(card)
    discard_cargo(draft, seat, aside)
    return tuple(offer)


def buy(draft: State, seat: Seat, good: Good, count: int) -> None:
    """Cards of the offer into the hold."""
    player, visit = draft.players[seat], visit_of(draft)
    price = dict(visit.prices)[good] * count
    cards = tuple([card for card in visit.offer if CARGO[card].good == good][:count])
    draft.visit = replace(
        visit,
        offer=tuple([card for card in visit.offer if card not in cards]),
        prices=tuple([entry for entry in visit.prices if entry[0] != good]),
    )
    draft.set_player(seat, replace(player, cargo=player.cargo + cards))
    tell(draft, GoodsBought, seat, good, count, price)
    pay(draft, seat, price)


def close_buy(draft: State, seat: Seat) -> None:
    """Put what was not bought face up on the discard."""
    visit = visit_of(draft)
    discard_cargo(draft, seat, visit.offer)
    draft.visit = replace(visit, offer=(), prices=())
