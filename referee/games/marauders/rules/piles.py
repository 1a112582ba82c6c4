"""Cards on the move: draws with reshuffles (6.14), cargo and its limit (6.6, R35), where every card is discarded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from referee.chance import TABLE
from referee.engine import Seat
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.data.glory import GLORY
from referee.games.marauders.data.quests import RUMORS
from referee.games.marauders.events.trade import CargoDiscarded, CargoTaken
from referee.games.marauders.rules.modifiers import mod
from referee.games.marauders.state import Pile, State
from referee.games.marauders.terms import GOODS, Good, Section


def draw_card(draft: State, pile: Pile) -> str | None:
    """The top card; an empty deck is replaced by its shuffled discard; None if both are empty."""
    if not pile.deck:
        if not pile.discard:
            return None
        pile.deck = draft.chance.shuffle(pile.name, TABLE, pile.discard)
        pile.discard = []
    return pile.deck.pop()


def draw_cards(draft: State, pile: Pile, count: int) -> list[str]:
    """Several cards, fewer if they run out."""
    drawn = []
    for _ in range(count):
        card = draw_card(draft, pile)
        if card is None:
            break
        drawn.append(card)
    return drawn


def pile_of(draft: State, card: str) -> Pile:
    """The pile a glory, rumor or mission card belongs to."""
    if card in GLORY:
        return draft.glory
    return draft.rumors if card in RUMORS else draft.missions


def discard(draft: State, card: str) -> None:
    """A glory, rumor or mission card to its discard."""
    pile_of(draft, card).discard.append(card)


def count_goods(cards: Iterable[str]) -> Counter[Good]:
    """How many cards of each good."""
    return Counter(CARGO[card].good for card in cards)


def held_goods(cards: Iterable[str]) -> list[tuple[Good, int]]:
    """The goods among the cards with their counts, in the order of the cargo table."""
    counts = count_goods(cards)
    return [(good, counts[good]) for good in GOODS if counts[good]]


def take_cargo(draft: State, seat: Seat, cards: Iterable[str], *, hidden: bool) -> None:
    """Cargo cards into the hold."""
    cards = tuple(cards)
    if cards:
        draft.players[seat].cargo += cards
        draft.events.append(CargoTaken(seat, cards, len(cards), hidden))


def remove_goods(draft: State, seat: Seat, good: Good, count: int) -> list[str]:
    """Cards of a good out of the hold, those aboard longest first (R35); the caller discards them."""
    player = draft.players[seat]
    gone = [card for card in player.cargo if CARGO[card].good == good][:count]
    player.cargo = tuple(card for card in player.cargo if card not in gone)
    return gone


def discard_cargo(draft: State, seat: Seat, cards: Iterable[str]) -> None:
    """Cargo cards face up to the discard."""
    cards = tuple(cards)
    if cards:
        draft.cargo.discard.extend(cards)
        draft.events.append(CargoDiscarded(seat, cards))


def cargo_limit(state: State, seat: Seat) -> int:
    """How many cards may be aboard at sea."""
    ship = state.players[seat].ship
    assert ship is not None
    return ship.value(Section.CARGO) + mod(state, seat, "cargo.extra")


def cargo_excess(state: State, seat: Seat) -> int:
    """How many cards are too many at sea."""
    return max(0, len(state.players[seat].cargo) - cargo_limit(state, seat))


def lose_excess(draft: State, seat: Seat) -> None:
    """Damage to the hold: cards above the limit are lost at random."""
    player = draft.players[seat]
    lost = []
    for _ in range(cargo_excess(draft, seat)):
        place = draft.chance.draw("overboard", seat, len(player.cargo))
        lost.append(player.cargo[place])
        player.cargo = player.cargo[:place] + player.cargo[place + 1 :]
    discard_cargo(draft, seat, lost)
