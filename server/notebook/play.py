"""Play one match from Python code, in this process or between real ones.

A notebook runs an event loop already, so nothing here may start one in the same thread: matches between processes are
left to `tortuga play`, and the record of a game played here is made in a thread.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from referee.errors import ConfigError, TortugaError
from referee.games import find_game
from referee.match.clock import TimeControl
from referee.match.match import Terms
from referee.records.record import pack
from referee.rules.chance import SeededChance
from referee.rules.course import Course
from referee.rules.engine import Seat
from server.bots.spec import BotSpec, find_bot
from server.notebook.played_match import PlayedMatch
from server.play.match_setup import MatchSetup
from server.play.record_choices import record_of_choices
from server.play.simulate import InProcessBot, Strategy, is_in_process, load_with, make_strategy, play_out
from server.play.simulation_tally import Tally
from tortuga_bot.bot_folder import load_choose
from tortuga_bot.client import Choose

LONGEST_NAME = 64
"""As of a bot in a manifest."""


def play(
    game: str,
    *bots: str | Choose,
    seed: str | None = None,
    variant: Mapping[str, str | int] | None = None,
    processes: bool | None = None,
    clock: str = "60+0.1/1",
    jail: str = "auto",
) -> PlayedMatch:
    """Play one match of a game and return it; a notebook shows its table and its board.

    A bot is a SPEC (a folder, the name of a sample bot, "cmd: …") or a function `choose(question)`, one per seat. Where
    all of them are functions or Python bots they are called in this process, without a clock, and None, to resign, is
    taken for option 0. Otherwise, or with `processes=True`, they are started as by `tortuga play`, under `clock` and
    `jail`. Folders are read anew at each call. The same seed deals the same luck.
    """
    settings = {name: str(value) for name, value in (variant or {}).items()}
    seed = secrets.token_hex(16) if seed is None else str(seed)
    find_game(game).info.check_seats(len(bots))
    here = all(callable(bot) or _is_callable_here(find_bot(bot)) for bot in bots)
    if processes or (processes is None and not here):
        return PlayedMatch(_play_between_processes(game, bots, seed, settings, clock, jail))
    return PlayedMatch(_play_here(game, bots, seed, settings))


def _is_callable_here(bot: BotSpec) -> bool:
    return bot.name == "random" or is_in_process(bot)


def _play_here(game: str, bots: Sequence[str | Choose], seed: str, settings: Mapping[str, str]) -> bytes:
    found = find_game(game)
    setup = MatchSetup(
        game=found, variant=found.info.read_variant(settings), seed=seed, clock=TimeControl(unlimited=True)
    )
    terms, specs = setup.terms(), [_spec_of(bot) for bot in bots]
    course = Course(found, len(bots), setup.variant, SeededChance(terms.secret))
    strategies = [
        _strategy_of(bot, spec, course, terms, Seat(seat))
        for seat, (bot, spec) in enumerate(zip(bots, specs, strict=True))
    ]
    taken: list[dict[Seat, int]] = []
    play_out(course, strategies, Tally(game, len(bots)), taken)
    with ThreadPoolExecutor(1) as thread:  # this one may run an event loop, as in a notebook
        return pack(thread.submit(record_of_choices, terms, specs, taken).result())


def _spec_of(bot: str | Choose) -> BotSpec:
    if isinstance(bot, str):
        return find_bot(bot)
    return BotSpec(name=str(getattr(bot, "__name__", type(bot).__name__))[:LONGEST_NAME], run=(), language="python")


def _strategy_of(bot: str | Choose, spec: BotSpec, course: Course, terms: Terms, seat: Seat) -> Strategy:
    spec.check_game(course.game.info.id)
    if not isinstance(bot, str):
        return InProcessBot(spec, course, terms.variant, seat, terms.match_id, choose=bot)
    if spec.name == "random":
        return make_strategy(None, course, terms.variant, seat, terms.match_id)
    fresh: Callable[[Path], Choose] = load_choose
    return InProcessBot(spec, course, terms.variant, seat, terms.match_id, choose=load_with(spec, fresh))


def _play_between_processes(
    game: str, bots: Sequence[str | Choose], seed: str, settings: Mapping[str, str], clock: str, jail: str
) -> bytes:
    words = ["play", game, f"--seed={seed}", f"--clock={clock}", f"--jail={jail}", "--json"]
    for bot in bots:
        if not isinstance(bot, str):
            raise ConfigError("a function cannot be started as a process: put it into the bot.py of a folder")
        words.append(f"--bot={bot}")
    words += [f"--variant={name}={value}" for name, value in settings.items()]
    with tempfile.TemporaryDirectory(prefix="tortuga-") as folder:
        record = Path(folder) / "match.tortuga"
        # -P: a folder `server` where the user stands is not ours.
        command = [sys.executable, "-P", "-m", "server", *words, f"--record={record}"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if not record.is_file():
            raise TortugaError(done.stderr.strip() or f"tortuga play ended with code {done.returncode}")
        return record.read_bytes()
