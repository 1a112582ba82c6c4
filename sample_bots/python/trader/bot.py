"""A merchant captain of marauders: buys cheap, sells where goods are wanted, saves for a galleon."""

from __future__ import annotations

from strategy import choose

from tortuga_bot import play

if __name__ == "__main__":
    play(choose, name="trader", games=["marauders"])
