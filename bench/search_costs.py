"""(i) What a bot that searches would pay: copies of a state, and random games from the middle of a game to its end.

The states are those of the referee's engine, with all that is hidden: a bot of ours that searches has such states too.
"""

from __future__ import annotations

import random
import time
from typing import Any

from bench.rows import Figures, Task
from referee.games import find_game
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.engine import AnyGame, Outcome

GAMES = 8
"""How many games the states are taken from, one of each."""
CLONES, STEPS = 20_000, 8_000
"""To make per second of a task."""


async def clones_row(task: Task) -> Figures:
    """Copies of states in the middle of a game."""
    states = middles(find_game(task.game), task.number)
    rounds = max(1, round(CLONES * task.seconds / len(states)))
    began = time.process_time()
    for _ in range(rounds):
        for state in states:
            state.copy()
    spent = time.process_time() - began
    count = rounds * len(states)
    return {"cpu_micros": 1e6 * spent / count, "per_second": count / spent}


async def playouts_row(task: Task) -> Figures:
    """Random games from the middle to the end: whole games per second, and CPU time per step."""
    game = find_game(task.game)
    states = middles(game, task.number)
    rng = random.Random(task.number)
    count, steps, wanted = 0, 0, STEPS * task.seconds
    began = time.process_time()
    while steps < wanted:
        steps += play_out(game, states[count % len(states)], rng)
        count += 1
    spent = time.process_time() - began
    return {
        "cpu_micros": 1e6 * spent / steps,
        "per_second": count / spent,
        "steps_per_playout": steps / count,
    }


def middles(game: AnyGame, number: int) -> list[Any]:
    """Make a state from the middle of each of several random games."""
    found = []
    for place in range(GAMES):
        rng = random.Random(f"{number}/{place}")
        secret = derive_secret("middle", f"{number}/{place}")
        states = [game.new(game.info.min_seats, game.info.read_variant({}), SeededChance(secret))]
        while (after := step(game, states[-1], rng)) is not None:
            states.append(after)
        found.append(states[len(states) // 2])
    return found


def play_out(game: AnyGame, state: Any, rng: random.Random) -> int:
    """Play a random game from this state to its end. Returns the number of steps."""
    steps = 0
    while (after := step(game, state, rng)) is not None:
        state = after
        steps += 1
    return steps


def step(game: AnyGame, state: Any, rng: random.Random) -> Any | None:
    """Return the state after a random choice of every seat that is asked; None at the end of the game."""
    decision = game.ask(state)
    if isinstance(decision, Outcome):
        return None
    choices = {seat: options[int(rng.random() * len(options))] for seat, options in decision.options.items()}
    return game.apply(state, choices).state
