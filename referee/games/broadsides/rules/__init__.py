"""The rules of the game: `new`, `ask` and `apply`, over the tasks and questions of referee/rules/agenda.py.

One module per phase of the rulebook, each building only on those above it:

    dice        all rolls                                      spec 6
    condition   damage, comparisons, the end                   spec 6.5, 6.7, 8
    contact     how ships lie alongside, where crews cross     spec 2.7
    gunnery     exchanges, shots, losing conditions            spec 6.3 to 6.5
    boarding    moves and melees                               spec 6.9 (step 6), 6.10, 6.11
    round_end   captains, caps, the current                    spec 6.6, 6.8
    collision   the ships alongside, the last salvo            spec 6.9
    sailing     programs and the three steps                   spec 6.1, 6.2, 6.7
    setup       placing captain and extra crew                 spec 4
"""

from __future__ import annotations

from referee.games.broadsides.rules.setup import new
from referee.rules.agenda import apply, ask

__all__ = ["apply", "ask", "new"]
