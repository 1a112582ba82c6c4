"""What reputations are worth (spec 2.10): the standing advantages of their rows in data.py.

No rule asks which card it was: each reads the perk that concerns it.
"""

from __future__ import annotations

from referee.games.pavillon_noir.cards import Perks
from referee.games.pavillon_noir.data import REPUTATIONS
from referee.games.pavillon_noir.events import ReputationUsed
from referee.games.pavillon_noir.state import Duelist, State
from referee.rules.engine import Seat

_PLAIN_RULES = Perks()
_PERKS = {reputation: row.perks for reputation, row in REPUTATIONS.items()}


def perks(duelist: Duelist) -> Perks:
    """Return the standing advantages of a seat."""
    return _PLAIN_RULES if duelist.reputation is None else _PERKS[duelist.reputation]


def use_reputation(draft: State, seat: Seat) -> None:
    """Note that a seat's reputation made a difference."""
    reputation = draft.duelists[seat].reputation
    assert reputation is not None
    draft.events.append(ReputationUsed(seat, reputation))


def sail_penalty(duelist: Duelist) -> int:
    """Cards by which a seat's runs are shortened, its reputation considered."""
    return max(0, duelist.ship.sail_penalty - perks(duelist).sail_relief)
