"""Buccaneer: plays Pirate's Cove by rules of thumb. Its thoughts are in strategy.py."""

from __future__ import annotations

from strategy import choose

from tortuga_bot import play

if __name__ == "__main__":
    play(choose, name="buccaneer", games=["pirates_cove"])
