"""Many environments over several processes, stepped together: `tortuga_bot.env_pool`. Extra `train`.

    with tortuga_bot.env_pool("pirates_cove", envs=32, processes=2, seats=2, opponents={1: "random"}) as pool:
        batch = pool.observe()               # one question of every environment
        finished = pool.step(actions)        # one index for each of them; games that end are told, and begin anew

Options are not padded: the rows of all environments follow each other, and `counts` says how many belong to each.
"""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tortuga_bot.rewards import REWARDS, Reward
from tortuga_bot.training_table import Opponent, TrainingTable

Opponents = Mapping[int, Opponent]


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """A question of every environment."""

    observation: NDArray[np.float32]
    """A row per environment."""
    options: NDArray[np.float32]
    """A row per option: first all of environment 0, then those of 1, and so on."""
    counts: NDArray[np.int64]
    """How many options each environment has."""
    seats: NDArray[np.int64]
    """Which seat is asked."""

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the options of each environment begin."""
        return np.asarray(np.cumsum(self.counts) - self.counts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """A game that ended at a step."""

    env: int
    rewards: Mapping[int, float]
    """By trained seat."""


class EnvPool:
    """Environments that wait for an answer each. Use it as a context manager, or call `close`."""

    def __init__(self, game: str, *, envs: int = 16, processes: int = 1, seed: int | None = None, **how: Any) -> None:
        """`how` is what `env` takes: seats, variant, opponents, reward. Several `opponents` in a list are dealt to the
        environments in turn."""
        if not 1 <= processes <= envs:
            raise ValueError(f"{envs} environments cannot be spread over {processes} processes")
        seed = random.SystemRandom().getrandbits(63) if seed is None else seed
        parts = np.array_split(np.arange(envs), processes)
        self.envs = envs
        self._here = _Group(game, seed, parts[0].tolist(), **how) if processes == 1 else None
        self._children: list[tuple[BaseProcess, Connection]] = []
        if self._here is None:
            for part in parts:
                self._children.append(_start(game, seed, part.tolist(), how))
            for _, pipe in self._children:
                pipe.send(None)  # the first questions
        self._batch: Batch | None = None
        self._sizes = [len(part) for part in parts]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        for process, pipe in self._children:
            pipe.close()
            process.terminate()
            process.join()
        self._children = []

    def observe(self) -> Batch:
        """The questions that wait."""
        if self._batch is None:
            batches = [self._here.observe()] if self._here else [self._receive(pipe)[1] for _, pipe in self._children]
            self._batch = _join(batches)
        return self._batch

    def step(self, actions: Sequence[int] | NDArray[Any]) -> list[Finished]:
        """Answer all of them. A game that ends begins anew."""
        self.observe()
        if len(actions) != self.envs:
            raise ValueError(f"{len(actions)} actions for {self.envs} environments")
        indices = [int(action) for action in actions]
        if self._here:
            finished = self._here.step(indices)
            self._batch = None
            return finished
        first = 0
        for size, (_, pipe) in zip(self._sizes, self._children, strict=True):
            pipe.send(indices[first : first + size])
            first += size
        found, first, batches = list[Finished](), 0, list[Batch]()
        for size, (_, pipe) in zip(self._sizes, self._children, strict=True):
            finished, batch = self._receive(pipe)
            found += [Finished(env=first + one.env, rewards=one.rewards) for one in finished]
            batches.append(batch)
            first += size
        self._batch = _join(batches)
        return found

    def _receive(self, pipe: Connection) -> tuple[list[Finished], Batch]:
        try:
            answer = pipe.recv()
        except EOFError:
            raise RuntimeError("a process of the pool has died") from None
        if isinstance(answer, Exception):
            raise answer
        found: tuple[list[Finished], Batch] = answer
        return found


class _Group:
    """The environments of one process."""

    def __init__(
        self,
        game: str,
        seed: int,
        numbers: Sequence[int],
        *,
        seats: int | None = None,
        variant: Mapping[str, str | int] | None = None,
        opponents: Opponents | Sequence[Opponents] | None = None,
        reward: str | Reward = "beaten",
    ) -> None:
        dealt: Sequence[Opponents] = [opponents] if isinstance(opponents, Mapping) else opponents or [{}]
        self._tables = [
            TrainingTable(game, seats=seats, variant=variant, opponents=dealt[number % len(dealt)])
            for number in numbers
        ]
        self._dice = [random.Random(f"{seed}/{number}") for number in numbers]
        self._reward = REWARDS[reward] if isinstance(reward, str) else reward
        for place in range(len(numbers)):
            self._begin(place)

    def _begin(self, number: int) -> None:
        """A new game. One that ends before a trained seat is asked anything is skipped."""
        table = self._tables[number]
        table.reset(f"{self._dice[number].getrandbits(128):032x}")
        while table.is_over:
            table.reset(f"{self._dice[number].getrandbits(128):032x}")

    def observe(self) -> Batch:
        """The question of each table's next seat."""
        width = self._tables[0].features.option_size
        seats = [table.waiting[0] for table in self._tables]
        counts = [table.option_count(seat) for table, seat in zip(self._tables, seats, strict=True)]
        options = [np.zeros((count, width), np.float32) for count in counts]
        for table, seat, rows in zip(self._tables, seats, options, strict=True):
            table.write_options(seat, rows.data.cast("B").cast("f"))
        seen = [table.observation(seat) for table, seat in zip(self._tables, seats, strict=True)]
        return Batch(
            observation=np.array([np.frombuffer(one, np.float32) for one in seen]),
            options=np.concatenate(options),
            counts=np.array(counts, np.int64),
            seats=np.array(seats, np.int64),
        )

    def step(self, actions: Sequence[int]) -> list[Finished]:
        """Answer for each table, and begin anew where a game ends."""
        finished = []
        for number, (table, action) in enumerate(zip(self._tables, actions, strict=True)):
            table.choose(table.waiting[0], action)
            if table.is_over:
                rewards = self._reward(table.ranks, table.points)
                finished.append(Finished(env=number, rewards={seat: float(rewards[seat]) for seat in table.trained}))
                self._begin(number)
        return finished


def _start(game: str, seed: int, numbers: Sequence[int], how: Mapping[str, Any]) -> tuple[BaseProcess, Connection]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, game, seed, numbers, how), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _serve(pipe: Connection, game: str, seed: int, numbers: Sequence[int], how: Mapping[str, Any]) -> None:
    """A process of the pool: answers until its pipe is closed."""
    try:
        group = _Group(game, seed, numbers, **how)
        while True:
            actions = pipe.recv()
            finished = group.step(actions) if actions is not None else []
            pipe.send((finished, group.observe()))
    except (EOFError, KeyboardInterrupt, BrokenPipeError):
        return
    except Exception as error:
        pipe.send(error)


def _join(batches: Sequence[Batch]) -> Batch:
    if len(batches) == 1:
        return batches[0]
    return Batch(
        observation=np.concatenate([one.observation for one in batches]),
        options=np.concatenate([one.options for one in batches]),
        counts=np.concatenate([one.counts for one in batches]),
        seats=np.concatenate([one.seats for one in batches]),
    )
