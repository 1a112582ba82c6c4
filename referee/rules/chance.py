"""All randomness. Every draw names its purpose and its owner, so that one seat's choices never affect another's luck.

    word = BLAKE2b-512(key = match secret, data = "purpose|owner|ordinal|block")
    draw = first 8 bytes of block 0, big-endian, modulo the number of sides

The ordinal counts the draws of one (purpose, owner) from 0; the bias of the modulo is below 2**-57 for anything on
a table, so there is no rejection loop and thirty lines in any language repeat every draw. A shuffle is one ordinal
whose blocks 0, 1, 2… feed a Fisher-Yates walk with eight words each: a pile's order is fixed by its name, its owner
and how often it was shuffled. Owner -1 is the table.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Protocol, TypeVar

from referee.errors import RulesError

T = TypeVar("T")

TABLE = -1
"""The owner of luck that belongs to no seat."""

SECRET_BYTES = 32


class Chance(Protocol):
    """The luck of one match. It is part of the state and is copied with it."""

    def draw(self, purpose: str, owner: int, sides: int) -> int:
        """Draw a whole number from 0 to sides - 1."""
        ...

    def shuffle(self, purpose: str, owner: int, items: Iterable[T]) -> list[T]:
        """Return the items in a new order."""
        ...

    def copy(self) -> Chance:
        """Return an independent copy of the luck at the same point."""
        ...


class SeededChance:
    """The luck of a real match: a pure function of the match secret and of how often each key was drawn."""

    __slots__ = ("_ordinals", "_ordinals_are_shared", "_secret")

    def __init__(self, secret: bytes) -> None:
        if len(secret) != SECRET_BYTES:
            raise RulesError(f"a match secret has {SECRET_BYTES} bytes, not {len(secret)}")
        self._secret = secret
        self._ordinals: dict[tuple[str, int], int] = {}
        self._ordinals_are_shared = False
        """True if a copy of this luck counts with the same dict: most steps of a game draw nothing."""

    def draw(self, purpose: str, owner: int, sides: int) -> int:
        """Draw a whole number from 0 to sides - 1, uniformly."""
        return self.drawn(purpose, owner, self._next(purpose, owner), sides)

    def shuffle(self, purpose: str, owner: int, items: Iterable[T]) -> list[T]:
        """Return the items in a uniform order: Fisher-Yates from the last place down."""
        pile = list(items)
        numbers = self._words(purpose, owner, self._next(purpose, owner))
        for last in range(len(pile) - 1, 0, -1):
            other = next(numbers) % (last + 1)
            pile[last], pile[other] = pile[other], pile[last]
        return pile

    def draws_since(self, earlier: SeededChance) -> Iterator[tuple[str, int, int]]:
        """Yield purpose, owner and ordinal of every draw and shuffle since an earlier point of the same luck."""
        if self._ordinals is not earlier._ordinals:
            for (purpose, owner), count in self._ordinals.items():
                for ordinal in range(earlier._ordinals.get((purpose, owner), 0), count):
                    yield purpose, owner, ordinal

    def drawn(self, purpose: str, owner: int, ordinal: int, sides: int) -> int:
        """Return what `draw` gave at that ordinal."""
        return int.from_bytes(self._block(purpose, owner, ordinal, 0)[:8], "big") % sides

    def copy(self) -> SeededChance:
        """Return the same luck at the same point."""
        copied = object.__new__(SeededChance)
        copied._secret = self._secret
        copied._ordinals = self._ordinals
        copied._ordinals_are_shared = self._ordinals_are_shared = True
        return copied

    def _next(self, purpose: str, owner: int) -> int:
        if self._ordinals_are_shared:
            self._ordinals, self._ordinals_are_shared = self._ordinals.copy(), False
        key = (purpose, owner)
        ordinal = self._ordinals.get(key, 0)
        self._ordinals[key] = ordinal + 1
        return ordinal

    def _block(self, purpose: str, owner: int, ordinal: int, block: int) -> bytes:
        return blake2b(f"{purpose}|{owner}|{ordinal}|{block}".encode(), key=self._secret).digest()

    def _words(self, purpose: str, owner: int, ordinal: int) -> Iterator[int]:
        block = 0
        while True:
            digest = self._block(purpose, owner, ordinal, block)
            for at in range(0, 64, 8):
                yield int.from_bytes(digest[at : at + 8], "big")
            block += 1


class ScriptedChance:
    """Luck by hand, for tests: draws come from a list in the order consumed, shuffles likewise.

    Without a scripted order a shuffle leaves its pile as it is. Drawing past the end of the script is an error: a
    test vector names every roll. `draws` are the values `draw` returns, so a die that shows 6 is scripted as 5.
    """

    __slots__ = ("_draws", "_orders")

    def __init__(self, draws: Sequence[int] = (), orders: Sequence[Sequence[int]] = ()) -> None:
        self._draws = tuple(draws)
        self._orders = tuple(tuple(order) for order in orders)

    def draw(self, purpose: str, owner: int, sides: int) -> int:
        """Return the next scripted value."""
        if not self._draws:
            raise RulesError(f"the script has no draw left for {purpose} of {owner} ({sides} sides)")
        value, self._draws = self._draws[0], self._draws[1:]
        if not 0 <= value < sides:
            raise RulesError(f"the script says {value} for {purpose} of {owner}, which has {sides} sides")
        return value

    def shuffle(self, purpose: str, owner: int, items: Iterable[T]) -> list[T]:
        """Return the pile in the next scripted order (positions in the old pile), or as it is."""
        pile = list(items)
        if not self._orders:
            return pile
        order, self._orders = self._orders[0], self._orders[1:]
        if sorted(order) != list(range(len(pile))):
            raise RulesError(f"the scripted order of {purpose} of {owner} does not fit {len(pile)} items")
        return [pile[place] for place in order]

    def copy(self) -> ScriptedChance:
        """Return the same script at the same point."""
        return ScriptedChance(self._draws, self._orders)

    def left(self) -> int:
        """Count the scripted draws that are left; a test vector expects 0."""
        return len(self._draws)


class FillerChance:
    """No luck at all: every draw is 0 and every pile lies in order. With it `Game.hide` puts the same filler in place
    of whatever a seat cannot know, so that nothing of it is left."""

    __slots__ = ()

    def draw(self, purpose: str, owner: int, sides: int) -> int:
        """Return 0."""
        return 0

    def shuffle(self, purpose: str, owner: int, items: Iterable[T]) -> list[T]:
        """Return the items in their own order, whatever order they came in."""
        return sorted(items)  # type: ignore[type-var]  # what is dealt is an id or a number

    def copy(self) -> FillerChance:
        """Return this luck itself: it has no state."""
        return self


def derive_secret(seed: str, name: str = "") -> bytes:
    """Derive the secret of the match `name` under a seed: the same words give the same luck everywhere."""
    return hmac.digest(seed.encode(), f"tortuga/v1/match/{name}".encode(), "sha256")


def commitment(secret: bytes) -> bytes:
    """Return the hash that bots are shown before the match, so that everybody can check the luck afterwards."""
    return hashlib.sha256(secret).digest()
