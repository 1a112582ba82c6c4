"""Plays broadsides: looks a round ahead at sea, counts heads before it boards. How it thinks: strategy.py."""

from __future__ import annotations

from strategy import choose

from tortuga_bot import play

if __name__ == "__main__":
    play(choose, name="privateer", games=["broadsides"])
