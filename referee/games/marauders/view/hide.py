"""The twin of a state: what a seat cannot know, drawn anew. For the leak test and for forward models.

Cards that a seat cannot tell apart are put together, shuffled and dealt again in the same numbers; the share of the
others' gold that lies in their chests is drawn again within what their public points allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from referee.games.marauders.data.board import CHEST_GOLD_PER_POINT
from referee.games.marauders.data.captains import CAPTAINS
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.rules.ashore.market import AskDemand
from referee.games.marauders.rules.fighting.aftermath import StowPlunder
from referee.games.marauders.rules.modifications import AskPlaceModification
from referee.games.marauders.rules.quests import AskKeepRumor
from referee.games.marauders.state import PortToken, State
from referee.rules.chance import TABLE, Chance
from referee.rules.engine import Seat
from referee.rules.parts import put, replace

RICH = 100
"""More gold than a captain has aboard."""
MOST_DEALS = 100
"""How often plunder is drawn until it brings the gold that it brought."""


def hide(state: State, seat: Seat, chance: Chance) -> State:
    """Return a state that the seat could not tell from the real one."""
    twin = state.copy()
    twin.chance = chance
    twin.choice_count = 0  # how often others had to choose: only the bound of a game's length counts it
    if twin.turn is not None and twin.turn.seat != seat:  # what another captain looked for in vain is not told
        twin.turn = replace(twin.turn, tried=(), tried_merchants=())
    others = [Seat(other) for other in range(len(twin.players)) if other != seat]
    twin.event_deck = tuple(chance.shuffle("hide events", TABLE, twin.event_deck))
    missions = chance.shuffle("hide missions", TABLE, twin.missions.deck)
    twin.missions = replace(twin.missions, deck=tuple(missions))
    _hide_captains(twin, others)
    _hide_cargo(twin, seat, others)
    _hide_glory(twin, others)
    _hide_rumors(twin, seat, others)
    _hide_tokens(twin, seat)
    for other in others:
        _hide_gold(twin, other)
    return twin


class Dealer:
    """Cards put together, shuffled, and dealt again."""

    def __init__(self, chance: Chance, name: str, *heaps: Sequence[str]) -> None:
        self._cards = chance.shuffle(f"hide {name}", TABLE, [card for heap in heaps for card in heap])

    def deal(self, heap: Sequence[str]) -> tuple[str, ...]:
        """Deal as many cards as the heap had."""
        return tuple(self._cards.pop() for _ in heap)


def _hide_captains(twin: State, others: list[Seat]) -> None:
    """Hide the deck; during setup the captains of the others too."""
    setup = [other for other in others if not twin.round and twin.players[other].ship is None]
    dealer = Dealer(twin.chance, "captains", twin.captains, [twin.players[other].captain or "" for other in setup])
    twin.captains = dealer.deal(twin.captains)
    for other in setup:
        (captain,) = dealer.deal([""])
        twin.set_player(other, replace(twin.players[other], captain=captain, zone=CAPTAINS[captain].home))


def _hide_cargo(twin: State, seat: Seat, others: list[Seat]) -> None:
    visit = twin.visit
    offer = visit.offer if visit is not None and twin.turn is not None and twin.turn.seat != seat else ()
    _hide_plunder(twin, others)
    dealer = Dealer(twin.chance, "cargo", twin.cargo.deck, offer, *[twin.players[other].cargo for other in others])
    twin.cargo = replace(twin.cargo, deck=dealer.deal(twin.cargo.deck))
    for other in others:
        player = twin.players[other]
        twin.set_player(other, replace(player, cargo=dealer.deal(player.cargo)))
    if visit is not None and offer:
        twin.visit = replace(visit, offer=dealer.deal(offer), prices=())  # the prices belong to the old offer


def _hide_plunder(twin: State, others: list[Seat]) -> None:
    """Hide the cards of a naval ship that are not stowed yet: nobody has seen them, but all know what gold they
    brought."""
    for place, frame in enumerate(twin.pending):
        if not isinstance(frame, StowPlunder):
            continue
        heaps = (frame.cards, twin.cargo.deck, *[twin.players[other].cargo for other in others])
        cards = sorted(card for heap in heaps for card in heap)
        stowed = _draw_plunder(twin.chance, cards, len(frame.cards), sum(CARGO[card].loot for card in frame.cards))
        # What was dealt to others or lay in the deck is exchanged for what lay here; all of that is dealt anew.
        spare = iter([card for card in frame.cards if card not in stowed])
        swap = {card: next(spare) for card in stowed if card not in frame.cards}
        twin.pending = put(twin.pending, place, replace(frame, cards=stowed))
        twin.cargo = replace(twin.cargo, deck=tuple([swap.get(card, card) for card in twin.cargo.deck]))
        for other in others:
            player = twin.players[other]
            twin.set_player(other, replace(player, cargo=tuple([swap.get(card, card) for card in player.cargo])))


def _draw_plunder(chance: Chance, cards: list[str], count: int, loot: int) -> tuple[str, ...]:
    """So many of the cards that bring that much gold: any, or the first if they do not come up by chance."""
    for _ in range(MOST_DEALS):
        drawn = chance.shuffle("hide plunder", TABLE, cards)[:count]
        if sum(CARGO[card].loot for card in drawn) == loot:
            return tuple(drawn)
    return next(some for some in combinations(cards, count) if sum(CARGO[card].loot for card in some) == loot)


def _hide_glory(twin: State, others: list[Seat]) -> None:
    """Hands of the others, but for the specialist a seat has just shown in vain."""
    shown = {}
    for other in others:
        active = twin.turn is not None and twin.turn.seat == other and twin.visit is not None
        known = twin.visit.tried_cards if active and twin.visit is not None else ()
        shown[other] = tuple(card for card in twin.players[other].glory if card in known)
    hands = {other: [card for card in twin.players[other].glory if card not in shown[other]] for other in others}
    dealer = Dealer(twin.chance, "glory", twin.glory.deck, *hands.values())
    twin.glory = replace(twin.glory, deck=dealer.deal(twin.glory.deck))
    for other in others:
        twin.set_player(other, replace(twin.players[other], glory=shown[other] + dealer.deal(hands[other])))


def _hide_rumors(twin: State, seat: Seat, others: list[Seat]) -> None:
    """Rumors of the others, and those one of them is choosing from."""
    question = twin.pending[-1] if twin.pending else None
    fresh: tuple[str, ...] = ()
    if isinstance(question, AskKeepRumor) and question.seat != seat:
        fresh = tuple(card for card in question.cards if card != twin.players[question.seat].rumor)
    holders = [other for other in others if twin.players[other].rumor is not None]
    held_rumors = [twin.players[other].rumor or "" for other in holders]
    dealer = Dealer(twin.chance, "rumors", twin.rumors.deck, fresh, held_rumors)
    twin.rumors = replace(twin.rumors, deck=dealer.deal(twin.rumors.deck))
    for other in holders:
        (rumor,) = dealer.deal([""])
        twin.set_player(other, replace(twin.players[other], rumor=rumor))
    if isinstance(question, AskKeepRumor) and question.seat != seat:
        held = twin.players[question.seat].rumor
        cards = dealer.deal(fresh)
        dealt = replace(question, cards=cards if held is None else (held, *cards))
        twin.pending = (*twin.pending[:-1], dealt)


def _hide_tokens(twin: State, seat: Seat) -> None:
    """Merchants, modifications face down or on their way, demand tokens another seat is looking at."""
    nations = [token for token in twin.merchants if token is not None]
    nations = twin.chance.shuffle("hide merchants", TABLE, [*nations, *twin.merchant_track])
    twin.merchants = tuple([None if token is None else nations.pop() for token in twin.merchants])
    twin.merchant_track = tuple(nations)
    kinds = [token.kind for token in twin.mods if token is not None and not token.face_up]
    kinds += [frame.token for frame in twin.pending if isinstance(frame, AskPlaceModification)]
    kinds = twin.chance.shuffle("hide modifications", TABLE, kinds)
    twin.mods = tuple([token if token is None or token.face_up else PortToken(kinds.pop()) for token in twin.mods])
    for place, frame in enumerate(twin.pending):
        if isinstance(frame, AskPlaceModification):
            twin.pending = put(twin.pending, place, replace(frame, token=kinds.pop()))
        elif isinstance(frame, AskDemand) and frame.seat == seat:
            twin.pending = put(twin.pending, place, replace(frame, drawn=tuple(sorted(frame.drawn))))
        elif isinstance(frame, AskDemand):
            goods = twin.chance.shuffle("hide demand", TABLE, [*twin.supply, *frame.drawn])
            twin.pending = put(twin.pending, place, replace(frame, drawn=tuple(goods[: len(frame.drawn)])))
            twin.supply = tuple(sorted(goods[len(frame.drawn) :]))


def _hide_gold(twin: State, seat: Seat) -> None:
    """Another split between ship and chest: never declared gold, never gold that was never stashed.

    Whoever counts knows the sum, until a captain dies or retires: the gold aboard is lost, and nobody hears how much it
    was. The table does not show whose captain it was, so from the first one on all sums are drawn anew.
    """
    player, chance = twin.players[seat], twin.chance
    if player.declared or not player.stash_count:
        return
    left = twin.target_glory - player.track
    most = (left if left <= twin.target_glory // 2 else twin.target_glory) * CHEST_GOLD_PER_POINT - 1
    if not twin.used_captains:
        total = player.gold + player.chest
        chest = chance.draw("hide gold", seat, min(total, most) + 1)
        twin.set_player(seat, replace(player, chest=chest, gold=total - chest))
        return
    chest = chance.draw("hide gold", seat, most + 1)
    gold = (
        chance.draw("hide gold", seat, RICH) * chance.draw("hide gold", seat, RICH) // RICH
    )  # rather little than much
    twin.set_player(seat, replace(player, chest=chest, gold=0 if player.ship is None else gold))
