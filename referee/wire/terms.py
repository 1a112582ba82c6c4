"""The terms of a match, with the wire of its game looked up."""

from __future__ import annotations

from referee.match.clock import TimeControl
from referee.match.match import Terms
from referee.rules.engine import AnyGame, Variant
from referee.wire import find_wire


def make_terms(
    game: AnyGame,
    variant: Variant,
    secret: bytes,
    *,
    match_id: str,
    seed: str = "",
    clock: TimeControl | None = None,
    faults_allowed: int = 0,
) -> Terms:
    """What a match of this game is played under; without a clock it is the default one. `match/ids.py` makes ids."""
    return Terms(
        match_id=match_id,
        game=game,
        wire=find_wire(game.info.id),
        variant=variant,
        secret=secret,
        seed=seed,
        clock=clock or TimeControl(),
        faults_allowed=faults_allowed,
    )
