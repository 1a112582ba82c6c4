"""The round: merchants, event card, NPC icons, turns, and what comes at its end (6.2, 6.13, 8.1, 8.2)."""

from __future__ import annotations

from typing import ClassVar

from referee.games.marauders.cards.event_texts import War
from referee.games.marauders.data.board import RESTOCK
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.events.round import RoundBegan
from referee.games.marauders.rules.event_texts import place_merchants, resolve
from referee.games.marauders.rules.fighting.npcs import bring_back, enter_admirals, enter_card, follow_icon
from referee.games.marauders.rules.scoring import end_game
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.rules.turn import PlayTurn
from referee.games.marauders.state import State
from referee.rules.agenda import Task, push
from referee.rules.parts import immutable


@immutable(frozen=True, slots=True)
class BeginRound(Task[State]):
    """A new round, if there is an event card for it."""

    TAG: ClassVar[str] = "BeginRound"

    def run(self, draft: State) -> None:
        """Restock, event, icons, text, then everybody's turn."""
        if len(draft.merchant_track) >= RESTOCK:
            place_merchants(draft)
        if not draft.event_deck:
            end_game(draft, "events")
            return
        draft.round += 1
        draft.closed = ()
        draft.event, draft.event_deck = draft.event_deck[-1], draft.event_deck[:-1]
        tell(draft, RoundBegan, draft.round, draft.event)
        card = EVENTS[draft.event]
        for kind, wind in card.icons:
            follow_icon(draft, kind, wind)
        if card.text is not None:
            resolve(draft, card.text)
        push(draft, *[PlayTurn(seat) for seat in draft.turn_order], EndRound())


@immutable(frozen=True, slots=True)
class EndRound(Task[State]):
    """NPCs come, and whoever declared ends the game."""

    TAG: ClassVar[str] = "EndRound"

    def run(self, draft: State) -> None:
        """Returning NPCs, the card of the round, war admirals, victory."""
        assert draft.event is not None
        card = EVENTS[draft.event]
        bring_back(draft)
        if card.npc is not None:
            enter_card(draft, card.id)
        if isinstance(card.text, War):
            enter_admirals(draft)
        if any(player.declared for player in draft.players):
            end_game(draft, "ten")
        else:
            push(draft, BeginRound())
