"""The end: scores, ranks and the final duel. Spec section 8, ruling R35."""

from __future__ import annotations

from referee.engine import Outcome, Seat, rank_by
from referee.games.pirates_cove.data import FAME_CARDS
from referee.games.pirates_cove.events import CombatEnded, Log, Scored
from referee.games.pirates_cove.ids import AT_SEA, Phase
from referee.games.pirates_cove.rules.combat import begin_combat
from referee.games.pirates_cove.state import Combat, State


def score(draft: State, log: Log) -> None:
    """Fame and Fame cards; a tie for the first place is fought out."""
    draft.phase = Phase.FINAL
    scores = []
    for seat, ship in enumerate(draft.ships):
        bonus = sum(FAME_CARDS.get(card, 0) for card in ship.hand)
        log.append(Scored(Seat(seat), ship.fame, bonus))
        scores.append(ship.fame + bonus)
    draft.scores = tuple(scores)
    draft.ranks = rank_by(scores)
    tied = tuple(Seat(seat) for seat, rank in enumerate(draft.ranks) if rank == 1)
    if len(tied) > 1:
        draft.ranks = ()
        begin_combat(draft, AT_SEA, tied, (), log)


def end_duel(draft: State, combat: Combat, log: Log) -> None:
    """The ships left are first, the others rank by how long they lasted; those out together share the better rank."""
    draft.tavern_discard += combat.laid
    draft.combat = None
    log.append(CombatEnded(combat.place, combat.seats))
    lasted = [-1] * len(draft.ships)
    for time, group in enumerate((*combat.gone, combat.seats)):
        for seat in group:
            lasted[seat] = time
    draft.ranks = rank_by(list(zip(draft.scores, lasted, strict=True)))


def outcome(state: State) -> Outcome:
    """How the game ended."""
    tied = state.scores.count(max(state.scores)) > 1
    return Outcome(
        ranks=state.ranks,
        reason="final_duel" if tied else "most_fame",
        scores=tuple(float(points) for points in state.scores),
    )
