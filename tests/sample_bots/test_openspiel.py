"""Our games in OpenSpiel. Without its package, which is none of ours (`pip install open_spiel`), this is skipped."""

from __future__ import annotations

import random
from array import array
from typing import Any

import pytest

from tortuga_bot.features import MESSAGE_KINDS

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
pytest.importorskip("tortuga_bot.openspiel")  # registers the games

SEATS = [("pavillon_noir", 2), ("broadsides", 2), ("pirates_cove", 2), ("pirates_cove", 4), ("marauders", 3)]


def load(game: str, **params: Any) -> Any:
    """One of our games, with few deals and short observations."""
    return pyspiel.load_game(f"tortuga_{game}", {"deals": 8, "option_rows": 20, **params})


def begin(game: Any, deal: int = 0) -> Any:
    """A state after the deal."""
    state = game.new_initial_state()
    assert state.is_chance_node()
    state.apply_action(deal)
    return state


def play_on(state: Any, seed: int) -> list[int]:
    """Play to the end by chance; what was chosen."""
    dice, chosen = random.Random(seed), []
    while not state.is_terminal():
        chosen.append(dice.choice(state.legal_actions()))
        state.apply_action(chosen[-1])
    return chosen


def test_every_game_is_registered() -> None:
    assert {f"tortuga_{game}" for game in MESSAGE_KINDS} <= set(pyspiel.registered_names())


@pytest.mark.parametrize(("game", "players"), SEATS)
def test_openspiel_is_content(game: str, players: int) -> None:
    """OpenSpiel's own test: legal actions, clones, serialised states, observations, returns."""
    pyspiel.random_sim_test(load(game, players=players), num_sims=1, serialize=True, verbose=False)


def test_a_clone_goes_its_own_way() -> None:
    state = begin(load("pirates_cove"))
    for _ in range(9):
        state.apply_action(state.legal_actions()[-1])
    before, twin = state.observation_tensor(0), state.clone()
    chosen = play_on(twin, seed=1)
    assert state.observation_tensor(0) == before
    for action in chosen:
        state.apply_action(action)
    assert state.is_terminal()
    assert state.returns() == twin.returns()
    assert sum(state.returns()) == 0
    assert state.rewards() == state.returns()


def test_a_deal_is_all_luck() -> None:
    game = load("broadsides")
    ends = []
    for deal in (0, 0, 1, 2, 3):
        state = begin(game, deal)
        play_on(state, seed=5)
        ends.append((state.returns(), state.history_str(), str(state.observation_tensor(0))))
    assert ends[0] == ends[1]
    assert len(set(map(str, ends))) > 2


def test_who_decides_together_sees_no_choice_of_the_other() -> None:
    state = begin(load("broadsides"))
    assert len(state.table.waiting) == 2
    seen = set()
    for action in state.legal_actions():
        twin = state.clone()
        twin.apply_action(action)
        assert twin.current_player() == 1
        seen.add((twin.observation_string(1), array("f", twin.observation_tensor(1)).tobytes()))
    assert len(seen) == 1


def test_an_observation_shows_the_options() -> None:
    game = load("broadsides", option_rows=-1)
    state, observer = begin(game), game.make_py_observer()
    observer.set_from(state, 0)
    rows = observer.dict["options"]
    assert rows.shape[0] == game.num_distinct_actions()
    assert int(rows.any(axis=1).sum()) == len(state.legal_actions())
    names = {state.action_to_string(0, action) for action in state.legal_actions()}
    assert len(names) == len(state.legal_actions())


def test_what_an_observer_cannot_show_is_refused() -> None:
    with pytest.raises(ValueError, match="neither its past"):
        load("broadsides").make_py_observer(pyspiel.IIGObservationType(perfect_recall=True))


def test_a_variant_can_be_set() -> None:
    short = begin(load("pavillon_noir", variant="max_rounds=1"))
    assert len(play_on(short, seed=2)) < 60
