"""Who knows what (section 3).

    parts     `View` and what it is made of
    table     `view`: what a seat may know; `settled`: whether spectators may be shown the table
    events    `seen`: what a seat hears of an event
    hide      `hide`: a state that a seat cannot tell from the real one

Views are built field by field, every field named: what is not added is hidden.
"""

from __future__ import annotations

from referee.games.marauders.view.events import seen
from referee.games.marauders.view.hide import hide
from referee.games.marauders.view.parts import View
from referee.games.marauders.view.table import settled, view

__all__ = ["View", "hide", "seen", "settled", "view"]
