"""The environments to train in: PettingZoo's own tests, secrecy among seats that decide together, opponents, seeds,
pools over processes, and an example that learns and then plays over gRPC."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="the extra `train` is not installed")

import numpy as np
from pettingzoo.test import api_test, parallel_api_test, seed_test

import tortuga_bot
from referee.errors import ConfigError
from support.command import ROOT, play_json, tortuga
from support.sizes import SIZE, Size, pick, sized
from tortuga_bot import Question
from tortuga_bot.training_table import TrainingTable

GAMES = [("pavillon_noir", 2), ("broadsides", 2), ("pirates_cove", 2), ("pirates_cove", 5), ("marauders", 3)]
EXAMPLE = ROOT / "examples/train"


@pytest.mark.few(2)
@sized
@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_pettingzoo_is_content(game: str, seats: int) -> None:
    cycles = pick(quick=60, ci=400)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation", UserWarning)  # a dict with a mask, as PettingZoo's own games
        api_test(tortuga_bot.env(game, seats=seats), num_cycles=cycles)
        seed_test(lambda: tortuga_bot.env(game, seats=seats), num_cycles=pick(quick=20, ci=100))
        parallel_api_test(tortuga_bot.parallel_env(game, seats=seats), num_cycles=cycles)


def test_a_cloned_table_goes_its_own_way() -> None:
    table = TrainingTable("pirates_cove", opponents={})
    with_opponent = TrainingTable("pirates_cove", opponents={1: "random"})
    with pytest.raises(ValueError, match="cannot be cloned"):
        with_opponent.clone()
    table.reset("clones")
    for _ in range(7):
        table.choose(table.waiting[0], 0)
    before, twin, choices = table.observation(0), table.clone(), []
    while not twin.is_over:
        seat = twin.waiting[0]
        choices.append(twin.option_count(seat) - 1)
        twin.choose(seat, choices[-1])
    assert table.observation(0) == before
    for choice in choices:
        table.choose(table.waiting[0], choice)
    assert (table.ranks, table.points) == (twin.ranks, twin.points)


def play_episode(env: Any, seed: int | None, pick_index: Any) -> list[tuple[str, int]]:
    """One game by a function from an observation to an index; who chose what."""
    env.reset(seed=seed)
    taken = []
    for agent in env.agent_iter():
        observation, _, ended, _, _ = env.last()
        if ended:
            env.step(None)
            continue
        action = pick_index(observation)
        taken.append((agent, action))
        env.step(action)
    return taken


def last_option(observation: dict[str, Any]) -> int:
    return int(observation["action_mask"].sum()) - 1


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_a_game_ends_with_rewards_that_sum_to_zero(game: str, seats: int) -> None:
    env = tortuga_bot.env(game, seats=seats)
    dice = np.random.default_rng(1)
    env.reset(seed=3)
    while not env.table.is_over:
        observation = env.observe(env.agent_selection)
        assert env.observation_space(env.agent_selection).contains(observation)
        assert set(env.rewards.values()) == {0.0}, "rewards come at the end"
        env.step(int(dice.integers(observation["action_mask"].sum())))
    assert all(env.terminations.values())
    assert sum(env.rewards.values()) == pytest.approx(0)
    ranks = env.table.ranks
    assert env.rewards[f"seat_{ranks.index(1)}"] == max(env.rewards.values()) > 0


def test_the_same_seed_gives_the_same_game_and_reset_alone_another() -> None:
    one, other = tortuga_bot.env("pirates_cove", seats=3), tortuga_bot.env("pirates_cove", seats=3)
    assert play_episode(one, 5, last_option) == play_episode(other, 5, last_option)
    first = one.table.points
    assert play_episode(one, None, last_option) == play_episode(other, None, last_option)
    assert one.table.points == other.table.points != first, "the next game of the same seed has another luck"
    assert play_episode(one, 6, last_option) != play_episode(other, 7, last_option)


def test_seats_that_decide_together_do_not_see_each_other() -> None:
    """Navigation is secret: whatever seat 0 chose, seat 1 sees the same until all are in."""
    seen = []
    for choice in (0, 1, 5):
        env = tortuga_bot.env("pirates_cove", seats=2)
        env.reset(seed=1)
        while env.table.kind != "NAVIGATE":
            env.step(0)
        assert env.agent_selection == "seat_0"
        assert env.table.waiting == [0, 1]
        env.step(choice)
        assert env.agent_selection == "seat_1"
        observation = env.observe("seat_1")
        seen.append({name: part.tobytes() for name, part in observation.items()})
        assert env.observe("seat_0")["action_mask"].sum() == 0, "it has answered"
    assert seen[0] == seen[1] == seen[2]


def test_the_parallel_environment_asks_those_who_are_asked() -> None:
    env = tortuga_bot.parallel_env("marauders", seats=3)
    observations, infos = env.reset(seed=2)
    moments = 0
    while env.agents and moments < 200:
        waiting = set(env.table.waiting)
        for agent in env.agents:
            asked = int(agent.removeprefix("seat_")) in waiting
            assert bool(infos[agent]["option_count"]) == asked
            assert observations[agent]["action_mask"].sum() == (infos[agent]["option_count"] if asked else 1)
        observations, rewards, _, _, infos = env.step(dict.fromkeys(env.agents, 0))
        moments += 1
        assert not env.agents or not any(rewards.values())
    with pytest.raises(NotImplementedError, match="no agent may know"):
        env.state()


@pytest.mark.parametrize("opponent", ["buccaneer", "random", str(ROOT / "sample_bots/python/buccaneer")])
def test_opponents_play_their_seats(opponent: str) -> None:
    env = tortuga_bot.env("pirates_cove", seats=3, opponents={1: opponent})
    assert env.possible_agents == ["seat_0", "seat_2"]
    taken = play_episode(env, 1, last_option)
    assert {agent for agent, _ in taken} == {"seat_0", "seat_2"}
    assert taken == play_episode(env, 1, last_option)


def test_an_opponent_may_be_a_function_and_hears_what_a_bot_hears() -> None:
    heard: list[int] = []

    def choose(question: Question) -> int:
        heard.append(len(question.events))
        assert question.option_count == len(question.options)
        assert question.match.seat == 1
        return 0

    env = tortuga_bot.env("pirates_cove", seats=2, opponents={1: choose})
    play_episode(env, 1, last_option)
    assert len(heard) > 5
    assert sum(heard) > 20


@pytest.mark.parametrize("reward", ["beaten", "won", "lead"])
def test_a_strong_opponent_wins_under_every_reward(reward: str) -> None:
    env = tortuga_bot.env("pirates_cove", seats=2, opponents={1: "buccaneer"}, reward=reward)
    env.reset(seed=1)
    while not env.table.is_over:
        env.step(last_option(env.observe("seat_0")))
    expected = {"beaten": -1.0, "won": 0.0, "lead": env.table.points[0] - env.table.points[1]}
    assert env.rewards == {"seat_0": expected[reward]}


def test_wrong_use_is_told() -> None:
    with pytest.raises(ConfigError, match="there is no bot 'nobody'"):
        tortuga_bot.env("pirates_cove", opponents={1: "nobody"})
    with pytest.raises(ConfigError, match="nobody is left to train"):
        tortuga_bot.env("pirates_cove", seats=2, opponents={0: "random", 1: "random"})
    with pytest.raises(ConfigError, match="2 to 5 seats, not 7"):
        tortuga_bot.env("pirates_cove", seats=7)
    with pytest.raises(ConfigError, match="opponent sits on seat 4"):
        tortuga_bot.env("pirates_cove", seats=2, opponents={4: "random"})
    with pytest.raises(ValueError, match=r"reward is 'gold'.*beaten"):
        tortuga_bot.env("pirates_cove", reward="gold")
    env = tortuga_bot.env("pirates_cove", seats=2)
    env.reset(seed=1)
    count = int(env.observe("seat_0")["action_mask"].sum())
    for action in (count, -1):
        with pytest.raises(ValueError, match=f"action {action} is not legal.* 0 to {count - 1}"):
            env.step(action)


@pytest.mark.few(1)
@pytest.mark.parametrize("processes", [1, 2])
def test_a_pool_plays_whole_games_and_repeats_by_its_seed(processes: int) -> None:
    def run() -> list[tuple[int, float]]:
        with tortuga_bot.env_pool(
            "pirates_cove", envs=4, processes=processes, seed=1, seats=2, opponents={1: "random"}
        ) as pool:
            found: list[tuple[int, float]] = []
            while len(found) < 6:
                batch = pool.observe()
                assert len(batch.counts) == 4
                assert len(batch.options) == batch.counts.sum()
                assert set(batch.seats) == {0}
                found += [(one.env, one.rewards[0]) for one in pool.step(batch.counts - 1)]
            return found

    played = run()
    assert played == run()
    assert {env for env, _ in played} <= set(range(4))
    assert {reward for _, reward in played} <= {-1.0, 0.0, 1.0}


@pytest.mark.system
def test_a_pool_tells_what_went_wrong_in_its_processes() -> None:
    with tortuga_bot.env_pool("pirates_cove", envs=2, processes=2, seed=1) as pool:
        with pytest.raises(ValueError, match="3 actions for 2 environments"):
            pool.step([0, 0, 0])
        with pytest.raises(ValueError, match="action 999 is not legal"):
            pool.step([0, 999])
    with (
        pytest.raises(ConfigError, match="no setting"),
        tortuga_bot.env_pool("pirates_cove", envs=2, processes=2, variant={"sails": 1}) as pool,
    ):
        pool.observe()
    with pytest.raises(ValueError, match=r"2 environments.* 3 processes"):
        tortuga_bot.env_pool("pirates_cove", envs=2, processes=3)


def test_a_bot_that_does_not_train_imports_nothing_of_it() -> None:
    code = "import sys, tortuga_bot, tortuga_bot.features, tortuga_bot.bot_folder; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"numpy", "pettingzoo", "gymnasium", "referee", "server"}


@pytest.mark.system
@pytest.mark.timeout(900)
def test_the_example_learns_and_plays_over_grpc(tmp_path: Path) -> None:
    """In small size; a thousand games, as in `make chaos`, are enough to beat `random` (docs/training.md)."""
    shutil.copytree(EXAMPLE, tmp_path / "train", ignore=shutil.ignore_patterns("weights.json", "__pycache__"))
    games = pick(ci=100, full=1000)
    done = subprocess.run(
        [sys.executable, "train/train.py", "--games", str(games), "--processes", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert "written: " in done.stdout
    report = play_json(tmp_path, "pirates_cove", "--bot", "train/learner", "--bot", "random", "--no-record")
    assert [seat["faults"] for seat in report["seats"]] == [[], []]
    weights = json.loads((tmp_path / "train/learner/weights.json").read_text())
    assert any(weights["w"]), "untrained, they are all 0"
    if SIZE is Size.FULL:
        words = ("--bot", "train/learner", "--bot", "random", "--games", "100", "--seed", "s", "--json")
        played = tortuga(tmp_path, "simulate", "pirates_cove", *words)
        [learner, _] = json.loads(played.stdout)["wins_by_bot"]
        assert learner["score_95"][0] > 0.5
        assert learner["margin"] > 3, "untrained it is 2.2: it takes the first option"


def test_the_example_bot_says_what_is_missing_or_does_not_fit(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE / "learner", tmp_path / "learner", ignore=shutil.ignore_patterns("weights.json"))
    spec = importlib.util.spec_from_file_location("learner_bot", tmp_path / "learner/bot.py")
    assert spec is not None
    assert spec.loader is not None
    bot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bot)
    with pytest.raises(SystemExit, match=r"weights\.json.*missing.*train"):
        bot.scorer(2)
    (tmp_path / "learner/weights.json").write_text(
        json.dumps(
            {"game": "pirates_cove", "seats": 2, "features": "0-old", "A": [], "B": [], "c": [], "v": [], "w": []}
        )
    )
    with pytest.raises(SystemExit, match=r"0-old.*for 2 seats.* 1-"):
        bot.scorer(2)
