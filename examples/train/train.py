"""Train a small policy by playing against `random`, and write it into the folder of a bot.

    python examples/train/train.py --games 1500 --processes 2
    tortuga simulate pirates_cove --bot examples/train/learner --bot random --games 400

Needs the extra `train`. Only numpy learns here: see policy.py. docs/training.md has the figures.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from policy import Decisions, Policy

import tortuga_bot
from tortuga_bot.features import Features
from tortuga_bot.pool import EnvPool

LEARNER = Path(__file__).parent / "learner"
WARM_UP = 200
"""Random questions by which the spread of the inputs is measured."""


def train(
    *,
    game: str = "pirates_cove",
    seats: int = 2,
    games: int = 1500,
    batch: int = 64,
    hidden: int = 32,
    rate: float = 0.01,
    entropy: float = 0.01,
    processes: int = 2,
    seed: int = 1,
    say: bool = True,
) -> Policy:
    """Play so many games, a batch at a time, and learn from each batch."""
    policy, dice = Policy(Features(game, seats), hidden=hidden, seed=seed), np.random.default_rng(seed)
    began, played = time.monotonic(), 0
    everywhere = [{other: "random" for other in range(seats) if other != own} for own in range(seats)]
    with tortuga_bot.env_pool(
        game,
        seats=seats,
        envs=16 * seats,
        processes=processes,
        seed=seed,
        reward="lead",
        opponents=everywhere,
    ) as pool:
        warm_up(pool, policy, dice)
        under_way = [Decisions() for _ in range(pool.envs)]
        while played < games:
            finished = play_games(pool, policy, under_way, batch, dice)
            played += len(finished)
            rewards = np.array([reward for _, reward in finished])
            worth = (rewards - rewards.mean()) / max(rewards.std(), 1e-9)
            policy.improve(
                [(one, float(reward)) for (one, _), reward in zip(finished, worth, strict=True)],
                rate=rate,
                entropy=entropy,
            )
            if say:
                won = np.mean(rewards > 0)
                print(
                    f"{played} games, {time.monotonic() - began:.0f} s: won {won:.0%}, lead {rewards.mean():+.1f}",
                    flush=True,
                )
    return policy


def warm_up(pool: EnvPool, policy: Policy, dice: np.random.Generator) -> None:
    """See some questions of random games, to know how far the inputs spread."""
    observations, options = [], []
    for _ in range(WARM_UP):
        batch = pool.observe()
        observations.append(batch.observation)
        options.append(batch.options)
        pool.step((dice.random(pool.envs) * batch.counts).astype(int))
    policy.fit_spread(np.concatenate(observations), np.concatenate(options))


def play_games(
    pool: EnvPool, policy: Policy, under_way: list[Decisions], count: int, dice: np.random.Generator
) -> list[tuple[Decisions, float]]:
    """Play until so many games are over: the decisions of each, with its reward."""
    finished: list[tuple[Decisions, float]] = []
    while len(finished) < count:
        batch = pool.observe()
        choices, observations, options = policy.choose(batch, dice)
        rows = np.split(options, batch.starts[1:])
        for env, own in enumerate(under_way):
            own.observations.append(observations[env])
            own.options.append(rows[env])
            own.choices.append(int(choices[env]))
        for one in pool.step(choices):
            [reward] = one.rewards.values()
            finished.append((under_way[one.env], reward))
            under_way[one.env] = Decisions()
    return finished


def main() -> None:
    """Read the command line, train, and save."""
    reader = argparse.ArgumentParser(description="Train a small policy and write it into the folder of a bot.")
    reader.add_argument("--game", default="pirates_cove")
    reader.add_argument("--seats", type=int, default=2)
    reader.add_argument("--games", type=int, default=1500)
    reader.add_argument("--processes", type=int, default=2)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--out", type=Path, default=LEARNER / "weights.json")
    given = reader.parse_args()
    policy = train(game=given.game, seats=given.seats, games=given.games, processes=given.processes, seed=given.seed)
    policy.save(given.out)
    print(f"written: {given.out}")


if __name__ == "__main__":
    main()
