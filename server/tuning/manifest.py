"""The manifest of `tortuga tune`: which bot, which game, which parameters, how long. Every problem is named."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from referee.errors import ConfigError
from referee.rules.engine import Variant
from referee.rules.infos import find_info
from server.bots.spec import BotSpec, find_bot
from server.system.setting_files import parse_toml, unknown_keys
from server.tuning.comparison import Comparison, Side
from server.tuning.spsa import Parameter, Spsa, Trial

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
HANDED = ("environment", "arguments")
TRAVEL = 30.0
"""The default rate, times the iterations: far enough to cross a range, if the games tell a clear direction."""
MOST_RATE = 0.5
"""The default rate of a short run: a win and a loss more or less move a parameter by half a step, at the end."""
STEPS = 20
"""The default step is the range divided by this."""


def is_number(value: Any) -> bool:
    """Check whether it is a number, and none of the infinite ones."""
    return type(value) in (int, float) and math.isfinite(value)


def is_count(value: Any) -> bool:
    """Check whether it is a whole number from 1 up."""
    return type(value) is int and value >= 1


def is_text(value: Any) -> bool:
    """Check whether it is a text that says something."""
    return type(value) is str and value != ""


def is_texts(value: Any) -> bool:
    """Check whether it is a list of such texts."""
    return type(value) is list and all(map(is_text, value))


Check = Callable[[Any], bool]
_FIELDS: dict[str, tuple[Check, str]] = {
    "bot": (is_text, "a text: a bot's folder or SPEC"),
    "game": (is_text, "a text: the id of a game"),
    "seats": (is_count, "a whole number"),
    "variant": (lambda value: type(value) is dict, "a table of settings"),
    "against": (is_texts, "a list of bots"),
    "hand_over": (lambda value: value in HANDED, '"environment" or "arguments"'),
    "iterations": (is_count, "a whole number from 1 up"),
    "blocks": (is_count, "a whole number from 1 up"),
    "rate": (lambda value: is_number(value) and value > 0, "a number above 0"),
    "seed": (is_text, "a text"),
    "clock": (is_text, "a text: BANK+INC/CAP"),
    "parameters": (lambda value: type(value) is dict and bool(value), "a table: [parameters.NAME]"),
}
_NEEDED = ("bot", "game", "parameters")
_PARAMETER: dict[str, tuple[Check, str]] = {
    "start": (is_number, "a number"),
    "low": (is_number, "a number"),
    "high": (is_number, "a number"),
    "step": (lambda value: is_number(value) and value > 0, "a number above 0"),
    "whole": (lambda value: type(value) is bool, "true or false"),
}
_PARAMETER_NEEDED = ("start", "low", "high")


@dataclass(frozen=True, kw_only=True, slots=True)
class TuneManifest:
    """What is to be tuned, and how."""

    bot: BotSpec
    game: str
    seats: int
    variant: Variant
    field: tuple[BotSpec, ...]
    by_arguments: bool
    iterations: int
    blocks: int
    """Blocks of an iteration: all with the same values."""
    rate: float
    seed: str
    clock: str
    parameters: tuple[Parameter, ...]

    def comparison(self, plus: tuple[tuple[str, str], ...], minus: tuple[tuple[str, str], ...]) -> Comparison:
        """Return the comparison between the bot with these values and the bot with those."""
        side = Side(bot=self.bot, by_arguments=self.by_arguments)
        return Comparison(
            game=self.game,
            variant=self.variant,
            seats=self.seats,
            seed=self.seed,
            sides=(replace(side, values=minus), replace(side, values=plus)),
            field=self.field,
        )

    def trial_comparison(self, trial: Trial) -> Comparison:
        """Return the comparison of an iteration: the minus side is the first, the plus side the second."""
        return self.comparison(trial.plus, trial.minus)

    def trial_blocks(self, trial: Trial) -> range:
        """Return its blocks: none is played at another iteration."""
        return range((trial.iteration - 1) * self.blocks, trial.iteration * self.blocks)

    def start(self) -> Spsa:
        """Return a run at its beginning."""
        return Spsa(self.parameters, iterations=self.iterations, rate=self.rate, seed=self.seed)

    def fingerprint(self) -> str:
        """Return a hash that changes with all that a run depends on, but for the code of the bots."""
        told = {
            "bot": self.bot.name,
            "game": self.game,
            "rules_version": find_info(self.game).rules_version,
            "seats": self.seats,
            "variant": dict(self.variant),
            "against": [bot.name for bot in self.field],
            "by_arguments": self.by_arguments,
            "iterations": self.iterations,
            "blocks": self.blocks,
            "rate": self.rate,
            "seed": self.seed,
            "parameters": [asdict(one) for one in self.parameters],
        }
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def read_tune_manifest(path: Path) -> TuneManifest:
    """Read a manifest. Paths of bots are relative to its folder."""
    try:
        table: dict[str, Any] = parse_toml(path.read_bytes())
    except FileNotFoundError:
        raise ConfigError(f"{path} does not exist; docs/tuning.md has an example to start from") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}") from None
    problems = _problems(table, _FIELDS, _NEEDED, "")
    if not problems:
        for name, row in table["parameters"].items():
            problems += _parameter_problems(name, row)
    if problems:
        raise ConfigError(f"{path}: {'; '.join(problems)}")
    info = find_info(table["game"])
    iterations = table.get("iterations", 500)
    manifest = TuneManifest(
        bot=find_bot(table["bot"], path.parent),
        game=info.id,
        seats=table.get("seats", info.min_seats),
        variant=info.read_variant({name: str(value) for name, value in table.get("variant", {}).items()}),
        field=tuple(find_bot(bot, path.parent) for bot in table.get("against", ())),
        by_arguments=table.get("hand_over") == "arguments",
        iterations=iterations,
        blocks=table.get("blocks", 4),
        rate=float(table.get("rate", min(TRAVEL / iterations, MOST_RATE))),
        seed=table.get("seed", "tune"),
        clock=table.get("clock", "60+0.1/1"),
        parameters=tuple(_parameter(name, row) for name, row in table["parameters"].items()),
    )
    manifest.comparison((), ())  # refuses what cannot be played
    return manifest


def _problems(
    table: dict[str, Any], fields: dict[str, tuple[Check, str]], needed: tuple[str, ...], at: str
) -> list[str]:
    found = [f"{at}{problem}" for problem in unknown_keys(table, fields)]
    found += [f"{at}{name!r} is missing" for name in needed if name not in table]
    found += [
        f"{at}{name!r} must be {wanted}"
        for name, (is_right, wanted) in fields.items()
        if name in table and not is_right(table[name])
    ]
    return found


def _parameter_problems(name: str, row: Any) -> list[str]:
    at = f"parameter {name}: "
    if not NAME.fullmatch(name):
        return [f"{at}a name is letters, digits and underscores, the first a letter"]
    if type(row) is not dict:
        return [f"{at}expected a table with start, low and high"]
    found = _problems(row, _PARAMETER, _PARAMETER_NEEDED, at)
    if not found and not row["low"] <= row["start"] <= row["high"]:
        found.append(f"{at}start must be between low and high")
    if not found and row["low"] == row["high"]:
        found.append(f"{at}low and high are the same: there is nothing to find")
    if not found and row.get("whole") and any(row[end] != int(row[end]) for end in ("low", "high")):
        found.append(f"{at}the ends of a range of whole numbers are whole numbers")
    return found


def _parameter(name: str, row: dict[str, Any]) -> Parameter:
    low, high = float(row["low"]), float(row["high"])
    whole = bool(row.get("whole", False))
    step = float(row.get("step", (high - low) / STEPS))
    return Parameter(name=name, start=float(row["start"]), low=low, high=high, step=step, whole=whole)
