"""The rules: `new`, `ask` and `apply`. One module per phase, each building only on those above it.

A phase owns its questions and tasks: small values on the stack `pending` (referee/rules/agenda.py). A procedure of the
specification pushes its steps, the first on top, so whatever a step leads to (a disaster, a reaction) comes before
the next one.

    combos, reading             5.5; 2.6 and 2.7: what hands and target cards are worth
    piles, reputations          cards and discs on the move (section 6); 2.10
    damage, gunnery             6.10 and 8.2; 6.1 and 6.2
    reload, patch               6.6; 6.7
    threats                     6.4 step 6 and 6.5 step 3: what tricks can cancel
    trick_questions, tricks     D24 to D30; 2.11
    attacks, shots              6.4 and 6.5; 6.8 and 6.9
    turn, setup                 5.2, 5.4 and 6.3; section 4
"""

from __future__ import annotations

from referee.games.pavillon_noir.rules.setup import new
from referee.rules.agenda import apply, ask

__all__ = ["apply", "ask", "new"]
