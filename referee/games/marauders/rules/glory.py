"""Glory points and the hand of glory cards (6.10, cards file A.3)."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from referee.games.marauders.actions import each
from referee.games.marauders.actions.cards import DiscardGlory, PlayGlory
from referee.games.marauders.data.board import GLORY_HAND
from referee.games.marauders.data.glory import GLORY, GLORY_PLACE
from referee.games.marauders.events.wealth import GloryDiscarded, GloryDrawn, GloryPlayed, GloryPoint
from referee.games.marauders.rules.piles import draw_card, lay_on_discard
from referee.games.marauders.rules.scoring import declare_if_due
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import Player, State
from referee.games.marauders.terms import Feat, Timing
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace

HANDS = 1 << 12
"""For how many hands it is remembered what is playable."""


@immutable(frozen=True, slots=True)
class ScorePoint(Task[State]):
    """One glory point with its card."""

    TAG: ClassVar[str] = "ScorePoint"
    seat: Seat
    feat: Feat

    def run(self, draft: State) -> None:
        """Track, card, hand limit, then the declaration."""
        player = draft.players[self.seat]
        player = replace(player, track=player.track + 1)
        draft.set_player(self.seat, player)
        tell(draft, GloryPoint, self.seat, self.feat, player.track)
        push(draft, DrawGlory(self.seat), CheckPoints(self.seat))


@immutable(frozen=True, slots=True)
class CheckPoints(Task[State]):
    """The declaration of 6.10."""

    TAG: ClassVar[str] = "CheckPoints"
    seat: Seat

    def run(self, draft: State) -> None:
        """Declare if the target is reached."""
        declare_if_due(draft, self.seat)


@immutable(frozen=True, slots=True)
class DrawGlory(Task[State]):
    """Glory cards, the hand limit applied after each."""

    TAG: ClassVar[str] = "DrawGlory"
    seat: Seat
    count: int = 1

    def run(self, draft: State) -> None:
        """Draw one, then the rest."""
        card = draw_card(draft, draft.glory)
        if card is not None:
            player = draft.players[self.seat]
            draft.set_player(self.seat, replace(player, glory=(*player.glory, card)))
            tell(draft, GloryDrawn, self.seat, card)
        if self.count > 1:
            push(draft, DrawGlory(self.seat, self.count - 1))
        push(draft, TrimHand(self.seat))


@immutable(frozen=True, slots=True)
class TrimHand(Task[State]):
    """Down to the limit of the hand, before anything else."""

    TAG: ClassVar[str] = "TrimHand"
    seat: Seat

    def run(self, draft: State) -> None:
        """Ask while there are too many."""
        if len(draft.players[self.seat].glory) > GLORY_HAND:
            push(draft, AskDiscardGlory(self.seat))


@immutable(frozen=True, slots=True)
class AskDiscardGlory(SeatQuestion[State, DiscardGlory]):
    """`discard_glory`: distinct ids, alphabetical."""

    TAG: ClassVar[str] = "AskDiscardGlory"
    kind: ClassVar[str] = "discard_glory"

    def options(self, state: State) -> tuple[DiscardGlory, ...]:
        """Return one of the cards in hand."""
        return each(DiscardGlory, tuple(sorted(set(state.players[self.seat].glory))))

    def choose(self, draft: State, action: DiscardGlory) -> None:
        """Away with it, and again if need be."""
        drop_glory(draft, self.seat, action.card)
        tell(draft, GloryDiscarded, self.seat, action.card)
        push(draft, TrimHand(self.seat))


def take_from_hand(draft: State, seat: Seat, card: str) -> None:
    """Take one copy of a card from the hand."""
    player = draft.players[seat]
    place = player.glory.index(card)
    draft.set_player(seat, replace(player, glory=player.glory[:place] + player.glory[place + 1 :]))


def drop_glory(draft: State, seat: Seat, card: str) -> None:
    """Put one copy of a card from the hand on the discard."""
    take_from_hand(draft, seat, card)
    lay_on_discard(draft, draft.glory, (card,))


def playable(player: Player, *timings: Timing) -> tuple[str, ...]:
    """Distinct cards in hand of these timings, in the order of the card table."""
    return _playable(player.glory, timings) if player.glory else ()


@lru_cache(HANDS)
def _playable(hand: tuple[str, ...], timings: tuple[Timing, ...]) -> tuple[str, ...]:
    return tuple(sorted({card for card in hand if GLORY[card].timing in timings}, key=GLORY_PLACE.__getitem__))


def holds(player: Player, *timings: Timing) -> bool:
    """Check whether a card of these timings is in hand."""
    return bool(playable(player, *timings))


def play(draft: State, seat: Seat, action: PlayGlory) -> None:
    """Put a card on the discard before its effect, which is the caller's."""
    drop_glory(draft, seat, action.card)
    tell_played(draft, seat, action)


def tell_played(draft: State, seat: Seat, action: PlayGlory) -> None:
    """Everybody sees the card."""
    tell(
        draft,
        GloryPlayed,
        seat,
        action.card,
        action.mode,
        action.section,
        action.nation,
        action.count,
        action.npc,
        action.zone,
    )
