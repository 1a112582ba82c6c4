"""The end: scores, ranks and the final duel. Spec section 8, ruling R35."""

from __future__ import annotations

from typing import ClassVar

from referee.games.pirates_cove.data import FAME_CARDS
from referee.games.pirates_cove.events import Scored
from referee.games.pirates_cove.rules.combat import begin_combat, close_combat
from referee.games.pirates_cove.state import State
from referee.games.pirates_cove.terms import AT_SEA, Phase
from referee.rules.agenda import Task, push
from referee.rules.engine import Seat, rank_by
from referee.rules.parts import immutable


@immutable(frozen=True, slots=True)
class FinalScoring(Task[State]):
    """Hands are scored after the last month."""

    TAG: ClassVar[str] = "FinalScoring"

    def run(self, draft: State) -> None:
        """Fame and Fame cards; a tie for the first place is fought out."""
        draft.phase = Phase.FINAL
        scores = []
        for seat, ship in enumerate(draft.ships):
            bonus = sum(FAME_CARDS.get(card, 0) for card in ship.hand)
            draft.events.append(Scored(Seat(seat), ship.fame, bonus))
            scores.append(ship.fame + bonus)
        draft.scores = tuple(scores)
        ranks = rank_by(scores)
        tied = tuple(Seat(seat) for seat, rank in enumerate(ranks) if rank == 1)
        if len(tied) == 1:
            draft.ranks = ranks
        else:
            push(draft, EndDuel())
            begin_combat(draft, AT_SEA, tied, ())


@immutable(frozen=True, slots=True)
class EndDuel(Task[State]):
    """Rank the seats after the final duel."""

    TAG: ClassVar[str] = "EndDuel"

    def run(self, draft: State) -> None:
        """Rank the ships left first, the others by how long they lasted; those out together share a rank."""
        combat = close_combat(draft)
        lasted = [-1] * len(draft.ships)
        for time, group in enumerate((*combat.gone, combat.seats)):
            for seat in group:
                lasted[seat] = time
        draft.ranks = rank_by(list(zip(draft.scores, lasted, strict=True)))
