"""`tortuga game check`: a game of another package held to every promise, one finding for each.

Many games are played by random choices, with every number of seats and every word of every setting. A promise that is
broken once is reported with the seed and the position, and not tried again.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from referee.draw import find_drawing
from referee.errors import ConfigError, TortugaError
from referee.games import find_game
from referee.rules.engine import AnyGame, Variant, WordSetting
from referee.rules.infos import PLUGINS, find_info
from referee.wire import find_wire
from server.games.promises import ALWAYS, AT_THE_END, BrokenPromise, Promise, TriedMoment, moments, require

HASH_SEEDS = ("0", "1", "2")
PROMISES: tuple[Promise, ...] = tuple(dict.fromkeys((*ALWAYS, *AT_THE_END)))


@dataclass(frozen=True, slots=True)
class CheckedPromise:
    """What came of one promise."""

    promise: str
    """Its name."""
    meaning: str
    """The promise in a sentence."""
    held: int
    """How often it was tried and held."""
    broken: str = ""
    """Where and how it was broken; empty: it was not."""


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """What came of all promises of one game."""

    game: str
    package: str
    games: int
    promises: tuple[CheckedPromise, ...]
    hidden: int
    """How often something was hidden from somebody. 0: the promises about secrets had nothing to find."""

    @property
    def is_sound(self) -> bool:
        """Return whether every promise held."""
        return not any(promise.broken for promise in self.promises)


def check_game(game_id: str, *, games: int = 10, seed: str = "check") -> SuiteReport:
    """Hold a game to every promise, in so many games per number of seats and setting."""
    info = find_info(game_id)
    plugin = PLUGINS[info.id]
    if plugin.wire:
        raise ConfigError(f"{info.id} is a game of tortuga itself, which its own tests check")
    game = find_game(info.id)
    held: Counter[str] = Counter()
    broken: dict[str, str] = {}
    hidden = played = 0
    for number in range(games):
        for seats, variant in cases(game):
            played += 1
            hidden += _play(game, seats, variant, f"{seed} {number}", held, broken)
    _check_processes(game, seed, held, broken)
    promises = [
        CheckedPromise(name, _first_line(meaning), held[name], broken.get(name, "")) for name, meaning in _names()
    ]
    return SuiteReport(info.id, plugin.origin, played, tuple(promises), hidden)


def cases(game: AnyGame) -> Iterator[tuple[int, Variant]]:
    """Yield every number of seats, and with the fewest seats every other word of every setting."""
    info = game.info
    for seats in range(info.min_seats, info.max_seats + 1):
        yield seats, info.read_variant({})
    for setting in info.settings:
        if isinstance(setting, WordSetting):
            for word in setting.values:
                if word != setting.default:
                    yield info.min_seats, info.read_variant({setting.name: word})


def same_in_every_process(game: AnyGame, seed: str) -> None:
    """A game is the same in every process: nothing comes in the order of a set, or depends on the machine."""
    command = [sys.executable, "-m", "server.games.transcript", game.info.id, str(game.info.min_seats), f"{seed} a"]
    lines = set()
    for number in HASH_SEEDS:
        environment = {**os.environ, "PYTHONHASHSEED": number}
        done = subprocess.run([*command, f"{seed} b"], env=environment, capture_output=True, text=True, check=False)
        last = done.stderr.strip().splitlines()[-1:] or [""]
        require(done.returncode == 0, f"it cannot be played in a process of its own: {last[0]}")
        lines.add(done.stdout)
    require(len(lines) == 1, "the same game differs from process to process: is something in the order of a set?")


def promise_names() -> list[str]:
    """Return the names of all promises."""
    return [name for name, _ in _names()]


def _names() -> list[tuple[str, str]]:
    checks = (*PROMISES, same_in_every_process)
    return [(check.__name__.replace("_", " "), check.__doc__ or "") for check in checks]


def _first_line(docstring: str) -> str:
    return " ".join(docstring.split())


def _play(game: AnyGame, seats: int, variant: Variant, seed: str, held: Counter[str], broken: dict[str, str]) -> int:
    """Play one game and try every promise that is not broken yet. Returns how often something was hidden."""
    moment: TriedMoment | None = None
    place = f"seed {seed!r}, {seats} seats"
    settings = [f"{name}={value}" for name, value in variant.items() if value != _default(game, name)]
    if settings:
        place += f", {', '.join(settings)}"
    try:
        for moment in moments(game, find_wire(game.info.id), seats, variant, seed, drawing=find_drawing(game.info.id)):
            at = f"decision {moment.asked} ({moment.course.kind})" if moment.choices else "at the end"
            for promise in ALWAYS if moment.choices else AT_THE_END:
                _try(promise, moment, f"{place}, {at}", held, broken)
            if "state is left alone" in broken and moment.choices and moment.shadow.state is not moment.course.state:
                moment.shadow = moment.course.clone()  # it may not have moved on
                moment.shadow.choose(moment.choices)
    except Exception as error:
        asked = moment.asked if moment is not None else 0
        broken.setdefault("ends in bounds", f"{place}, after decision {asked}: {_words(error)}")
    return moment.hidden if moment is not None else 0


def _try(promise: Promise, moment: TriedMoment, where: str, held: Counter[str], broken: dict[str, str]) -> None:
    name = promise.__name__.replace("_", " ")
    if name in broken:
        return
    try:
        promise(moment)
    except Exception as error:  # a stranger's code can raise anything
        broken[name] = f"{where}: {_words(error)}"
    else:
        held[name] += 1


def _check_processes(game: AnyGame, seed: str, held: Counter[str], broken: dict[str, str]) -> None:
    name = same_in_every_process.__name__.replace("_", " ")
    try:
        same_in_every_process(game, seed)
    except BrokenPromise as error:
        broken[name] = str(error)
    else:
        held[name] += 1


def _words(error: Exception) -> str:
    words = " ".join(str(error).split())
    return words if isinstance(error, BrokenPromise | TortugaError) else f"{type(error).__name__}: {words}"


def _default(game: AnyGame, name: str) -> str | int:
    [setting] = [setting for setting in game.info.settings if setting.name == name]
    return setting.default
