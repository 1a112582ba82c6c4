"""Lots: the luck of a draw, from the seed and a purpose. The same on every machine, and nobody can influence it.

Each bot's lot depends on its own name alone, so that a bot that joins or leaves does not move the others' lots.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def lot(seed: str, purpose: str, name: str) -> int:
    """A bot's lot for one purpose: 64 bits."""
    return _lot(_key(seed), purpose, name)


def by_lot(seed: str, purpose: str, names: Iterable[str]) -> list[str]:
    """The names in the order of their lots."""
    key = _key(seed)
    return sorted(names, key=lambda name: (_lot(key, purpose, name), name))


def _key(seed: str) -> bytes:
    return hashlib.sha256(seed.encode()).digest()


def _lot(key: bytes, purpose: str, name: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{purpose}|{name}".encode(), key=key, digest_size=8).digest(), "big")
