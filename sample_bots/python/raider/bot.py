"""A pirate captain of marauders: raids merchants, repairs, and saves for a frigate."""

from __future__ import annotations

from strategy import choose

from tortuga_bot import play

if __name__ == "__main__":
    play(choose, name="raider", games=["marauders"])
