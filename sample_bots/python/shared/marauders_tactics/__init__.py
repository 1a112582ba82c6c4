"""What the marauders bots share: reading a question, sailing, trading, fighting. A bot adds its `Plan`.

    chart      the box: map, homes, places of quests, cargo icons
    situation  a question made easy to read
    voyage     `action`: where to go and what to do there
    harbour    `port`: what to do ashore, in which order
    battle     combat, raids and their windows
    captain    `choose`: which function answers which decision

Each bot's `build` copies this package into the bot's folder.
"""

from __future__ import annotations

from marauders_tactics.captain import choose
from marauders_tactics.situation import Plan

__all__ = ["Plan", "choose"]
