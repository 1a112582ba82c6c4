"""Plays Pirate's Cove: tries what looks best in worlds of the forward model. Its argument: milliseconds to think."""

from __future__ import annotations

import sys

import search
from search import choose

from tortuga_bot import play

if __name__ == "__main__":
    if len(sys.argv) > 1:
        search.THINK_SECONDS = int(sys.argv[1]) / 1000
    play(choose, name="corsair", games=["pirates_cove"], want_model=True)
