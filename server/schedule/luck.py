"""Lots: the luck of a draw, from the seed and a purpose. The same on every machine, and nobody can influence it.

Each bot's lot depends on its own name alone, so that a bot that joins or leaves does not move the others' lots.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def lot(seed: str, purpose: str, name: str) -> int:
    """A bot's lot for one purpose: 64 bits."""
    key = hashlib.sha256(seed.encode()).digest()
    return int.from_bytes(hashlib.blake2b(f"{purpose}|{name}".encode(), key=key, digest_size=8).digest(), "big")


def by_lot(seed: str, purpose: str, names: Iterable[str]) -> list[str]:
    """The names in the order of their lots."""
    return sorted(names, key=lambda name: (lot(seed, purpose, name), name))
