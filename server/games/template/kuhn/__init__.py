"""Kuhn poker for Tortuga: three cards, one of them each, and a chip to bet.

This module says where the game is and is quick to import. The rules are in `rules.py`.
"""

from __future__ import annotations

from pathlib import Path

from tortuga.engine import GameInfo, GamePlugin, NumberSetting

INFO = GameInfo(
    id="kuhn",
    title="Kuhn poker",
    min_seats=2,
    max_seats=2,
    rules_version=1,
    settings=(NumberSetting(name="hands", low=2, high=100, default=20, meaning="hands in a match"),),
    max_decisions=300,  # three in the longest hand
    max_options=2,
    endings={"chips": "more chips won", "even": "nobody won a chip"},
)

PLUGIN = GamePlugin(
    info=INFO,
    game="kuhn.rules:GAME",
    rules=Path(__file__).with_name("rules.md"),
)
