"""Plays broadsides: asks itself what the enemy will do, and looks ahead. Its argument: milliseconds to think."""

from __future__ import annotations

import sys

import search
from search import choose

from tortuga_bot import play

if __name__ == "__main__":
    if len(sys.argv) > 1:
        search.THINK_SECONDS = int(sys.argv[1]) / 1000
    play(choose, name="commodore", games=["broadsides"], want_model=True)
