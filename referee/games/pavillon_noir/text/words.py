"""Names of seats, cards, discs and places, as all texts of the game use them."""

from __future__ import annotations

from collections.abc import Iterable

from referee.engine import Seat
from referee.games.pavillon_noir.data import ZONES_OF
from referee.games.pavillon_noir.state import Target
from referee.games.pavillon_noir.terms import (
    Cannon,
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
    target_name,
)
from referee.words import plural, spaced

CANNONS = {Cannon.POUNDER18: "18-pounder", Cannon.LONG_NINE: "Long Nine", Cannon.CARRONADE: "carronade"}


def seat_name(seat: Seat) -> str:
    """`seat 1`."""
    return f"seat {seat}"


def word(term: Term | None) -> str:
    """A term in plain words: `main deck`, `Long Nine`, `change target`."""
    if isinstance(term, Zone):
        kind, place = term.name.lower().split("_")
        return f"{place} {kind}"
    if isinstance(term, Cannon):
        return CANNONS[term]
    if isinstance(term, Side):
        return "left of" if term is Side.LEFT else "below"
    return "none" if term is None else spaced(term.name)


def words(terms: Iterable[Term]) -> str:
    """Terms, separated by commas."""
    return ", ".join(map(word, terms)) or "nothing"


def card_list(cards: Iterable[Card]) -> str:
    """Aim cards: `S4 H10 JK`."""
    return " ".join(map(card_name, cards)) or "nothing"


def aim_card(card: Card, value: int) -> str:
    """An aim card, a joker with the value it stands for: `JK(7)`."""
    name = card_name(card)
    return f"{name}({value})" if name == "JK" else name


def target_list(targets: Iterable[TargetCard]) -> str:
    """Target cards: `T07 T12`."""
    return " ".join(map(target_name, targets))


def placed_target(target: Target) -> str:
    """A target card with its aim cards: `T07[S4 -]`."""
    sides = ("-" if placed is None else aim_card(placed.card, placed.value) for placed in (target.left, target.below))
    return f"{target_name(target.card)}[{' '.join(sides)}]"


def disc_list(discs: Discs) -> str:
    """A cannon's discs: `[ball chain]`."""
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
    """The covered suits or values of a track."""
    if track is Track.BROADSIDE:
        return " ".join(word(Suit(entry)) for entry in entries)
    return " ".join(map(str, entries))
