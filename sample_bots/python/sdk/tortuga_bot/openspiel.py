"""Our games for OpenSpiel: `import tortuga_bot.openspiel` registers them, if the package `open_spiel` is installed.

    import pyspiel
    import tortuga_bot.openspiel

    game = pyspiel.load_game("tortuga_pirates_cove", {"players": 3})

An action is an index in the list of legal options, as in `tortuga_bot.env`, and seats that decide together are asked in
turn: none sees another's choice before all are in. All luck of a game is dealt by one chance node at its beginning, so
a history says everything. docs/training.md tells more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pyspiel
from google.protobuf import text_format

from tortuga_bot.features import MESSAGE_KINDS
from tortuga_bot.rewards import reward_beaten
from tortuga_bot.training_table import TrainingTable

PARAMETERS = {"players": 0, "deals": 1024, "seed": "tortuga", "option_rows": -1, "variant": ""}
"""`players`: 0 for as few as the game takes. `deals`: how many different deals of luck there are. `seed`: which ones.
`option_rows`: how many options an observation shows; -1 for as many as there can be. `variant`: settings of the game,
as NAME=VALUE with blanks between."""


@cache
def empty_table(game: str, seats: int, variant: str) -> TrainingTable:
    """A table at which nothing was dealt yet. One for all games of these settings."""
    settings = {name: value for name, _, value in (word.partition("=") for word in variant.split())}
    return TrainingTable(game, seats=seats or None, variant=settings, opponents={})


class Played:
    """A table and how it got there: cloned as it is, pickled as its choices."""

    def __init__(self, settings: tuple[str, int, str], seed: str, choices: Iterable[int] = ()) -> None:
        self.table = empty_table(*settings).clone()
        self.table.reset(seed)
        self._settings, self._seed, self._choices = settings, seed, list[int]()
        for choice in choices:
            self.choose(choice)

    def choose(self, index: int) -> None:
        """The answer of the seat that is asked."""
        self.table.choose(self.table.waiting[0], index)
        self._choices.append(index)

    def __deepcopy__(self, memo: dict[int, Any]) -> Played:
        twin = object.__new__(Played)  # copy() would pickle, and so play it all again
        twin.table, twin._settings = self.table.clone(), self._settings
        twin._seed, twin._choices = self._seed, list(self._choices)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return Played, (self._settings, self._seed, tuple(self._choices))


class TortugaState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel has no types
    """One game. Before the luck is dealt there is no table."""

    def __init__(self, game: TortugaGame) -> None:
        super().__init__(game)
        self._settings, self._deals, self._seed = game.settings, game.deals, game.seed
        self._played: Played | None = None

    @property
    def table(self) -> TrainingTable | None:
        """The table; None before the luck is dealt."""
        return self._played.table if self._played else None

    def current_player(self) -> int:
        """The seat that is asked; or chance, or nobody."""
        if self.table is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.table.is_over else self.table.waiting[0]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """All deals, each with the same chance."""
        return [(deal, 1 / self._deals) for deal in range(self._deals)]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.table is not None and self.table.is_over

    def returns(self) -> list[float]:
        """From -1 for the last to 1 for the first; nothing until the game is over."""
        if self.table is None or not self.table.is_over:
            return [0.0] * self.num_players()
        return reward_beaten(self.table.ranks, self.table.points)

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self.table is None else list(range(self.table.option_count(player)))

    def _apply_action(self, action: int) -> None:
        if self._played is None:
            self._played = Played(self._settings, f"{self._seed}-{action}")
        else:
            self._played.choose(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if self.table is None:
            return f"deal {action}"
        option = self.table.position(player).options[action]
        return f"{action}: {text_format.MessageToString(option, as_one_line=True)}"

    def __str__(self) -> str:
        if self.table is None:
            return "before the deal"
        if self.table.is_over:
            return f"over, ranks {self.table.ranks}"
        return f"{self.table.kind}, asked: seats {self.table.waiting}"


class TortugaObserver:
    """What a seat may know: `observation`, and a row of numbers for each of its options, zeros behind the last."""

    def __init__(self, game: TortugaGame, kind: Any, params: Mapping[str, Any] | None) -> None:
        if params:
            raise ValueError(f"observers take no parameters, not {dict(params)}: set option_rows of the game")
        if kind.perfect_recall or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("an observer shows what one seat may know now: neither its past nor what all know")
        features = game.features
        width, self._rows = features.option_size, game.option_rows
        self.tensor = np.zeros(features.observation_size + self._rows * width, np.float32)
        self.dict = {"observation": self.tensor[: features.observation_size]}
        if self._rows:
            self.dict["options"] = self.tensor[features.observation_size :].reshape(self._rows, width)

    def set_from(self, state: TortugaState, player: int) -> None:
        """Look at a state with the eyes of a seat."""
        self.tensor.fill(0)
        table = state.table
        if table is None:
            return
        self.dict["observation"][:] = np.frombuffer(table.observation(player), np.float32)
        if self._rows and table.option_count(player):
            for row, option in zip(self.dict["options"], table.position(player).options, strict=False):
                row[:] = np.frombuffer(table.features.option(option, player), np.float32)

    def string_from(self, state: TortugaState, player: int) -> str:
        """The same as text: the messages that a bot would get."""
        table = state.table
        if table is None:
            return "before the deal"
        if table.option_count(player):
            return f"{table.kind}\n{table.position(player)}"
        return f"not asked\n{table.view(player)}"


class TortugaGame(pyspiel.Game):  # type: ignore[misc]
    """One of our games, with so many players. The classes below it say which."""

    game = ""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {**PARAMETERS, **(params or {})}
        self.settings = (self.game, given["players"], given["variant"])
        self.deals, self.seed = given["deals"], given["seed"]
        table = empty_table(*self.settings)
        self.features = table.features
        self.option_rows = table.max_options if given["option_rows"] < 0 else given["option_rows"]
        info = pyspiel.GameInfo(
            num_distinct_actions=table.max_options,
            max_chance_outcomes=self.deals,
            num_players=table.seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=table.max_decisions,
        )
        super().__init__(game_type(self.game), info, params or {})

    def new_initial_state(self) -> TortugaState:
        """A game before its luck is dealt."""
        return TortugaState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> TortugaObserver:
        """The eyes of a seat."""
        return TortugaObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


def game_type(game: str) -> Any:
    """What OpenSpiel wants to know of a game before it is loaded."""
    info = empty_table(game, 0, "").info
    return pyspiel.GameType(
        short_name=f"tortuga_{game}",
        long_name=f"{info.title} (Tortuga)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=info.max_seats,
        min_num_players=info.min_seats,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )


def register() -> None:
    """Make all games known to `pyspiel.load_game`."""
    for game, word in MESSAGE_KINDS.items():
        pyspiel.register_game(game_type(game), type(f"{word}Game", (TortugaGame,), {"game": game}))


register()
