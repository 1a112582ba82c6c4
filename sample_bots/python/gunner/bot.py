"""Plays pavillon_noir: aims before it fires, fires while it pays, and keeps its planks even. How: strategy.py."""

from __future__ import annotations

from strategy import choose

from tortuga_bot import play

if __name__ == "__main__":
    play(choose, name="gunner", games=["pavillon_noir"])
