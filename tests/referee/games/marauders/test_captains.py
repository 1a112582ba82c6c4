"""Captains who come and go, the hand of glory cards, the ranks at the end: vectors T19, T20, T28 and T30."""

from __future__ import annotations

import pytest

from referee.games.marauders.actions.cards import DiscardGlory
from referee.games.marauders.actions.turn import ChooseShip
from referee.games.marauders.rules.death import Die, NewCaptain
from referee.games.marauders.rules.glory import ScorePoint
from referee.games.marauders.terms import (
    Feat,
    ShipType,
)
from referee.rules.engine import Seat
from support.marauders import (
    FOUR,
    ONE,
    THREE,
    asked,
    change_player,
    choose,
    ended,
    happen,
    lay_on_deck,
    options,
    table,
    values,
)


@pytest.mark.parametrize(("chest", "gold", "kept"), [(0, 10, 0), (7, 10, 0), (23, 0, 23)])
def test_t19_a_new_captain_starts_with_gold_only_if_the_chest_is_poor(chest: int, gold: int, kept: int) -> None:
    """Vector T19."""
    state = table("mary_hollis", "felipe_montoya")
    change_player(state, ONE, chest=chest)
    state = happen(state, Die(ONE), NewCaptain(ONE))
    assert options(state, "choose_ship", ONE) == [ChooseShip(ShipType.SLOOP), ChooseShip(ShipType.FLUTE)]
    state = choose(state, (ONE, ChooseShip(ShipType.FLUTE)))
    player = state.players[ONE]
    assert (player.gold, player.chest, len(player.glory)) == (gold, kept, 1)
    assert (player.captain, values(state, ONE)) == ("anneke_de_wit", "3/4/3/1/1")


@pytest.mark.parametrize(
    ("reason", "scores", "points", "ranks"),
    [
        ("ten", [(8, 25), (9, 12), (9, 9)], (10, 10, 9), (2, 1, 3)),
        ("ten", [(9, 12), (9, 18)], (10, 10), (2, 1)),
        ("ten", [(9, 15), (9, 15), (4, 50)], (10, 10, 9), (1, 1, 3)),
        ("events", [(5, 30), (7, 0), (6, 20), (6, 20)], (8, 7, 8, 8), (3, 4, 1, 1)),
    ],
)
def test_t20_ranks(reason: str, scores: list[tuple[int, int]], points: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    """Vector T20, rulings R10 and R33."""
    captains = ("mary_hollis", "felipe_montoya", "henry_thorne", "edward_marsh")
    state = table(*captains[: len(scores)])
    for seat, (track, chest) in enumerate(scores):
        change_player(state, Seat(seat), track=track, chest=chest)
    state.ended = reason
    result = state.outcome
    assert result is not None
    assert (result.scores, result.ranks) == (points, ranks)


def test_t28_a_fifth_glory_card_is_given_up_at_once() -> None:
    """Vector T28."""
    state = table("mary_hollis", "felipe_montoya")
    change_player(state, ONE, glory=("brace", "pardon", "rally", "sea_fog"))
    lay_on_deck(state, state.glory, "inheritance")
    state = happen(state, ScorePoint(ONE, Feat.RAID))
    hand = ["brace", "inheritance", "pardon", "rally", "sea_fog"]
    assert options(state, "discard_glory", ONE) == [DiscardGlory(card) for card in hand]
    state = choose(state, (ONE, DiscardGlory("pardon")))
    assert state.players[ONE].glory == ("brace", "rally", "sea_fog", "inheritance")
    assert state.glory.discard == ("pardon",)


def test_t30_the_game_ends_when_captains_run_out() -> None:
    """Vector T30: one card for two seats without captain."""
    state = table("mary_hollis", "felipe_montoya", "henry_thorne", "edward_marsh")
    state.captains = ("thomas_keene",)
    state = happen(state, Die(THREE), Die(FOUR))
    assert ended(state).reason == "captains"


def test_t30_one_death_too_few_goes_on() -> None:
    """The other side of vector T30: as many captains as seats without one are enough."""
    state = table("mary_hollis", "felipe_montoya", "henry_thorne", "edward_marsh")
    state.captains = ("thomas_keene",)
    assert asked(happen(state, Die(THREE))).kind == "rest"
