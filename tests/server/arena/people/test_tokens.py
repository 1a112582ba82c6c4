"""Tokens are long enough, and marked."""

from __future__ import annotations

import re

from server.arena.keys import new_token


def test_a_token_has_256_bits_and_a_mark() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(re.fullmatch(r"ttg_[A-Za-z0-9_-]{43}", token) for token in tokens)
