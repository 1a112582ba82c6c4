"""The PettingZoo environments behind `tortuga_bot.env` and `tortuga_bot.parallel_env`. Extra `train`.

An agent is a trained seat, `seat_0` and so on. An action is an index in its list of legal options. The observation
scores options: what the seat knows, a row of numbers per option, and which rows are there. docs/training.md tells more.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from tortuga_bot.rewards import REWARDS, Reward
from tortuga_bot.training_table import Opponent, TrainingTable

Observation = dict[str, NDArray[Any]]


class _Seats:
    """What both environments share: the table, the spaces and the observations."""

    metadata: dict[str, Any]

    def __init__(
        self,
        game: str,
        *,
        seats: int | None = None,
        variant: Mapping[str, str | int] | None = None,
        opponents: Mapping[int, Opponent] | None = None,
        reward: str | Reward = "beaten",
        render_mode: str | None = None,
    ) -> None:
        if isinstance(reward, str) and reward not in REWARDS:
            raise ValueError(f"reward is {reward!r}, expected one of {', '.join(REWARDS)}, or a function")
        self.table = TrainingTable(game, seats=seats, variant=variant, opponents=opponents or {})
        self.render_mode = render_mode
        self.metadata = {"name": f"tortuga_{self.table.game}_v{self.features_version}", "render_modes": []}
        self._reward = REWARDS[reward] if isinstance(reward, str) else reward
        self._dice = random.Random()
        self._seat_of = {f"seat_{seat}": seat for seat in self.table.trained}
        self.possible_agents = list(self._seat_of)
        self.agents: list[str] = []
        size = self.table.max_options
        features = self.table.features
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(-np.inf, np.inf, (features.observation_size,), np.float32),
                    "options": spaces.Box(-np.inf, np.inf, (size, features.option_size), np.float32),
                    "action_mask": spaces.Box(0, 1, (size,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(size) for agent in self.possible_agents}

    @property
    def features_version(self) -> str:
        """The version of the lists of features."""
        return self.table.features.version

    @property
    def max_options(self) -> int:
        """No list of options is longer."""
        return self.table.max_options

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent may do: an index in its list of options."""
        return self.action_spaces[agent]

    def render(self) -> None:
        """Nothing is shown: `tortuga replay` shows recorded matches."""

    def close(self) -> None:
        """Nothing is open."""

    def _begin(self, seed: int | None) -> None:
        if seed is not None:
            self._dice = random.Random(seed)
        self.table.reset(f"{self._dice.getrandbits(128):032x}")
        self.agents = list(self.possible_agents)

    def _observe(self, agent: str) -> Observation:
        table, seat = self.table, self._seat_of[agent]
        count, width = table.option_count(seat), table.features.option_size
        options = np.zeros((table.max_options, width), np.float32)
        mask = np.zeros(table.max_options, np.int8)
        if count:
            table.write_options(seat, options.data.cast("B").cast("f"))
            mask[:count] = 1
        observation = np.frombuffer(table.observation(seat), np.float32)
        return {"observation": observation, "options": options, "action_mask": mask}

    def _info(self, agent: str) -> dict[str, Any]:
        seat = self._seat_of[agent]
        count = self.table.option_count(seat)
        return {"kind": self.table.kind if count else "", "option_count": count}

    def _final_rewards(self) -> dict[str, float]:
        found = self._reward(self.table.ranks, self.table.points)
        return {agent: float(found[seat]) for agent, seat in self._seat_of.items()}


class TortugaEnv(_Seats, AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One seat after the other. Seats that decide together are asked in turn, and none sees another's choice before all
    are in."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game."""
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._turn_to_next()

    def observe(self, agent: str) -> Observation:
        """What an agent sees now. One that is not asked has no options."""
        return self._observe(agent)

    def step(self, action: int | None) -> None:
        """The choice of the agent whose turn it is."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if action is None:
            raise ValueError(f"{agent} has to choose: None is for agents whose game is over")
        self.table.choose(self._seat_of[agent], int(action))
        self._turn_to_next()
        self._accumulate_rewards()

    def _turn_to_next(self) -> None:
        if self.table.is_over:
            self.rewards = self._final_rewards()
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = f"seat_{self.table.waiting[0]}"
        self.infos = {agent: self._info(agent) for agent in self.agents}


class TortugaParallelEnv(_Seats, ParallelEnv):  # type: ignore[misc]
    """All seats at every moment. A seat that is not asked has one action, 0, which does nothing; `infos` tell."""

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a game."""
        self._begin(seed)
        return self._all()

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """The choices of all agents that are asked; those of the others are not looked at."""
        chosen = {seat: int(actions[f"seat_{seat}"]) for seat in self.table.waiting}
        for seat, index in chosen.items():
            self.table.check(seat, index)
        for seat, index in chosen.items():
            self.table.choose(seat, index)
        over = self.table.is_over
        rewards = self._final_rewards() if over else dict.fromkeys(self.agents, 0.0)
        observations, infos = self._all()
        ended, cut = dict.fromkeys(self.agents, over), dict.fromkeys(self.agents, False)
        if over:
            self.agents = []
        return observations, rewards, ended, cut, infos

    def _all(self) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        observations = {agent: self._observe(agent) for agent in self.agents}
        infos = {agent: self._info(agent) for agent in self.agents}
        for agent, one in observations.items():
            if not infos[agent]["option_count"]:
                one["action_mask"][0] = 1
        return observations, infos

    def state(self) -> NDArray[Any]:
        """There is none: nobody may know the whole table."""
        raise NotImplementedError("no agent may know the whole state")
