"""Many games in this process, without gRPC: what the engine does, how often, how fast.

Bots are functions here: `random` picks uniformly; a sample bot is loaded from its folder and gets the same messages it
would get from a referee.
"""

from __future__ import annotations

import importlib.util
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import dropwhile
from pathlib import Path

from referee.chance import SeededChance, derive_secret
from referee.course import Course
from referee.engine import AnyGame, Seat, Variant
from referee.errors import ConfigError, TortugaError
from referee.wire import find_wire
from server.bots.kits import PACKAGES
from server.bots.spec import BotSpec
from tortuga.v1 import referee_pb2
from tortuga_bot import Match, Question
from tortuga_bot.client import Choose

Strategy = Callable[[Course, Seat], int]
"""A bot as a function in this process: gives the index of the option it takes."""


@dataclass(slots=True)
class Sizes:
    """How long the legal lists of one kind of decision were."""

    count: int = 0
    total: int = 0
    max: int = 0

    def add(self, size: int) -> None:
        """One more list."""
        self.count += 1
        self.total += size
        self.max = max(self.max, size)


@dataclass(slots=True)
class Tally:
    """What a run of games came to."""

    game: str
    seats: int
    games: int = 0
    seconds: float = 0.0
    decisions: list[int] = field(default_factory=list)
    lists: dict[str, Sizes] = field(default_factory=dict)
    ends: Counter[str] = field(default_factory=Counter)
    wins: list[float] = field(default_factory=list)
    """Per seat; a shared first place counts in equal parts."""
    bot_wins: list[float] = field(default_factory=list)
    """Per bot, where bots were named and rotate over the seats."""
    fired: Counter[str] = field(default_factory=Counter)


def simulate(
    game: AnyGame,
    variant: Variant,
    *,
    seats: int,
    games: int,
    seed: str,
    bots: Sequence[BotSpec] = (),
    progress: Callable[[int], None] | None = None,
) -> Tally:
    """Play that many games. Bots rotate over the seats, all rotations of a block under one and the same luck."""
    game.info.check_seats(seats)
    if bots and len(bots) != seats:
        raise ConfigError(f"{len(bots)} bots were named for {seats} seats")
    tally = Tally(game.info.id, seats, wins=[0.0] * seats, bot_wins=[0.0] * len(bots))
    began = time.perf_counter()
    for number in range(games):
        block, rotation = divmod(number, seats) if bots else (number, 0)
        course = Course(game, seats, variant, SeededChance(derive_secret(seed, str(block))))
        strategies: list[Strategy] = []
        for seat in range(seats):
            bot = bots[(seat - rotation) % seats] if bots else None
            strategies.append(make_strategy(bot, course, variant, Seat(seat), f"{seed}/{number}"))
        play_out(course, strategies, tally)
        for seat, share in _win_shares(course):
            tally.wins[seat] += share
            if bots:
                tally.bot_wins[(seat - rotation) % seats] += share
        if progress:
            progress(number + 1)
    tally.seconds = time.perf_counter() - began
    return tally


def _win_shares(course: Course) -> list[tuple[int, float]]:
    assert course.outcome is not None
    winners = [seat for seat, rank in enumerate(course.outcome.ranks) if rank == 1]
    return [(seat, 1 / len(winners)) for seat in winners]


def play_out(course: Course, strategies: Sequence[Strategy], tally: Tally) -> None:
    """One game, counted."""
    fired, lists, name = tally.fired, tally.lists, course.game.fired
    decisions = 0
    fired.update(map(name, course.events))
    while course.outcome is None:
        sizes = lists.get(course.kind)
        if sizes is None:
            sizes = lists[course.kind] = Sizes()
        choices = {}
        for seat, options in course.asked.items():
            sizes.add(len(options))
            choices[seat] = strategies[seat](course, seat)
        decisions += len(choices)
        course.choose(choices)
        fired.update(map(name, course.events))
    tally.games += 1
    tally.decisions.append(decisions)
    tally.ends[course.outcome.reason] += 1


def make_strategy(bot: BotSpec | None, course: Course, variant: Variant, seat: Seat, match_id: str) -> Strategy:
    """A bot for one seat of one game; None is random."""
    if bot is not None and bot.name != "random":
        return InProcessBot(bot, course, variant, seat, match_id)
    pick = random.Random(f"{match_id}/{seat}").random
    return lambda course, seat: int(pick() * len(course.asked[seat]))


class InProcessBot:
    """A bot called as a function, with the very message it would get over the wire."""

    def __init__(self, bot: BotSpec, course: Course, variant: Variant, seat: Seat, match_id: str) -> None:
        self._bot = bot
        self._choose = load_choose(bot)
        self._wire = find_wire(course.game.info.id)
        self._asked = 0
        self._match = Match(
            match_id=match_id,
            game=course.game.info.id,
            seat=seat,
            seat_names=tuple(f"seat {place}" for place in range(course.seats)),
            variant={name: str(value) for name, value in variant.items()},
        )

    def __call__(self, course: Course, seat: Seat) -> int:
        """The bot's answer; resigning is not for simulations, it counts as option 0."""
        actions = course.asked[seat]
        self._asked += 1
        message = referee_pb2.Question(question_id=self._asked, option_count=len(actions))
        position = self._wire.position(course.kind, course.view(seat), course.take_events(seat), actions)
        getattr(message, self._match.game).ParseFromString(position)
        when = f"at question {self._asked} of match {self._match.match_id}"
        try:
            answer = self._choose(Question(self._match, message)) or 0
        except Exception as error:
            raise blame(self._bot, when, error) from None
        if not 0 <= answer < len(actions):
            wanted = f"expected an option from 0 to {len(actions) - 1}"
            raise TortugaError(f"the bot {self._bot.name} answered {answer} {when}, {wanted}")
        return answer


def load_choose(bot: BotSpec) -> Choose:
    """The `choose` function of a Python bot's folder."""
    if bot.folder is None or not (bot.folder / "bot.py").is_file():
        raise ConfigError(f"only bots with a bot.py can be simulated in process; {bot.name} has none")
    try:
        return _load(bot.folder)
    except TortugaError:
        raise
    except SystemExit:
        raise ConfigError(
            f"the bot {bot.name} exited as {bot.folder}/bot.py was imported, and for its choose it has to be imported: "
            'put play(…) below a guard, `if __name__ == "__main__":`'
        ) from None
    except Exception as error:
        raise blame(bot, "as its bot.py was loaded", error) from None


def blame(bot: BotSpec, when: str, error: Exception) -> TortugaError:
    """What went wrong in the code of a bot, with the part of the traceback that is its author's."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = dropwhile(lambda frame: not frame.filename.startswith(f"{bot.folder}/"), frames)
    story = [*traceback.format_list(list(theirs)), *traceback.format_exception_only(error)]
    return TortugaError(f"the bot {bot.name} failed {when}:\n{''.join(story).rstrip()}")


@cache
def _load(folder: Path) -> Choose:
    before = set(sys.modules)
    spec = importlib.util.spec_from_file_location(f"simulated_{folder.name}", folder / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    if (packages := folder / PACKAGES).is_dir() and str(packages) not in sys.path:
        sys.path.append(str(packages))  # for good: a bot may import something later
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
        # Two bots may both have a module called `strategy`: leave none of their names behind.
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(f"{folder}/"):
                del sys.modules[name]
    found: Choose | None = getattr(module, "choose", None)
    if found is None:
        raise ConfigError(f"{folder}/bot.py has no function choose(question)")
    return found
