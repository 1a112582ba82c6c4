"""What the matches of one command are played under: game, variant, seed, clock. Its terms make a match."""

from __future__ import annotations

from dataclasses import dataclass, field

from referee.match.clock import TimeControl
from referee.match.ids import single_match_id
from referee.match.match import Terms
from referee.rules.chance import derive_secret
from referee.rules.engine import AnyGame, Variant
from referee.wire import make_terms


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchSetup:
    """What the matches of a command have in common."""

    game: AnyGame
    variant: Variant
    seed: str
    clock: TimeControl = field(default_factory=TimeControl)
    faults_allowed: int = 0

    def terms(self, name: str = "", rotation: int | None = None) -> Terms:
        """Make the terms of one match: its luck follows from the seed and the name, its id also tells the rotation."""
        secret = derive_secret(self.seed, name)
        return make_terms(
            self.game,
            self.variant,
            secret,
            match_id=single_match_id(self.game.info.id, secret, rotation),
            seed=self.seed if not name else "",
            clock=self.clock,
            faults_allowed=self.faults_allowed,
        )
