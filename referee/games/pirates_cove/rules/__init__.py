"""The rules of the game: `new`, `ask` and `apply`, over the tasks and questions of referee/rules/agenda.py.

One module per phase of the rulebook, each building only on those above it:

    dice, ships                       tools: luck, and what a ship is worth (2.2, 6.1, `hit` of 6.5)
    tavern, cards, windows            Tavern cards: drawn (6.9), played (2.5), and the windows to play them (5.2, 6.3)
    leaving, legends, volley          a combat in pieces: 6.7; 6.6 and 6.8; 6.5
    navigation, combat                phases 2 and 3: 5.1, 6.2 to 6.4
    plunder, port                     phases 4 and 5: 6.10, 6.11
    final, month, setup               section 8; phases 1 and 6 (5.1, 6.12); section 4
"""

from __future__ import annotations

from referee.games.pirates_cove.rules.setup import new
from referee.rules.agenda import apply, ask

__all__ = ["apply", "ask", "new"]
