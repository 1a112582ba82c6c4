"""Cards on the move: draws with reshuffles (6.14), cargo and its limit (6.6, R35), where every card is discarded."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.data.glory import GLORY
from referee.games.marauders.data.quests import RUMORS
from referee.games.marauders.events.trade import CargoDiscarded, CargoTaken
from referee.games.marauders.rules.modifiers import mod
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import Pile, State
from referee.games.marauders.terms import GOODS, Good, Section
from referee.rules.chance import TABLE
from referee.rules.engine import Seat
from referee.rules.parts import replace

HOLDS = 1 << 12
"""For how many sets of cargo cards it is remembered what goods they are."""


def set_pile(draft: State, pile: Pile) -> None:
    """Put a changed pile into the place of the old one: the field of its name."""
    setattr(draft, pile.name, pile)


def draw_card(draft: State, pile: Pile) -> str | None:
    """Draw the top card; None if deck and discard are empty."""
    cards = draw_cards(draft, pile, 1)
    return cards[0] if cards else None


def draw_cards(draft: State, pile: Pile, count: int) -> list[str]:
    """Draw the top cards, fewer if they run out; an empty deck is replaced by its shuffled discard."""
    deck, discarded = list(pile.deck), pile.discard
    drawn: list[str] = []
    while len(drawn) < count and (deck or discarded):
        if not deck:
            deck, discarded = draft.chance.shuffle(pile.name, TABLE, discarded), ()
        drawn.append(deck.pop())
    set_pile(draft, replace(pile, deck=tuple(deck), discard=discarded))
    return drawn


def pile_of(draft: State, card: str) -> Pile:
    """Return the pile a glory, rumor or mission card belongs to."""
    if card in GLORY:
        return draft.glory
    return draft.rumors if card in RUMORS else draft.missions


def lay_on_discard(draft: State, pile: Pile, cards: Iterable[str]) -> None:
    """Cards on top of a discard."""
    set_pile(draft, replace(pile, discard=(*pile.discard, *cards)))


def discard(draft: State, card: str) -> None:
    """Put a glory, rumor or mission card on its discard."""
    lay_on_discard(draft, pile_of(draft, card), (card,))


@lru_cache(HOLDS)
def held_goods(cards: tuple[str, ...]) -> tuple[tuple[Good, int], ...]:
    """Return the goods among the cards with their counts, in the order of the cargo table."""
    goods = [CARGO[card].good for card in cards]
    return tuple([(good, goods.count(good)) for good in GOODS if good in goods])


def take_cargo(draft: State, seat: Seat, cards: Iterable[str], *, hidden: bool) -> None:
    """Cargo cards into the hold."""
    cards = tuple(cards)
    if cards:
        player = draft.players[seat]
        draft.set_player(seat, replace(player, cargo=player.cargo + cards))
        tell(draft, CargoTaken, seat, cards, len(cards), hidden)


def remove_goods(draft: State, seat: Seat, good: Good, count: int) -> list[str]:
    """Cards of a good out of the hold, those aboard longest first (R35); the caller discards them."""
    player = draft.players[seat]
    gone = [card for card in player.cargo if CARGO[card].good == good][:count]
    draft.set_player(seat, replace(player, cargo=tuple([card for card in player.cargo if card not in gone])))
    return gone


def discard_cargo(draft: State, seat: Seat, cards: Iterable[str]) -> None:
    """Cargo cards face up to the discard."""
    cards = tuple(cards)
    if cards:
        lay_on_discard(draft, draft.cargo, cards)
        tell(draft, CargoDiscarded, seat, cards)


def cargo_limit(state: State, seat: Seat) -> int:
    """Return how many cards may be aboard at sea."""
    ship = state.players[seat].ship
    assert ship is not None
    return ship.value(Section.CARGO) + mod(state, seat, "cargo.extra")


def cargo_excess(state: State, seat: Seat) -> int:
    """Return how many cards are too many at sea."""
    return max(0, len(state.players[seat].cargo) - cargo_limit(state, seat))


def lose_excess(draft: State, seat: Seat) -> None:
    """Damage to the hold: cards above the limit are lost at random."""
    excess = cargo_excess(draft, seat)
    if not excess:
        return
    player = draft.players[seat]
    cargo = list(player.cargo)
    lost = [cargo.pop(draft.chance.draw("overboard", seat, len(cargo))) for _ in range(excess)]
    draft.set_player(seat, replace(player, cargo=tuple(cargo)))
    discard_cargo(draft, seat, lost)
