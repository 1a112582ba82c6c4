"""Card combinations: sets, flushes, runs, flush runs and pairs (spec 5.5; rulings R9 and R11 on jokers).

Dominated uses of a joker are left out: the rules J1 to J6 of the specification, named where they apply. Hands come in
canonical order, jokers last. Sets are listed by size, then card by card; runs by start, length and cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from math import comb
from typing import NamedTuple

from referee.games.pavillon_noir.terms import JOKER, VALUES, Card, Cards, Suit, card_of, suit_of, value_of


class Run(NamedTuple):
    """Consecutive values, cyclic, from `start` on; its cards in that order."""

    start: int
    cards: Cards

    @property
    def values(self) -> tuple[int, ...]:
        """Return the values it stands for, jokers included."""
        return run_values(self.start, len(self.cards))

    @property
    def is_flush(self) -> bool:
        """Check whether the natural cards are of one suit at most, so that jokers make it a flush run."""
        return len({suit_of(card) for card in self.cards if card != JOKER}) <= 1


@lru_cache(None)
def run_values(start: int, length: int) -> tuple[int, ...]:
    """Return the values of a run; 10 is followed by 1."""
    return tuple((start - 1 + step) % 10 + 1 for step in range(length))


def subsets(hand: Sequence[Card], size: int) -> list[Cards]:
    """Return every set of that many cards; the two jokers are interchangeable."""
    sets = list(combinations(hand, size))
    return list(dict.fromkeys(sets)) if hand.count(JOKER) == 2 else sets


def count_subsets(hand: Sequence[Card], size: int) -> int:
    """Return how many sets `subsets` would list."""
    jokers = hand.count(JOKER)
    naturals = len(hand) - jokers
    return sum(comb(naturals, size - used) for used in range(min(jokers, size) + 1))


def flushes(hand: Sequence[Card], suit: Suit, size: int) -> list[Cards]:
    """Sets of one suit. J2: jokers only once all natural cards of the suit are in."""
    naturals, jokers = _of_suit(hand, suit), hand.count(JOKER)
    if size <= len(naturals):
        return list(combinations(naturals, size))
    missing = size - len(naturals)
    return [(*naturals, *[JOKER] * missing)] if missing <= jokers else []


def longest_flush(hand: Sequence[Card], suit: Suit) -> int:
    """Return the size of the largest flush of the suit, were every card of it spent."""
    return len(_of_suit(hand, suit)) + hand.count(JOKER)


def pairs(hand: Sequence[Card]) -> list[Cards]:
    """Two cards of a value. J3: a joker only beside a lonely natural card, two jokers only without any natural card."""
    jokers = hand.count(JOKER)
    if jokers == len(hand):
        return [(JOKER, JOKER)] if jokers == 2 else []
    pairs_held: list[Cards] = []
    for group in _by_value(hand):
        pairs_held += combinations(group, 2)
        if jokers and len(group) == 1:
            pairs_held.append((group[0], JOKER))
    return sorted(pairs_held)


def has_pair(hand: Sequence[Card]) -> bool:
    """Check whether `pairs` would list any."""
    if len(hand) < 2:
        return False
    return hand[-1] == JOKER or len(set(map(value_of, hand))) < len(hand)


def runs(hand: Sequence[Card], covered: Sequence[int], longest: int) -> Iterator[Run]:
    """Runs of any suits without covered values. J4 (and so J6): a joker only for a value that no natural card has."""
    groups, jokers = _by_value(hand), hand.count(JOKER)
    for start in VALUES:
        choices: list[Sequence[Card]] = []
        spare = jokers
        for value in run_values(start, 10 if start == 1 else 9):
            group = groups[value - 1]
            spare -= not group
            if value in covered or spare < 0 or len(choices) == longest:
                break
            choices.append(group or [JOKER])
            if len(choices) >= 2:
                for cards in product(*choices):
                    yield Run(start, cards)


def flush_runs(hand: Sequence[Card], covered: Sequence[int], longest: int) -> list[Run]:
    """Runs of one suit. J5: a joker only for a value not held in it. J6: two jokers alone only for values not held."""
    held = set(hand)
    jokers = hand.count(JOKER)
    values_held = {value_of(card) for card in hand if card != JOKER}
    runs_held: set[Run] = set()
    for suit, start in product(Suit, VALUES):
        cards: list[Card] = []
        spare = jokers
        for value in run_values(start, 10 if start == 1 else 9):
            natural = card_of(suit, value)
            spare -= natural not in held
            if value in covered or spare < 0 or len(cards) == longest:
                break
            cards.append(natural if natural in held else JOKER)
            if len(cards) >= 2 and (any(card != JOKER for card in cards) or _none_held(start, values_held)):
                runs_held.add(Run(start, tuple(cards)))
    return sorted(runs_held, key=lambda run: (run.start, len(run.cards), run.cards))


def has_run(hand: Sequence[Card], covered: Sequence[int], length: int) -> bool:
    """Check whether there is a run of that length or a longer one: any longer run begins with one of that length."""
    return _has_run(frozenset(map(value_of, hand)), hand.count(JOKER), tuple(covered), length)


@lru_cache(1 << 14)
def _has_run(values_held: frozenset[int], jokers: int, covered: tuple[int, ...], length: int) -> bool:
    return any(
        sum(value not in values_held for value in values) <= jokers and not any(value in covered for value in values)
        for values in (run_values(start, length) for start in VALUES)
    )


def _none_held(start: int, values_held: set[int]) -> bool:
    return not any(value in values_held for value in run_values(start, 2))


def _of_suit(hand: Sequence[Card], suit: Suit) -> list[Card]:
    first, last = suit * 10 + 1, suit * 10 + 10
    return [card for card in hand if first <= card <= last]


def _by_value(hand: Sequence[Card]) -> list[list[Card]]:
    """Return the natural cards of the hand by value, from 1 to 10."""
    groups: list[list[Card]] = [[] for _ in VALUES]
    for card in hand:
        if card != JOKER:
            groups[value_of(card) - 1].append(card)
    return groups
