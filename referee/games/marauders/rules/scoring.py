"""Points, the declaration of the target, and the end of the game (6.10, section 8, rulings R9, R10, R33)."""

from __future__ import annotations

from referee.engine import Outcome, Seat, rank_by
from referee.games.marauders.data.board import CHEST_GOLD_PER_POINT
from referee.games.marauders.events.round import GameEnded
from referee.games.marauders.events.wealth import PointsDeclared
from referee.games.marauders.state import Player, State


def points(state: State, player: Player) -> int:
    """Track and chest together; the chest counts for half the target at most."""
    return player.track + min(state.target_glory // 2, player.chest // CHEST_GOLD_PER_POINT)


def declare_if_due(draft: State, seat: Seat) -> None:
    """A seat that reaches the target declares by itself, and its chest is open and locked from then on (R9)."""
    player = draft.players[seat]
    if not player.declared and points(draft, player) >= draft.target_glory:
        player.declared = True
        draft.tell(PointsDeclared(seat, points(draft, player), player.chest))


def end_game(draft: State, reason: str) -> None:
    """Nothing happens any more."""
    draft.ended = reason
    draft.pending.clear()
    draft.tell(GameEnded(reason))


def outcome(state: State, reason: str) -> Outcome:
    """The ranks of 8.3, and each seat's points."""
    return Outcome(
        ranks=rank_by([_key(state, player, reason) for player in state.players]),
        reason=reason,
        scores=tuple([float(points(state, player)) for player in state.players]),
    )


def _key(state: State, player: Player, reason: str) -> tuple[int, int, int]:
    """8.3: in a `ten` end those who reached the target come first, whatever their points above it."""
    total = points(state, player)
    if reason == "ten":
        total = min(total, state.target_glory)
    return total, player.track, player.chest
