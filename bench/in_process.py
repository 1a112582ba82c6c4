"""Measures rows in this process, without gRPC.

(e) matches    referee, sessions, engine, wire and chain, with bots in memory. The bots look only at the number of
               options; what they cost themselves is measured and left out
(i) searches   what a bot that searches would pay: copies of a state, and random games from the middle of a game to its
               end. The states are those of the referee's engine, with all that is hidden: a bot of ours that searches
               has such states too
"""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any

from bench.rows import Figures, Task
from referee.door.session import Session
from referee.games import find_game
from referee.match.clock import LagMeter, TimeControl
from referee.match.match import Match
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.engine import AnyGame, Outcome
from referee.wire import envelope
from server.play.match_setup import MatchSetup
from tortuga.v1 import referee_pb2 as pb

DECISIONS = 3000
"""To play per second of a task."""

PATIENT = TimeControl(bank_seconds=3600.0, increment_seconds=0.0, cap_seconds=3600.0)
"""A clock that runs as in any match, but forgives a machine that is busy for seconds."""


class BlindBot:
    """A bot in memory: it answers by the number of the question."""

    def __init__(self, name: str, slots: int) -> None:
        self.session = Session(name, "bench")
        self.cpu_seconds = 0.0
        self._slots = slots

    async def run(self) -> None:
        """Say Hello and answer until Goodbye."""
        hello = pb.Hello(protocol=envelope.PROTOCOL, bot_name=self.session.name, slots=self._slots)
        self.session.receive(pb.FromBotBatch(messages=[pb.FromBot(hello=hello)]).SerializeToString())
        while (raw := await self.session.next_batch()) is not None:
            began = time.thread_time()
            answers = self.answer(raw)
            self.cpu_seconds += time.thread_time() - began
            await asyncio.sleep(0)  # as over a stream: an answer never comes while the question is being sent
            if answers:
                self.session.receive(answers)

    def answer(self, raw: bytes) -> bytes:
        """Return the answers to one batch."""
        answers = pb.FromBotBatch()
        for message in pb.ToBotBatch.FromString(raw).messages:
            kind = message.WhichOneof("message")
            if kind == "question":
                number = message.question.question_id
                choice = answers.messages.add(table=message.table).choice
                choice.question_id, choice.option_index = number, (7 * number + 3) % message.question.option_count
            elif kind == "match_start":
                answers.messages.add(table=message.table).ready.SetInParent()
        return answers.SerializeToString()


async def in_process_row(task: Task) -> Figures:
    """Measure (e): the CPU time per decision of a fixed list of games, `tables` of them at a time."""
    game = find_game(task.game)
    setup = MatchSetup(game=game, variant=game.info.read_variant({}), seed=f"in process {task.number}", clock=PATIENT)
    bots = [BlindBot(f"blind-{seat}", task.tables) for seat in range(game.info.min_seats)]
    lag = LagMeter()
    decisions, matches, wanted = 0, 0, max(1, round(DECISIONS * task.seconds))

    async def play_table(name: str) -> int:
        result = await Match(setup.terms(name), [bot.session.open_table() for bot in bots], lag).play()
        assert not result.faults, result.faults
        assert not result.void, result.reason
        return result.decisions

    lag.start()
    async with asyncio.TaskGroup() as running:
        for bot in bots:
            running.create_task(bot.run())
        await asyncio.sleep(0)  # Hello
        await asyncio.gather(*(play_table(f"warm {table}") for table in range(task.tables)))
        began, bot_began = time.process_time(), sum(bot.cpu_seconds for bot in bots)
        while decisions < wanted:
            names = [str(matches + table) for table in range(task.tables)]
            decisions, matches = decisions + sum(await asyncio.gather(*map(play_table, names))), matches + task.tables
        spent = time.process_time() - began - sum(bot.cpu_seconds for bot in bots) + bot_began
        for bot in bots:
            bot.session.close("measured")
    lag.stop()
    return {"cpu_micros": 1e6 * spent / decisions, "decisions": decisions, "matches": matches}


# (i) What a bot that searches would pay

GAMES = 8
"""How many games the states are taken from, one of each."""
CLONES, STEPS = 20_000, 8_000
"""To make per second of a task."""


async def clones_row(task: Task) -> Figures:
    """Measure (i): copies of states in the middle of a game."""
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
    """Measure (i): random games from the middle to the end, games per second and CPU time per step."""
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
    middle_states = []
    for place in range(GAMES):
        rng = random.Random(f"{number}/{place}")
        secret = derive_secret("middle", f"{number}/{place}")
        states = [game.new(game.info.min_seats, game.info.read_variant({}), SeededChance(secret))]
        while (after := step(game, states[-1], rng)) is not None:
            states.append(after)
        middle_states.append(states[len(states) // 2])
    return middle_states


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
