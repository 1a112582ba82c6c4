"""Nothing is lost or doubled in any position chance leads to: cards, tokens, merchants; and numbers stay in bounds."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from referee.games.marauders import GAME
from referee.games.marauders.data.board import DEMAND_TOKENS, MERCHANT_TOKENS, MODIFICATION_TOKENS
from referee.games.marauders.data.captains import CAPTAINS
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.data.glory import GLORY_DECK
from referee.games.marauders.data.quests import MISSIONS, RUMORS
from referee.games.marauders.rules.ashore.market import AskDemand
from referee.games.marauders.state import State
from referee.games.marauders.terms import SECTIONS
from support.marauders import cards_in, modifications_in
from support.play import start, wander

ALL_CARDS = Counter([*CARGO, *GLORY_DECK, *RUMORS, *MISSIONS, *CAPTAINS])


@pytest.mark.few(9)
@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seed", range(12))
def test_cards_tokens_and_bounds_over_a_random_game(seats: int, seed: int) -> None:
    """Checked before every decision."""
    course = start(GAME, seats, GAME.info.read_variant({}), f"conservation {seed}")
    for _ in wander(course, random.Random(seed)):
        check(course.state)
    state: State = course.state
    assert state.ended in ("ten", "events", "captains")


def check(state: State) -> None:
    """One position."""
    assert cards_in(state) == ALL_CARDS
    assert modifications_in(state) == Counter(MODIFICATION_TOKENS)
    merchants = [token for token in state.merchants if token is not None]
    assert Counter([*merchants, *state.merchant_track]) == Counter(MERCHANT_TOKENS)
    looked_at = [good for frame in state.pending if isinstance(frame, AskDemand) for good in frame.drawn]
    laid = [good for good in state.demand if good is not None]
    assert Counter([*laid, *state.supply, *looked_at]) == Counter(DEMAND_TOKENS)
    assert state.events == []
    for player in state.players:
        assert min(player.gold, player.chest, player.track) >= 0
        assert all(0 <= bounty <= 5 for bounty in player.bounties)
        if player.ship is not None:
            assert all(0 <= player.ship.value(part) <= player.ship.maximum(part) <= 5 for part in SECTIONS)
            assert len(set(player.ship.mods)) == len(player.ship.mods)
