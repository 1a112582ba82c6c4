"""Gold and bounties: what is gained, paid, hidden and asked for a head (2.1, section 3, 6.10)."""

from __future__ import annotations

from referee.games.marauders.data.board import MAX_BOUNTY
from referee.games.marauders.events.wealth import BountyChanged, GoldGained, GoldPaid
from referee.games.marauders.rules.modifiers import home_of
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import State
from referee.games.marauders.terms import Nation
from referee.rules.engine import Seat
from referee.rules.parts import put, replace


def gain(draft: State, seat: Seat, gold: int) -> None:
    """Gold aboard, for all to see."""
    if gold > 0:
        player = draft.players[seat]
        draft.set_player(seat, replace(player, gold=player.gold + gold, last_gold=gold))
        tell(draft, GoldGained, seat, gold)


def pay(draft: State, seat: Seat, gold: int) -> None:
    """Gold away: from aboard first, then, inside a Port action at home, from the chest."""
    if gold > 0:
        player = draft.players[seat]
        aboard = min(gold, player.gold)
        chest = player.chest - (gold - aboard)
        draft.set_player(seat, replace(player, gold=player.gold - aboard, chest=chest, last_gold=-gold))
        tell(draft, GoldPaid, seat, gold)


def available(state: State, seat: Seat) -> int:
    """Return what the seat can spend now: aboard, and in a Port action at home the chest unless it is locked."""
    player = state.players[seat]
    if state.visit is not None and not player.declared and player.zone == home_of(player):
        return player.gold + player.chest
    return player.gold


def set_bounty(draft: State, seat: Seat, nation: Nation, bounty: int) -> None:
    """Change what a nation asks for a captain's head, within 0 and 5."""
    player = draft.players[seat]
    bounty = max(0, min(MAX_BOUNTY, bounty))
    if bounty != player.bounties[nation - 1]:
        draft.set_player(seat, replace(player, bounties=put(player.bounties, nation - 1, bounty)))
        tell(draft, BountyChanged, seat, nation, bounty)


def change_bounty(draft: State, seat: Seat, nation: Nation, change: int) -> None:
    """Add one to a bounty, or take one off."""
    set_bounty(draft, seat, nation, draft.players[seat].bounties[nation - 1] + change)
