"""Names of seats, cards, discs and places, as all texts of the game use them."""

from __future__ import annotations

from collections.abc import Iterable

from referee.games.pavillon_noir.data import ZONES_OF
from referee.games.pavillon_noir.state import Target
from referee.games.pavillon_noir.terms import (
    JOKER,
    Card,
    Discs,
    Gun,
    Marker,
    Projectile,
    Side,
    Suit,
    TargetCard,
    Term,
    Track,
    Zone,
    card_name,
    suit_of,
    target_name,
    value_of,
)
from referee.rules.engine import Seat
from referee.text import listed, plural, spaced

CALLED = {"pounder18": "18-pounder", "long_nine": "Long Nine", "crows_nest": "crow's nest"}
"""Terms whose names are not their ids with spaces."""

BESIDE = {Side.LEFT: "left of", Side.BELOW: "below"}


def seat_name(seat: Seat) -> str:
    """`seat 1`."""
    return f"seat {seat}"


def word(term: Term | None) -> str:
    """Say a term in plain words: `bow hull`, `Long Nine`, `change target`."""
    if term is None:
        return "none"
    if isinstance(term, Zone):
        kind, place = term.name.lower().split("_")
        return f"{place} {kind}"
    return CALLED.get(term.name.lower(), spaced(term.name))


def words(terms: Iterable[Term]) -> str:
    """Terms, separated by commas."""
    return ", ".join(map(word, terms)) or "nothing"


def say_all(terms: Iterable[Term]) -> str:
    """Terms in words: `ball, chain and grape`."""
    return listed(map(word, terms))


def say_card(card: Card) -> str:
    """Name an aim card: `4 of spades`, `joker`."""
    return "joker" if card == JOKER else f"{value_of(card)} of {word(suit_of(card))}s"


def say_cards(cards: Iterable[Card]) -> str:
    """Aim cards: `4 of spades, 10 of hearts and joker`."""
    return listed(map(say_card, cards))


def say_aim(card: Card, value: int) -> str:
    """Name an aim card, a joker with the value it stands for: `joker as 7`."""
    return f"joker as {value}" if card == JOKER else say_card(card)


def say_target(target: TargetCard) -> str:
    """Name a target card: `target card 7`."""
    return f"target card {target}"


def say_targets(targets: Iterable[TargetCard]) -> str:
    """Target cards: `target cards 7 and 12`."""
    numbers = [str(target) for target in targets]
    return f"target card{'s' * (len(numbers) != 1)} {listed(numbers)}"


def card_list(cards: Iterable[Card]) -> str:
    """Aim cards: `S4 H10 JK`."""
    return " ".join(map(card_name, cards)) or "nothing"


def aim_card(card: Card, value: int) -> str:
    """Name an aim card, a joker with the value it stands for: `JK(7)`."""
    name = card_name(card)
    return f"{name}({value})" if name == "JK" else name


def target_list(targets: Iterable[TargetCard]) -> str:
    """Target cards: `T07 T12`."""
    return " ".join(map(target_name, targets))


def placed_target(target: Target) -> str:
    """Name a target card with its aim cards: `T07[S4 -]`."""
    sides = ("-" if placed is None else aim_card(placed.card, placed.value) for placed in (target.left, target.below))
    return f"{target_name(target.card)}[{' '.join(sides)}]"


def disc_list(discs: Discs) -> str:
    """Write a cannon's discs: `[ball chain]`."""
    return f"[{' '.join(map(word, discs))}]"


def gun_list(discs: Iterable[tuple[Gun, Projectile]]) -> str:
    """Discs, each with its gun: `ball from the bow, chain from the stern`."""
    return ", ".join(f"{word(disc)} from the {word(gun)}" for gun, disc in discs)


def zone_counts(marker: Marker, counts: tuple[int, ...]) -> list[str]:
    """`2 planks of the bow hull`, zone by zone."""
    unit = "sailor" if marker is Marker.CREW else word(marker)
    return [
        f"{plural(count, unit)} of the {word(zone)}"
        for zone, count in zip(ZONES_OF[marker], counts, strict=True)
        if count
    ]


def covered_entries(track: Track, entries: tuple[int, ...]) -> str:
    """Return the covered suits or values of a track."""
    if track is Track.BROADSIDE:
        return " ".join(word(Suit(entry)) for entry in entries)
    return " ".join(map(str, entries))
