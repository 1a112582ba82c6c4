"""The declaration of the target, and the end of the game (6.10, section 8, rulings R9, R10, R33).

Points and ranks are counted in state.
"""

from __future__ import annotations

from referee.games.marauders.events.round import GameEnded
from referee.games.marauders.events.wealth import PointsDeclared
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import State
from referee.rules.engine import Seat
from referee.rules.parts import replace


def declare_if_due(draft: State, seat: Seat) -> None:
    """Declare for a seat that reaches the target: its chest is open and locked from then on (R9)."""
    player = draft.players[seat]
    if not player.declared and draft.points(player) >= draft.target_glory:
        draft.set_player(seat, replace(player, declared=True))
        tell(draft, PointsDeclared, seat, draft.points(player), player.chest)


def end_game(draft: State, reason: str) -> None:
    """Nothing happens any more."""
    draft.ended = reason
    draft.pending = ()
    tell(draft, GameEnded, reason)
